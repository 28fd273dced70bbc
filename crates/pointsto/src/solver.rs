//! The work list: methods that are reached, objects that flow, and calls and fields that wait for objects.

pub(crate) mod at_fixed_point;
mod cached;
pub(crate) mod calls;
pub(crate) mod constructors;
pub(crate) mod contexts;
pub(crate) mod dynamic;
pub(crate) mod entries;
pub(crate) mod initialisers;
pub(crate) mod natives;
pub(crate) mod outside;
pub(crate) mod reflection;
pub(crate) mod serialisation;
pub(crate) mod services;
pub(crate) mod statements;

use crate::blind::{Blind, BlindSpot};
use crate::cache_format::cached;
use crate::callgraph::{CallKind, Code, Found, FoundCall, Thrown};
use crate::ceiling::Coarse;
use crate::graph::{Filter, Graph};
use crate::heap::{self, Heap, HeapCall};
use crate::ids::{ClassId, ContextId, FieldId, InstanceId, MethodId, NodeId, ObjectId};
use crate::implicit::{Implicit, ImplicitKinds};
use crate::models::{Effect, Models};
use crate::objects::{Object, Objects, Origin};
use crate::sets::Set;
use crate::solver::at_fixed_point::AtFixedPoint;
use crate::solver::calls::{CallSite, SiteId};
use crate::solver::contexts::{Contexts, INSENSITIVE, Sensitivity};
use crate::solver::initialisers::Initialisers;
use crate::solver::outside::FromOutside;
use crate::solver::reflection::{ReflectionId, Reflections};
use crate::world::{ClassSource, Typed, World};
use catchment_ir::{Body, Translator};
use rustc_hash::{FxHashMap, FxHashSet};

/// A method in one context.
#[derive(Debug, Clone)]
pub(crate) struct Instance {
    pub(crate) code: Code,
    pub(crate) context: ContextId,
    /// The receiver first; nothing for numbers.
    pub(crate) parameters: Box<[Option<NodeId>]>,
    pub(crate) returned: NodeId,
    pub(crate) thrown: NodeId,
}

cached! { struct Instance { code, context, parameters, returned, thrown } }

/// A `throw` in one instance of a method.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Throw {
    pub(crate) instance: InstanceId,
    pub(crate) pc: u16,
    pub(crate) thrown: NodeId,
}

cached! { struct Throw { instance, pc, thrown } }

/// A part of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Field(FieldId),
    /// All elements of an array.
    Elements,
    /// All fields and elements: what native code reaches by offset.
    Anything,
}

cached! { enum Part { 0 => Field(field), 1 => Elements, 2 => Anything } }

/// A use of the objects of a node, applied to each as it comes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Use {
    Load {
        part: Part,
        into: NodeId,
    },
    Store {
        part: Part,
        from: NodeId,
    },
    Call(SiteId),
    /// A call with one possible target, which is receiver-sensitive.
    Direct {
        site: SiteId,
        method: MethodId,
    },
    Reflect(ReflectionId),
}

cached! {
    enum Use {
        0 => Load { part, into },
        1 => Store { part, from },
        2 => Call(site),
        3 => Direct { site, method },
        4 => Reflect(id),
    }
}

/// The whole analysis under way.
#[derive(Debug, Clone)]
pub(crate) struct Solver<'a> {
    pub(crate) world: World<'a>,
    pub(crate) graph: Graph,
    pub(crate) objects: Objects,
    pub(crate) instances: Vec<Instance>,
    by_method: FxHashMap<(MethodId, ContextId), Option<InstanceId>>,
    pub(crate) sites: Vec<CallSite>,
    /// Of calls whose exceptions do not arrive as they are.
    pub(crate) call_kinds: FxHashMap<SiteId, CallKind>,
    pub(crate) entries: Vec<InstanceId>,
    pub(crate) throws: Vec<Throw>,
    /// By the number of the graph's waiting list.
    uses: Vec<Vec<Use>>,
    /// The node that each of these lists was for, if somebody will ask.
    waiters: Vec<NodeId>,
    unread: Vec<(InstanceId, NodeId, Body)>,
    translator: Translator,
    statics: FxHashMap<FieldId, NodeId>,
    parts: Vec<Vec<(u32, NodeId)>>,
    pub(crate) initialisers: Initialisers,
    pub(crate) problems: Vec<(MethodId, String)>,
    pub(crate) known: Known,
    pub(crate) models: Models,
    pub(crate) contexts: Contexts,
    pub(crate) blind_spots: FxHashSet<Blind>,
    pub(crate) implicit_kinds: ImplicitKinds,
    pub(crate) implicit: Vec<Implicit>,
    pub(crate) reflections: Reflections,
    pub(crate) at_fixed_point: AtFixedPoint,
    pub(crate) from_outside: FromOutside,
    /// Every thread that is started.
    pub(crate) threads: NodeId,
    pub(crate) coarse: Coarse,
}

