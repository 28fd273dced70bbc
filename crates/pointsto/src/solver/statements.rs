//! Statements of a method as constraints of the graph: one short function per kind.

use crate::blind::BlindSpot;
use crate::callgraph::Code;
use crate::graph::Filter;
use crate::ids::{ClassId, InstanceId, MethodId, NodeId, ObjectId};
use crate::implicit::{Finder, Implicit, ImplicitKind};
use crate::objects::Origin;
use crate::solver::calls::Arguments;
use crate::solver::{Instance, Part, Solver, Throw, Use};
use catchment_ir::{ArrayKind, Body, Handler, HandlerId, InvokeKind, Op, Operands, PoolIndex, Var};
use rustc_hash::FxHashMap;

/// A method that makes more arrays than this is a table written as code, such as the texts of a language.
const TABLE: usize = 100;

/// A method whose statements are being added.
pub(crate) struct Adding<'b> {
    pub(crate) instance: InstanceId,
    pub(crate) method: MethodId,
    pub(crate) class: ClassId,
    first: NodeId,
    pub(crate) body: &'b Body,
    pub(crate) pc: u16,
    /// Its arrays are rows of one table, and all of one class are one object.
    is_table: bool,
    /// The nodes to which exceptions of the present block go.
    pub(crate) raised: NodeId,
    /// By the row of the exception table that is asked first, and the node of what it leaves.
    raises: FxHashMap<(HandlerId, NodeId), NodeId>,
    /// Uses that wait for a variable, so that each variable has one list.
    uses: FxHashMap<NodeId, Vec<Use>>,
}

impl Adding<'_> {
    pub(crate) fn node(&self, var: Var) -> NodeId {
        NodeId(self.first.0 + var.0)
    }

    /// The variable of a node, if it is one of this method.
    pub(crate) fn var(&self, node: NodeId) -> Option<Var> {
        node.0.checked_sub(self.first.0).filter(|var| *var < self.body.variables).map(Var)
    }

    pub(crate) fn nodes(&self, operands: Operands) -> Box<[Option<NodeId>]> {
        self.body.operands(operands).iter().map(|var| var.map(|var| self.node(var))).collect()
    }
}

fn is_table(body: &Body) -> bool {
    let arrays = body.statements.iter().filter(|statement| matches!(statement.op, Op::NewArray { .. }));
    arrays.take(TABLE + 1).count() > TABLE
}

