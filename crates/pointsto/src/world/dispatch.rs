//! Which method a call comes to (JVMS §5.4.3.3, §5.4.3.4 and §5.4.6).

use super::World;
use crate::ids::{ClassId, MethodId, SelectorId};

impl World<'_> {
    /// The method that a call on an object of exactly this class comes to.
    pub fn dispatch(&mut self, class: ClassId, selector: SelectorId) -> Option<MethodId> {
        if let Some(found) = self.dispatched.get(&(class, selector)) {
            return *found;
        }
        let found = self.select(class, selector);
        self.dispatched.insert((class, selector), found);
        found
    }

    fn select(&self, class: ClassId, selector: SelectorId) -> Option<MethodId> {
        let mut above = Some(class);
        while let Some(class) = above {
            let declared = self.declared(class, selector).map(|id| (id, self.method(id)));
            if let Some((id, method)) = declared.filter(|(_, method)| !method.is_static()) {
                if !method.is_abstract() {
                    return Some(id);
                }
                break;
            }
            above = self.class_of(class).superclass;
        }
        self.default_method(class, selector)
    }

    /// A method with code in an interface that no other such interface extends.
    fn default_method(&self, class: ClassId, selector: SelectorId) -> Option<MethodId> {
        let mut best: Option<MethodId> = None;
        for above in &self.class_of(class).supertypes {
            if !self.class_of(*above).is_interface() {
                continue;
            }
            let declared = self.declared(*above, selector);
            let usable = declared.filter(|id| {
                let method = self.method(*id);
                !method.is_static() && !method.is_abstract() && !method.is_private()
            });
            if let Some(id) = usable
                && best.is_none_or(|best| self.is_subtype(*above, self.method(best).class))
            {
                best = Some(id);
            }
        }
        best
    }

    /// The method that a reference in a class file means: looked for in the class, those above it and their interfaces.
    pub fn resolve_method(&self, owner: ClassId, selector: SelectorId) -> Option<MethodId> {
        let mut above = Some(owner);
        while let Some(class) = above {
            if let Some(id) = self.declared(class, selector) {
                return Some(id);
            }
            above = self.class_of(class).superclass;
        }
        let interfaces =
            self.class_of(owner).supertypes.iter().filter(|above| self.class_of(**above).is_interface());
        let candidates: Vec<MethodId> =
            interfaces.filter_map(|above| self.declared(*above, selector)).collect();
        let has_code = |id: &&MethodId| !self.method(**id).is_abstract();
        candidates.iter().find(has_code).or(candidates.first()).copied()
    }
}
