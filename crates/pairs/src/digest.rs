//! Digests of a class: of what others can see of it, and of each method's body.
//!
//! Two class files with equal digests run alike, whatever the order of their constants and the numbers of their lines:
//! constants are hashed by what they say. Code is taken as it stands, so that offsets in it stay valid.

use crate::pairs_of;
use catchment_classfile::{Attribute, Attributes, ClassFile, LineTable, Member, access, opcodes, tag};
use catchment_protocol::hash::Fnv;
use std::collections::BTreeSet;

/// Dynamic constants that take dynamic constants nest; deeper than this nobody writes them.
const DEEPEST: usize = 16;

/// The digests of one class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassDigest {
    /// Binary name with dots.
    pub class: String,
    /// A local or anonymous class: only the code around it knows it. Its shape is part of each of its methods.
    pub is_local: bool,
    /// Changes with everything but bodies of methods, debug information and methods that only bodies can reach.
    pub shape: u64,
    /// In the order of the class file.
    pub methods: Vec<MethodDigest>,
    /// Binary names of the classes that its code and declarations name.
    pub named: BTreeSet<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MethodDigest {
    pub name: String,
    pub descriptor: String,
    /// Changes with the instructions, what they refer to, and the ids of the pairs; `None` without code.
    pub body: Option<u64>,
    /// Line numbers in code order.
    pub lines: Vec<u16>,
}

/// The digests of a parsed class.
pub fn digest_of(class: &ClassFile<'_>) -> ClassDigest {
    let local = LocalClasses::of(class);
    let is_local = local.0.contains(class.name.as_bytes())
        || class.attributes.find(&class.pool, "EnclosingMethod").is_some();
    let shape = shape_of(class, &local);
    let pairs = if class.methods.iter().any(|method| has_exceptions(class, method)) {
        pairs_of(class).pairs
    } else {
        Vec::new()
    };
    let methods = class.methods.iter().map(|method| {
        let (name, descriptor) = (method.name.to_string(), method.descriptor.to_string());
        let body = body_of(class, method).map(|mut hash| {
            let own = pairs.iter().filter(|pair| pair.method == name && pair.descriptor == descriptor);
            own.for_each(|pair| hash.bytes(pair.id.as_bytes()));
            if is_local {
                hash.number(shape);
            }
            hash.value()
        });
        MethodDigest { name, descriptor, body, lines: lines_of(class, method) }
    });
    ClassDigest {
        class: class.name.to_string().replace('/', "."),
        is_local,
        shape: if is_local { 0 } else { shape },
        methods: methods.collect(),
        named: named_in(class),
    }
}

fn has_exceptions(class: &ClassFile<'_>, method: &Member<'_>) -> bool {
    class.code(method).ok().flatten().is_some_and(|(_, code)| code.has_exceptions())
}

fn lines_of(class: &ClassFile<'_>, method: &Member<'_>) -> Vec<u16> {
    let Some((_, code)) = class.code(method).ok().flatten() else { return Vec::new() };
    LineTable::read(&code, &class.pool).rows().iter().map(|row| row.line).collect()
}

fn named_in(class: &ClassFile<'_>) -> BTreeSet<String> {
    let indices = 1..u16::try_from(class.pool.count()).unwrap_or(u16::MAX);
    let names = indices.filter_map(|index| class.pool.class_name(index).ok());
    let element = |name: String| match name.strip_prefix('[') {
        Some(array) => array
            .trim_start_matches('[')
            .strip_prefix('L')
            .map(|name| name.trim_end_matches(';').replace('/', ".")),
        None => Some(name.replace('/', ".")),
    };
    names.filter_map(|name| element(name.to_string())).collect()
}

