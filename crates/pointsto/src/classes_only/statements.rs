//! Statements of a method, and the meaning of each for a call graph by classes.

use super::ClassesOnly;
use crate::blind::BlindSpot;
use crate::bounds::Bounds;
use crate::callgraph::{CallKind, Thrown};
use crate::ids::{ClassId, InstanceId, MethodId};
use crate::implicit::{Finder, Implicit};
use catchment_ir::{Body, InvokeKind, Op, PoolIndex, Var};

/// The position of a statement.
#[derive(Debug, Clone, Copy)]
pub(super) struct StatementPosition {
    pub(super) instance: InstanceId,
    pub(super) method: MethodId,
    pub(super) class: ClassId,
    pub(super) pc: u16,
}

/// Arguments of a call, and the variable of its result.
pub(super) struct Values<'b> {
    pub(super) body: &'b Body,
    pub(super) arguments: &'b [Option<Var>],
    pub(super) result: Option<Var>,
}

impl ClassesOnly<'_> {
    pub(super) fn add_statements(&mut self, instance: InstanceId, method: MethodId, body: &Body) {
        let class = self.world.method(method).class;
        for statement in &body.statements {
            let place = StatementPosition { instance, method, class, pc: statement.pc };
            self.add_statement(place, body, statement.op);
        }
        self.add_throws(instance, method, body);
        if !self.options.implicit.is_empty() {
            self.add_implicit(method, body);
        }
    }

    fn add_statement(&mut self, at: StatementPosition, body: &Body, op: Op) {
        match op {
            Op::Constant { constant, .. } => self.add_constant(at, constant),
            Op::New { class, .. } => {
                if let Some(class) = self.world.class_ref(at.class, class) {
                    self.initialise_at(at, class);
                    self.make(class);
                }
            }
            Op::NewArray { kind, .. } => {
                for class in self.world.made_arrays(at.class, kind) {
                    self.make(class);
                }
            }
            Op::GetStatic { field, .. } | Op::PutStatic { field, .. } => {
                if let Some(field) = self.world.field_ref(at.class, field) {
                    self.initialise_at(at, self.world.field(field).class);
                }
            }
            Op::Invoke { kind, method, arguments, dst, .. } => {
                let values = Values { body, arguments: body.operands(arguments), result: dst };
                self.add_invoke(at, kind, method, &values);
            }
            Op::InvokeDynamic { call, arguments, .. } => self.add_dynamic(at, body, call, arguments),
            _ => {}
        }
    }

    fn initialise_at(&mut self, at: StatementPosition, class: ClassId) {
        self.initialise_by((at.instance, at.pc), class, at.class);
    }

    fn add_invoke(
        &mut self,
        at: StatementPosition,
        kind: InvokeKind,
        method: PoolIndex,
        values: &Values<'_>,
    ) {
        let Some(named) = self.world.method_ref(at.class, method) else {
            if !self.add_polymorphic(at, method, values) {
                self.blind(at.method, at.pc, BlindSpot::Missing);
            }
            return;
        };
        self.add_reflection(at, named, values);
        if kind == InvokeKind::Static {
            self.initialise_at(at, self.world.method(named).class);
        }
        let Some(owner) = self.world.member_ref(at.class, method).map(|member| member.owner) else { return };
        let owner = self.world.class(owner.as_bytes());
        self.add_call(at.instance, at.pc, kind, named, owner);
    }

    /// A call of the method `named`, which is called as one of class `owner`.
    pub(super) fn add_call(
        &mut self,
        caller: InstanceId,
        pc: u16,
        kind: InvokeKind,
        named: MethodId,
        owner: ClassId,
    ) {
        let declared = *self.world.method(named);
        match declared.called_as(kind) {
            InvokeKind::Static => {
                self.initialise(declared.class);
                self.call_directly(caller, pc, named);
            }
            InvokeKind::Special => self.call_directly(caller, pc, named),
            // Arrays have the methods of `Object`, and no class below has others.
            _ if self.world.class_of(owner).element().is_some() => self.call_directly(caller, pc, named),
            _ => {
                let selector = self.world.looked_for(named);
                self.call_virtually(caller, pc, CallKind::Ordinary, owner, selector);
            }
        }
    }

    fn add_throws(&mut self, instance: InstanceId, method: MethodId, body: &Body) {
        let throws = body.statements.iter().filter_map(|statement| match statement.op {
            Op::Throw { src } => Some((statement.pc, src)),
            _ => None,
        });
        let mut throws = throws.peekable();
        if throws.peek().is_none() {
            return;
        }
        let bounds = Bounds::new(body, method, &self.world);
        for (pc, src) in throws {
            let types = bounds.thrown_types(&mut self.world, src);
            self.throws.push(Thrown { instance, pc, types });
        }
    }

    fn add_implicit(&mut self, method: MethodId, body: &Body) {
        let finder = Finder::new(body, method, self.options.implicit, &self.world);
        for (place, statement) in body.statements.iter().enumerate() {
            for kind in finder.at(&mut self.world, place, statement) {
                self.implicit.push(Implicit { method, pc: statement.pc, kind });
                for class in kind.made(&mut self.world) {
                    self.make(class);
                }
            }
        }
    }
}
