//! Constants that woven code needs, appended to the pool once each.

use catchment_classfile::{ConstantPool, Constants, PoolAppender, opcodes};
use catchment_protocol::runtime_abi::{PROBES_CLASS, ProbeMethod};
use rustc_hash::FxHashMap;

/// The constants of one woven class.
#[derive(Debug)]
pub(crate) struct ProbeConstants {
    appender: PoolAppender,
    first_id: u32,
    probes_class: Option<u16>,
    /// By name: the methods are few and their names differ.
    methods: Vec<(&'static str, u16)>,
    classes: FxHashMap<Vec<u8>, u16>,
    texts: FxHashMap<Vec<u8>, u16>,
    /// By local id, 0 for none yet. An id is pushed from several places: every exit of a try, every return of a method.
    integers: Vec<u16>,
}

impl ProbeConstants {
    pub(crate) fn new(pool: &ConstantPool<'_>, first_id: u32, probes: usize) -> Self {
        Self {
            appender: PoolAppender::new(pool),
            first_id,
            probes_class: None,
            methods: Vec::new(),
            classes: FxHashMap::default(),
            texts: FxHashMap::default(),
            integers: vec![0; probes],
        }
    }

    pub(crate) fn appended(&self) -> &PoolAppender {
        &self.appender
    }

    /// Appends `push id; invokestatic Probes.method` for the probe with the given local id.
    pub(crate) fn put_call(&mut self, method: ProbeMethod, local_id: usize, out: &mut Vec<u8>) -> Option<()> {
        let id = u32::try_from(local_id).ok()?.checked_add(self.first_id)?;
        self.put_push(i32::try_from(id).ok()?, local_id, out)?;
        let index = self.method(method)?;
        out.push(opcodes::INVOKESTATIC);
        out.extend_from_slice(&index.to_be_bytes());
        Some(())
    }

    fn put_push(&mut self, value: i32, local_id: usize, out: &mut Vec<u8>) -> Option<()> {
        if let Ok(small @ 0..=5) = u8::try_from(value) {
            out.push(opcodes::ICONST_0 + small);
        } else if let Ok(byte) = i8::try_from(value) {
            out.extend_from_slice(&[opcodes::BIPUSH, byte.cast_unsigned()]);
        } else if let Ok(short) = i16::try_from(value) {
            out.push(opcodes::SIPUSH);
            out.extend_from_slice(&short.to_be_bytes());
        } else {
            let index = self.integer(value, local_id)?;
            out.push(opcodes::LDC_W);
            out.extend_from_slice(&index.to_be_bytes());
        }
        Some(())
    }

    fn integer(&mut self, value: i32, local_id: usize) -> Option<u16> {
        let known = self.integers.get_mut(local_id)?;
        if *known == 0 {
            *known = self.appender.integer(value)?;
        }
        Some(*known)
    }

    fn method(&mut self, method: ProbeMethod) -> Option<u16> {
        if let Some((_, index)) = self.methods.iter().find(|(name, _)| *name == method.name) {
            return Some(*index);
        }
        let class = match self.probes_class {
            Some(class) => class,
            None => self.appender.class(PROBES_CLASS.as_bytes())?,
        };
        self.probes_class = Some(class);
        let index = self.appender.method(class, method.name, method.descriptor)?;
        self.methods.push((method.name, index));
        Some(index)
    }
}

impl Constants for ProbeConstants {
    fn class(&mut self, name: &[u8]) -> Option<u16> {
        if let Some(index) = self.classes.get(name) {
            return Some(*index);
        }
        let index = self.appender.class(name)?;
        self.classes.insert(name.to_vec(), index);
        Some(index)
    }

    fn utf8(&mut self, text: &[u8]) -> Option<u16> {
        if let Some(index) = self.texts.get(text) {
            return Some(*index);
        }
        let index = self.appender.utf8(text)?;
        self.texts.insert(text.to_vec(), index);
        Some(index)
    }
}