/// The instructions and the exception table.
fn body_of(class: &ClassFile<'_>, method: &Member<'_>) -> Option<Fnv> {
    let (_, code) = match class.code(method) {
        Ok(code) => code?,
        // Nobody can run it; whatever it is, it is this.
        Err(_) => return Some(raw_body(class)),
    };
    let mut out = Digester { class, hash: Fnv::NEW };
    for insn in code.insns() {
        let Ok(insn) = insn else { return Some(raw_body(class)) };
        out.hash.byte(insn.opcode);
        match insn.opcode {
            opcodes::LDC => out.constant(insn.loaded_constant(), 0),
            opcodes::LDC_W | opcodes::LDC2_W | opcodes::GETSTATIC..=opcodes::NEW | 189 | 192 | 193 | 197 => {
                out.constant(insn.u2(), 0);
                out.hash.bytes(insn.bytes.get(3..).unwrap_or_default());
            }
            _ => out.hash.bytes(insn.bytes),
        }
    }
    for row in code.exceptions() {
        [row.start, row.end, row.handler].iter().for_each(|pc| out.hash.number(u64::from(*pc)));
        out.constant(row.catch_type, 0);
    }
    Some(out.hash)
}

fn raw_body(class: &ClassFile<'_>) -> Fnv {
    let mut hash = Fnv::NEW;
    hash.bytes(class.bytes);
    hash
}

/// Hashes declarations by what they say.
struct Digester<'c, 'a> {
    class: &'c ClassFile<'a>,
    hash: Fnv,
}

impl Digester<'_, '_> {
    fn constant(&mut self, index: u16, depth: usize) {
        let pool = &self.class.pool;
        let Some((tag, bytes)) = pool.raw(index) else { return self.hash.byte(0) };
        self.hash.byte(tag);
        let at = |offset: usize| {
            u16::from_be_bytes([
                bytes.get(offset).copied().unwrap_or(0),
                bytes.get(offset + 1).copied().unwrap_or(0),
            ])
        };
        if depth > DEEPEST {
            return self.hash.bytes(bytes);
        }
        match tag {
            tag::UTF8 => self.hash.bytes(bytes.get(2..).unwrap_or_default()),
            tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => {
                self.constant(at(0), depth + 1);
            }
            tag::FIELD_REF | tag::METHOD_REF | tag::INTERFACE_METHOD_REF | tag::NAME_AND_TYPE => {
                self.constant(at(0), depth + 1);
                self.constant(at(2), depth + 1);
            }
            tag::METHOD_HANDLE => {
                self.hash.byte(bytes.first().copied().unwrap_or(0));
                self.constant(at(1), depth + 1);
            }
            tag::DYNAMIC | tag::INVOKE_DYNAMIC => {
                self.constant(at(2), depth + 1);
                match self.class.bootstrap(index) {
                    Some(bootstrap) => {
                        self.hash.byte(bootstrap.method.kind as u8);
                        let member = bootstrap.method.member;
                        for part in [member.owner, member.name, member.descriptor] {
                            self.hash.bytes(part.as_bytes());
                        }
                        bootstrap.arguments.iter().for_each(|index| self.constant(*index, depth + 1));
                    }
                    None => self.hash.bytes(bytes),
                }
            }
            _ => self.hash.bytes(bytes),
        }
    }

    fn member(&mut self, member: &Member<'_>, local: &LocalClasses) {
        self.hash.number(u64::from(member.access));
        self.hash.bytes(member.name.as_bytes());
        self.hash.bytes(member.descriptor.as_bytes());
        self.attributes(member.attributes, local);
    }

    fn attributes(&mut self, attributes: Attributes<'_>, local: &LocalClasses) {
        for attribute in attributes.iter() {
            self.attribute(attribute, local);
        }
    }

