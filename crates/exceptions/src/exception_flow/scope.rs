//! The part of a program for which exception flow has to be known.
//!
//! An exception that comes to a clause is raised in its try or comes out of a call in it. So for the clauses of some
//! classes it is enough to follow exceptions through the methods that such calls can come to: for those of a small
//! program this is not the whole JDK. And exceptions that are of no class that is caught there need not be kept apart
//! by raising point.

use crate::exception_flow::raising_points::{OperationThrows, RaisedException};
use catchment_pointsto::{Call, CallKind, Reached};
use catchment_pointsto::{ClassId, InstanceId, MethodId};
use catchment_pointsto::{Fits, Layer, Typed, World};
use rustc_hash::FxHashMap;

/// The part of the exception flow that is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Exceptions that come to any clause, and those that leave any method.
    #[default]
    Everything,
    /// Exceptions that come to clauses of the application, and those that leave methods called in their tries.
    ApplicationClauses,
}

/// The part of one instance that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    Nothing,
    /// At what is in its tries.
    Tries,
    Whole,
}

/// Raised exceptions that somebody will ask about: those that may be of one of these classes, or all of them.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    only: Option<Vec<ClassId>>,
    /// By type.
    known: FxHashMap<Typed, Option<RaisedException>>,
}

impl Asked {
    pub(crate) fn about(classes: Vec<ClassId>) -> Self {
        Self { only: Some(classes), known: FxHashMap::default() }
    }

    /// The exception that travels for this one. Where nobody asks, the type is enough: one exception stands for all of
    /// it.
    pub(crate) fn representative_of(
        &mut self,
        raised: RaisedException,
        world: &World<'_>,
    ) -> RaisedException {
        let Some(only) = &self.only else { return raised };
        let typed = raised.typed;
        let instead = self.known.entry(typed).or_insert_with(|| {
            let is_asked = only.iter().any(|class| world.typed_fits(typed, *class) != Fits::No);
            (!is_asked).then_some(raised)
        });
        instead.unwrap_or(raised)
    }
}

impl Scope {
    /// By instance.
    pub(crate) fn depths(
        self,
        reached: &Reached<'_>,
        operations: &FxHashMap<MethodId, OperationThrows>,
    ) -> Vec<Depth> {
        if self == Self::Everything {
            return vec![Depth::Whole; reached.instances.len()];
        }
        let (mut depths, mut open) = tries_and_targets(reached);
        while let Some(instance) = open.pop() {
            if std::mem::replace(&mut depths[instance.index()], Depth::Whole) == Depth::Whole {
                continue;
            }
            // Nothing inside an operation raises again.
            if reached.method_of(instance).is_some_and(|method| operations.contains_key(&method)) {
                continue;
            }
            for call in reached.calls_of(instance).iter().filter(|call| call.kind != CallKind::Thread) {
                let targets = reached.targets(call).iter();
                open.extend(targets.filter(|target| depths[target.index()] != Depth::Whole));
            }
        }
        depths
    }
}

/// The instances that have tries of the application, and those that are called in one.
fn tries_and_targets(reached: &Reached<'_>) -> (Vec<Depth>, Vec<InstanceId>) {
    let mut targets = Vec::new();
    let depths = (0..reached.instances.len()).map(InstanceId::new).map(|instance| {
        let Some(tries) = tries_of_application(reached, instance) else { return Depth::Nothing };
        let is_inside = |call: &&Call| tries.iter().any(|(start, end)| (*start..*end).contains(&call.pc));
        let calls = reached.calls_of(instance).iter().filter(|call| call.kind != CallKind::Thread);
        targets.extend(calls.filter(is_inside).flat_map(|call| reached.targets(call)));
        Depth::Tries
    });
    (depths.collect(), targets)
}

/// Handlers of an instance of an application's method.
fn tries_of_application(reached: &Reached<'_>, instance: InstanceId) -> Option<Vec<(u16, u16)>> {
    let method = reached.method_of(instance)?;
    let class = reached.world.class_of(reached.world.method(method).class);
    if class.layer != Layer::Application {
        return None;
    }
    let (_, code) = class.file()?.code(reached.world.member_of(method)?).ok()??;
    code.has_exceptions().then(|| code.exceptions().map(|row| (row.start, row.end)).collect())
}
