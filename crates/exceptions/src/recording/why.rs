//! Why a link of a run is not found: the place on the way from the clause to the raising point at which the analysis
//! loses it.

use super::compare::Comparing;
use super::generated::Maker;
use super::raising::{Raiser, Raising};
use super::resolved::{Instruction, Resolved, instruction_at};
use super::walk::{Step, follow, targets_at};
use super::{RecordedCatch, RecordedFrame};
use crate::answer::Site;
use crate::exception_flow::raising_points::{RaisingKind, RaisingPoint};
use crate::links::Clause;
use crate::recording::comparison::{Cause, Unfound};
use catchment_pointsto::{BlindSpot, CallKind};
use catchment_pointsto::{ClassId, InstanceId, MethodId};
use catchment_pointsto::{Fits, Typed};

/// A cause with the frames that it is about: where it is, and what was called there.
type Found = (Cause, usize, Option<usize>);

impl Comparing<'_, '_> {
    pub(super) fn why(
        &mut self,
        caught: &RecordedCatch,
        frames: &[RecordedFrame],
        raising: &Raising,
        clause: Clause,
    ) -> Unfound {
        let exception = self.search.reached.world.class(&super::internal_name(&caught.exception));
        let (cause, at, called) = self.cause(exception, frames, raising, clause);
        Unfound {
            cause,
            at: self.site(frames[at]),
            called: called.map(|frame| Site { line: None, pc: None, ..self.site(frames[frame]) }),
        }
    }

    fn cause(
        &mut self,
        exception: ClassId,
        frames: &[RecordedFrame],
        raising: &Raising,
        clause: Clause,
    ) -> Found {
        let goal = raising.frame;
        let points = match &raising.by {
            Raiser::Points(points) => points,
            Raiser::Native { .. } => return (Cause::RaisedInNative, goal, None),
            Raiser::AnyTime(..) => return (Cause::RaisedAnyTime, goal, None),
            Raiser::Elsewhere => return (self.unknown(frames[goal]), goal, None),
        };
        if let Some(filter) = self.search.filter()
            && points.iter().any(|point| self.unfiltered.contains(&(*point, clause)))
        {
            return (Cause::Filtered(filter), goal, None);
        }
        // A point that the analysis puts further out is lost there or before.
        let steps: Vec<Step> = frames[goal..].iter().map(|frame| self.step(*frame)).collect();
        let found = follow(&self.search.reached, &steps, &self.instances);
        let last = steps.len() - 1;
        if found[last].is_empty() {
            let is_target = self.is_reflective_target(frames[goal + last]);
            let cause = if is_target { Cause::Blind(BlindSpot::Reflection) } else { Cause::ClauseNotReached };
            return (cause, goal + last, None);
        }
        match found.iter().position(|instances| !instances.is_empty()) {
            Some(0) | None => (self.not_raised(exception, points, &found[0]), goal, None),
            Some(lost) => self.lost(frames, goal, &steps, lost, &found[lost]),
        }
    }

    /// The call of the frame `lost` is not known to lead to the one further in.
    fn lost(
        &mut self,
        frames: &[RecordedFrame],
        goal: usize,
        steps: &[Step],
        lost: usize,
        instances: &[InstanceId],
    ) -> Found {
        let step = steps[lost];
        let next = (0..lost).rev().find(|index| !self.is_lambda(frames[goal + index]));
        let next = next.unwrap_or(lost - 1);
        let cause = match (step.method, step.pc) {
            (Some(method), Some(pc)) => self.lost_at(method, pc, step, steps[next], instances),
            _ => None,
        };
        let cause = cause.unwrap_or_else(|| match self.resolved(frames[goal + next]) {
            Resolved::Method(_) if step.pc.is_none() => Cause::CalledByNative,
            Resolved::Method(method) => self.call_not_found(method),
            _ => self.unknown(frames[goal + next]),
        });
        (cause, goal + lost, Some(goal + next))
    }

    /// A method that a call does not lead to may be of an object that the analysis has never met.
    fn call_not_found(&mut self, called: MethodId) -> Cause {
        let world = &self.search.reached.world;
        let declared = *world.method(called);
        if declared.is_static() || world.name_of(called) == b"<init>" {
            return Cause::CallNotFound;
        }
        if self.is_made_by_reflection(declared.class) {
            return Cause::Blind(BlindSpot::Reflection);
        }
        let world = &self.search.reached.world;
        let class = world.class_of(declared.class);
        let mut makers = world.declared_by_name(declared.class, b"<init>");
        let is_made = class.is_interface() || makers.any(|it| self.instances.contains_key(&it));
        if is_made { Cause::CallNotFound } else { Cause::NotMade }
    }

