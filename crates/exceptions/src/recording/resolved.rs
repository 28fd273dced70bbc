//! The methods of a recording among the classes of the analysis, and what stands at their instructions.

use super::generated::{Maker, maker_of};
use super::{RecordedMethod, Recording, internal_name};
use crate::answer::Site;
use crate::describe::site_of;
use crate::exception_flow::class_handlers::{ClassHandlers, MethodHandlers};
use catchment_classfile::Insn;
use catchment_classfile::opcodes::{ATHROW, INVOKEDYNAMIC, INVOKEVIRTUAL};
use catchment_ir::Translator;
use catchment_pointsto::{ClassId, MethodId};
use catchment_pointsto::{Layer, World};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A recorded method as the analysis has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resolved {
    Method(MethodId),
    /// Of a class that was made in the run.
    Generated(Maker),
    /// Of a class that is not there.
    NoClass,
    /// Of a class that is there and has no such method: it is not the one that ran.
    NoMethod,
}

impl Resolved {
    pub(super) fn method(self) -> Option<MethodId> {
        match self {
            Self::Method(method) => Some(method),
            _ => None,
        }
    }
}

/// The kind of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instruction {
    Throw,
    /// Of the constant with this index.
    Call(u16),
    Other,
}

/// Looks names and instructions up, once each.
#[derive(Debug, Default)]
pub(super) struct Resolver {
    methods: FxHashMap<usize, Resolved>,
    classes: FxHashMap<ClassId, Rc<ClassHandlers>>,
    handlers: FxHashMap<MethodId, Rc<MethodHandlers>>,
    translator: Translator,
}

impl Resolver {
    /// The recorded method of this index.
    pub(super) fn method(&mut self, world: &mut World<'_>, recording: &Recording, index: usize) -> Resolved {
        if let Some(known) = self.methods.get(&index) {
            return *known;
        }
        let found = recording.methods.get(index).map_or(Resolved::NoClass, |method| resolve(world, method));
        self.methods.insert(index, found);
        found
    }

    /// Position of the pair that a handler belongs to; nothing if nobody wrote it.
    pub(super) fn pair_at(&mut self, world: &World<'_>, method: MethodId, handler: u16) -> Option<usize> {
        let declared = *world.method(method);
        self.class_handlers(world, declared.class)?.pair_at(declared.position, handler)
    }

    /// The handlers of a method; nothing where there are none.
    pub(super) fn handlers_of(&mut self, world: &World<'_>, method: MethodId) -> Rc<MethodHandlers> {
        if let Some(known) = self.handlers.get(&method) {
            return Rc::clone(known);
        }
        let declared = *world.method(method);
        let of_class = self.class_handlers(world, declared.class);
        let found = of_class.zip(world.class_of(declared.class).file()).map(|(of_class, file)| {
            MethodHandlers::of(file, declared.position, &of_class, &mut self.translator)
        });
        let found = Rc::new(found.unwrap_or_default());
        self.handlers.insert(method, Rc::clone(&found));
        found
    }

    pub(super) fn class_handlers(&mut self, world: &World<'_>, class: ClassId) -> Option<Rc<ClassHandlers>> {
        if let Some(known) = self.classes.get(&class) {
            return Some(Rc::clone(known));
        }
        let found = Rc::new(ClassHandlers::of(world.class_of(class).file()?));
        self.classes.insert(class, Rc::clone(&found));
        Some(found)
    }
}

fn resolve(world: &mut World<'_>, method: &RecordedMethod) -> Resolved {
    if let Some(maker) = maker_of(&method.class) {
        return Resolved::Generated(maker);
    }
    let class = world.class(&internal_name(&method.class));
    if world.class_of(class).is_missing() {
        return Resolved::NoClass;
    }
    let found = world.declared_as(class, method.method.as_bytes(), method.descriptor.as_bytes());
    found.map_or(Resolved::NoMethod, Resolved::Method)
}

/// The instruction at `pc`; none if no instruction begins there.
pub(super) fn instruction_at(world: &World<'_>, method: MethodId, pc: u16) -> Option<Instruction> {
    let file = world.class_of(world.method(method).class).file()?;
    let (_, code) = file.code(world.member_of(method)?).ok()??;
    let instruction = Insn::at(code.bytes, usize::from(pc)).ok()?;
    Some(match instruction.opcode {
        ATHROW => Instruction::Throw,
        INVOKEVIRTUAL..=INVOKEDYNAMIC => Instruction::Call(instruction.u2()),
        _ => Instruction::Other,
    })
}

/// The site of a recorded frame, also if the analysis has no such method.
pub(super) fn site_in(world: &World<'_>, method: &RecordedMethod, found: Resolved, pc: Option<u16>) -> Site {
    match found {
        Resolved::Method(id) => site_of(world, id, pc),
        _ => Site {
            layer: Layer::Library,
            class: method.class.clone(),
            method: method.method.clone(),
            descriptor: method.descriptor.clone(),
            file: None,
            line: None,
            pc,
        },
    }
}
