//! Upper bounds of the types of a variable, as its definition says: no other method and no object is looked at.
//!
//! An object that is made here is of exactly its class. Otherwise it is what the field, the called method, the
//! parameter or the clause is declared to give; where several meet, all of it. A cast keeps what surely fits and cuts
//! down the rest.

use crate::ids::{ClassId, MethodId};
use crate::world::{Element, Fits, Typed, World};
use catchment_classfile::descriptor;
use catchment_ir::{BlockId, Body, Op, PoolIndex, Var};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

pub(crate) type Types = SmallVec<[Typed; 1]>;

/// Longer chains of definitions are cut, and so are searches that look at more of them: anything could come of them.
const MAX_DEPTH: usize = 100;
const MAX_LOOKED_AT: usize = 10_000;

/// The definitions of a method's variables.
pub(crate) struct Bounds<'b> {
    body: &'b Body,
    method: MethodId,
    class: ClassId,
    /// By variable.
    definitions: Vec<Option<Definition>>,
}

#[derive(Debug, Clone, Copy)]
enum Definition {
    /// By its place among the parameters, the receiver included.
    Parameter(usize),
    Statement(Op, BlockId),
}

/// A search for the types of one variable.
#[derive(Default)]
struct Search {
    /// Variables whose types are being asked for: each for a cast or an element that the one before is defined by.
    path: Vec<Var>,
    /// Elements of arrays are being asked for: a circle could go a level deeper each time.
    in_elements: bool,
    /// The number of definitions that have been looked at.
    looked_at: usize,
}

impl<'b> Bounds<'b> {
    pub(crate) fn new(body: &'b Body, method: MethodId, world: &World<'_>) -> Self {
        let mut definitions = vec![None; body.variables as usize];
        let parameters = body.parameters.iter().enumerate();
        for (index, var) in parameters.filter_map(|(index, var)| Some((index, (*var)?))) {
            definitions[var.0 as usize] = Some(Definition::Parameter(index));
        }
        for (block, it) in (0..).zip(&body.blocks) {
            for statement in body.statements_of(it) {
                if let Some(dst) = statement.op.dst() {
                    definitions[dst.0 as usize] = Some(Definition::Statement(statement.op, BlockId(block)));
                }
            }
        }
        Self { body, method, class: world.method(method).class, definitions }
    }

    /// The types of what a variable can hold. None if it is null.
    pub(crate) fn types_of(&self, world: &mut World<'_>, var: Var) -> Types {
        self.search(world, var, &mut Search::default())
    }

    /// The types of what a `throw` of this variable can throw.
    pub(crate) fn thrown_types(&self, world: &mut World<'_>, var: Var) -> Types {
        let throwable = world.class(b"java/lang/Throwable");
        let mut types = self.types_of(world, var);
        for typed in &mut types {
            // Interfaces and `Object` say no more than that it is thrown.
            if world.fits(typed.class, throwable) == Fits::No {
                *typed = Typed::at_most(throwable);
            }
        }
        types.sort_unstable();
        types.dedup();
        types
    }

    fn search(&self, world: &mut World<'_>, var: Var, search: &mut Search) -> Types {
        if search.path.len() == MAX_DEPTH || search.looked_at > MAX_LOOKED_AT {
            return at_most(Some(world.object));
        }
        if search.path.contains(&var) {
            // A cast of the variable to itself gives nothing that it does not have anyway.
            return if search.in_elements { at_most(Some(world.object)) } else { Types::new() };
        }
        search.path.push(var);
        let mut types = Types::new();
        for definition in self.definitions_of(var) {
            search.looked_at += 1;
            types.extend(match definition {
                Some(Definition::Parameter(index)) => self.parameter(world, index),
                Some(Definition::Statement(op, block)) => self.defined(world, op, block, search),
                None => at_most(Some(world.object)),
            });
        }
        search.path.pop();
        types.sort_unstable();
        types.dedup();
        types
    }

