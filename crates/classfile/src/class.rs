//! A whole class file: header, members, attributes, and replacing code in it.

use crate::bytes::{Reader, patch_length, put_run, put4};
use crate::{Attribute, Attributes, ClassError, Code, ConstantPool, JvmStr, PoolAppender};

const MAGIC: u32 = 0xCAFE_BABE;

/// A parsed class file; borrows the bytes it was read from.
#[derive(Debug)]
pub struct ClassFile<'a> {
    pub bytes: &'a [u8],
    pub minor: u16,
    pub major: u16,
    pub pool: ConstantPool<'a>,
    pub access: u16,
    /// Internal name, `java/lang/String`.
    pub name: JvmStr<'a>,
    /// `None` for `java/lang/Object` and module descriptors.
    pub super_name: Option<JvmStr<'a>>,
    pub fields: Vec<Member<'a>>,
    pub methods: Vec<Member<'a>>,
    pub attributes: Attributes<'a>,
}

/// A field or method.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    pub access: u16,
    pub name: JvmStr<'a>,
    pub descriptor: JvmStr<'a>,
    pub attributes: Attributes<'a>,
    /// The first `Code` attribute, not yet looked into.
    code: Option<Attribute<'a>>,
}

/// The memory of a [`ClassFile`] that is done with, for the next one.
#[derive(Debug, Default)]
pub struct ClassMemory {
    offsets: Vec<u32>,
    fields: Vec<Member<'static>>,
    methods: Vec<Member<'static>>,
}

impl<'a> ClassFile<'a> {
    /// Reads the structure of `bytes`. Code and other attributes are looked into only when asked for.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ClassError> {
        Self::parse_with(bytes, ClassMemory::default())
    }

    /// Gives back the memory for [`Self::parse_with`].
    pub fn into_memory(self) -> ClassMemory {
        let Self { pool, fields, methods, .. } = self;
        ClassMemory { offsets: pool.into_buffer(), fields: emptied(fields), methods: emptied(methods) }
    }

    /// [`Self::parse`] with the memory of another class.
    pub fn parse_with(bytes: &'a [u8], memory: ClassMemory) -> Result<Self, ClassError> {
        let mut reader = Reader::new(bytes);
        let magic = reader.u4()?;
        if magic != MAGIC {
            return Err(ClassError::Magic(magic));
        }
        let (minor, major) = (reader.u2()?, reader.u2()?);
        let pool = ConstantPool::read(bytes, memory.offsets)?;
        let mut reader = Reader::at(bytes, pool.end());
        let (access, this_class, super_class) = (reader.u2()?, reader.u2()?, reader.u2()?);
        let interfaces = usize::from(reader.u2()?);
        reader.skip(2 * interfaces)?;
        let fields = read_members(bytes, &mut reader, &pool, emptied(memory.fields))?;
        let methods = read_members(bytes, &mut reader, &pool, emptied(memory.methods))?;
        let attributes = Attributes::read(bytes, reader.pos())?;
        if attributes.end() != bytes.len() {
            return Err(ClassError::TrailingBytes(bytes.len() - attributes.end()));
        }
        let name = pool.class_name(this_class)?;
        let super_name = if super_class == 0 { None } else { Some(pool.class_name(super_class)?) };
        Ok(Self { bytes, minor, major, pool, access, name, super_name, fields, methods, attributes })
    }

    /// The code of `method`, with the attribute that holds it; `None` for abstract and native methods.
    #[inline]
    pub fn code(&self, method: &Member<'a>) -> Result<Option<(Attribute<'a>, Code<'a>)>, ClassError> {
        match method.code {
            Some(attribute) => Ok(Some((attribute, Code::read(self.bytes, attribute)?))),
            None => Ok(None),
        }
    }

    /// Interfaces that the class implements or the interface extends, directly. Those whose name cannot be read are
    /// missing.
    pub fn interfaces(&self) -> impl Iterator<Item = JvmStr<'a>> {
        // Access flags and the two classes are in front of them.
        let mut reader = Reader::at(self.bytes, self.pool.end() + 6);
        let count = reader.u2().unwrap_or_default();
        let indices = (0..count).map_while(move |_| reader.u2().ok());
        indices.filter_map(|index| self.pool.class_name(index).ok())
    }

    /// The value of the `SourceFile` attribute.
    pub fn source_file(&self) -> Option<JvmStr<'a>> {
        let attribute = self.attributes.find(&self.pool, "SourceFile")?;
        self.pool.utf8(Reader::new(attribute.data).u2().ok()?).ok()
    }
}

