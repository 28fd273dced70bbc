//! Code reduced to what it does: no constant pool indices, local slots, line numbers or jump widths.

use crate::indexed::IndexedBody;
use catchment_classfile::{Insn, JvmStr, opcodes, tag};
use catchment_protocol::hash::Fnv;

/// Hash of the instructions with the given indices, which must be ascending.
pub(crate) fn hash_of(body: &IndexedBody<'_, '_>, insns: &[usize]) -> u64 {
    let mut normaliser = Normaliser { body, insns, slots: Slots::default(), hash: Fnv::NEW };
    for insn in insns.iter().filter_map(|index| body.insns.get(*index)) {
        normaliser.add(&insn);
    }
    normaliser.hash.value()
}

struct Normaliser<'b, 'a> {
    body: &'b IndexedBody<'b, 'a>,
    insns: &'b [usize],
    slots: Slots,
    hash: Fnv,
}

/// Local slots numbered in the order they appear.
#[derive(Default)]
struct Slots {
    /// By slot, from 1 on; 0 for none yet.
    numbers: Vec<u32>,
    count: u32,
}

impl Slots {
    fn number(&mut self, slot: u16) -> u64 {
        let slot = usize::from(slot);
        if slot >= self.numbers.len() {
            self.numbers.resize(slot + 1, 0);
        }
        if self.numbers[slot] == 0 {
            self.count += 1;
            self.numbers[slot] = self.count;
        }
        u64::from(self.numbers[slot] - 1)
    }
}

impl<'a> Normaliser<'_, 'a> {
    fn add(&mut self, insn: &Insn<'a>) {
        if insn.opcode == opcodes::NOP {
            return;
        }
        if let Some((opcode, slot)) = insn.local() {
            self.hash.byte(opcode);
            return self.slot(slot);
        }
        match insn.opcode {
            opcodes::LDC => self.constant(u16::from(insn.bytes.get(1).copied().unwrap_or(0))),
            opcodes::LDC_W | opcodes::LDC2_W => self.constant(insn.u2()),
            opcodes::GOTO | opcodes::GOTO_W => self.goto(insn),
            opcodes::JSR | opcodes::JSR_W => self.jump(opcodes::JSR, insn),
            153..=166 | opcodes::IFNULL | opcodes::IFNONNULL => self.jump(insn.opcode, insn),
            opcodes::TABLESWITCH | opcodes::LOOKUPSWITCH => self.jump(insn.opcode, insn),
            opcodes::GETSTATIC..=opcodes::INVOKEINTERFACE => self.member(insn),
            opcodes::INVOKEDYNAMIC => self.dynamic(insn),
            opcodes::NEW | 189 | 192 | 193 | 197 => self.class(insn),
            opcodes::IINC => self.increment(insn),
            opcodes::WIDE => self.increment(insn),
            _ => self.hash.bytes(insn.bytes),
        }
    }

    fn slot(&mut self, slot: u16) {
        let number = self.slots.number(slot);
        self.hash.number(number);
    }

    fn increment(&mut self, insn: &Insn<'a>) {
        let (slot, by) = match *insn.bytes {
            [_, slot, by] => (u16::from(slot), i16::from(by.cast_signed())),
            [_, _, high, low, by_high, by_low] => {
                (u16::from_be_bytes([high, low]), i16::from_be_bytes([by_high, by_low]))
            }
            _ => (0, 0),
        };
        self.hash.byte(opcodes::IINC);
        self.slot(slot);
        self.hash.number(u64::from(by.cast_unsigned()));
    }

    /// Leaving the region says nothing about it: of two copies one may fall where the other jumps.
    fn goto(&mut self, insn: &Insn<'a>) {
        if insn.targets().any(|target| self.position(target).is_some()) {
            self.jump(opcodes::GOTO, insn);
        }
    }

    /// Targets are counted in instructions of the region; what lies outside is just outside.
    fn jump(&mut self, opcode: u8, insn: &Insn<'a>) {
        self.hash.byte(opcode);
        for target in insn.targets() {
            self.hash.number(self.position(target).map_or(u64::MAX, |position| position as u64));
        }
    }

    /// The number of the instruction at `pc` within the region.
    fn position(&self, pc: usize) -> Option<usize> {
        let index = self.body.insns.index_at(pc)?;
        self.insns.binary_search(&index).ok()
    }

    fn constant(&mut self, index: u16) {
        self.hash.byte(opcodes::LDC);
        let pool = self.body.body.pool;
        if let Ok(text) = pool.string(index).or_else(|_| pool.class_name(index)) {
            self.hash.byte(pool.tag(index).unwrap_or(0));
            self.hash.bytes(text.as_bytes());
        } else if let Some((tag @ tag::INTEGER..=tag::DOUBLE, bytes)) = pool.raw(index) {
            self.hash.byte(tag);
            self.hash.bytes(bytes);
        }
    }

    fn class(&mut self, insn: &Insn<'a>) {
        self.hash.byte(insn.opcode);
        self.hash.bytes(self.body.body.pool.class_name(insn.u2()).unwrap_or_default().as_bytes());
        self.hash.bytes(insn.bytes.get(3..).unwrap_or_default());
    }

    fn member(&mut self, insn: &Insn<'a>) {
        self.hash.byte(insn.opcode);
        if let Some(member) = self.body.body.member(insn) {
            self.hash.bytes(member.owner.as_bytes());
            self.hash.bytes(without_number(member.name));
            self.hash.bytes(member.descriptor.as_bytes());
        }
    }

    fn dynamic(&mut self, insn: &Insn<'a>) {
        self.hash.byte(insn.opcode);
        if let Ok((name, descriptor)) = self.body.body.pool.dynamic(insn.u2()) {
            self.hash.bytes(name.as_bytes());
            self.hash.bytes(descriptor.as_bytes());
        }
    }
}

/// `access$100` is numbered over the whole class; the number says nothing about this code.
fn without_number(name: JvmStr<'_>) -> &[u8] {
    if name.starts_with("access$") { b"access$" } else { name.as_bytes() }
}
