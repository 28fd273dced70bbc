//! Descriptors, as far as the operand stack is concerned (JVMS §4.3).

use crate::error::Fault;

/// What a value is on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Nothing,
    Number,
    WideNumber,
    Reference,
}

impl Shape {
    /// Of the field descriptor or `V` that begins here; whatever follows is not looked at.
    #[inline]
    pub(crate) fn of(descriptor: &[u8]) -> Result<Self, Fault> {
        match descriptor.first() {
            Some(b'L' | b'[') => Ok(Self::Reference),
            Some(b'J' | b'D') => Ok(Self::WideNumber),
            Some(b'B' | b'C' | b'F' | b'I' | b'S' | b'Z') => Ok(Self::Number),
            Some(b'V') => Ok(Self::Nothing),
            _ => Err(Fault::Descriptor),
        }
    }

    #[inline]
    pub(crate) fn slots(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Number | Self::Reference => 1,
            Self::WideNumber => 2,
        }
    }
}

/// Appends the shapes of a method's parameters and gives that of its result.
#[inline]
pub(crate) fn parse_method(descriptor: &[u8], parameters: &mut Vec<Shape>) -> Result<Shape, Fault> {
    let mut rest = descriptor.strip_prefix(b"(").ok_or(Fault::Descriptor)?;
    loop {
        if let Some(result) = rest.strip_prefix(b")") {
            return Shape::of(result);
        }
        let shape = Shape::of(rest)?;
        let len = type_len(rest).ok_or(Fault::Descriptor)?;
        rest = rest.get(len..).ok_or(Fault::Descriptor)?;
        parameters.push(shape);
    }
}

/// Bytes of the field descriptor at the start.
#[inline]
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
    fn parameters_and_result_are_told_apart() {
        let mut parameters = Vec::new();
        let result = parse_method(b"(IJLjava/io/File;[[D[Lx/Y;Z)V", &mut parameters);
        assert_eq!(result, Ok(Shape::Nothing));
        use Shape::{Number, Reference, WideNumber};
        assert_eq!(parameters, [Number, WideNumber, Reference, Reference, Reference, Number]);
    }

    #[test]
    fn malformed_descriptors_are_refused() {
        for bad in ["", "I", "(", "(I", "(Lx)V", "([)V", "(V)V", "()", "()X"] {
            assert_eq!(parse_method(bad.as_bytes(), &mut Vec::new()), Err(Fault::Descriptor), "{bad}");
        }
    }
}
