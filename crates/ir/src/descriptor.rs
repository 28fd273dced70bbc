//! Descriptors, as far as the operand stack is concerned (JVMS §4.3).

use crate::error::Fault;
use catchment_classfile::descriptor::parameters;

/// The shape of a value on the stack.
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
pub(crate) fn parse_method(descriptor: &[u8], shapes: &mut Vec<Shape>) -> Result<Shape, Fault> {
    let mut end = 1;
    for parameter in parameters(descriptor) {
        shapes.push(Shape::of(parameter)?);
        end += parameter.len();
    }
    let is_method = descriptor.first() == Some(&b'(') && descriptor.get(end) == Some(&b')');
    let result = descriptor.get(end + 1..).filter(|_| is_method).ok_or(Fault::Descriptor)?;
    Shape::of(result)
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
