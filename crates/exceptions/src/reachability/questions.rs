//! From links to questions: can this call, which stands in the try, come to that method?

use super::calls::CallReceivers;
use super::following::{Following, State};
use crate::exception_flow::ExceptionFlow;
use crate::exception_flow::raising_points::{RaisingKind, RaisingPoint};
use crate::links::{Clause, Link};
use catchment_pointsto::Heap;
use catchment_pointsto::{CallKind, Reached, Set};
use catchment_pointsto::{InstanceId, MethodId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::ops::Range;

type Pair = (Clause, RaisingPoint);

/// Links that need no question, and for each call those that it would be enough for.
#[derive(Debug, Default)]
pub(super) struct Questions {
    kept: FxHashSet<Pair>,
    by_site: BTreeMap<u32, Vec<Pair>>,
}

impl Questions {
    pub(super) fn of(links: &[Link], reached: &Reached<'_>, heap: &Heap, flow: &ExceptionFlow) -> Self {
        let wanted: FxHashSet<Pair> = links.iter().map(|link| (link.clause, link.point)).collect();
        let mut questions = Self::default();
        for (instance, handler, caught) in flow.caught() {
            let Some(method) = reached.method_of(instance) else { continue };
            let declared = reached.world.method(method);
            let pair = flow.handlers_of(declared.class).and_then(|it| it.pair_at(declared.position, handler));
            let Some(pair) = pair else { continue };
            let clause = Clause { class: declared.class, pair };
            let ranges = ranges_of(reached, method, handler);
            let pairs = |numbers: &Set| -> Vec<Pair> {
                let asked = numbers.iter().map(|number| (clause, flow.raised.get(number).point));
                let mut pairs: Vec<Pair> = asked.filter(|pair| wanted.contains(pair)).collect();
                pairs.dedup();
                pairs
            };
            let mut called = Set::default();
            for site in heap.sites_of(instance) {
                if ranges.iter().any(|range| range.contains(&heap.sites[site].pc)) {
                    let arriving = arriving(heap, site, caught, flow);
                    called.add_all(&arriving, &mut Set::default());
                    let asked = pairs(&arriving);
                    if !asked.is_empty() {
                        questions.by_site.entry(site as u32).or_default().extend(asked);
                    }
                }
            }
            // What no call has let out is raised in the try itself.
            let mut own = Set::default();
            own.add_filtered(caught, &called, false, &mut Set::default());
            questions.kept.extend(pairs(&own));
            let is_inside = |(_, point): &Pair| {
                point.method == method
                    && !matches!(point.kind, RaisingKind::Operation(_))
                    && ranges.iter().any(|range| range.contains(&point.pc))
            };
            questions.kept.extend(pairs(&called).into_iter().filter(is_inside));
        }
        questions
    }

    /// The links that remain.
    pub(super) fn ask<S: State>(self, calls: CallReceivers<'_, '_>, state: S) -> FxHashSet<Pair> {
        let Self { mut kept, by_site } = self;
        let mut following = Following::new(calls, state, by_site.keys().copied().collect());
        for (site, mut pairs) in by_site {
            pairs.retain(|pair| !kept.contains(pair));
            if pairs.is_empty() {
                continue;
            }
            let wanted: FxHashSet<MethodId> = pairs.iter().map(|(_, point)| point.method).collect();
            let found = following.found_from(site, &wanted);
            kept.extend(pairs.into_iter().filter(|(_, point)| found.contains(&point.method)));
        }
        kept
    }
}

/// Exceptions that come out of a call and to a handler.
fn arriving(heap: &Heap, site: usize, caught: &Set, flow: &ExceptionFlow) -> Set {
    let site = &heap.sites[site];
    let mut arriving = Set::default();
    if site.kind != CallKind::Thread {
        for target in &site.targets {
            let target: InstanceId = *target;
            arriving.add_filtered(flow.escaping(target), caught, true, &mut Set::default());
        }
    }
    arriving
}

/// The try of a handler.
pub(crate) fn ranges_of(reached: &Reached<'_>, method: MethodId, handler: u16) -> Vec<Range<u16>> {
    let class = reached.world.method(method).class;
    let code = || {
        let member = reached.world.member_of(method)?;
        reached.world.class_of(class).file()?.code(member).ok()?
    };
    let Some((_, code)) = code() else { return Vec::new() };
    code.exceptions().filter(|row| row.handler == handler).map(|row| row.start..row.end).collect()
}