impl Instance {
    /// Tells whether the first of its parameters is a receiver.
    pub(crate) fn has_receiver(&self, world: &World<'_>) -> bool {
        match self.code {
            Code::Method(method) => !world.method(method).is_static(),
            Code::Proxy(_) => true,
        }
    }
}

/// Classes that the analysis itself speaks of.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) string: ClassId,
    pub(crate) class: ClassId,
    pub(crate) throwable: ClassId,
    /// Classes of objects that stand for something with a name.
    pub(crate) named: [ClassId; 6],
    pub(crate) builders: [ClassId; 2],
}

impl Known {
    fn of(world: &mut World<'_>) -> Self {
        Self {
            string: world.class(b"java/lang/String"),
            class: world.class(b"java/lang/Class"),
            throwable: world.class(b"java/lang/Throwable"),
            named: NAMED.map(|name| world.class(name.as_bytes())),
            builders: [world.class(b"java/lang/StringBuilder"), world.class(b"java/lang/StringBuffer")],
        }
    }
}

/// Classes whose instances stand for a named thing.
pub(crate) const NAMED: [&str; 6] = [
    "java/lang/String",
    "java/lang/Class",
    "java/lang/reflect/Constructor",
    "java/lang/reflect/Method",
    "java/lang/reflect/Field",
    "java/lang/invoke/MethodHandle",
];

/// The number of lists of uses after which memory is looked at again: one round may take all there is.
const ASK_EVERY: usize = 1024;

/// Stands for the elements of an array among the numbers of fields.
pub(crate) const ELEMENTS: u32 = u32::MAX;

impl<'a> Solver<'a> {
    pub(crate) fn new(
        source: &'a dyn ClassSource,
        sensitivity: Sensitivity,
        implicit_kinds: ImplicitKinds,
    ) -> Self {
        let mut world = World::new(source);
        let contexts = Contexts::new(sensitivity, &mut world);
        let known = Known::of(&mut world);
        let mut graph = Graph::default();
        let threads = graph.node();
        Self {
            world,
            graph,
            objects: Objects::default(),
            instances: Vec::new(),
            by_method: FxHashMap::default(),
            sites: Vec::new(),
            call_kinds: FxHashMap::default(),
            entries: Vec::new(),
            throws: Vec::new(),
            uses: Vec::new(),
            waiters: Vec::new(),
            unread: Vec::new(),
            translator: Translator::default(),
            statics: FxHashMap::default(),
            parts: Vec::new(),
            initialisers: Initialisers::default(),
            problems: Vec::new(),
            known,
            models: Models::new(),
            contexts,
            blind_spots: FxHashSet::default(),
            implicit_kinds,
            implicit: Vec::new(),
            reflections: Reflections::default(),
            at_fixed_point: AtFixedPoint::default(),
            from_outside: FromOutside::default(),
            threads,
            coarse: Coarse::default(),
        }
    }

    /// Until nothing changes.
    pub(crate) fn solve(&mut self) {
        self.solve_while(|| true);
    }

    /// Solves to a fixed point, which is true, or until `may_go_on` refuses.
    pub(crate) fn solve_while(&mut self, may_go_on: impl Fn() -> bool) -> bool {
        while may_go_on() {
            while let Some((instance, first, body)) = self.unread.pop() {
                self.add_statements(instance, first, &body);
            }
            if !self.graph.propagate_while(&may_go_on) {
                return false;
            }
            self.graph.collapse_if_grown();
            let due = self.graph.take_due();
            if due.is_empty() && self.unread.is_empty() && !self.step_at_fixed_point() {
                return true;
            }
            for (number, list) in due.into_iter().enumerate() {
                if number % ASK_EVERY == ASK_EVERY - 1 && !may_go_on() {
                    return false;
                }
                let objects = self.graph.take_pending(list);
                let uses = std::mem::take(&mut self.uses[list as usize]);
                for it in &uses {
                    self.apply(*it, &objects);
                }
                self.uses[list as usize] = uses;
            }
        }
        false
    }

    fn apply(&mut self, it: Use, objects: &Set) {
        match it {
            Use::Load { part, into } => self.load(part, objects, into),
            Use::Store { part, from } => self.store(part, objects, from),
            Use::Call(site) => self.dispatch_call(site, objects),
            Use::Direct { site, method } => self.call_direct(site, method, objects),
            Use::Reflect(id) => self.reflect(id, objects),
        }
    }

    /// Lets `it` see the objects of `node`, those that are there and those to come.
    pub(crate) fn wait(&mut self, node: NodeId, it: Use) {
        self.wait_all(node, vec![it]);
    }