/// An empty list with the same memory, which is not collected anew: both are of the same size.
fn emptied<'b>(mut members: Vec<Member<'_>>) -> Vec<Member<'b>> {
    members.clear();
    members.into_iter().map_while(|_| None).collect()
}

/// Appends the members to an empty list.
fn read_members<'a>(
    bytes: &'a [u8],
    reader: &mut Reader<'a>,
    pool: &ConstantPool<'a>,
    mut members: Vec<Member<'a>>,
) -> Result<Vec<Member<'a>>, ClassError> {
    let count = usize::from(reader.u2()?);
    // A member takes at least eight bytes: never allocate more than the file can hold.
    members.reserve(count.min(reader.remaining() / 8));
    let mut code_name = CodeName { pool, known: 0 };
    for _ in 0..count {
        let (access, name, descriptor) = (reader.u2()?, reader.u2()?, reader.u2()?);
        let attributes = Attributes::read(bytes, reader.pos())?;
        *reader = Reader::at(bytes, attributes.end());
        members.push(Member {
            access,
            name: pool.utf8(name)?,
            descriptor: pool.utf8(descriptor)?,
            attributes,
            code: attributes.iter().find(|attribute| code_name.is_name_of(*attribute)),
        });
    }
    Ok(members)
}

/// Recognises `Code` attributes, from the second on by the index of their name.
struct CodeName<'p, 'a> {
    pool: &'p ConstantPool<'a>,
    known: u16,
}

impl CodeName<'_, '_> {
    fn is_name_of(&mut self, attribute: Attribute<'_>) -> bool {
        let index = attribute.name_index;
        if index == self.known && index != 0 {
            return true;
        }
        let is_code = self.pool.utf8(index).is_ok_and(|name| name == "Code");
        if is_code {
            self.known = index;
        }
        is_code
    }
}

/// More than the new constants of nearly all classes take.
const ROOM_FOR_CONSTANTS: usize = 4096;

/// The part behind the constant pool, with new contents for some `Code` attributes. Written from front to back.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    /// Behind some room for what comes in front of it once that is known.
    bytes: Vec<u8>,
    room: usize,
    /// Up to where it stands for the old class file.
    written: usize,
    replaced: usize,
}

impl Tail {
    /// Begins anew, for `class`.
    pub(crate) fn begin(&mut self, class: &ClassFile<'_>) {
        self.room = class.pool.end() + ROOM_FOR_CONSTANTS;
        // What is in the room does not matter: only so much is written of it that was not there.
        self.bytes.resize(self.room.max(self.bytes.len()), 0);
        self.bytes.truncate(self.room);
        self.written = class.pool.end();
        self.replaced = 0;
    }

    /// Number of attributes with new contents.
    pub(crate) fn replaced(&self) -> usize {
        self.replaced
    }

    /// Gives `attribute` the contents that `put` appends; none if that says false or fails.
    pub(crate) fn replace<E>(
        &mut self,
        class: &[u8],
        attribute: Attribute<'_>,
        put: impl FnOnce(&mut Vec<u8>) -> Result<bool, E>,
    ) -> Result<(), E> {
        let start = self.bytes.len();
        let length_at = attribute.offset - 4;
        put_run(class, self.written..length_at, &mut self.bytes);
        let new_length_at = self.bytes.len();
        put4(&mut self.bytes, 0);
        let result = put(&mut self.bytes);
        if let Ok(true) = result {
            patch_length(&mut self.bytes, new_length_at);
            self.written = attribute.span().end;
            self.replaced += 1;
        } else {
            self.bytes.truncate(start);
        }
        result.map(|_| ())
    }

    /// The whole class, with new constants behind the old ones; what was not replaced is copied byte for byte.
    pub(crate) fn finish(&mut self, class: &ClassFile<'_>, constants: &PoolAppender) -> &[u8] {
        self.bytes.extend_from_slice(&class.bytes[self.written..]);
        let front_len = class.pool.end() + constants.bytes().len();
        if front_len > self.room {
            self.bytes.splice(..self.room, std::iter::repeat_n(0, front_len));
            self.room = front_len;
        }
        let start = self.room - front_len;
        // The appender refuses to pass 65,535.
        let count = u16::try_from(constants.count()).unwrap_or(u16::MAX);
        let (header, old_constants) = (&class.bytes[..8], &class.bytes[10..class.pool.end()]);
        let mut front = &mut self.bytes[start..self.room];
        for part in [header, &count.to_be_bytes(), old_constants, constants.bytes()] {
            let (place, behind) = front.split_at_mut(part.len());
            place.copy_from_slice(part);
            front = behind;
        }
        &self.bytes[start..]
    }
}
