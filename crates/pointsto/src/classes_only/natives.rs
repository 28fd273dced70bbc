//! Methods without bytecode: the objects that they make and the methods that they call.

use super::ClassesOnly;
use crate::blind::BlindSpot;
use crate::callgraph::{CallKind, Thrown};
use crate::ids::{ClassId, InstanceId, MethodId};
use crate::models::{Effect, How, Term, TermRoot};
use crate::solver::entries::given;
use crate::solver::natives::{Returned, UNCAUGHT, returned_by_native};
use crate::world::Typed;
use smallvec::SmallVec;

impl ClassesOnly<'_> {
    pub(super) fn return_anything(&mut self, method: MethodId) {
        if self.world.is_of_program(method) {
            self.blind(method, 0, BlindSpot::Native);
        }
        match returned_by_native(&mut self.world, method) {
            Returned::Object(class) => self.make_with_elements(class),
            Returned::Unknown => self.blind(method, 0, BlindSpot::Native),
            Returned::Nothing => {}
        }
    }

    /// Native code makes the exceptions that it is declared to throw, of these classes or of some below.
    pub(super) fn throw_declared(&mut self, method: MethodId) {
        for class in self.world.declared_exceptions(method) {
            self.make_anyway(class);
        }
    }

    pub(super) fn add_effects(&mut self, instance: InstanceId, method: MethodId, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Code => {}
                Effect::Return(term) => self.make_term(term),
                Effect::Throw(term) => {
                    self.make_term(term);
                    let class = self.class_of_term(method, term);
                    let types = SmallVec::from_elem(Typed::at_most(class), 1);
                    self.throws.push(Thrown { instance, pc: 0, types });
                }
                Effect::Flow { to, from } => {
                    self.make_term(to);
                    self.make_term(from);
                }
                Effect::Call { receiver, method: name, descriptor, how } => {
                    self.make_term(receiver);
                    let class = self.class_of_term(method, receiver);
                    let selector = self.world.selector(name.as_bytes(), descriptor.as_bytes());
                    let kind = if *how == How::Started { CallKind::Thread } else { CallKind::Ordinary };
                    self.call_virtually(instance, 0, kind, class, selector);
                    if *how == How::Started {
                        let (name, descriptor) = UNCAUGHT;
                        let selector = self.world.selector(name, descriptor);
                        self.call_virtually(instance, 0, kind, class, selector);
                    }
                }
            }
        }
    }

    fn make_term(&mut self, term: &Term) {
        if let TermRoot::New(class) | TermRoot::Made(class) = term.root {
            let class = self.world.class(class.as_bytes());
            self.make(class);
        }
    }

    /// The class that a term is declared to be of.
    fn class_of_term(&mut self, method: MethodId, term: &Term) -> ClassId {
        let object = self.world.object;
        match term.root {
            _ if term.part.is_some() => object,
            TermRoot::Parameter { index, counts_receiver } => {
                let has_receiver = !self.world.method(method).is_static();
                let index = index + usize::from(has_receiver && !counts_receiver);
                given(&mut self.world, method).get(index).copied().flatten().unwrap_or(object)
            }
            TermRoot::New(class) | TermRoot::Made(class) => self.world.class(class.as_bytes()),
            TermRoot::Threads => self.world.class(b"java/lang/Thread"),
            TermRoot::Static { .. } => object,
        }
    }
}
