//! Stack map frames (JVMS §4.7.4): decoded one by one, with the raw bytes kept for exact re-encoding.

use crate::access;
use crate::bytes::Reader;
use crate::{ClassError, ClassFile, Code, Member};

/// The verifier's type of one local variable or stack slot.
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
    /// The bytes behind kind and offset.
    pub body: &'a [u8],
    /// True if the body names pcs: those of `new` instructions.
    pub has_uninitialized: bool,
}

/// Steps through a `StackMapTable` without decoding the frames.
#[derive(Debug)]
pub(crate) struct EncodedFrames<'a> {
    reader: Reader<'a>,
    left: u16,
    pc: Option<usize>,
}

pub(crate) fn malformed(what: String) -> ClassError {
    ClassError::Attribute { attribute: "StackMapTable", what }
}

impl<'a> EncodedFrames<'a> {
    #[inline]
    pub(crate) fn new(table: &'a [u8]) -> Result<Self, ClassError> {
        let mut reader = Reader::new(table);
        let left = reader.u2()?;
        Ok(Self { reader, left, pc: None })
    }

    /// The next frame, or `None` after the last. Called for every frame of a class, with a result of many words.
    #[inline(always)]
    pub(crate) fn advance(&mut self) -> Result<Option<FrameAt<'a>>, ClassError> {
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
        let has_uninitialized = self.skip_body(kind)?;
        let body = { before }.take(self.reader.pos() - before.pos())?;
        Ok(Some(FrameAt { pc, kind, body, has_uninitialized }))
    }

    /// Steps over what follows kind and offset; true if it names pcs.
    #[inline]
    fn skip_body(&mut self, kind: u8) -> Result<bool, ClassError> {
        match kind {
            64..=127 | 247 => skip_types(&mut self.reader, 1),
            252..=254 => skip_types(&mut self.reader, u16::from(kind - 251)),
            255 => {
                let locals = self.reader.u2()?;
                let in_locals = skip_types(&mut self.reader, locals)?;
                let stack = self.reader.u2()?;
                Ok(skip_types(&mut self.reader, stack)? | in_locals)
            }
            _ => Ok(false),
        }
    }
}

/// Steps over types; true if one of them is uninitialised and so names a pc.
#[inline]
fn skip_types(reader: &mut Reader<'_>, count: u16) -> Result<bool, ClassError> {
    let mut has_uninitialized = false;
    for _ in 0..count {
        match reader.u1()? {
            0..=6 => {}
            tag @ 7..=8 => {
                reader.skip(2)?;
                has_uninitialized |= tag == 8;
            }
            tag => return Err(unknown_type(tag)),
        }
    }
    Ok(has_uninitialized)
}

fn unknown_type(tag: u8) -> ClassError {
    malformed(format!("verification type {tag} is unknown"))
}

/// Walks a `StackMapTable`, keeping the full state at each frame.
#[derive(Debug)]
pub struct FrameWalk<'a> {
    frames: EncodedFrames<'a>,
    state: Frame<'a>,
}

/// The first version whose verifier looks at stack maps.
const FIRST_WITH_FRAMES: u16 = 50;

impl<'a> FrameWalk<'a> {
    /// The walk over the frames of a method; `None` if it has no stack map, or one that no verifier looks at.
    pub fn of(
        class: &ClassFile<'a>,
        method: &Member<'a>,
        code: &Code<'a>,
    ) -> Result<Option<Self>, ClassError> {
        let table = code.stack_map(&class.pool).filter(|_| class.major >= FIRST_WITH_FRAMES);
        table.map(|table| Self::new(table.data, Frame::at_entry(class, method))).transpose()
    }

    /// `table` is the contents of the attribute; `initial` the locals at method entry (see [`Frame::at_entry`]).
    pub(crate) fn new(table: &'a [u8], initial: Frame<'a>) -> Result<Self, ClassError> {
        Ok(Self { frames: EncodedFrames::new(table)?, state: initial })
    }

    /// The state at the frame returned last.
    pub fn state(&self) -> &Frame<'a> {
        &self.state
    }

    /// The next frame, or `None` after the last.
    pub fn advance(&mut self) -> Result<Option<FrameAt<'a>>, ClassError> {
        let frame = self.frames.advance()?;
        if let Some(frame) = frame {
            self.apply(frame)?;
        }
        Ok(frame)
    }

    fn apply(&mut self, frame: FrameAt<'a>) -> Result<(), ClassError> {
        let Frame { locals, stack } = &mut self.state;
        let reader = &mut Reader::new(frame.body);
        stack.clear();
        match frame.kind {
            64..=127 | 247 => stack.push(read_type(reader)?),
            248..=250 => {
                let left = locals.len().checked_sub(usize::from(251 - frame.kind));
                locals.truncate(left.ok_or_else(|| malformed("chops more locals than there are".into()))?);
            }
            252..=254 => {
                for _ in 0..frame.kind - 251 {
                    locals.push(read_type(reader)?);
                }
            }
            255 => {
                locals.clear();
                read_types(reader, locals)?;
                read_types(reader, stack)?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Appends types that stand behind their number.
fn read_types<'a>(reader: &mut Reader<'_>, types: &mut Vec<VerificationType<'a>>) -> Result<(), ClassError> {
    for _ in 0..reader.u2()? {
        types.push(read_type(reader)?);
    }
    Ok(())
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
        tag => return Err(unknown_type(tag)),
    })
}

impl<'a> Frame<'a> {
    /// The state at the first instruction of `method`: receiver and arguments.
    pub fn at_entry(class: &ClassFile<'a>, method: &Member<'a>) -> Self {
        let constructor = || method.name == "<init>" && class.name != *"java/lang/Object";
        let receiver = has_receiver(method).then(|| {
            if constructor() {
                VerificationType::UninitializedThis
            } else {
                VerificationType::Named(class.name.as_bytes())
            }
        });
        Self { locals: receiver.into_iter().chain(arguments(method)).collect(), stack: Vec::new() }
    }
}

fn has_receiver(method: &Member<'_>) -> bool {
    method.access & access::STATIC == 0
}

/// The types of a method's parameters. Stops at the first malformed one; the JVM refuses such a class anyway.
fn arguments<'a>(method: &Member<'a>) -> impl Iterator<Item = VerificationType<'a>> {
    let mut rest = method.descriptor.as_bytes().strip_prefix(b"(").unwrap_or_default();
    std::iter::from_fn(move || {
        let first = rest.first()?;
        let (len, it) = match first {
            b'B' | b'C' | b'I' | b'S' | b'Z' => (1, VerificationType::Integer),
            b'F' => (1, VerificationType::Float),
            b'D' => (1, VerificationType::Double),
            b'J' => (1, VerificationType::Long),
            b'L' | b'[' => {
                let len = reference_len(rest)?;
                let name = if *first == b'L' { &rest[1..len - 1] } else { &rest[..len] };
                (len, VerificationType::Named(name))
            }
            _ => return None,
        };
        rest = &rest[len..];
        Some(it)
    })
}

/// Length of the reference type descriptor at the start of `descriptor`.
fn reference_len(descriptor: &[u8]) -> Option<usize> {
    let dimensions = descriptor.iter().take_while(|b| **b == b'[').count();
    match descriptor.get(dimensions)? {
        b'L' => descriptor.iter().position(|b| *b == b';').map(|end| end + 1),
        _ => Some(dimensions + 1),
    }
}
