//! Reflection by classes alone: what is known anywhere can come to every reflective call.
//!
//! Constants of reachable code name classes; calls that ask find classes, methods, constructors, handles and fields
//! among these ([`finding`]); calls that use them come to all that were found ([`using`]). Names of members have to be
//! constants of the method that asks for them, as in `crate::reflection`, which finds no more than this does.

mod finding;
mod proxies;
mod using;

use super::ClassesOnly;
use super::statements::{StatementPosition, Values};
use crate::blind::BlindSpot;
use crate::ids::{ClassId, InstanceId, MethodId};
use crate::solver::NAMED;
use crate::solver::reflection::actions::{self, Action};
use crate::solver::reflection::names::{Names, cast_of, class_named_by};
use crate::solver::reflection::{BOXES, ReflectiveTarget, is_modelled_elsewhere, passes_handles_on};
use catchment_ir::PoolIndex;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;
use using::{Targets, UseKey, User};

/// Each once, in the order in which they were found.
#[derive(Debug)]
struct Listed<T> {
    all: Vec<T>,
    known: FxHashSet<T>,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self { all: Vec::new(), known: FxHashSet::default() }
    }
}

impl<T: Copy + Eq + Hash> Listed<T> {
    fn insert(&mut self, it: T) {
        if self.known.insert(it) {
            self.all.push(it);
        }
    }

    /// Entries behind the first `seen`, which from now on are seen as well.
    fn unseen(&self, seen: &mut usize) -> Vec<T> {
        let unseen = self.all[*seen..].to_vec();
        *seen = self.all.len();
        unseen
    }
}

/// Reflective requests of reachable code for classes and members, with the number of those seen to.
#[derive(Debug)]
struct Asked {
    action: Action,
    /// Names of members.
    names: FxHashSet<Box<[u8]>>,
    seen: usize,
}

#[derive(Debug, Default)]
pub(super) struct Reflections {
    /// Classes whose methods are reflective.
    declaring: FxHashSet<ClassId>,
    recorded: Vec<ReflectiveTarget>,
    /// Classes that strings name.
    names: Listed<ClassId>,
    /// Classes of which there are class objects, and these with all above them.
    classes: Listed<ClassId>,
    with_above: Listed<ClassId>,
    /// The number of the former among the latter.
    seen_above: usize,
    /// Methods and constructors of which there are objects, and of which there are handles.
    members: Listed<MethodId>,
    handles: Listed<MethodId>,
    /// Classes of static fields of which there are objects or handles.
    static_fields: Listed<ClassId>,
    asked: Vec<Asked>,
    /// Methods that make proxies, and how many classes they have been given.
    proxy_makers: Vec<(MethodId, usize)>,
    proxies: FxHashSet<ClassId>,
    forwarder: Option<InstanceId>,
    users: Vec<User>,
    by_key: FxHashMap<UseKey, Targets>,
}

impl Reflections {
    fn ask(&mut self, action: Action, names: &[Box<[u8]>]) {
        let at = self.asked.iter().position(|it| it.action == action).unwrap_or(self.asked.len());
        if at == self.asked.len() {
            self.asked.push(Asked { action, names: FxHashSet::default(), seen: 0 });
        }
        for name in names {
            if self.asked[at].names.insert(name.clone()) {
                self.asked[at].seen = 0;
            }
        }
    }
}

