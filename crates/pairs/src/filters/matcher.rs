//! Reads generated code instruction by instruction; every step either matches and moves on, or fails.

use crate::body::Body;
use catchment_classfile::{Insn, MemberRef, opcodes};

/// A position in a method's instructions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matcher<'b, 'a> {
    body: &'b Body<'a>,
    pc: usize,
}

impl<'b, 'a> Matcher<'b, 'a> {
    /// Starts at the instruction at `pc`, which must be one.
    pub(super) fn at(body: &'b Body<'a>, pc: u16) -> Self {
        Self { body, pc: usize::from(pc) }
    }

    pub(super) fn peek(&self) -> Option<Insn<'a>> {
        self.body.insn(self.pc)
    }

    pub(super) fn pc(&self) -> Option<u16> {
        self.peek().and_then(|insn| u16::try_from(insn.pc).ok())
    }

    fn step<T>(&mut self, accept: impl FnOnce(&Insn<'a>) -> Option<T>) -> Option<T> {
        let insn = self.peek()?;
        let value = accept(&insn)?;
        self.pc = insn.next_pc();
        Some(value)
    }

    pub(super) fn astore(&mut self) -> Option<u16> {
        self.step(Insn::astore)
    }

    pub(super) fn aload(&mut self) -> Option<u16> {
        self.step(Insn::aload)
    }

    pub(super) fn aload_of(&mut self, slot: u16) -> Option<()> {
        self.step(|insn| insn.aload().filter(|it| *it == slot).map(|_| ()))
    }

    pub(super) fn opcode(&mut self, opcode: u8) -> Option<()> {
        self.step(|insn| (insn.opcode == opcode).then_some(()))
    }

    /// A class instruction such as `new` or `checkcast`.
    pub(super) fn class(&mut self, opcode: u8, name: &str) -> Option<()> {
        let pool = self.body.pool;
        self.step(|insn| (insn.opcode == opcode && pool.class_name(insn.u2()).ok()? == name).then_some(()))
    }

    /// Any method call, with what it calls.
    pub(super) fn call(&mut self) -> Option<MemberRef<'a>> {
        let body = self.body;
        self.step(|insn| {
            let call = matches!(insn.opcode, opcodes::INVOKEVIRTUAL..=opcodes::INVOKEINTERFACE);
            if call { body.member(insn) } else { None }
        })
    }

    pub(super) fn call_of(&mut self, owner: &str, name: &str) -> Option<()> {
        let mut ahead = *self;
        ahead.call().filter(|member| member.owner == owner && member.name == name)?;
        *self = ahead;
        Some(())
    }

    /// A conditional or unconditional jump with the given opcode; gives its target.
    pub(super) fn jump(&mut self, opcode: u8) -> Option<u16> {
        self.step(|insn| {
            let target = (insn.opcode == opcode).then(|| insn.targets().next()).flatten()?;
            u16::try_from(target).ok()
        })
    }

    /// Tries `part`; on failure nothing has moved.
    pub(super) fn optional<T>(&mut self, part: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let mut ahead = *self;
        let value = part(&mut ahead)?;
        *self = ahead;
        Some(value)
    }
}
