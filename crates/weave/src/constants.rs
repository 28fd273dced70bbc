//! Constants that woven code needs, appended to the pool once each.

use crate::FirstNumbers;
use crate::probes::Probe;
use catchment_classfile::{ConstantPool, Constants, PoolAppender, opcodes};
use catchment_protocol::runtime_abi::{ENTERED, PROBES_CLASS};
use rustc_hash::FxHashMap;

/// The constants of one woven class.
#[derive(Debug)]
pub(crate) struct ProbeConstants {
    appender: PoolAppender,
    first: FirstNumbers,
    probes_class: Option<u16>,
    /// By probe, 0 for none yet.
    methods: [u16; Probe::COUNT],
    entered: Option<u16>,
    throwable: Option<u16>,
    classes: FxHashMap<Vec<u8>, u16>,
    stack_map_name: Option<u16>,
    probes: usize,
    /// By local id, 0 for none yet; empty until a first id needs one. An id is pushed from several places: every exit
    /// of a try, every return of a method.
    integers: Vec<u16>,
}

impl ProbeConstants {
    /// With the memory of `buffer`.
    pub(crate) fn new(pool: &ConstantPool<'_>, first: FirstNumbers, probes: usize, buffer: Vec<u8>) -> Self {
        Self {
            appender: PoolAppender::with_buffer(pool, buffer),
            first,
            probes_class: None,
            methods: [0; Probe::COUNT],
            entered: None,
            throwable: None,
            classes: FxHashMap::default(),
            stack_map_name: None,
            probes,
            integers: Vec::new(),
        }
    }

    pub(crate) fn appended(&self) -> &PoolAppender {
        &self.appender
    }

    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.appender.into_buffer()
    }

    /// Appends `push id; invokestatic Probes.method` for the probe with the given local id.
    #[inline]
    pub(crate) fn put_call(&mut self, probe: Probe, local_id: usize, out: &mut Vec<u8>) -> Option<()> {
        let id = u32::try_from(local_id).ok()?.checked_add(self.first.probe)?;
        // Before the method's: constants are numbered in this order.
        let (push, push_len) = match id {
            0..=5 => (u32::from(opcodes::ICONST_0) + id, 1),
            6..=0x7f => (u32::from(opcodes::BIPUSH) << 8 | id, 2),
            0x80..=0x7fff => (u32::from(opcodes::SIPUSH) << 16 | id, 3),
            _ => (u32::from(opcodes::LDC_W) << 16 | u32::from(self.integer(id, local_id)?), 3),
        };
        let call = u64::from(opcodes::INVOKESTATIC) << 16 | u64::from(self.method(probe)?);
        let len = push_len + 3;
        let word = (u64::from(push) << 24 | call) << (64 - 8 * len);
        // A whole word is quicker to write than the bytes of it that count.
        let end = out.len() + len;
        out.extend_from_slice(&word.to_be_bytes());
        out.truncate(end);
        Some(())
    }

    #[cold]
    fn integer(&mut self, id: u32, local_id: usize) -> Option<u16> {
        let value = i32::try_from(id).ok()?;
        if self.integers.is_empty() {
            self.integers.resize(self.probes, 0);
        }
        let known = self.integers.get_mut(local_id)?;
        if *known == 0 {
            *known = self.appender.integer(value)?;
        }
        Some(*known)
    }

    /// Appends `getstatic Probes.ENTERED; push mark; iconst_1; bastore`.
    pub(crate) fn put_entered(&mut self, mark: u32, out: &mut Vec<u8>) -> Option<()> {
        let mark = mark.checked_add(self.first.mark)?;
        let field = self.entered()?.to_be_bytes();
        out.extend([opcodes::GETSTATIC, field[0], field[1]]);
        match u16::try_from(mark).ok().filter(|mark| *mark <= 0x7fff) {
            Some(mark) => {
                let [high, low] = mark.to_be_bytes();
                out.extend([opcodes::SIPUSH, high, low]);
            }
            None => {
                let [high, low] = self.appender.integer(i32::try_from(mark).ok()?)?.to_be_bytes();
                out.extend([opcodes::LDC_W, high, low]);
            }
        }
        out.extend([opcodes::ICONST_0 + 1, opcodes::BASTORE]);
        Some(())
    }

    fn entered(&mut self) -> Option<u16> {
        if self.entered.is_none() {
            let class = self.probes_class()?;
            let (name, descriptor) = ENTERED;
            self.entered = Some(self.appender.field(class, name, descriptor)?);
        }
        self.entered
    }

    fn probes_class(&mut self) -> Option<u16> {
        if self.probes_class.is_none() {
            self.probes_class = Some(self.appender.class(PROBES_CLASS.as_bytes())?);
        }
        self.probes_class
    }

    #[inline]
    fn method(&mut self, probe: Probe) -> Option<u16> {
        match self.methods[probe as usize] {
            0 => self.append_method(probe),
            known => Some(known),
        }
    }

    #[cold]
    fn append_method(&mut self, probe: Probe) -> Option<u16> {
        let class = self.probes_class()?;
        let method = probe.method();
        let index = self.appender.method(class, method.name, method.descriptor)?;
        self.methods[probe as usize] = index;
        Some(index)
    }
}

const THROWABLE: &[u8] = b"java/lang/Throwable";

impl Constants for ProbeConstants {
    fn class(&mut self, name: &[u8]) -> Option<u16> {
        if name == THROWABLE {
            return self.throwable();
        }
        if let Some(index) = self.classes.get(name) {
            return Some(*index);
        }
        let index = self.appender.class(name)?;
        self.classes.insert(name.to_vec(), index);
        Some(index)
    }

    fn throwable(&mut self) -> Option<u16> {
        if self.throwable.is_none() {
            self.throwable = self.appender.class(THROWABLE);
        }
        self.throwable
    }

    fn stack_map_name(&mut self) -> Option<u16> {
        if self.stack_map_name.is_none() {
            self.stack_map_name = self.appender.utf8(b"StackMapTable");
        }
        self.stack_map_name
    }
}
