//! Exception flow: how far raised exceptions travel, and which handlers they come to.
//!
//! Every instance of a method has a set of what can leave it. At a call what leaves the callee is raised anew, at a
//! `throw` what is thrown; then the rows of the exception table are asked in turn. A row for `C` takes what may be a
//! `C`; what surely is one goes no further, the rest goes on to the next row and in the end out of the method (JVMS
//! §2.10).

pub(crate) mod class_handlers;
pub(crate) mod fate;
pub(crate) mod privileged;
pub(crate) mod raising_points;
pub(crate) mod scope;
pub(crate) mod spreading;
pub(crate) mod thrown_again;
pub(crate) mod wrapping;

use crate::exception_flow::class_handlers::{ClassHandlers, MethodHandlers};
use crate::exception_flow::raising_points::{
    OperationThrows, RaisedException, RaisedExceptions, RaisingKind, RaisingPoint,
};
use crate::exception_flow::scope::{Asked, Depth, Scope};
use crate::exception_flow::thrown_again::ThrownAgain;
use crate::exception_flow::wrapping::Wrapped;
use catchment_ir::Translator;
use catchment_pointsto::{Call, CallKind, Code, ImplicitKinds, Reached, Set};
use catchment_pointsto::{ClassId, InstanceId, MethodId, NodeId};
use catchment_pointsto::{Filter, Graph};
use catchment_pointsto::{Layer, Typed};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The kinds of exceptions that travel.
#[derive(Debug, Default)]
pub struct ExceptionFlowOptions {
    /// Every `throw`.
    pub throws: bool,
    /// Operations of the catalogue. Nothing inside them raises again.
    pub operations: FxHashMap<MethodId, OperationThrows>,
    /// Exceptions that the JVM throws by itself, of the kinds that the analysis was asked to look for
    /// (`Options::implicit`).
    pub implicit: ImplicitKinds,
}

/// The exception flow of a program: the sets that raised exceptions have come to.
#[derive(Debug)]
pub struct ExceptionFlow {
    pub raised: RaisedExceptions,
    pub(crate) graph: Graph,
    /// By instance: what can leave it.
    pub(crate) escaping: Vec<NodeId>,
    /// By instance and pc of the handler.
    caught: FxHashMap<(InstanceId, u16), NodeId>,
    handlers: FxHashMap<ClassId, ClassHandlers>,
}

impl ExceptionFlow {
    /// Numbers in [`Self::raised`] of what can leave an instance.
    pub fn escaping(&self, instance: InstanceId) -> &Set {
        self.graph.objects(self.escaping[instance.index()])
    }

    /// Exceptions that come to each handler, by instance and pc of the handler, in no order.
    pub fn caught(&self) -> impl Iterator<Item = (InstanceId, u16, &Set)> {
        self.caught.iter().map(|((instance, handler), node)| (*instance, *handler, self.graph.objects(*node)))
    }

    /// The handlers of a class that was reached and catches anything.
    pub fn handlers_of(&self, class: ClassId) -> Option<&ClassHandlers> {
        self.handlers.get(&class)
    }
}

/// Exception flow through what was reached. Sets outside the scope are empty or incomplete.
pub fn exception_flow(
    reached: &mut Reached<'_>,
    options: &ExceptionFlowOptions,
    scope: Scope,
) -> ExceptionFlow {
    let depths = scope.depths(reached, &options.operations);
    let mut graph = Graph::default();
    let escaping = reached.instances.iter().map(|_| graph.node()).collect();
    let flow = ExceptionFlow {
        raised: RaisedExceptions::default(),
        graph,
        escaping,
        caught: FxHashMap::default(),
        handlers: FxHashMap::default(),
    };
    let mut building = Building {
        reached,
        options,
        flow,
        methods: FxHashMap::default(),
        translator: Translator::default(),
        pending: Vec::new(),
        wrapped: Vec::new(),
        thrown_again: Vec::new(),
        edges: FxHashSet::default(),
        together: FxHashMap::default(),
        asked: Asked::default(),
    };
    if scope == Scope::ApplicationClauses {
        building.ask_for_clauses(&depths);
    }
    building.run(&depths);
    building.flow
}

pub(crate) struct Building<'b, 'a> {
    pub(crate) reached: &'b mut Reached<'a>,
    pub(crate) options: &'b ExceptionFlowOptions,
    pub(crate) flow: ExceptionFlow,
    pub(crate) methods: FxHashMap<MethodId, MethodHandlers>,
    translator: Translator,
    /// Raised exceptions with the nodes they go to, once all edges are there.
    pub(crate) pending: Vec<(RaisedException, NodeId)>,
    /// Calls that fail with an exception of their own if their target fails.
    pub(crate) wrapped: Vec<Wrapped>,
    pub(crate) thrown_again: Vec<ThrownAgain>,
    /// Edges of the present instance.
    edges: FxHashSet<(NodeId, NodeId)>,
    /// Raised exceptions that need a number of their own.
    pub(crate) asked: Asked,
    /// By [`Reached::targets_key`]: what leaves the targets of calls that have many.
    together: FxHashMap<u32, NodeId>,
}

