//! Effects of one instruction on the stack, the locals and the list of statements.

use crate::body::{ArrayKind, Op, Stmt};
use crate::descriptor::Shape;
use crate::error::Fault;
use crate::graph::Graph;
use crate::scan::is_wide_store;
use crate::stack::Stack;
use crate::stack_effects::STACK_EFFECTS;
use crate::values::{UNUSABLE, Values};
use crate::{BlockId, Var};
use catchment_classfile::opcodes::*;
use catchment_classfile::{ConstantPool, Insn, tag};

/// The output of filling blocks, in that order.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) statements: Vec<Stmt>,
    pub(crate) operands: Vec<Option<Var>>,
}

/// The block at hand and all that its instructions change.
pub(crate) struct Step<'t, 'a> {
    pub(crate) pool: &'t ConstantPool<'a>,
    pub(crate) graph: &'t Graph,
    pub(crate) values: &'t mut Values,
    pub(crate) stack: &'t mut Stack,
    pub(crate) output: &'t mut Output,
    pub(crate) shapes: &'t mut Vec<Shape>,
    pub(crate) block: u32,
    /// The instruction before, if it is of this block.
    pub(crate) before: Option<Insn<'a>>,
}

impl Step<'_, '_> {
    pub(crate) fn instruction(&mut self, insn: &Insn<'_>) -> Result<(), Fault> {
        match insn.opcode {
            ACONST_NULL => self.define(insn, |dst| Op::Null { dst }),
            LDC..=LDC2_W => self.constant(insn),
            ALOAD | ALOAD_0..=ALOAD_3 | ISTORE..=ASTORE | ISTORE_0..=ASTORE_3 | WIDE => self.local(insn),
            46..=53 => self.array_load(insn),
            79..=86 => self.array_store(insn),
            89..=94 => {
                self.stack.duplicate(usize::from(insn.opcode - 89) / 3 + 1, usize::from(insn.opcode - 89) % 3)
            }
            SWAP => self.stack.swap(),
            108 | 109 | 112 | 113 => {
                self.apply_stack_effect(insn.opcode)?;
                if !self.before.is_some_and(|before| pushes_no_zero(&before, self.pool)) {
                    self.emit(insn, Op::Divide);
                }
                Ok(())
            }
            IRETURN..=RETURN => self.returns(insn),
            GETSTATIC..=181 => self.field(insn),
            INVOKEVIRTUAL..=INVOKEINTERFACE => self.invoke(insn),
            INVOKEDYNAMIC => self.invoke_dynamic(insn),
            NEW => {
                let class = insn.u2();
                self.define(insn, |dst| Op::New { dst, class })
            }
            188 | 189 | 197 => self.new_array(insn),
            190..=195 => self.on_reference(insn),
            IFNULL | IFNONNULL => self.null_test(insn),
            opcode => self.apply_stack_effect(opcode),
        }
    }

    #[inline]
    fn apply_stack_effect(&mut self, opcode: u8) -> Result<(), Fault> {
        let effect = STACK_EFFECTS[usize::from(opcode)];
        self.stack.pop_slots(usize::from(effect.pops))?;
        self.stack.push_numbers(usize::from(effect.pushes))
    }

    #[inline]
    pub(crate) fn emit(&mut self, insn: &Insn<'_>, op: Op) {
        // Code has at most 65,535 bytes.
        self.output.statements.push(Stmt { pc: u16::try_from(insn.pc).unwrap_or(u16::MAX), op });
    }

    /// A statement that pushes a new variable.
    fn define(&mut self, insn: &Insn<'_>, op: impl FnOnce(Var) -> Op) -> Result<(), Fault> {
        let dst = self.values.new_variable();
        self.emit(insn, op(Var(dst)));
        self.stack.push(dst)
    }

    /// Pushes what a member of this shape gives; the new variable if it is a reference.
    #[inline]
    pub(crate) fn push_shape(&mut self, shape: Shape) -> Result<Option<Var>, Fault> {
        if shape == Shape::Reference {
            let dst = self.values.new_variable();
            self.stack.push(dst)?;
            return Ok(Some(Var(dst)));
        }
        self.stack.push_numbers(shape.slots())?;
        Ok(None)
    }

    #[inline]
    pub(crate) fn pop_shape(&mut self, shape: Shape) -> Result<Option<Var>, Fault> {
        if shape == Shape::Reference {
            return self.stack.pop_reference().map(Some);
        }
        self.stack.pop_slots(shape.slots())?;
        Ok(None)
    }

    fn constant(&mut self, insn: &Insn<'_>) -> Result<(), Fault> {
        let constant = insn.loaded_constant();
        let slots = if insn.opcode == LDC2_W { 2 } else { 1 };
        match self.pool.tag(constant) {
            Some(tag::CLASS | tag::STRING | tag::METHOD_HANDLE | tag::METHOD_TYPE) => {
                self.define(insn, |dst| Op::Constant { dst, constant })
            }
            Some(tag::DYNAMIC) => {
                let (_, descriptor) = self.pool.dynamic(constant)?;
                if Shape::of(descriptor.as_bytes())? == Shape::Reference {
                    return self.define(insn, |dst| Op::Constant { dst, constant });
                }
                self.emit(insn, Op::NumberConstant { constant });
                self.stack.push_numbers(slots)
            }
            Some(tag::INTEGER..=tag::DOUBLE) => self.stack.push_numbers(slots),
            _ => Err(catchment_classfile::ClassError::Constant {
                index: constant,
                expected: "constant to load",
            }
            .into()),
        }
    }

