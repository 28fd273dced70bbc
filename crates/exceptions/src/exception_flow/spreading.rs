//! Propagates raised exceptions, one filter class at a time; wrappers such as `ExceptionInInitializerError` last, since
//! they depend on what they wrap.

use crate::exception_flow::Building;
use crate::exception_flow::raising_points::RaisedException;
use crate::exception_flow::wrapping::{Inside, WRAPPERS, Wrapped};
use catchment_pointsto::graph::{Kind, KindFlow};
use catchment_pointsto::ids::NodeId;
use catchment_pointsto::world::{Fits, Typed};
use rustc_hash::FxHashMap;

/// What is raised of one kind, and where.
pub(crate) struct Spreading {
    pub(crate) kind: Kind,
    family: Family,
    pub(crate) raised: Vec<(RaisedException, NodeId)>,
}

/// What tells exceptions apart by how they leave initialisers (JVMS §5.5), privileged actions and proxies: inside another
/// exception or as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Errors,
    /// Surely unchecked, and no errors.
    Unchecked,
    /// Perhaps checked.
    Others,
}

/// By node: whether exceptions of a family come there.
struct Held {
    errors: Vec<bool>,
    unchecked: Vec<bool>,
    others: Vec<bool>,
}

impl Held {
    fn nothing(nodes: usize) -> Self {
        let none = || vec![false; nodes];
        Self { errors: none(), unchecked: none(), others: none() }
    }

    fn marks(&mut self, family: Family) -> &mut [bool] {
        match family {
            Family::Errors => &mut self.errors,
            Family::Unchecked => &mut self.unchecked,
            Family::Others => &mut self.others,
        }
    }

    /// Whether the call fails because of what comes out of its target.
    fn fails(&self, it: &Wrapped, flow: &KindFlow) -> bool {
        let from = flow.root(it.from).index();
        let (errors, unchecked, others) = (self.errors[from], self.unchecked[from], self.others[from]);
        match it.inside {
            Inside::Anything => errors || unchecked || others,
            Inside::AllButErrors => unchecked || others,
            Inside::Checked => others,
        }
    }
}

impl Building<'_, '_> {
    pub(crate) fn spread(&mut self) {
        let wrappers = WRAPPERS.map(|name| Typed::exactly(self.reached.world.class(name)));
        let bounded = self.bounded_types();
        let (mut kinds, kind_of) = self.by_kind(&[&wrappers[..], &bounded].concat());
        let mut late: Vec<usize> = wrappers.iter().map(|typed| kind_of[typed]).collect();
        late.sort_unstable();
        late.dedup();
        let mut flow = KindFlow::new(&self.flow.graph);
        self.throw_again(&flow, &mut kinds, &kind_of);
        let mut held = Held::nothing(flow.nodes());
        for (_, it) in kinds.iter().enumerate().filter(|(number, _)| !late.contains(number)) {
            self.add_kind(&mut flow, it, held.marks(it.family));
        }
        self.raise_wrappers(&flow, held, &mut kinds, &kind_of, &late);
        for number in late {
            let mut ignored = vec![false; flow.nodes()];
            self.add_kind(&mut flow, &kinds[number], &mut ignored);
        }
        flow.finish(&mut self.flow.graph);
    }

    fn add_kind(&mut self, flow: &mut KindFlow, it: &Spreading, is_marked: &mut [bool]) {
        let numbered = it.raised.iter().map(|(raised, to)| (*to, self.flow.raised.intern(*raised)));
        let given: Vec<(NodeId, u32)> = numbered.collect();
        flow.add(&it.kind, &given, is_marked);
    }

    /// All that is raised by its kind, in the order in which kinds are met, and the kinds of all types.
    fn by_kind(&mut self, raised_later: &[Typed]) -> (Vec<Spreading>, FxHashMap<Typed, usize>) {
        // Kinds tell these from others whether or not somebody catches them.
        let [error, unchecked] = [&b"java/lang/Error"[..], b"java/lang/RuntimeException"].map(|name| {
            let class = self.reached.world.class(name);
            self.flow.graph.filters.is(class, &self.reached.world);
            class
        });
        let mut kinds: Vec<Spreading> = Vec::new();
        let mut by_kind: FxHashMap<Kind, usize> = FxHashMap::default();
        let mut kind_of: FxHashMap<Typed, usize> = FxHashMap::default();
        let (graph, world) = (&self.flow.graph, &self.reached.world);
        let mut number_of = |typed: Typed, kinds: &mut Vec<Spreading>| {
            *kind_of.entry(typed).or_insert_with(|| {
                let kind = graph.kind_of(typed, world);
                *by_kind.entry(kind).or_insert_with_key(|kind| {
                    let family = match [error, unchecked].map(|it| world.typed_fits(typed, it) == Fits::Yes) {
                        [true, _] => Family::Errors,
                        [_, true] => Family::Unchecked,
                        _ => Family::Others,
                    };
                    kinds.push(Spreading { kind: kind.clone(), family, raised: Vec::new() });
                    kinds.len() - 1
                })
            })
        };
        for typed in raised_later {
            number_of(*typed, &mut kinds);
        }
        for (raised, to) in std::mem::take(&mut self.pending) {
            let raised = self.asked.representative_of(raised, world);
            let number = number_of(raised.typed, &mut kinds);
            kinds[number].raised.push((raised, to));
        }
        (kinds, kind_of)
    }

    /// Calls whose target fails raise an exception of their own, which can make other calls fail. `late` are the kinds of these.
    fn raise_wrappers(
        &mut self,
        flow: &KindFlow,
        mut held: Held,
        kinds: &mut [Spreading],
        kind_of: &FxHashMap<Typed, usize>,
        late: &[usize],
    ) {
        let mut own: FxHashMap<usize, Vec<bool>> =
            late.iter().map(|number| (*number, vec![false; flow.nodes()])).collect();
        for number in late {
            let it = &kinds[*number];
            let from = it.raised.iter().map(|(_, to)| *to);
            mark(flow, it, from, own.entry(*number).or_default(), &mut held);
        }
        loop {
            let calls = std::mem::take(&mut self.wrapped);
            let (failing, rest): (Vec<Wrapped>, Vec<Wrapped>) =
                calls.into_iter().partition(|it| held.fails(it, flow));
            self.wrapped = rest;
            if failing.is_empty() {
                return;
            }
            for it in &failing {
                let raised = it.raised();
                let number = kind_of[&raised.typed];
                kinds[number].raised.push((raised, it.to));
                mark(flow, &kinds[number], [it.to], own.entry(number).or_default(), &mut held);
            }
        }
    }
}

/// Marks where exceptions of a kind come to from these nodes. `own` has the marks of this kind alone.
fn mark(
    flow: &KindFlow,
    it: &Spreading,
    from: impl IntoIterator<Item = NodeId>,
    own: &mut [bool],
    held: &mut Held,
) {
    let marks = held.marks(it.family);
    flow.visit(&it.kind, from.into_iter(), own, |node| marks[node.index()] = true);
}