    fn attribute(&mut self, attribute: Attribute<'_>, local: &LocalClasses) {
        let name =
            self.class.pool.utf8(attribute.name_index).map(|name| name.to_string()).unwrap_or_default();
        let mut cursor = Cursor(attribute.data);
        let known = match name.as_str() {
            "Code" | "SourceFile" | "SourceDebugExtension" | "BootstrapMethods" => return,
            "ConstantValue" | "Signature" | "NestHost" => self.indices(&mut cursor, 1),
            "EnclosingMethod" => self.indices(&mut cursor, 2),
            "Exceptions" | "PermittedSubclasses" => {
                cursor.u2().and_then(|count| self.indices(&mut cursor, usize::from(count)))
            }
            "NestMembers" | "InnerClasses" => return self.nest(&name, &mut cursor, local),
            "Record" => self.record(&mut cursor, local),
            "MethodParameters" => self.parameters(&mut cursor),
            "RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations" => {
                self.annotations(&mut cursor, false)
            }
            "RuntimeVisibleTypeAnnotations" | "RuntimeInvisibleTypeAnnotations" => {
                self.annotations(&mut cursor, true)
            }
            "RuntimeVisibleParameterAnnotations" | "RuntimeInvisibleParameterAnnotations" => cursor
                .u1()
                .and_then(|count| (0..count).try_for_each(|_| self.annotations(&mut cursor, false))),
            "AnnotationDefault" => self.element(&mut cursor, 0),
            _ => None,
        };
        self.hash.bytes(name.as_bytes());
        // Whatever is not understood changes the shape sooner than it has to.
        if known.is_none() || !cursor.0.is_empty() {
            self.hash.bytes(attribute.data);
        }
    }

    fn indices(&mut self, cursor: &mut Cursor<'_>, count: usize) -> Option<()> {
        (0..count).try_for_each(|_| cursor.u2().map(|index| self.constant(index, 0)))
    }

    /// Nothing where only local classes, or classes of others, are named.
    fn nest(&mut self, name: &str, cursor: &mut Cursor<'_>, local: &LocalClasses) {
        let mut nest = Digester { class: self.class, hash: Fnv::NEW };
        let known = match name {
            "NestMembers" => nest.nest_members(cursor, local),
            _ => nest.inner_classes(cursor),
        };
        if known.is_none() || nest.hash != Fnv::NEW {
            self.hash.bytes(name.as_bytes());
            self.hash.number(nest.hash.value());
        }
    }

    fn nest_members(&mut self, cursor: &mut Cursor<'_>, local: &LocalClasses) -> Option<()> {
        for _ in 0..cursor.u2()? {
            let index = cursor.u2()?;
            let name = self.class.pool.class_name(index).ok()?;
            if !local.0.contains(name.as_bytes()) {
                self.constant(index, 0);
            }
        }
        Some(())
    }

    /// What a class says of itself and its members; that it names others shows in its code.
    fn inner_classes(&mut self, cursor: &mut Cursor<'_>) -> Option<()> {
        for _ in 0..cursor.u2()? {
            let [inner, outer, name, flags] = [cursor.u2()?, cursor.u2()?, cursor.u2()?, cursor.u2()?];
            let is_own = |index| self.class.pool.class_name(index).is_ok_and(|name| name == self.class.name);
            if is_own(inner) || is_own(outer) {
                [inner, outer, name].iter().for_each(|index| self.constant(*index, 0));
                self.hash.number(u64::from(flags));
            }
        }
        Some(())
    }

    fn record(&mut self, cursor: &mut Cursor<'_>, local: &LocalClasses) -> Option<()> {
        for _ in 0..cursor.u2()? {
            self.indices(cursor, 2)?;
            for _ in 0..cursor.u2()? {
                let name_index = cursor.u2()?;
                let length = usize::from(cursor.u2()?) << 16 | usize::from(cursor.u2()?);
                let (data, rest) = cursor.0.split_at_checked(length)?;
                cursor.0 = rest;
                self.attribute(Attribute { name_index, offset: 0, data }, local);
            }
        }
        Some(())
    }

    fn parameters(&mut self, cursor: &mut Cursor<'_>) -> Option<()> {
        for _ in 0..cursor.u1()? {
            let (name, flags) = (cursor.u2()?, cursor.u2()?);
            self.constant(name, 0);
            self.hash.number(u64::from(flags));
        }
        Some(())
    }

    fn annotations(&mut self, cursor: &mut Cursor<'_>, of_types: bool) -> Option<()> {
        for _ in 0..cursor.u2()? {
            if of_types {
                self.target(cursor)?;
            }
            self.annotation(cursor, 0)?;
        }
        Some(())
    }

