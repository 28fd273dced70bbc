//! Declaration annotations: which types are there, which classes one names, and how to step over one.

use crate::bytes::Reader;
use crate::{Attributes, ClassError, ConstantPool, JvmStr};

/// The descriptors of the annotation types on a class or member, as far as they can be read.
pub fn annotation_types<'a>(attributes: &Attributes<'a>, pool: &ConstantPool<'a>) -> Vec<JvmStr<'a>> {
    let mut types = Vec::new();
    for attribute in attributes.iter() {
        let name = attribute.name(pool);
        if name == "RuntimeVisibleAnnotations" || name == "RuntimeInvisibleAnnotations" {
            // A malformed table ends the list; what was read before it stands.
            let _: Result<(), ClassError> = collect_types(attribute.data, pool, &mut types);
        }
    }
    types
}

fn collect_types<'a>(
    data: &'a [u8],
    pool: &ConstantPool<'a>,
    types: &mut Vec<JvmStr<'a>>,
) -> Result<(), ClassError> {
    let mut reader = Reader::new(data);
    for _ in 0..reader.u2()? {
        types.push(pool.utf8({ reader }.u2()?)?);
        skip_annotation(&mut reader)?;
    }
    Ok(())
}

/// The descriptors of the classes that stand in the values of this annotation, which must be visible at run time.
///
/// Values within other annotations are not looked at.
pub fn annotated_classes<'a>(
    attributes: &Attributes<'a>,
    pool: &ConstantPool<'a>,
    annotation: &str,
) -> Vec<JvmStr<'a>> {
    let mut classes = Vec::new();
    if let Some(attribute) = attributes.find(pool, "RuntimeVisibleAnnotations") {
        let _: Result<(), ClassError> = collect_classes(attribute.data, pool, annotation, &mut classes);
    }
    classes
}

fn collect_classes<'a>(
    data: &'a [u8],
    pool: &ConstantPool<'a>,
    annotation: &str,
    classes: &mut Vec<JvmStr<'a>>,
) -> Result<(), ClassError> {
    let mut reader = Reader::new(data);
    for _ in 0..reader.u2()? {
        if pool.utf8({ reader }.u2()?)? != *annotation {
            skip_annotation(&mut reader)?;
            continue;
        }
        reader.skip(2)?;
        for _ in 0..reader.u2()? {
            reader.skip(2)?;
            classes_in_value(&mut reader, pool, 1, classes)?;
        }
    }
    Ok(())
}

fn classes_in_value<'a>(
    reader: &mut Reader<'a>,
    pool: &ConstantPool<'a>,
    depth: u32,
    classes: &mut Vec<JvmStr<'a>>,
) -> Result<(), ClassError> {
    match { *reader }.u1()? {
        b'c' => {
            reader.skip(1)?;
            classes.push(pool.utf8(reader.u2()?)?);
            Ok(())
        }
        b'[' if depth <= MAX_NESTING => {
            reader.skip(1)?;
            for _ in 0..reader.u2()? {
                classes_in_value(reader, pool, depth + 1, classes)?;
            }
            Ok(())
        }
        _ => skip_value(reader, depth),
    }
}

/// Values nest; real ones a few levels, hostile ones without end.
const MAX_NESTING: u32 = 64;

pub(crate) fn skip_annotation(reader: &mut Reader<'_>) -> Result<(), ClassError> {
    skip_nested(reader, 0)
}

fn skip_nested(reader: &mut Reader<'_>, depth: u32) -> Result<(), ClassError> {
    reader.skip(2)?;
    for _ in 0..reader.u2()? {
        reader.skip(2)?;
        skip_value(reader, depth + 1)?;
    }
    Ok(())
}

fn skip_value(reader: &mut Reader<'_>, depth: u32) -> Result<(), ClassError> {
    if depth > MAX_NESTING {
        let what = format!("values nest deeper than {MAX_NESTING}");
        return Err(ClassError::Attribute { attribute: "annotations", what });
    }
    match reader.u1()? {
        b'e' => reader.skip(4),
        b'@' => skip_nested(reader, depth),
        b'[' => {
            for _ in 0..reader.u2()? {
                skip_value(reader, depth + 1)?;
            }
            Ok(())
        }
        _ => reader.skip(2),
    }
}