    /// The definition of a variable, or those of all that meet in it.
    fn definitions_of(&self, var: Var) -> Vec<Option<Definition>> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::from_iter([var]);
        let mut unseen = vec![var];
        while let Some(var) = unseen.pop() {
            let definition = self.definitions.get(var.0 as usize).copied().flatten();
            if let Some(Definition::Statement(Op::Phi { sources, .. }, _)) = definition {
                let sources = self.body.operands(sources).iter().flatten();
                unseen.extend(sources.filter(|source| seen.insert(**source)));
            } else {
                found.push(definition);
            }
        }
        found
    }

    fn parameter(&self, world: &mut World<'_>, index: usize) -> Types {
        let receiver = usize::from(!world.method(self.method).is_static());
        let Some(index) = index.checked_sub(receiver) else { return at_most(Some(self.class)) };
        let declared = descriptor::parameters(world.descriptor_of(self.method)).nth(index);
        declared_as(world, declared)
    }

    fn defined(&self, world: &mut World<'_>, op: Op, block: BlockId, search: &mut Search) -> Types {
        match op {
            Op::Catch { .. } => self.caught(world, block),
            Op::Null { .. } => Types::new(),
            Op::New { class, .. } => exactly(world.class_ref(self.class, class)),
            Op::NewArray { kind, .. } => exactly(world.made_arrays(self.class, kind).first().copied()),
            Op::Constant { constant, .. } => self.constant(world, constant),
            Op::Cast { src, class, .. } => {
                let types = self.search(world, src, search);
                self.cast(world, types, class)
            }
            Op::ArrayLoad { array, .. } => {
                let was_in_elements = std::mem::replace(&mut search.in_elements, true);
                let arrays = self.search(world, array, search);
                search.in_elements = was_in_elements;
                arrays.into_iter().flat_map(|array| element(world, array)).collect()
            }
            Op::GetField { field: member, .. }
            | Op::GetStatic { field: member, .. }
            | Op::Invoke { method: member, .. } => {
                let descriptor = world.member_ref(self.class, member).map(|it| it.descriptor.as_bytes());
                declared_as(world, descriptor.map(given_by))
            }
            Op::InvokeDynamic { call, .. } => self.dynamic(world, call),
            _ => at_most(Some(world.object)),
        }
    }

    /// The types that clauses catch which begin with this block.
    fn caught(&self, world: &mut World<'_>, block: BlockId) -> Types {
        let rows = self.body.handlers.iter().filter(|row| row.block == Some(block));
        let throwable = world.class(b"java/lang/Throwable");
        let class_of = |row: &catchment_ir::Handler| match row.catch_type {
            Some(class) => world.class_ref(self.class, class).unwrap_or(throwable),
            None => throwable,
        };
        rows.map(class_of).map(Typed::at_most).collect()
    }

    fn constant(&self, world: &mut World<'_>, constant: PoolIndex) -> Types {
        let tag = world.class_of(self.class).file().and_then(|file| file.pool.tag(constant));
        match tag {
            Some(7) => exactly(Some(world.class(b"java/lang/Class"))),
            Some(8) => exactly(Some(world.class(b"java/lang/String"))),
            Some(15) => at_most(Some(world.class(b"java/lang/invoke/MethodHandle"))),
            Some(16) => exactly(Some(world.class(b"java/lang/invoke/MethodType"))),
            _ => self.dynamic(world, constant),
        }
    }

    fn dynamic(&self, world: &mut World<'_>, constant: PoolIndex) -> Types {
        let file = world.class_of(self.class).file();
        let descriptor = file.and_then(|file| file.pool.dynamic(constant).ok()).map(|(_, it)| it.as_bytes());
        declared_as(world, descriptor.map(given_by))
    }

    fn cast(&self, world: &mut World<'_>, types: Types, class: PoolIndex) -> Types {
        let Some(class) = world.class_ref(self.class, class) else { return types };
        let cut = |typed: Typed| match world.typed_fits(typed, class) {
            Fits::Yes => Some(typed),
            Fits::Maybe => Some(Typed::at_most(class)),
            Fits::No if world.class_of(class).is_missing() => Some(Typed::at_most(class)),
            Fits::No => None,
        };
        types.into_iter().filter_map(cut).collect()
    }
}

/// Of a method descriptor what is returned, of others the descriptor itself.
fn given_by(descriptor: &[u8]) -> &[u8] {
    if descriptor.first() == Some(&b'(') { descriptor::returned(descriptor) } else { descriptor }
}

fn declared_as(world: &mut World<'_>, descriptor: Option<&[u8]>) -> Types {
    let class = descriptor.and_then(|it| world.class_of_descriptor(it));
    at_most(Some(class.unwrap_or(world.object)))
}

fn element(world: &World<'_>, array: Typed) -> Types {
    match world.class_of(array.class).element() {
        Some(Element::Class(element)) => at_most(Some(element)),
        Some(Element::Number) => Types::new(),
        None => at_most(Some(world.object)),
    }
}

fn exactly(class: Option<ClassId>) -> Types {
    class.map(Typed::exactly).into_iter().collect()
}

fn at_most(class: Option<ClassId>) -> Types {
    class.map(Typed::at_most).into_iter().collect()
}
