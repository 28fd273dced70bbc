//! Instructions that name a field or method.

use crate::blocks::small;
use crate::body::{InvokeKind, Op, Operands};
use crate::descriptor::{Shape, parse_method};
use crate::error::Fault;
use crate::step::Step;
use catchment_classfile::opcodes::{GETSTATIC, INVOKESPECIAL, INVOKESTATIC, INVOKEVIRTUAL, PUTSTATIC};
use catchment_classfile::{Insn, JvmStr};

impl Step<'_, '_> {
    pub(crate) fn field(&mut self, insn: &Insn<'_>) -> Result<(), Fault> {
        let field = insn.u2();
        let shape = Shape::of(self.pool.member_descriptor(field)?.as_bytes())?;
        let op = match insn.opcode {
            GETSTATIC => Op::GetStatic { dst: self.push_shape(shape)?, field },
            PUTSTATIC => Op::PutStatic { field, src: self.pop_shape(shape)? },
            180 => {
                let base = self.stack.pop_reference()?;
                Op::GetField { dst: self.push_shape(shape)?, base, field }
            }
            _ => {
                let src = self.pop_shape(shape)?;
                Op::PutField { base: self.stack.pop_reference()?, field, src }
            }
        };
        self.emit(insn, op);
        Ok(())
    }

    pub(crate) fn invoke(&mut self, insn: &Insn<'_>) -> Result<(), Fault> {
        let method = insn.u2();
        let kind = match insn.opcode {
            INVOKEVIRTUAL => InvokeKind::Virtual,
            INVOKESPECIAL => InvokeKind::Special,
            INVOKESTATIC => InvokeKind::Static,
            _ => InvokeKind::Interface,
        };
        let (arguments, result) = self.arguments(self.pool.member_descriptor(method)?)?;
        let receiver = if kind == InvokeKind::Static { None } else { Some(self.stack.pop_reference()?) };
        let dst = self.push_shape(result)?;
        self.emit(insn, Op::Invoke { kind, method, receiver, arguments, dst });
        Ok(())
    }

    pub(crate) fn invoke_dynamic(&mut self, insn: &Insn<'_>) -> Result<(), Fault> {
        let call = insn.u2();
        let (arguments, result) = self.arguments(self.pool.dynamic(call)?.1)?;
        let dst = self.push_shape(result)?;
        self.emit(insn, Op::InvokeDynamic { call, arguments, dst });
        Ok(())
    }

    /// Pops the arguments of a call; gives the shape of its result.
    fn arguments(&mut self, descriptor: JvmStr<'_>) -> Result<(Operands, Shape), Fault> {
        self.shapes.clear();
        let result = parse_method(descriptor.as_bytes(), self.shapes)?;
        let start = self.output.operands.len();
        let len = u16::try_from(self.shapes.len()).map_err(|_| Fault::Descriptor)?;
        for index in (0..self.shapes.len()).rev() {
            let argument = self.pop_shape(self.shapes[index])?;
            self.output.operands.push(argument);
        }
        self.output.operands[start..].reverse();
        Ok((Operands { start: small(start), len }, result))
    }
}