impl ClassesOnly<'_> {
    /// Finds the classes whose methods are reflective, and keeps what a run has shown.
    pub(crate) fn prepare_reflection(&mut self, recorded: &[ReflectiveTarget]) {
        let classes = actions::CLASSES.iter().map(|name| self.world.class(name.as_bytes()));
        self.reflections.declaring = classes.collect();
        self.reflections.recorded = recorded.to_vec();
        // The JVM and what is not known of names make such objects, whatever the program does.
        for name in NAMED.iter().copied().chain(["java/lang/invoke/VarHandle", "[Ljava/lang/Object;"]) {
            let class = self.world.class(name.as_bytes());
            self.make_anyway(class);
        }
    }

    /// Strings that name a class, classes and handles.
    pub(super) fn add_constant(&mut self, at: StatementPosition, constant: PoolIndex) {
        const CLASS: u8 = 7;
        const STRING: u8 = 8;
        const METHOD_HANDLE: u8 = 15;
        const DYNAMIC: u8 = 17;
        let Some(file) = self.world.class_of(at.class).file() else { return };
        match file.pool.tag(constant) {
            Some(STRING) => {
                let Ok(text) = file.pool.string(constant) else { return };
                if let Some(class) = class_named_by(&mut self.world, text.as_bytes()) {
                    self.reflections.names.insert(class);
                }
            }
            Some(CLASS) => {
                if let Some(class) = self.world.class_ref(at.class, constant) {
                    self.reflections.classes.insert(class);
                }
            }
            Some(METHOD_HANDLE) => {
                if let Some(method) = self.world.handle_ref(at.class, constant) {
                    self.reflections.handles.insert(method);
                }
            }
            Some(DYNAMIC) => self.blind(at.method, at.pc, BlindSpot::Dynamic),
            _ => {}
        }
    }

    /// A call of a method that may be reflective.
    pub(super) fn add_reflection(&mut self, at: StatementPosition, named: MethodId, values: &Values<'_>) {
        let declaring = self.world.method(named).class;
        if !self.reflections.declaring.contains(&declaring) {
            return;
        }
        let class = &self.world.class_of(declaring).name;
        let (name, descriptor) = (self.world.name_of(named), self.world.descriptor_of(named));
        let Some((action, _)) = actions::find(class, name, descriptor) else { return };
        let names = action.name_argument().map(|index| {
            let name = values.arguments.get(index).copied().flatten();
            Names::of(&self.world, at.class, values.body, name).constants
        });
        self.reflections.ask(action, &names.unwrap_or_default());
        self.add_action(at, action, values);
    }

    /// A call of a method that takes whatever it is given; false if it is none.
    pub(super) fn add_polymorphic(
        &mut self,
        at: StatementPosition,
        method: PoolIndex,
        values: &Values<'_>,
    ) -> bool {
        let member = self.world.member_ref(at.class, method);
        let Some(action) = member.and_then(|it| actions::of_polymorphic(it.owner.as_bytes())) else {
            return false;
        };
        if passes_handles_on(&self.world, at.class) {
            self.blind(at.method, at.pc, BlindSpot::Reflection);
        } else {
            self.add_action(at, action, values);
        }
        true
    }

    fn add_action(&mut self, at: StatementPosition, action: Action, values: &Values<'_>) {
        let cast = values.result.and_then(|it| cast_of(&mut self.world, at.class, values.body, it));
        match action {
            Action::NewInstance => self.use_known(at, UseKey { action, cast, arguments: 0 }),
            Action::Construct if is_modelled_elsewhere(&self.world, at.method) => {}
            Action::Construct => {
                self.make_named("java/lang/reflect/InvocationTargetException");
                self.use_known(at, UseKey { action, cast, arguments: 0 });
            }
            Action::Invoke => {
                self.make_named("java/lang/reflect/InvocationTargetException");
                self.make_boxes();
                self.use_known(at, UseKey { action, cast: None, arguments: 0 });
            }
            Action::InvokeHandle => {
                self.make_boxes();
                self.use_known(at, UseKey { action, cast, arguments: values.arguments.len() });
                self.use_known(at, UseKey { action: Action::AccessVariable, cast: None, arguments: 0 });
            }
            Action::ReadField | Action::WriteField | Action::AccessVariable => {
                self.use_known(at, UseKey { action: Action::AccessVariable, cast: None, arguments: 0 });
            }
            Action::ForName => self.use_known(at, UseKey { action, cast: None, arguments: 0 }),
            Action::NewProxy => self.add_proxy_maker(at.method),
            _ => {}
        }
    }

    fn make_named(&mut self, name: &str) {
        let class = self.world.class(name.as_bytes());
        self.make(class);
    }

    /// A number that a method returns arrives in a box.
    fn make_boxes(&mut self) {
        for (_, class) in BOXES {
            self.make_named(class);
        }
    }

    /// True if something is found, made or called that was not before.
    pub(super) fn step_reflection(&mut self) -> bool {
        let is_found = self.find_asked();
        let is_made = self.make_proxies();
        self.call_used() || is_found || is_made
    }
}
