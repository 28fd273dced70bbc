//! A class through the writer with nothing to change: the proof that reading and writing lose nothing.

use crate::{ClassFile, CodeEdit, Constants, PoolAppender, RelocateError, relocate, replace_code};

/// What came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// Equal to what went in, or the writer is wrong.
    pub bytes: Vec<u8>,
    /// Methods whose code was written anew.
    pub methods: usize,
    /// Why the others were copied as they are.
    pub refused: Vec<RelocateError>,
}

/// Writes the code of every method anew.
pub fn rewrite(class: &ClassFile<'_>) -> Rewritten {
    let mut replacements = Vec::new();
    let mut refused = Vec::new();
    for method in &class.methods {
        let contents = match class.code(method) {
            Ok(None) => continue,
            Ok(Some((attribute, code))) => {
                let edit = CodeEdit::unchanged(&code);
                relocate(class, method, (attribute, code), &edit, &mut NoConstants)
                    .map(|contents| (attribute, contents))
            }
            Err(error) => Err(error.into()),
        };
        match contents {
            Ok(replacement) => replacements.push(replacement),
            Err(error) => refused.push(error),
        }
    }
    let bytes = replace_code(class, &PoolAppender::new(&class.pool), &replacements);
    Rewritten { bytes, methods: replacements.len(), refused }
}

/// Code that does not change needs no new constants.
struct NoConstants;

impl Constants for NoConstants {
    fn class(&mut self, _: &[u8]) -> Option<u16> {
        None
    }

    fn utf8(&mut self, _: &[u8]) -> Option<u16> {
        None
    }
}
