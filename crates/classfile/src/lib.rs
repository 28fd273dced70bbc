//! Class file bytes to typed values and back, exactly. No IO.

use std::marker::PhantomData;

/// A parsed class file; borrows the bytes it was read from.
#[derive(Debug)]
pub struct ClassFile<'a>(PhantomData<&'a [u8]>);

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ClassError(pub String);

impl<'a> ClassFile<'a> {
    pub fn parse(_bytes: &'a [u8]) -> Result<Self, ClassError> {
        Err(ClassError("not built yet".into()))
    }
}
