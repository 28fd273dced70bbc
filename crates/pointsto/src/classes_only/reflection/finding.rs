//! Reflective requests of reachable code: classes by their names, members of classes.

use super::ClassesOnly;
use crate::ids::{ClassId, MethodId};
use crate::solver::reflection::actions::Action;

impl ClassesOnly<'_> {
    /// Tells whether anything was seen that had not been.
    pub(super) fn find_asked(&mut self) -> bool {
        let mut is_changed = false;
        for at in 0..self.reflections.asked.len() {
            let action = self.reflections.asked[at].action;
            if action == Action::Unreflect {
                is_changed |= self.unreflect(at);
                continue;
            }
            let classes = self.unseen_classes(at);
            is_changed |= !classes.is_empty();
            for class in classes {
                self.find_in(at, action, class);
            }
        }
        is_changed
    }

    /// The classes that a question is about.
    fn unseen_classes(&mut self, at: usize) -> Vec<ClassId> {
        self.add_classes_above();
        let reflections = &mut self.reflections;
        let asked = &mut reflections.asked[at];
        let classes = match asked.action {
            Action::ForName | Action::LoadClass => &reflections.names,
            Action::GetConstructor
            | Action::GetConstructors
            | Action::FindConstructor
            | Action::LoadService => &reflections.classes,
            Action::GetMethod
            | Action::FindHandle
            | Action::GetField
            | Action::FindFieldHandle
            | Action::FindVarHandle => &reflections.with_above,
            _ => return Vec::new(),
        };
        classes.unseen(&mut asked.seen)
    }

    fn add_classes_above(&mut self) {
        let reflections = &mut self.reflections;
        let mut seen = reflections.seen_above;
        for class in reflections.classes.unseen(&mut seen) {
            for above in &self.world.class_of(class).supertypes {
                reflections.with_above.insert(*above);
            }
        }
        reflections.seen_above = seen;
    }

    fn find_in(&mut self, at: usize, action: Action, class: ClassId) {
        match action {
            Action::ForName | Action::LoadClass => self.reflections.classes.insert(class),
            Action::GetConstructor | Action::GetConstructors => {
                for constructor in self.world.declared_by_name(class, b"<init>") {
                    self.reflections.members.insert(constructor);
                }
            }
            Action::FindConstructor => {
                for constructor in self.world.declared_by_name(class, b"<init>") {
                    self.reflections.handles.insert(constructor);
                }
            }
            Action::GetMethod => {
                for method in self.methods_asked(at, class) {
                    self.reflections.members.insert(method);
                }
            }
            Action::FindHandle => {
                for method in self.methods_asked(at, class) {
                    self.reflections.handles.insert(method);
                }
            }
            Action::LoadService => self.load_service(class),
            _ => self.find_static_fields(at, class),
        }
    }

    /// Methods that a class declares under the names that are asked for.
    fn methods_asked(&self, at: usize, class: ClassId) -> Vec<MethodId> {
        let names = &self.reflections.asked[at].names;
        let methods = self.world.class_of(class).methods();
        methods.filter(|method| names.contains(self.world.name_of(*method))).collect()
    }

    fn find_static_fields(&mut self, at: usize, class: ClassId) {
        let names = &self.reflections.asked[at].names;
        let mut fields = self.world.class_of(class).fields();
        let is_meant =
            |field| self.world.field(field).is_static && names.contains(self.world.field_name(field));
        if fields.any(is_meant) {
            self.reflections.static_fields.insert(class);
        }
    }

    /// Objects of members become handles.
    fn unreflect(&mut self, at: usize) -> bool {
        let reflections = &mut self.reflections;
        let members = reflections.members.unseen(&mut reflections.asked[at].seen);
        for member in &members {
            reflections.handles.insert(*member);
        }
        !members.is_empty()
    }
}
