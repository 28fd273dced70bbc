//! Classes that the program's own code speaks of and that are nowhere: what they do is not seen.

use crate::entry_points::OwnClasses;
use catchment_classfile::ClassFile;
use catchment_pointsto::world::ClassSource;
use std::collections::BTreeSet;

/// The tag of a class in a constant pool (JVMS §4.4).
const CLASS: u8 = 7;

/// Binary names, sorted. Types that only signatures mention need not be there for the code to run.
pub(crate) fn missing_classes(source: &dyn ClassSource, own: &OwnClasses) -> Vec<String> {
    let mut seen: BTreeSet<Vec<u8>> = BTreeSet::new();
    for name in own.application.iter().chain(&own.tests) {
        let file = source.find(name).and_then(|(bytes, _)| ClassFile::parse(bytes).ok());
        if let Some(file) = file {
            seen.extend(classes_named_by(&file));
        }
    }
    seen.retain(|name| source.find(name).is_none());
    seen.iter().map(|name| String::from_utf8_lossy(name).replace('/', ".")).collect()
}

fn classes_named_by(file: &ClassFile<'_>) -> Vec<Vec<u8>> {
    let indices = (1..u16::MAX).take(file.pool.count());
    let classes = indices.filter(|index| file.pool.tag(*index) == Some(CLASS));
    let names = classes.filter_map(|index| file.pool.class_name(index).ok());
    names.filter_map(|name| class_in(name.as_bytes()).map(<[u8]>::to_vec)).collect()
}

/// `a/B` of `a/B` and of `[[La/B;`; none of an array of numbers.
fn class_in(name: &[u8]) -> Option<&[u8]> {
    let element = name.iter().position(|byte| *byte != b'[')?;
    match &name[element..] {
        whole if element == 0 => Some(whole),
        [b'L', class @ .., b';'] => Some(class),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_speak_of_their_elements() {
        assert_eq!(class_in(b"a/B"), Some(&b"a/B"[..]));
        assert_eq!(class_in(b"[[La/B;"), Some(&b"a/B"[..]));
        assert_eq!(class_in(b"[I"), None);
        assert_eq!(class_in(b"Lens"), Some(&b"Lens"[..]));
    }
}
