//! A class through the writer with nothing to change: the proof that reading and writing lose nothing.

use crate::{
    ClassFile, CodeEdit, Constants, Member, MethodCode, Outlines, PoolAppender, RelocateError, Relocator,
    RelocatorBuffers,
};

/// The result of writing.
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
    let mut refused = Vec::new();
    let mut outlines = Outlines::default();
    let mut buffers = RelocatorBuffers::default();
    let mut relocator = Relocator::new(class, &mut buffers);
    for method in &class.methods {
        outlines.clear();
        if let Err(error) = rewrite_method(class, method, &mut outlines, &mut relocator) {
            refused.push(error);
        }
    }
    let methods = relocator.changed_methods();
    let bytes = relocator.finish(&PoolAppender::new(&class.pool)).to_vec();
    Rewritten { bytes, methods, refused }
}

fn rewrite_method<'a>(
    class: &ClassFile<'a>,
    method: &Member<'a>,
    outlines: &mut Outlines,
    relocator: &mut Relocator<'_, 'a>,
) -> Result<(), RelocateError> {
    let Some((attribute, code)) = class.code(method)? else { return Ok(()) };
    let span = outlines.add(code.bytes)?;
    let source = MethodCode { class, method, attribute, code, outline: outlines.get(&span) };
    relocator.relocate(&source, &CodeEdit::unchanged(&code), &mut NoConstants)
}

/// Code that does not change needs no new constants.
struct NoConstants;

impl Constants for NoConstants {
    fn class(&mut self, _: &[u8]) -> Option<u16> {
        None
    }

    fn stack_map_name(&mut self) -> Option<u16> {
        None
    }
}
