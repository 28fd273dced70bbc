//! Descriptors of fields and methods taken apart (JVMS §4.3).

use crate::JvmStr;

/// The parameters of a method, each as a field descriptor. Ends at the first malformed one.
pub fn parameters(descriptor: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = descriptor.strip_prefix(b"(").unwrap_or_default();
    std::iter::from_fn(move || {
        let (first, behind) = rest.split_at_checked(type_len(rest)?)?;
        rest = behind;
        Some(first)
    })
}

/// The type that a method returns, as a field descriptor or `V`.
pub fn returned(descriptor: &[u8]) -> &[u8] {
    let close = descriptor.iter().position(|byte| *byte == b')');
    close.and_then(|close| descriptor.get(close + 1..)).unwrap_or_default()
}

/// Number of slots that a value takes.
pub fn slots(descriptor: &[u8]) -> usize {
    match descriptor.first() {
        None | Some(b'V') => 0,
        Some(b'J' | b'D') => 2,
        Some(_) => 1,
    }
}

/// The slots that all parameters take together.
pub fn parameter_slots(descriptor: &[u8]) -> usize {
    parameters(descriptor).map(slots).sum()
}

/// The type as people write class names, `java.io.File`; arrays and primitives stay descriptors.
pub fn type_name(descriptor: &[u8]) -> String {
    let class = descriptor.strip_prefix(b"L").and_then(|it| it.strip_suffix(b";"));
    JvmStr::new(class.unwrap_or(descriptor)).to_binary_name()
}

/// Bytes of the field descriptor at the start.
fn type_len(descriptor: &[u8]) -> Option<usize> {
    let dimensions = descriptor.iter().take_while(|byte| **byte == b'[').count();
    match descriptor.get(dimensions)? {
        b'L' => Some(descriptor.iter().position(|byte| *byte == b';')? + 1),
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => Some(dimensions + 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_told_apart() {
        let descriptor = b"(IJLjava/io/File;[[D[Lx/Y;Z)Ljava/lang/String;";
        let names: Vec<String> = parameters(descriptor).map(type_name).collect();
        assert_eq!(names, ["I", "J", "java.io.File", "[[D", "[Lx.Y;", "Z"]);
        assert_eq!(parameter_slots(descriptor), 7);
        assert_eq!(type_name(returned(descriptor)), "java.lang.String");
        assert_eq!(slots(returned(b"()V")), 0);
    }

    #[test]
    fn malformed_descriptors_end_early() {
        assert_eq!(parameters(b"(ILx").count(), 1);
        assert_eq!(parameters(b"I").count(), 0);
        assert_eq!(returned(b"(I"), b"");
    }
}