    /// The annotated type, outside of code (JVMS §4.7.20.1).
    fn target(&mut self, cursor: &mut Cursor<'_>) -> Option<()> {
        let kind = cursor.u1()?;
        let length = match kind {
            0x00 | 0x01 | 0x16 => 1,
            0x10..=0x12 | 0x17 => 2,
            0x13..=0x15 => 0,
            _ => return None,
        };
        self.hash.byte(kind);
        (0..length).try_for_each(|_| cursor.u1().map(|byte| self.hash.byte(byte)))?;
        let path = cursor.u1()?;
        (0..2 * u16::from(path)).try_for_each(|_| cursor.u1().map(|byte| self.hash.byte(byte)))
    }

    fn annotation(&mut self, cursor: &mut Cursor<'_>, depth: usize) -> Option<()> {
        self.constant(cursor.u2()?, 0);
        for _ in 0..cursor.u2()? {
            self.constant(cursor.u2()?, 0);
            self.element(cursor, depth + 1)?;
        }
        Some(())
    }

    fn element(&mut self, cursor: &mut Cursor<'_>, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        let kind = cursor.u1()?;
        self.hash.byte(kind);
        match kind {
            b'e' => self.indices(cursor, 2),
            b'@' => self.annotation(cursor, depth + 1),
            b'[' => {
                let count = cursor.u2()?;
                (0..count).try_for_each(|_| self.element(cursor, depth + 1))
            }
            _ => self.indices(cursor, 1),
        }
    }
}

fn shape_of(class: &ClassFile<'_>, local: &LocalClasses) -> u64 {
    let mut out = Digester { class, hash: Fnv::NEW };
    out.hash.number(u64::from(class.major));
    out.hash.number(u64::from(class.access));
    out.hash.bytes(class.name.as_bytes());
    out.hash.bytes(class.super_name.unwrap_or_default().as_bytes());
    class.interfaces().for_each(|interface| out.hash.bytes(interface.as_bytes()));
    class.fields.iter().for_each(|field| out.member(field, local));
    // Nobody is promised an order of methods.
    let methods = class.methods.iter().filter(|method| !is_reached_by_bodies_only(method));
    let mut methods: Vec<u64> = methods
        .map(|method| {
            let mut out = Digester { class, hash: Fnv::NEW };
            out.member(method, local);
            out.hash.value()
        })
        .collect();
    methods.sort_unstable();
    methods.iter().for_each(|method| out.hash.number(*method));
    out.attributes(class.attributes, local);
    out.hash.value()
}

/// A method that the compiler has made for a body, of a lambda for example, and that no other class can override or
/// inherit. A class initialiser is told by its body.
fn is_reached_by_bodies_only(method: &Member<'_>) -> bool {
    let is_made = method.access & access::SYNTHETIC != 0 && method.access & access::BRIDGE == 0;
    let is_bound = method.access & (access::PRIVATE | access::STATIC) != 0;
    is_made && is_bound || method.name == "<clinit>"
}

/// Internal names of the local and anonymous classes that a class names.
struct LocalClasses(BTreeSet<Vec<u8>>);

impl LocalClasses {
    fn of(class: &ClassFile<'_>) -> Self {
        let data =
            class.attributes.find(&class.pool, "InnerClasses").map_or(&[][..], |attribute| attribute.data);
        let rows = data.get(2..).unwrap_or_default().chunks_exact(8);
        let local = rows.filter(|row| row[2..4] == [0, 0]);
        let names = local.filter_map(|row| class.pool.class_name(u16::from_be_bytes([row[0], row[1]])).ok());
        Self(names.map(|name| name.as_bytes().to_vec()).collect())
    }
}

/// Bytes that are read from the front.
struct Cursor<'d>(&'d [u8]);

impl Cursor<'_> {
    fn u1(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn u2(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes([self.u1()?, self.u1()?]))
    }
}
