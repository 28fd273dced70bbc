//! `invokedynamic`, as far as classes are concerned.

use super::ClassesOnly;
use super::statements::StatementPosition;
use crate::blind::BlindSpot;
use crate::bounds::Bounds;
use crate::callgraph::{CallKind, Code};
use crate::ids::ClassId;
use crate::world::{Dynamic, Lambda};
use catchment_classfile::HandleKind;
use catchment_ir::{Body, Operands, PoolIndex};

impl ClassesOnly<'_> {
    pub(super) fn add_dynamic(
        &mut self,
        at: StatementPosition,
        body: &Body,
        call: PoolIndex,
        arguments: Operands,
    ) {
        match self.world.dynamic(at.class, call) {
            Some(Dynamic::Lambda(lambda)) => self.add_lambda(at, &lambda),
            Some(Dynamic::Concatenation) => self.add_concatenation(at, body, arguments),
            Some(Dynamic::Record { name, descriptor, components }) => {
                for field in components {
                    let class = self.world.field_class(field);
                    self.call_object_method(at, class, name, descriptor);
                }
                self.make_string();
            }
            Some(Dynamic::Missing) => self.blind(at.method, at.pc, BlindSpot::Missing),
            Some(Dynamic::Unknown) => self.blind(at.method, at.pc, BlindSpot::Dynamic),
            Some(Dynamic::Switch) | None => {}
        }
    }

    fn add_lambda(&mut self, at: StatementPosition, lambda: &Lambda<'_>) {
        let proxy = self.add_instance(Code::Proxy(lambda.target));
        let class = self.world.method(lambda.target).class;
        if matches!(lambda.kind, HandleKind::InvokeStatic | HandleKind::NewInvokeSpecial) {
            self.initialise_by((proxy, 0), class, at.class);
        }
        if lambda.kind == HandleKind::NewInvokeSpecial {
            self.make(class);
        }
        self.add_call(proxy, 0, lambda.invoke_kind(), lambda.target, lambda.owner);
        self.make_lambda(lambda.class, Some(lambda.name), proxy);
    }

    /// Concatenated objects are asked for their text.
    fn add_concatenation(&mut self, at: StatementPosition, body: &Body, parts: Operands) {
        let bounds = Bounds::new(body, at.method, &self.world);
        for part in body.operands(parts).iter().flatten() {
            for typed in bounds.types_of(&mut self.world, *part) {
                self.call_object_method(at, Some(typed.class), b"toString", b"()Ljava/lang/String;");
            }
        }
        self.make_string();
    }

    fn make_string(&mut self) {
        let string = self.world.class(b"java/lang/String");
        self.make(string);
    }

    /// Calls a method of `Object` on instances of `class`.
    fn call_object_method(
        &mut self,
        at: StatementPosition,
        class: Option<ClassId>,
        name: &[u8],
        descriptor: &[u8],
    ) {
        let selector = self.world.selector(name, descriptor);
        // Arrays have the methods of `Object`, and below a missing class there could be anything.
        let class = class.filter(|it| self.world.class_of(*it).file().is_some());
        let class = class.unwrap_or(self.world.object);
        self.call_virtually(at.instance, at.pc, CallKind::Ordinary, class, selector);
    }
}