/// Calls with at least this many targets have a node in between, which other calls share.
const MANY: usize = 8;

fn add_edge_once(graph: &mut Graph, known: &mut FxHashSet<(NodeId, NodeId)>, from: NodeId, to: NodeId) {
    if known.insert((from, to)) {
        graph.add_edge(from, to, Filter::NONE);
    }
}

/// Raise nodes of one instance, keyed by the first row of the exception table that is tried: its handler's node, the
/// class it catches, and the node for exceptions that the row lets pass.
type RaiseNodes = FxHashMap<(NodeId, Option<ClassId>, NodeId), NodeId>;

impl Building<'_, '_> {
    fn run(&mut self, depths: &[Depth]) {
        for (index, looked) in depths.iter().enumerate().filter(|(_, it)| **it != Depth::Nothing) {
            let instance = InstanceId(index as u32);
            self.edges.clear();
            match self.reached.instances[index] {
                Code::Method(method) => self.add_method(instance, method, *looked),
                Code::Proxy(target) => self.add_proxy(instance, target),
            }
        }
        let raised = self.pending.iter().map(|(_, to)| *to);
        let later = self.wrapped.iter().map(|it| it.to).chain(self.thrown_again.iter().map(|it| it.to));
        self.flow.graph.reduce(raised.chain(later));
        self.spread();
    }

    /// A hidden class passes on all that comes out of what it calls. It has no code, so what it raises itself is raised
    /// in the method that it stands for.
    fn add_proxy(&mut self, instance: InstanceId, target: MethodId) {
        let to = self.flow.escaping[instance.index()];
        for call in self.reached.calls_of(instance).to_vec() {
            self.add_call(&call, to);
            self.add_wrapping_proxy(instance, &call, to);
            self.add_wrapping_call(target, &call, to);
        }
    }

    fn add_method(&mut self, instance: InstanceId, method: MethodId, looked: Depth) {
        if let Some(operation) = self.options.operations.get(&method) {
            self.add_operation(instance, method, operation);
            return;
        }
        let mut nodes = RaiseNodes::default();
        for call in self.reached.calls_of(instance).to_vec() {
            if !self.is_looked_at(looked, method, call.pc) {
                continue;
            }
            let raised = self.raise_node(instance, method, call.pc, &mut nodes);
            let coming_out = self.coming_out(method, &call, raised);
            self.add_call(&call, coming_out);
            self.add_wrapping_call(method, &call, raised);
        }
        for thrown in self.reached.throws_of(instance).to_vec() {
            let raised = self.raise_node(instance, method, thrown.pc, &mut nodes);
            self.add_throw(instance, method, thrown.pc, &thrown.types, raised);
        }
        self.add_implicit(instance, method, &mut nodes);
    }

    fn is_looked_at(&mut self, looked: Depth, method: MethodId, pc: u16) -> bool {
        if looked == Depth::Whole {
            return true;
        }
        self.load_handlers(method);
        self.methods.get(&method).is_some_and(|it| !it.rows_at(pc).is_empty())
    }

    fn add_implicit(&mut self, instance: InstanceId, method: MethodId, nodes: &mut RaiseNodes) {
        if self.options.implicit.is_empty() {
            return;
        }
        for it in self.reached.implicit_in(method).to_vec() {
            if self.options.implicit.contains(it.kind) {
                let raised = self.raise_node(instance, method, it.pc, nodes);
                let point = RaisingPoint { method, pc: it.pc, kind: RaisingKind::Implicit(it.kind) };
                let typed = it.kind.thrown(&mut self.reached.world);
                self.pending.push((RaisedException { point, typed }, raised));
            }
        }
    }

    fn add_operation(&mut self, instance: InstanceId, method: MethodId, operation: &OperationThrows) {
        let point = RaisingPoint { method, pc: 0, kind: RaisingKind::Operation(operation.operation) };
        let to = self.flow.escaping[instance.index()];
        for class in &operation.throws {
            self.pending.push((RaisedException { point, typed: Typed::at_most(*class) }, to));
        }
    }

    /// The node of what comes out of a call and is raised there: not all that leaves a privileged action does.
    fn coming_out(&mut self, caller: MethodId, call: &Call, raised: NodeId) -> NodeId {
        let Some(allowed) = privileged::allowed(self.reached, caller, call) else { return raised };
        let node = self.flow.graph.node();
        for class in allowed {
            let filter = self.flow.graph.filters.is(class, &self.reached.world);
            self.flow.graph.add_edge(node, raised, filter);
        }
        node
    }

    fn add_call(&mut self, call: &Call, raised: NodeId) {
        if call.kind != CallKind::Ordinary {
            return;
        }
        for from in self.nodes_of_targets(call) {
            add_edge_once(&mut self.flow.graph, &mut self.edges, from, raised);
        }
    }