impl Solver<'_> {
    pub(crate) fn add_statements(&mut self, instance: InstanceId, first: NodeId, body: &Body) {
        let Instance { code: Code::Method(method), thrown, .. } = self.instances[instance.index()] else {
            return;
        };
        let class = self.world.method(method).class;
        let mut adding = Adding {
            instance,
            method,
            class,
            first,
            body,
            pc: 0,
            is_table: is_table(body),
            raised: thrown,
            raises: FxHashMap::default(),
            uses: FxHashMap::default(),
        };
        let finder = (!self.implicit_kinds.is_empty())
            .then(|| Finder::new(body, method, self.implicit_kinds, &self.world));
        let before = self.graph.own_new(instance.0);
        for block in &body.blocks {
            adding.raised = self.raise(&mut adding, &block.handlers);
            for (place, statement) in (block.statements.start as usize..).zip(body.statements_of(block)) {
                adding.pc = statement.pc;
                self.add_statement(&mut adding, statement.op);
                if let Some(finder) = &finder {
                    let kinds = finder.at(&mut self.world, place, statement);
                    self.add_implicit(&adding, kinds);
                }
            }
        }
        self.graph.own_new(before);
        let mut uses: Vec<_> = adding.uses.into_iter().collect();
        uses.sort_unstable_by_key(|(node, _)| *node);
        for (node, uses) in uses {
            self.wait_all(node, uses);
        }
    }

    /// The node of what is thrown where these rows are asked in turn.
    fn raise(&mut self, adding: &mut Adding<'_>, handlers: &[HandlerId]) -> NodeId {
        let table = &adding.body.handlers;
        let rows = handlers.iter().map(|row| (*row, table[usize::from(row.0)].catch_type));
        let rows = self.world.unshadowed_rows(adding.class, rows);
        let mut node = self.instances[adding.instance.index()].thrown;
        // From the last one on: what a row does not take goes to those behind it.
        for (row, class) in rows.into_iter().rev() {
            node = self.raise_at(adding, row, class, node);
        }
        node
    }

    /// The node of what is thrown where this row is asked first. What it does not take goes to `rest`.
    fn raise_at(
        &mut self,
        adding: &mut Adding<'_>,
        row: HandlerId,
        class: Option<ClassId>,
        rest: NodeId,
    ) -> NodeId {
        if let Some(node) = adding.raises.get(&(row, rest)) {
            return *node;
        }
        let node = self.graph.node();
        adding.raises.insert((row, rest), node);
        if let Some(caught) = caught_by(adding.body, &adding.body.handlers[usize::from(row.0)]) {
            let filters = &mut self.graph.filters;
            let is = class.map_or(Filter::NONE, |class| filters.is(class, &self.world));
            self.graph.add_edge(node, adding.node(caught), is);
        }
        if let Some(class) = class {
            let is_not = self.graph.filters.is_not(class, &self.world);
            self.graph.add_edge(node, rest, is_not);
        }
        node
    }

    fn add_statement(&mut self, adding: &mut Adding<'_>, op: Op) {
        match op {
            Op::Phi { dst, sources } => self.add_phi(adding, dst, sources),
            Op::Constant { dst, constant } => self.add_constant(adding, dst, constant),
            Op::New { dst, class } => self.add_new(adding, dst, class),
            Op::NewArray { dst, kind } => self.add_array(adding, dst, kind),
            Op::Cast { dst, src, class } => self.add_cast(adding, dst, src, class),
            Op::GetField { dst: Some(dst), base, field } => self.add_load(adding, dst, base, field),
            Op::PutField { base, field, src: Some(src) } => self.add_store(adding, base, field, src),
            Op::GetStatic { dst, field } => self.add_static_load(adding, dst, field),
            Op::PutStatic { field, src } => self.add_static_store(adding, field, src),
            Op::ArrayLoad { dst: Some(dst), array } => {
                let into = adding.node(dst);
                use_later(adding, array, Use::Load { part: Part::Elements, into });
            }
            Op::ArrayStore { array, src: Some(src) } => {
                let from = adding.node(src);
                use_later(adding, array, Use::Store { part: Part::Elements, from });
            }
            Op::Invoke { kind, method, receiver, arguments, dst } => {
                let arguments = Arguments {
                    receiver: receiver.map(|var| adding.node(var)),
                    rest: adding.nodes(arguments),
                    result: dst.map(|var| adding.node(var)),
                    thrown: Some(adding.raised),
                };
                self.add_invoke(adding, kind, method, arguments);
            }
            Op::InvokeDynamic { call, arguments, dst } => self.add_dynamic(adding, call, arguments, dst),
            Op::Throw { src } => self.add_throw(adding, src),
            Op::Return { src: Some(src) } => self.add_return(adding, src),
            _ => {}
        }
    }

    /// Exceptions of the JVM are in the sets of raised and of caught objects, as one object of their class.
    fn add_implicit(&mut self, adding: &Adding<'_>, kinds: Vec<ImplicitKind>) {
        for kind in kinds {
            self.implicit.push(Implicit { method: adding.method, pc: adding.pc, kind });
            for class in kind.made(&mut self.world) {
                let object = self.object(class, Origin::Merged);
                self.graph.add_object(adding.raised, object.0);
            }
        }
    }

    fn add_phi(&mut self, adding: &Adding<'_>, dst: Var, sources: Operands) {
        let to = adding.node(dst);
        for source in adding.body.operands(sources).iter().flatten() {
            self.graph.add_edge(adding.node(*source), to, Filter::NONE);
        }
    }

    fn add_constant(&mut self, adding: &Adding<'_>, dst: Var, constant: PoolIndex) {
        const CLASS: u8 = 7;
        const STRING: u8 = 8;
        const METHOD_HANDLE: u8 = 15;
        const DYNAMIC: u8 = 17;
        let Some(file) = self.world.class_of(adding.class).file() else { return };
        let (tag, text) = (file.pool.tag(constant), file.pool.string(constant).ok());
        let object = match tag {
            Some(STRING) => match text {
                Some(text) => self.string_constant(text.as_bytes()).0,
                None => return,
            },
            Some(METHOD_HANDLE) => match self.handle_constant(adding, constant) {
                Some(handle) => handle,
                None => return,
            },
            Some(CLASS) => match self.world.class_ref(adding.class, constant) {
                Some(class) => self.object(self.known.class, Origin::ClassOf(class)).0,
                None => return,
            },
            Some(DYNAMIC) => return self.blind(adding.method, adding.pc, BlindSpot::Dynamic),
            _ => return,
        };
        self.graph.add_object(adding.node(dst), object);
    }

    fn add_new(&mut self, adding: &Adding<'_>, dst: Var, class: PoolIndex) {
        let Some(class) = self.world.class_ref(adding.class, class) else { return };
        self.initialise_at(adding, class);
        if !self.world.class_of(class).is_instantiable() {
            return;
        }
        let object = self.new_object(adding, class);
        self.graph.add_object(adding.node(dst), object.0);
    }

    pub(crate) fn new_object(&mut self, adding: &Adding<'_>, class: ClassId) -> ObjectId {
        let is_merged = self.is_merged(class) || self.is_coarse(self.world.method(adding.method).class);
        let origin = if is_merged { Origin::Merged } else { self.site(adding, 0) };
        self.object(class, origin)
    }

    /// Here, and in this context.
    fn site(&mut self, adding: &Adding<'_>, level: u8) -> Origin {
        let context = self.context_of_made(adding.instance);
        Origin::AllocationSite { method: adding.method, pc: adding.pc, level, context }
    }

    fn site_of_array(&mut self, adding: &Adding<'_>, level: u8) -> Origin {
        match self.site(adding, level) {
            Origin::AllocationSite { method, context, .. } if adding.is_table => {
                Origin::AllocationSite { method, pc: 0, level, context }
            }
            site => site,
        }
    }

    fn is_merged(&self, class: ClassId) -> bool {
        self.known.builders.contains(&class)
            || class == self.known.string
            || self.world.is_subtype(class, self.known.throwable)
    }

    fn add_array(&mut self, adding: &Adding<'_>, dst: Var, kind: ArrayKind) {
        let mut outer: Option<u32> = None;
        let is_coarse = self.is_coarse(self.world.method(adding.method).class);
        for (level, array) in (0..).zip(self.world.made_arrays(adding.class, kind)) {
            let is_plain = self.world.class_of(array).element() == Some(crate::world::Element::Number);
            let origin = match kind {
                ArrayKind::EmptyOf(_) if self.is_array_of_anything(array) => Origin::Empty,
                _ if is_plain || is_coarse => Origin::Merged,
                _ => self.site_of_array(adding, level),
            };
            let object = self.object(array, origin).0;
            match outer {
                None => self.graph.add_object(adding.node(dst), object),
                Some(outer) => {
                    let elements = self.elements_of(outer);
                    self.graph.add_object(elements, object);
                }
            }
            outer = Some(object);
        }
    }

    /// Containers keep what they hold in such arrays, and those that hold nothing share an empty one. Empty arrays of
    /// other classes often only say what class of array `toArray` is to give: a model that returns them must find
    /// elements in them.
    fn is_array_of_anything(&self, array: ClassId) -> bool {
        self.world.class_of(array).element() == Some(crate::world::Element::Class(self.world.object))
    }

    fn add_cast(&mut self, adding: &Adding<'_>, dst: Var, src: Var, class: PoolIndex) {
        let filter = match self.world.class_ref(adding.class, class) {
            // What comes out of a container is some string, class or member: which one would be lost among all others.
            Some(class) if self.known.named.contains(&class) => {
                let object = self.object(class, Origin::Merged);
                self.graph.add_object(adding.node(dst), object.0);
                return;
            }
            Some(class) if !self.world.class_of(class).is_missing() => {
                self.graph.filters.is(class, &self.world)
            }
            _ => Filter::NONE,
        };
        self.graph.add_edge(adding.node(src), adding.node(dst), filter);
    }

    fn add_load(&mut self, adding: &mut Adding<'_>, dst: Var, base: Var, field: PoolIndex) {
        if let Some(field) = self.world.field_ref(adding.class, field) {
            let into = adding.node(dst);
            use_later(adding, base, Use::Load { part: Part::Field(field), into });
        }
    }

    fn add_store(&mut self, adding: &mut Adding<'_>, base: Var, field: PoolIndex, src: Var) {
        if let Some(field) = self.world.field_ref(adding.class, field) {
            let from = adding.node(src);
            use_later(adding, base, Use::Store { part: Part::Field(field), from });
        }
    }

    fn add_static_load(&mut self, adding: &Adding<'_>, dst: Option<Var>, field: PoolIndex) {
        let Some(field) = self.world.field_ref(adding.class, field) else { return };
        self.initialise_at(adding, self.world.field(field).class);
        if let Some(dst) = dst {
            let node = self.static_field(field);
            self.graph.add_edge(node, adding.node(dst), Filter::NONE);
        }
    }

    fn add_static_store(&mut self, adding: &Adding<'_>, field: PoolIndex, src: Option<Var>) {
        let Some(field) = self.world.field_ref(adding.class, field) else { return };
        self.initialise_at(adding, self.world.field(field).class);
        if let Some(src) = src {
            let node = self.static_field(field);
            self.graph.add_edge(adding.node(src), node, Filter::NONE);
        }
    }

    fn add_invoke(
        &mut self,
        adding: &mut Adding<'_>,
        kind: InvokeKind,
        method: PoolIndex,
        mut arguments: Arguments,
    ) {
        let Some(named) = self.world.method_ref(adding.class, method) else {
            if !self.add_polymorphic(adding, method, &arguments) {
                self.blind(adding.method, adding.pc, BlindSpot::Missing);
            }
            return;
        };
        if self.is_reflective(self.world.method(named).class) {
            self.add_reflection(adding, named, &mut arguments);
        }
        if kind == InvokeKind::Static {
            self.initialise_at(adding, self.world.method(named).class);
        }
        self.add_call(adding.instance, adding.pc, kind, named, arguments);
    }

    fn add_return(&mut self, adding: &Adding<'_>, src: Var) {
        let returned = self.instances[adding.instance.index()].returned;
        let is_named = adding.class == self.known.string || adding.class == self.known.class;
        let is_modelled = self.world.method(adding.method).is_modelled();
        if is_named && !is_modelled && self.world.returned_class(adding.method) == Some(adding.class) {
            // Many return the string or class itself. Which one that is would be lost among all there are.
            let object = self.object(adding.class, Origin::Merged);
            return self.graph.add_object(returned, object.0);
        }
        self.graph.add_edge(adding.node(src), returned, Filter::NONE);
    }

    fn add_throw(&mut self, adding: &Adding<'_>, src: Var) {
        let thrown = adding.node(src);
        self.throws.push(Throw { instance: adding.instance, pc: adding.pc, thrown });
        self.graph.add_edge(thrown, adding.raised, Filter::NONE);
    }
}

fn use_later(adding: &mut Adding<'_>, var: Var, it: Use) {
    let node = adding.node(var);
    adding.uses.entry(node).or_default().push(it);
}

/// The variable of what a handler catches.
fn caught_by(body: &Body, handler: &Handler) -> Option<Var> {
    let block = body.blocks.get(handler.block?.0 as usize)?;
    body.statements_of(block).iter().find_map(|statement| match statement.op {
        Op::Catch { dst } => Some(dst),
        _ => None,
    })
}
