//! Objects that callers from outside hand to entry points.
//!
//! Of a parameter that is no final class nobody knows what it holds: whatever is made anywhere and fits may be handed
//! back. So these parameters are given each such object as soon as there is one. What nobody here makes, such as the
//! requests of a servlet container, is a blind spot. Of exceptions one object stands for all classes below. `Object` is
//! left as it is: everything fits.

use crate::blind::BlindSpot;
use crate::graph::Filter;
use crate::ids::{ClassId, MethodId, NodeId};
use crate::objects::Origin;
use crate::solver::Solver;
use crate::world::Element;

/// Everything made so far that fits a class.
#[derive(Debug, Clone)]
struct Outside {
    class: ClassId,
    held: NodeId,
    /// The number of objects that have been looked at.
    seen: usize,
    /// The entry points that are given it.
    given_to: Vec<MethodId>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct FromOutside {
    all: Vec<Outside>,
}

impl Solver<'_> {
    /// Objects that a parameter of this class may hold when `method` is called from outside.
    pub(crate) fn give_from_outside(&mut self, method: MethodId, node: NodeId, class: ClassId) {
        self.give(node, class);
        if let Some(Element::Class(element)) = self.world.class_of(class).element() {
            let array = self.object(class, Origin::Merged);
            let elements = self.elements_of(array.0);
            return self.give_from_outside(method, elements, element);
        }
        if self.world.is_subtype(class, self.known.throwable) {
            let any = self.object(class, Origin::Declared);
            return self.graph.add_derived_object(node, any.0);
        }
        if class != self.world.object && !self.world.class_of(class).is_final() {
            let held = self.outside_of(class, method);
            self.graph.add_derived_edge(held, node, Filter::NONE);
        }
    }

    fn outside_of(&mut self, class: ClassId, method: MethodId) -> NodeId {
        if let Some(known) = self.from_outside.all.iter_mut().find(|it| it.class == class) {
            known.given_to.push(method);
            return known.held;
        }
        let held = self.graph.node();
        self.from_outside.all.push(Outside { class, held, seen: 0, given_to: vec![method] });
        held
    }

    /// New objects that fit; whether there are some.
    pub(crate) fn hand_over(&mut self) -> bool {
        let mut all = std::mem::take(&mut self.from_outside.all);
        let mut is_changed = false;
        for Outside { class, held, seen, .. } in &mut all {
            for object in self.objects.made_since(*seen) {
                if self.world.is_subtype(self.objects.get(object).class, *class) {
                    self.graph.add_derived_object(*held, object);
                    is_changed = true;
                }
            }
            *seen = self.objects.len();
        }
        self.from_outside.all = all;
        is_changed
    }

    /// Parameters that nothing fits.
    pub(crate) fn note_unknown_parameters(&mut self) {
        for Outside { held, given_to, .. } in std::mem::take(&mut self.from_outside.all) {
            if self.graph.objects(held).is_empty() {
                given_to.into_iter().for_each(|method| self.blind(method, 0, BlindSpot::Parameter));
            }
        }
    }
}
