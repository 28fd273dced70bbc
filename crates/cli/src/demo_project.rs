//! The bundled example project, embedded: `catchment demo` needs no checkout.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) const MAIN_CLASS: &str = "com.acme.orders.Main";

const SOURCE_FOLDER: &str = "src/main/java/com/acme/orders";

macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../examples/demo/src/main/java/com/acme/orders/", $name)))),*]
    };
}

const SOURCES: [(&str, &str); 9] = sources![
    "BadOrderException.java",
    "Importer.java",
    "Journal.java",
    "Main.java",
    "Order.java",
    "OrderParser.java",
    "PriceCache.java",
    "PriceList.java",
    "PriceStore.java",
];

/// Writes the sources below `folder` and says where each is.
pub(crate) fn unpack(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let source_folder = folder.join(SOURCE_FOLDER);
    fs::create_dir_all(&source_folder)?;
    let mut paths = Vec::new();
    for (name, text) in SOURCES {
        let path = source_folder.join(name);
        fs::write(&path, text)?;
        paths.push(path);
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_of_the_example_is_embedded() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/demo").join(SOURCE_FOLDER);
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, SOURCES.map(|(name, _)| name));
    }
}