    /// Exceptions that can leave the targets of a call.
    pub(crate) fn nodes_of_targets(&mut self, call: &Call) -> SmallVec<[NodeId; 1]> {
        let targets = self.reached.targets(call);
        if targets.len() < MANY {
            return targets.iter().map(|target| self.flow.escaping[target.index()]).collect();
        }
        SmallVec::from_elem(self.node_of_targets(call), 1)
    }

    /// Exceptions that can leave any of a call's targets, as one node for all calls that have the same.
    fn node_of_targets(&mut self, call: &Call) -> NodeId {
        let key = self.reached.targets_key(call);
        if let Some(node) = self.together.get(&key) {
            return *node;
        }
        let node = self.flow.graph.node();
        self.together.insert(key, node);
        for target in self.reached.targets(call) {
            let from = self.flow.escaping[target.index()];
            self.flow.graph.add_edge(from, node, Filter::NONE);
        }
        node
    }

    fn add_throw(
        &mut self,
        instance: InstanceId,
        method: MethodId,
        pc: u16,
        types: &[Typed],
        raised: NodeId,
    ) {
        let passed_on = self.methods.get(&method).map(|it| it.passed_on_at(pc).to_vec()).unwrap_or_default();
        if !passed_on.is_empty() {
            for handler in passed_on {
                let from = self.caught_node(instance, handler);
                self.flow.graph.add_edge(from, raised, Filter::NONE);
            }
        } else if self.options.throws {
            let point = RaisingPoint { method, pc, kind: RaisingKind::Throw };
            for typed in types {
                self.pending.push((RaisedException { point, typed: *typed }, raised));
            }
            self.add_thrown_again(instance, method, pc, types, raised);
        }
    }

    /// The node of what is raised at `pc`.
    fn raise_node(
        &mut self,
        instance: InstanceId,
        method: MethodId,
        pc: u16,
        nodes: &mut RaiseNodes,
    ) -> NodeId {
        self.load_handlers(method);
        let rows = self.methods.get(&method).map(|it| it.rows_at(pc)).unwrap_or_default();
        let class = self.reached.world.method(method).class;
        let rows = self.reached.world.unshadowed_rows(class, rows);
        let mut node = self.flow.escaping[instance.index()];
        // From the last one on: what a row does not take goes to those behind it.
        for (handler, class) in rows.into_iter().rev() {
            let caught = self.caught_node(instance, handler);
            node =
                *nodes.entry((caught, class, node)).or_insert_with(|| self.asked_first(caught, class, node));
        }
        node
    }

    /// The node of what is raised where the row for a class is asked first. What it does not take goes to `rest`.
    fn asked_first(&mut self, caught: NodeId, class: Option<ClassId>, rest: NodeId) -> NodeId {
        let ExceptionFlow { graph, .. } = &mut self.flow;
        let node = graph.node();
        match class {
            None => graph.add_edge(node, caught, Filter::NONE),
            Some(class) => {
                let world = &self.reached.world;
                let (is, is_not) = (graph.filters.is(class, world), graph.filters.is_not(class, world));
                graph.add_edge(node, caught, is);
                graph.add_edge(node, rest, is_not);
            }
        }
        node
    }

    pub(crate) fn caught_node(&mut self, instance: InstanceId, handler: u16) -> NodeId {
        *self.flow.caught.entry((instance, handler)).or_insert_with(|| self.flow.graph.node())
    }

    /// Raised exceptions need numbers of their own only if a clause of the application may catch them.
    fn ask_for_clauses(&mut self, depths: &[Depth]) {
        let mut classes = Vec::new();
        for index in (0..depths.len()).filter(|index| depths[*index] != Depth::Nothing) {
            let Some(method) = self.reached.method_of(InstanceId::new(index)) else { continue };
            let declared = *self.reached.world.method(method);
            if self.reached.world.class_of(declared.class).layer != Layer::Application {
                continue;
            }
            self.load_handlers(method);
            let handlers = self.flow.handlers.get(&declared.class);
            let rows = self.methods.get(&method).map(|it| it.rows().to_vec()).unwrap_or_default();
            let is_clause =
                |handler| handlers.is_some_and(|it| it.pair_at(declared.position, handler).is_some());
            for row in rows.iter().filter(|row| is_clause(row.handler)) {
                match self.reached.world.class_ref(declared.class, row.catch_type) {
                    Some(class) if row.catch_type != 0 => classes.push(class),
                    _ => return,
                }
            }
        }
        classes.sort_unstable();
        classes.dedup();
        self.asked = Asked::about(classes);
    }

    fn load_handlers(&mut self, method: MethodId) {
        if self.methods.contains_key(&method) {
            return;
        }
        let declared = *self.reached.world.method(method);
        let found = self.reached.world.class_of(declared.class).file().and_then(|file| {
            let member = file.methods.get(usize::from(declared.position))?;
            let (_, code) = file.code(member).ok()??;
            code.has_exceptions().then(|| {
                let handlers =
                    self.flow.handlers.entry(declared.class).or_insert_with(|| ClassHandlers::of(file));
                MethodHandlers::of(file, declared.position, handlers, &mut self.translator)
            })
        });
        self.methods.insert(method, found.unwrap_or_default());
    }
}