    /// Tells whether runs have made objects of the class, or of one below it, in ways that the analysis does not know.
    fn is_made_by_reflection(&mut self, class: ClassId) -> bool {
        (0..self.recording.reflective.len()).any(|index| {
            let target = RecordedFrame { method: self.recording.reflective[index].target, pc: None };
            let Some(made) = self.resolved(target).method() else { return false };
            let world = &self.search.reached.world;
            world.name_of(made) == b"<init>"
                && !self.instances.contains_key(&made)
                && world.is_subtype(world.method(made).class, class)
        })
    }

    /// The cause that the place itself shows; nothing if it is a call like any other.
    fn lost_at(
        &self,
        method: MethodId,
        pc: u16,
        step: Step,
        next: Step,
        instances: &[InstanceId],
    ) -> Option<Cause> {
        if let Some(spot) = self.blind.get(&(method, pc)) {
            return Some(Cause::Blind(*spot));
        }
        let reached = &self.search.reached;
        if !matches!(instruction_at(&reached.world, method, pc), Some(Instruction::Call(_))) {
            return Some(Cause::CalledByJvm);
        }
        let all = self.instances.get(&method)?;
        let leads = |target: &InstanceId| reached.method_of(*target) == next.method;
        let is_in_others = next.method.is_some()
            && all.len() > instances.len()
            && targets_at(reached, step, all).iter().any(leads);
        is_in_others.then_some(Cause::ContextNotFound)
    }

    /// The raising point is reached, and does not raise this.
    fn not_raised(&self, exception: ClassId, points: &[RaisingPoint], instances: &[InstanceId]) -> Cause {
        let causes = points.iter().map(|point| self.not_raised_at(exception, *point, instances));
        causes.min().unwrap_or(Cause::Unexplained)
    }

    fn not_raised_at(&self, exception: ClassId, point: RaisingPoint, instances: &[InstanceId]) -> Cause {
        let reached = &self.search.reached;
        let RaisingPoint { method, pc, kind } = point;
        let calls = |kind| {
            let calls = instances.iter().flat_map(|instance| reached.calls_of(*instance));
            calls.filter(|call| call.pc == pc && call.kind == kind).count() > 0
        };
        let of_call = |kind| match self.blind.get(&(method, pc)) {
            Some(spot) => Cause::Blind(*spot),
            None if !calls(kind) => Cause::CallNotFound,
            None => Cause::Unexplained,
        };
        match kind {
            RaisingKind::Operation(_) => {
                let operation = self.search.flow_options.operations.get(&method);
                let thrown = operation.map(|it| it.throws.as_slice()).unwrap_or_default();
                let is_thrown = thrown.iter().any(|class| self.may_be(exception, Typed::at_most(*class)));
                if is_thrown { Cause::Unexplained } else { Cause::TypeNotCatalogued }
            }
            RaisingKind::Initialiser => of_call(CallKind::Initialiser),
            RaisingKind::Throw if instruction_at(&reached.world, method, pc) != Some(Instruction::Throw) => {
                of_call(CallKind::Reflective)
            }
            RaisingKind::Throw => {
                let throws = instances.iter().flat_map(|instance| reached.throws_of(*instance));
                let throws: Vec<_> = throws.filter(|thrown| thrown.pc == pc).collect();
                let mut types = throws.iter().flat_map(|thrown| &thrown.types);
                match types.any(|typed| self.may_be(exception, *typed)) {
                    true => Cause::Unexplained,
                    false if throws.is_empty() => Cause::ModelledCode,
                    false => Cause::TypeNotThrown,
                }
            }
            RaisingKind::Implicit(kind) => {
                let mut found = reached.implicit_in(method).iter();
                let is_found = found.any(|it| it.pc == pc && it.kind == kind);
                if is_found { Cause::Unexplained } else { Cause::RuledOut }
            }
        }
    }

    /// Tells whether an object of exactly this class is one of the type.
    fn may_be(&self, exception: ClassId, typed: Typed) -> bool {
        let world = &self.search.reached.world;
        if typed.is_exact { exception == typed.class } else { world.fits(exception, typed.class) != Fits::No }
    }

    fn step(&mut self, frame: RecordedFrame) -> Step {
        Step { method: self.resolved(frame).method(), pc: frame.pc }
    }

    fn is_lambda(&mut self, frame: RecordedFrame) -> bool {
        self.resolved(frame) == Resolved::Generated(Maker::Lambda)
    }

    /// Why nothing is known of a frame's class.
    fn unknown(&mut self, frame: RecordedFrame) -> Cause {
        match self.resolved(frame) {
            Resolved::Generated(_) => Cause::GeneratedClass,
            _ => Cause::UnknownClass,
        }
    }

    fn is_reflective_target(&self, frame: RecordedFrame) -> bool {
        let methods = &self.recording.methods;
        self.recording.reflective.iter().any(|it| methods.get(it.target) == methods.get(frame.method))
    }
}