    fn local(&mut self, insn: &Insn<'_>) -> Result<(), Fault> {
        match insn.local() {
            Some((ALOAD, slot)) => {
                let value = self.values.load(self.graph, self.block, slot)?;
                self.stack.push(value)
            }
            Some((opcode @ ISTORE..=ASTORE, slot)) => self.store(opcode, usize::from(slot)),
            // `wide` in front of another load.
            Some((opcode @ ILOAD..ALOAD, _)) => self.apply_stack_effect(opcode),
            _ => Ok(()),
        }
    }

    fn store(&mut self, opcode: u8, slot: usize) -> Result<(), Fault> {
        let value = self.stack.pop()?;
        let value = if opcode == ASTORE { value } else { UNUSABLE };
        if is_wide_store(opcode) {
            self.stack.pop_slots(1)?;
            self.values.store(self.graph, self.block, slot + 1, UNUSABLE)?;
        }
        self.values.store(self.graph, self.block, slot, value)
    }

    fn array_load(&mut self, insn: &Insn<'_>) -> Result<(), Fault> {
        self.stack.pop_slots(1)?;
        let array = self.stack.pop_reference()?;
        let shape = element(insn.opcode - 46);
        let dst = self.push_shape(shape)?;
        self.emit(insn, Op::ArrayLoad { dst, array });
        Ok(())
    }

    fn array_store(&mut self, insn: &Insn<'_>) -> Result<(), Fault> {
        let src = self.pop_shape(element(insn.opcode - 79))?;
        self.stack.pop_slots(1)?;
        let array = self.stack.pop_reference()?;
        self.emit(insn, Op::ArrayStore { array, src });
        Ok(())
    }

    fn returns(&mut self, insn: &Insn<'_>) -> Result<(), Fault> {
        let src = if insn.opcode == ARETURN { Some(self.stack.pop_reference()?) } else { None };
        self.apply_stack_effect(insn.opcode)?;
        self.emit(insn, Op::Return { src });
        Ok(())
    }

    fn new_array(&mut self, insn: &Insn<'_>) -> Result<(), Fault> {
        let kind = match (insn.opcode, insn.bytes) {
            (188, [_, numbers, ..]) => ArrayKind::Numbers(*numbers),
            (197, [_, _, _, levels, ..]) => ArrayKind::Nested { class: insn.u2(), levels: *levels },
            _ if self.before.is_some_and(|before| before.opcode == ICONST_0) => ArrayKind::EmptyOf(insn.u2()),
            _ => ArrayKind::Of(insn.u2()),
        };
        let lengths = if let ArrayKind::Nested { levels, .. } = kind { usize::from(levels) } else { 1 };
        self.stack.pop_slots(lengths)?;
        self.define(insn, |dst| Op::NewArray { dst, kind })
    }

    fn on_reference(&mut self, insn: &Insn<'_>) -> Result<(), Fault> {
        let src = self.stack.pop_reference()?;
        let op = match insn.opcode {
            CHECKCAST => {
                let class = insn.u2();
                return self.define(insn, |dst| Op::Cast { dst, src, class });
            }
            ATHROW => Op::Throw { src },
            MONITORENTER => Op::MonitorEnter { src },
            MONITOREXIT => Op::MonitorExit { src },
            190 => {
                self.stack.push_numbers(1)?;
                Op::ArrayLength { array: src }
            }
            _ => {
                self.stack.push_numbers(1)?;
                Op::InstanceOf { src, class: insn.u2() }
            }
        };
        self.emit(insn, op);
        Ok(())
    }

    fn null_test(&mut self, insn: &Insn<'_>) -> Result<(), Fault> {
        let src = self.stack.pop_reference()?;
        let target = insn.targets().next().and_then(|pc| self.graph.at(pc));
        let behind = self.graph.at(insn.next_pc());
        let (Some(target), Some(behind)) = (target, behind) else { return Err(Fault::FallsOff) };
        let (if_null, otherwise) = if insn.opcode == IFNULL { (target, behind) } else { (behind, target) };
        self.emit(insn, Op::NullTest { src, if_null: BlockId(if_null), otherwise: BlockId(otherwise) });
        Ok(())
    }
}

/// Element type of an array, by the distance of the opcode from the one for ints.
fn element(distance: u8) -> Shape {
    match distance {
        1 | 3 => Shape::WideNumber,
        4 => Shape::Reference,
        _ => Shape::Number,
    }
}

/// True if an instruction pushes a whole number that is not 0.
fn pushes_no_zero(insn: &Insn<'_>, pool: &ConstantPool<'_>) -> bool {
    const ICONST_M1: u8 = 2;
    const ICONST_5: u8 = 8;
    const LCONST_1: u8 = 10;
    let operand = insn.bytes.get(1..).unwrap_or_default();
    let is_set = |bytes: &[u8]| bytes.iter().any(|byte| *byte != 0);
    match insn.opcode {
        ICONST_0 => false,
        ICONST_M1..=ICONST_5 | LCONST_1 => true,
        BIPUSH | SIPUSH => is_set(operand),
        LDC..=LDC2_W => {
            matches!(pool.raw(insn.loaded_constant()), Some((tag::INTEGER | tag::LONG, number)) if is_set(number))
        }
        _ => false,
    }
}
