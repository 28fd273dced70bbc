//! Classes of a JDK image, module by module, handed out without copying where the image is not compressed.

use crate::jimage::{Image, ImageClass, ImageError};
use crate::origin::Origin;
use crate::visit::{ClassBytes, Loader};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Gives all classes of the image to the loader in the order in which they lie in the file.
///
/// The index is in hash order; the order of the data groups classes by module and reads the disk from front to back.
pub(crate) fn visit_image(bytes: &[u8], origin: &Origin, loader: &mut Loader<'_>) -> Result<(), ImageError> {
    let image = Image::open(bytes)?;
    let mut classes = Vec::new();
    for class in image.classes() {
        match class {
            Ok(class) => classes.push(class),
            Err(error) => loader.problem(origin, "", error),
        }
    }
    classes.sort_by_key(|class| class.offset);

    let mut modules = FxHashMap::default();
    let mut entry = String::new();
    for class in &classes {
        let named = image.write_entry_name(class, &mut entry);
        match named.and_then(|()| module_origin(&image, class, origin, &mut modules)) {
            Ok(module) => visit_class(&image, class, module, &entry, loader),
            Err(error) => loader.problem(origin, "", error),
        }
    }
    Ok(())
}

fn visit_class(image: &Image<'_>, class: &ImageClass, module: &Origin, entry: &str, loader: &mut Loader<'_>) {
    match image.class_bytes(class, loader.options.limits.class_bytes) {
        Ok(bytes) => loader.class(ClassBytes { origin: module, entry, release: None, bytes: &bytes }),
        Err(error) => loader.problem(module, entry, error),
    }
}

/// The origin of a class's module, made once per module.
fn module_origin<'m>(
    image: &Image<'_>,
    class: &ImageClass,
    origin: &Origin,
    modules: &'m mut FxHashMap<u64, Origin>,
) -> Result<&'m Origin, ImageError> {
    match modules.entry(class.module) {
        Entry::Occupied(known) => Ok(known.into_mut()),
        Entry::Vacant(new) => Ok(new.insert(origin.within(&image.module_name(class)?))),
    }
}