    pub(crate) fn wait_all(&mut self, node: NodeId, uses: Vec<Use>) {
        let list = self.graph.wait_for(node) as usize;
        self.uses.resize_with(list + 1, Vec::new);
        self.uses[list] = uses;
        if self.graph.log.is_some() {
            self.waiters.resize(list + 1, node);
        }
    }

    fn load(&mut self, part: Part, objects: &Set, into: NodeId) {
        for object in objects.iter() {
            for (node, _) in self.parts_of(object, part) {
                self.graph.add_derived_edge(node, into, Filter::NONE);
            }
        }
    }

    fn store(&mut self, part: Part, objects: &Set, from: NodeId) {
        for object in objects.iter() {
            for (node, filter) in self.parts_of(object, part) {
                self.graph.add_derived_edge(from, node, filter);
            }
        }
    }

    /// The nodes of a part of an object, with what may be stored there.
    fn parts_of(&mut self, object: u32, part: Part) -> smallvec::SmallVec<[(NodeId, Filter); 1]> {
        let Object { class, origin } = *self.objects.get(object);
        let mut parts = smallvec::SmallVec::new();
        match part {
            Part::Elements if origin == Origin::Empty => {}
            Part::Field(field) => parts.push((self.part(object, field.0), Filter::NONE)),
            Part::Elements => {
                if let Some(crate::world::Element::Class(element)) = self.world.class_of(class).element() {
                    let filter = self.graph.filters.is(element, &self.world);
                    parts.push((self.part(object, ELEMENTS), filter));
                }
            }
            Part::Anything => {
                if self.world.class_of(class).element().is_some() {
                    return self.parts_of(object, Part::Elements);
                }
                for field in self.world.reference_fields(class) {
                    let filter = self.field_filter(field);
                    parts.push((self.part(object, field.0), filter));
                }
            }
        }
        parts
    }

    pub(crate) fn field_of(&mut self, object: u32, field: FieldId) -> NodeId {
        self.part(object, field.0)
    }

    pub(crate) fn elements_of(&mut self, array: u32) -> NodeId {
        self.part(array, ELEMENTS)
    }

    fn field_filter(&mut self, field: FieldId) -> Filter {
        match self.world.field_class(field) {
            Some(class) => self.graph.filters.is(class, &self.world),
            None => Filter::NONE,
        }
    }

    fn part(&mut self, object: u32, key: u32) -> NodeId {
        let at = object as usize;
        if self.parts.len() <= at {
            self.parts.resize_with(at + 1, Vec::new);
        }
        if let Some((_, node)) = self.parts[at].iter().find(|(known, _)| *known == key) {
            return *node;
        }
        let node = self.graph.unowned_node();
        self.parts[at].push((key, node));
        node
    }

    pub(crate) fn static_field(&mut self, field: FieldId) -> NodeId {
        *self.statics.entry(field).or_insert_with(|| self.graph.unowned_node())
    }

    pub(crate) fn object(&mut self, class: ClassId, origin: Origin) -> ObjectId {
        let is_exception = self.world.is_subtype(class, self.known.throwable);
        let (object, is_new) = self.objects.intern(class, origin, is_exception);
        if is_new {
            self.graph.filters.add_object(object.0, Typed::exactly(class), &self.world);
        }
        object
    }

    /// The context-insensitive instance of a method, if it has been reached.
    pub(crate) fn reached(&self, method: MethodId) -> Option<InstanceId> {
        self.by_method.get(&(method, INSENSITIVE)).copied().flatten()
    }

    /// The instance of a method, made when it is first reached; nothing if it has no code and no model.
    pub(crate) fn reach(&mut self, method: MethodId, context: ContextId) -> Option<InstanceId> {
        if let Some(instance) = self.by_method.get(&(method, context)) {
            return *instance;
        }
        let is_modelled = self.world.method(method).is_modelled();
        let effects = is_modelled.then(|| self.models.of(&self.world, method)).flatten();
        let effects = effects.map(<[Effect]>::to_vec);
        let instance = match effects {
            Some(effects) => Some(self.add_modelled(method, context, &effects)),
            None if self.world.method(method).is_native() => {
                let instance = self.add_bare(method, context);
                self.return_anything(instance, method);
                Some(instance)
            }
            None => self.body_of(method).map(|body| self.add_instance(method, context, body)),
        };
        self.by_method.insert((method, context), instance);
        instance
    }

    fn add_modelled(&mut self, method: MethodId, context: ContextId, effects: &[Effect]) -> InstanceId {
        let instance = self.add_bare(method, context);
        let before = self.graph.own_new(instance.0);
        self.add_effects(instance, effects);
        self.graph.own_new(before);
        instance
    }

