//! Stack map frames (JVMS §4.7.4): decoded one by one, with the raw bytes kept for exact re-encoding.

use crate::bytes::Reader;
use crate::{ClassError, ClassFile, Member};

/// What the verifier knows of one local variable or stack slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerificationType<'a> {
    Top,
    Integer,
    Float,
    Double,
    Long,
    Null,
    UninitializedThis,
    /// A class by its constant pool index.
    Object(u16),
    /// A class by name or array descriptor; no constant for it may exist yet.
    Named(&'a [u8]),
    /// Made by the `new` at this pc, constructor not yet called.
    Uninitialized(u16),
}

/// The state the verifier assumes at one instruction. Locals as in the file: a long or double is one element.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame<'a> {
    pub locals: Vec<VerificationType<'a>>,
    pub stack: Vec<VerificationType<'a>>,
}

/// A frame in its place, as the file encodes it.
#[derive(Debug, Clone, Copy)]
pub struct FrameAt<'a> {
    pub pc: usize,
    /// The first byte of the encoding.
    pub kind: u8,
    /// What follows the kind and offset.
    pub body: &'a [u8],
}

/// Walks a `StackMapTable`, keeping the full state at each frame.
#[derive(Debug)]
pub struct FrameWalk<'a> {
    reader: Reader<'a>,
    left: u16,
    pc: Option<usize>,
    state: Frame<'a>,
}

fn malformed(what: String) -> ClassError {
    ClassError::Attribute { attribute: "StackMapTable", what }
}

impl<'a> FrameWalk<'a> {
    /// `table` is the contents of the attribute; `initial` the locals at method entry (see [`Frame::at_entry`]).
    pub fn new(table: &'a [u8], initial: Frame<'a>) -> Result<Self, ClassError> {
        let mut reader = Reader::new(table);
        let left = reader.u2()?;
        Ok(Self { reader, left, pc: None, state: initial })
    }

    /// The state at the frame returned last.
    pub fn state(&self) -> &Frame<'a> {
        &self.state
    }

    /// The next frame, or `None` after the last.
    pub fn advance(&mut self) -> Result<Option<FrameAt<'a>>, ClassError> {
        if self.left == 0 {
            return if self.reader.at_end() {
                Ok(None)
            } else {
                Err(malformed("bytes after the last frame".into()))
            };
        }
        self.left -= 1;
        let kind = self.reader.u1()?;
        let delta = match kind {
            0..=63 => u16::from(kind),
            64..=127 => u16::from(kind) - 64,
            247..=255 => self.reader.u2()?,
            _ => return Err(malformed(format!("frame kind {kind} is reserved"))),
        };
        let pc = self.pc.map_or(usize::from(delta), |pc| pc + usize::from(delta) + 1);
        self.pc = Some(pc);
        let before = self.reader;
        self.read_body(kind)?;
        let len = self.reader.pos() - before.pos();
        let body = { before }.take(len)?;
        Ok(Some(FrameAt { pc, kind, body }))
    }

    fn read_body(&mut self, kind: u8) -> Result<(), ClassError> {
        self.state.stack.clear();
        match kind {
            64..=127 | 247 => self.state.stack.push(read_type(&mut self.reader)?),
            248..=250 => {
                let keep = self.state.locals.len().checked_sub(usize::from(251 - kind));
                self.state
                    .locals
                    .truncate(keep.ok_or_else(|| malformed("chops more locals than there are".into()))?);
            }
            252..=254 => {
                for _ in 0..kind - 251 {
                    self.state.locals.push(read_type(&mut self.reader)?);
                }
            }
            255 => {
                self.state.locals = read_types(&mut self.reader)?;
                self.state.stack = read_types(&mut self.reader)?;
            }
            _ => {}
        }
        Ok(())
    }
}

fn read_types<'a>(reader: &mut Reader<'a>) -> Result<Vec<VerificationType<'a>>, ClassError> {
    (0..reader.u2()?).map(|_| read_type(reader)).collect()
}

pub(crate) fn read_type<'a>(reader: &mut Reader<'_>) -> Result<VerificationType<'a>, ClassError> {
    Ok(match reader.u1()? {
        0 => VerificationType::Top,
        1 => VerificationType::Integer,
        2 => VerificationType::Float,
        3 => VerificationType::Double,
        4 => VerificationType::Long,
        5 => VerificationType::Null,
        6 => VerificationType::UninitializedThis,
        7 => VerificationType::Object(reader.u2()?),
        8 => VerificationType::Uninitialized(reader.u2()?),
        tag => return Err(malformed(format!("verification type {tag} is unknown"))),
    })
}

impl<'a> Frame<'a> {
    /// The state at the first instruction of `method`: receiver and arguments.
    pub fn at_entry(class: &ClassFile<'a>, method: &Member<'a>) -> Self {
        const STATIC: u16 = 0x0008;
        let mut locals = Vec::new();
        if method.access & STATIC == 0 {
            let constructor = method.name == "<init>" && class.name != *"java/lang/Object";
            locals.push(if constructor {
                VerificationType::UninitializedThis
            } else {
                VerificationType::Named(class.name.as_bytes())
            });
        }
        push_arguments(method.descriptor.as_bytes(), &mut locals);
        Self { locals, stack: Vec::new() }
    }
}

/// Appends the types of a method descriptor's parameters. Stops at the first malformed one; the JVM refuses
/// such a class anyway.
fn push_arguments<'a>(descriptor: &'a [u8], locals: &mut Vec<VerificationType<'a>>) {
    let mut rest = descriptor.strip_prefix(b"(").unwrap_or_default();
    while let Some((first, _)) = rest.split_first() {
        let (len, it) = match first {
            b'B' | b'C' | b'I' | b'S' | b'Z' => (1, VerificationType::Integer),
            b'F' => (1, VerificationType::Float),
            b'D' => (1, VerificationType::Double),
            b'J' => (1, VerificationType::Long),
            b'L' | b'[' => {
                let Some(len) = reference_len(rest) else { return };
                let name = if *first == b'L' { &rest[1..len - 1] } else { &rest[..len] };
                (len, VerificationType::Named(name))
            }
            _ => return,
        };
        locals.push(it);
        rest = &rest[len..];
    }
}

/// Length of the reference type descriptor at the start of `descriptor`.
fn reference_len(descriptor: &[u8]) -> Option<usize> {
    let dimensions = descriptor.iter().take_while(|b| **b == b'[').count();
    match descriptor.get(dimensions)? {
        b'L' => descriptor.iter().position(|b| *b == b';').map(|end| end + 1),
        _ => Some(dimensions + 1),
    }
}
