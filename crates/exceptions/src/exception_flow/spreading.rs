//! Propagates raised exceptions, one filter class at a time; wrappers such as `ExceptionInInitializerError` last, since
//! they depend on what they wrap.

use crate::exception_flow::Building;
use crate::exception_flow::raising_points::RaisedException;
use crate::exception_flow::wrapping::{Inside, WRAPPERS, Wrapped};
use catchment_pointsto::NodeId;
use catchment_pointsto::{FilterClass, FilterClassFlow};
use catchment_pointsto::{Fits, Typed};
use rustc_hash::FxHashMap;

/// The raised exceptions of one filter class, each with its node.
pub(crate) struct Spreading {
    pub(crate) filter_class: FilterClass,
    family: Family,
    pub(crate) raised: Vec<(RaisedException, NodeId)>,
}

/// Exceptions by how they leave initialisers (JVMS §5.5), privileged actions and proxies: inside another exception or
/// as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Errors,
    /// Surely unchecked, and no errors.
    Unchecked,
    /// Perhaps checked.
    Others,
}

/// By node: the families of exceptions that come there.
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

    /// The call fails because of what comes out of its target.
    fn fails(&self, it: &Wrapped, flow: &FilterClassFlow) -> bool {
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
        let (mut spreadings, position_of) = self.by_filter_class(&[&wrappers[..], &bounded].concat());
        let mut late: Vec<usize> = wrappers.iter().map(|typed| position_of[typed]).collect();
        late.sort_unstable();
        late.dedup();
        let mut flow = FilterClassFlow::new(&self.flow.graph);
        self.throw_again(&flow, &mut spreadings, &position_of);
        let mut held = Held::nothing(flow.nodes());
        for (_, it) in spreadings.iter().enumerate().filter(|(number, _)| !late.contains(number)) {
            self.add_filter_class(&mut flow, it, held.marks(it.family));
        }
        self.raise_wrappers(&flow, held, &mut spreadings, &position_of, &late);
        for number in late {
            let mut ignored = vec![false; flow.nodes()];
            self.add_filter_class(&mut flow, &spreadings[number], &mut ignored);
        }
        flow.finish(&mut self.flow.graph);
    }

    fn add_filter_class(&mut self, flow: &mut FilterClassFlow, it: &Spreading, is_marked: &mut [bool]) {
        let numbered = it.raised.iter().map(|(raised, to)| (*to, self.flow.raised.intern(*raised)));
        let given: Vec<(NodeId, u32)> = numbered.collect();
        flow.add(&it.filter_class, &given, is_marked);
    }

    /// Raised exceptions by filter class, in the order in which classes are met, and the positions of all types there.
    fn by_filter_class(&mut self, raised_later: &[Typed]) -> (Vec<Spreading>, FxHashMap<Typed, usize>) {
        // These are filters whether or not a clause catches them, so that no filter class is in two families.
        let [error, unchecked] = [&b"java/lang/Error"[..], b"java/lang/RuntimeException"].map(|name| {
            let class = self.reached.world.class(name);
            self.flow.graph.filters.is(class, &self.reached.world);
            class
        });
        let mut spreadings: Vec<Spreading> = Vec::new();
        let mut by_filter_class: FxHashMap<FilterClass, usize> = FxHashMap::default();
        let mut position_of: FxHashMap<Typed, usize> = FxHashMap::default();
        let (graph, world) = (&self.flow.graph, &self.reached.world);
        let mut number_of = |typed: Typed, spreadings: &mut Vec<Spreading>| {
            *position_of.entry(typed).or_insert_with(|| {
                let filter_class = graph.filter_class_of(typed, world);
                *by_filter_class.entry(filter_class).or_insert_with_key(|filter_class| {
                    let family = match [error, unchecked].map(|it| world.typed_fits(typed, it) == Fits::Yes) {
                        [true, _] => Family::Errors,
                        [_, true] => Family::Unchecked,
                        _ => Family::Others,
                    };
                    spreadings.push(Spreading {
                        filter_class: filter_class.clone(),
                        family,
                        raised: Vec::new(),
                    });
                    spreadings.len() - 1
                })
            })
        };
        for typed in raised_later {
            number_of(*typed, &mut spreadings);
        }
        for (raised, to) in std::mem::take(&mut self.pending) {
            let raised = self.asked.representative_of(raised, world);
            let number = number_of(raised.typed, &mut spreadings);
            spreadings[number].raised.push((raised, to));
        }
        (spreadings, position_of)
    }

    /// Calls whose target fails raise an exception of their own, which can make other calls fail. `late` are their
    /// filter classes.
    fn raise_wrappers(
        &mut self,
        flow: &FilterClassFlow,
        mut held: Held,
        spreadings: &mut [Spreading],
        position_of: &FxHashMap<Typed, usize>,
        late: &[usize],
    ) {
        let mut own: FxHashMap<usize, Vec<bool>> =
            late.iter().map(|number| (*number, vec![false; flow.nodes()])).collect();
        for number in late {
            let it = &spreadings[*number];
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
                let number = position_of[&raised.typed];
                spreadings[number].raised.push((raised, it.to));
                mark(flow, &spreadings[number], [it.to], own.entry(number).or_default(), &mut held);
            }
        }
    }
}

/// Marks the nodes that exceptions of a filter class come to from these nodes. `own` has the marks of this class alone.
fn mark(
    flow: &FilterClassFlow,
    it: &Spreading,
    from: impl IntoIterator<Item = NodeId>,
    own: &mut [bool],
    held: &mut Held,
) {
    let marks = held.marks(it.family);
    flow.visit(&it.filter_class, from.into_iter(), own, |node| marks[node.index()] = true);
}
