//! Clauses that throw again what they have caught.
//!
//! The exceptions of a `throw` are known by the objects that come there. But an operation of the catalogue makes no
//! object: of what it raises only the type is known, and that it may be any class below it. A clause that catches it
//! and throws it again, as `java.net.Socket` does when it cannot connect, raises that type too.

use crate::exception_flow::Building;
use crate::exception_flow::raising_points::{RaisedException, RaisingKind, RaisingPoint};
use crate::exception_flow::spreading::Spreading;
use catchment_pointsto::FilterClassFlow;
use catchment_pointsto::{ClassId, InstanceId, MethodId, NodeId};
use catchment_pointsto::{Fits, Typed, World};
use rustc_hash::{FxHashMap, FxHashSet};

/// A `throw` of what a clause has caught.
pub(crate) struct ThrownAgain {
    caught: NodeId,
    /// The raising point of the `throw`.
    pub(crate) to: NodeId,
    point: RaisingPoint,
    /// The caught type of the clause; nothing for everything.
    clause: Option<ClassId>,
}

impl ThrownAgain {
    /// The type that is thrown again of one that comes to the clause: nothing if it came for another class that the
    /// clause catches.
    fn of(&self, typed: Typed, world: &World<'_>) -> Option<Typed> {
        let Some(clause) = self.clause else { return Some(typed) };
        match world.typed_fits(typed, clause) {
            Fits::Yes => Some(typed),
            Fits::Maybe => Some(Typed::at_most(clause)),
            Fits::No => None,
        }
    }
}

impl Building<'_, '_> {
    /// Types of faults are brought to a `throw` as well, where the objects that it throws are known.
    pub(crate) fn add_thrown_again(
        &mut self,
        instance: InstanceId,
        method: MethodId,
        pc: u16,
        types: &[Typed],
        to: NodeId,
    ) {
        if types.iter().any(|typed| !typed.is_exact) {
            return;
        }
        let rows = self.methods.get(&method).map(|it| it.thrown_again_at(pc).copied().collect::<Vec<_>>());
        let class = self.reached.world.method(method).class;
        for row in rows.unwrap_or_default() {
            let clause =
                (row.catch_type != 0).then(|| self.reached.world.class_ref(class, row.catch_type)).flatten();
            let caught = self.caught_node(instance, row.handler);
            let point = RaisingPoint { method, pc, kind: RaisingKind::Throw };
            self.thrown_again.push(ThrownAgain { caught, to, point, clause });
        }
    }

    /// The types that operations raise, and those that become of them.
    pub(crate) fn bounded_types(&self) -> Vec<Typed> {
        if self.thrown_again.is_empty() {
            return Vec::new();
        }
        let raised = self.pending.iter().filter(|(it, _)| matches!(it.point.kind, RaisingKind::Operation(_)));
        let mut types: FxHashSet<Typed> = raised.map(|(it, _)| it.typed).collect();
        let clauses: FxHashSet<ClassId> = self.thrown_again.iter().filter_map(|it| it.clause).collect();
        types.extend(clauses.into_iter().map(Typed::at_most));
        let mut types: Vec<Typed> = types.into_iter().collect();
        types.sort_unstable();
        types
    }

    /// Raises again what comes to these clauses, which may come to others of them.
    pub(crate) fn throw_again(
        &mut self,
        flow: &FilterClassFlow,
        spreadings: &mut [Spreading],
        position_of: &FxHashMap<Typed, usize>,
    ) {
        if self.thrown_again.is_empty() {
            return;
        }
        let operations = spreadings.iter().flat_map(|spreading| &spreading.raised);
        let operations = operations.filter(|(it, _)| matches!(it.point.kind, RaisingKind::Operation(_)));
        let mut open: Vec<(Typed, NodeId)> = operations.map(|(it, to)| (it.typed, *to)).collect();
        let mut marks: FxHashMap<Typed, Vec<bool>> = FxHashMap::default();
        let mut by_node: FxHashMap<NodeId, Vec<usize>> = FxHashMap::default();
        for (number, it) in self.thrown_again.iter().enumerate() {
            by_node.entry(flow.root(it.caught)).or_default().push(number);
        }
        let mut done: FxHashSet<(usize, Typed)> = FxHashSet::default();
        while let Some((typed, from)) = open.pop() {
            let own = marks.entry(typed).or_insert_with(|| vec![false; flow.nodes()]);
            let mut met = Vec::new();
            flow.visit(&spreadings[position_of[&typed]].filter_class, [from].into_iter(), own, |node| {
                met.extend(by_node.get(&node).into_iter().flatten().copied());
            });
            for number in met {
                let it = &self.thrown_again[number];
                let Some(again) = it.of(typed, &self.reached.world) else { continue };
                if done.insert((number, again)) {
                    let raised = RaisedException { point: it.point, typed: again };
                    let raised = self.asked.representative_of(raised, &self.reached.world);
                    spreadings[position_of[&again]].raised.push((raised, it.to));
                    open.push((again, it.to));
                }
            }
        }
    }
}