    /// An instance without statements.
    fn add_bare(&mut self, method: MethodId, context: ContextId) -> InstanceId {
        let parameters = self.bare_parameters(method);
        let instance = self.add_instance_of(Code::Method(method), context, parameters);
        self.throw_declared(instance, method);
        instance
    }

    pub(crate) fn add_instance_of(
        &mut self,
        code: Code,
        context: ContextId,
        parameters: Box<[Option<NodeId>]>,
    ) -> InstanceId {
        let id = InstanceId::new(self.instances.len());
        let (returned, thrown) = (self.graph.node(), self.graph.node());
        self.graph.own(id, parameters.iter().flatten().copied().chain([returned, thrown]));
        self.instances.push(Instance { code, context, parameters, returned, thrown });
        id
    }

    pub(crate) fn body_of(&mut self, method: MethodId) -> Option<Body> {
        let class = self.world.method(method).class;
        let member = self.world.member_of(method)?;
        let class = self.world.class_of(class);
        match self.translator.translate_with(class.file()?, member, class.assertions()) {
            Ok(body) => body,
            Err(error) => {
                self.problems.push((method, error.to_string()));
                self.blind(method, 0, BlindSpot::Unreadable);
                None
            }
        }
    }

    fn add_instance(&mut self, method: MethodId, context: ContextId, body: Body) -> InstanceId {
        let id = InstanceId::new(self.instances.len());
        let before = self.graph.own_new(id.0);
        let first = self.graph.nodes(body.variables + 2);
        self.graph.own_new(before);
        let node = |var: catchment_ir::Var| NodeId(first.0 + var.0);
        let parameters = body.parameters.iter().map(|parameter| parameter.map(node)).collect();
        let returned = NodeId(first.0 + body.variables);
        let thrown = NodeId(first.0 + body.variables + 1);
        self.instances.push(Instance { code: Code::Method(method), context, parameters, returned, thrown });
        self.unread.push((id, first, body));
        id
    }

    /// The findings, once everything is solved.
    pub(crate) fn into_found(mut self) -> Found<'a> {
        self.note_unknown_parameters();
        self.blind_where_nothing_came();
        let initialiser_calls: Vec<FoundCall> = self.initialisers.calls().collect();
        let mut sites: Vec<HeapCall> = Vec::new();
        if self.graph.log.is_some() {
            sites.extend(self.sites.iter().map(HeapCall::of));
            for (site, kind) in &self.call_kinds {
                sites[*site as usize].kind = *kind;
            }
            sites.extend(initialiser_calls.iter().map(HeapCall::of_initialiser));
        }
        let mut calls: Vec<FoundCall> =
            std::mem::take(&mut self.sites).into_iter().map(FoundCall::from).collect();
        for (site, kind) in &self.call_kinds {
            calls[*site as usize].kind = *kind;
        }
        calls.extend(initialiser_calls);
        let throws = self.throws.iter().map(|thrown| self.found_throw(thrown)).collect();
        let instances = self.instances.iter().map(|instance| instance.code).collect();
        let (nodes, objects) = (self.graph.node_count(), self.objects.len());
        Found {
            heap: self.take_heap(sites),
            instances,
            entries: self.entries,
            calls,
            groups: Vec::new(),
            throws,
            implicit: self.implicit,
            nodes,
            objects,
            blind_spots: self.blind_spots.into_iter().collect(),
            world: self.world,
        }
    }

    /// Frees the objects, which are not going to be asked for.
    pub(crate) fn forget_heap(&mut self) {
        self.graph.log = None;
        self.waiters = Vec::new();
    }

    /// The objects, if somebody will ask.
    fn take_heap(&mut self, sites: Vec<HeapCall>) -> Option<Heap> {
        let log = *self.graph.log.take()?;
        let uses = std::mem::take(&mut self.uses).into_iter().zip(&self.waiters);
        let uses = uses.flat_map(|(uses, node)| uses.into_iter().map(move |it| (*node, it))).collect();
        Some(Heap::of(heap::Parts {
            log,
            solution: std::mem::take(&mut self.graph).into_solution(),
            instances: std::mem::take(&mut self.instances),
            uses,
            sites,
            parts: std::mem::take(&mut self.parts),
            objects: std::mem::take(&mut self.objects),
            forwarders: self.reflections.forwarders(),
        }))
    }

    fn found_throw(&self, thrown: &Throw) -> Thrown {
        let objects = self.graph.objects(thrown.thrown).iter().map(|object| self.objects.get(object));
        let typed = |object: &Object| match object.origin {
            Origin::Declared => Typed::at_most(object.class),
            _ => Typed::exactly(object.class),
        };
        let mut types: smallvec::SmallVec<[Typed; 1]> = objects.map(typed).collect();
        types.sort_unstable();
        types.dedup();
        Thrown { instance: thrown.instance, pc: thrown.pc, types }
    }
}
