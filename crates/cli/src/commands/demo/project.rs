//! The bundled example project, embedded: `catchment demo` needs no checkout.

use std::fs;
use std::io;
use std::path::Path;

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../../examples/demo/", $path)))),*]
    };
}

/// Paths below the project's folder, and what they hold.
const FILES: &[(&str, &str)] = files![
    "README.md",
    "pom.xml",
    "src/main/java/com/acme/orders/BadOrderException.java",
    "src/main/java/com/acme/orders/Importer.java",
    "src/main/java/com/acme/orders/Journal.java",
    "src/main/java/com/acme/orders/Main.java",
    "src/main/java/com/acme/orders/Order.java",
    "src/main/java/com/acme/orders/OrderParser.java",
    "src/main/java/com/acme/orders/PriceCache.java",
    "src/main/java/com/acme/orders/PriceList.java",
    "src/main/java/com/acme/orders/PriceStore.java",
    "src/test/java/com/acme/orders/ImporterTest.java",
    "src/test/java/com/acme/orders/JournalTest.java",
    "src/test/java/com/acme/orders/OrderParserTest.java",
    "src/test/java/com/acme/orders/PriceCacheTest.java",
    "src/test/java/com/acme/orders/PriceListTest.java",
];

/// Writes the project into `folder`.
pub(crate) fn unpack(folder: &Path) -> io::Result<()> {
    for (path, text) in FILES {
        let file = folder.join(path);
        fs::create_dir_all(file.parent().unwrap_or(folder))?;
        fs::write(file, text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files_below(folder: &Path, found: &mut Vec<String>, root: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files_below(&path, found, root);
            } else {
                found.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }

    #[test]
    fn every_source_of_the_example_is_embedded() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/demo");
        let mut found = vec!["README.md".to_owned(), "pom.xml".to_owned()];
        files_below(&root.join("src"), &mut found, &root);
        found.sort();
        assert_eq!(found, FILES.iter().map(|(path, _)| *path).collect::<Vec<_>>());
    }
}
