//! Names that are constants: of classes wherever the string flows, of members within the method that asks.

use super::actions::Action;
use crate::cache_format::cached;
use crate::ids::{ClassId, ObjectId};
use crate::objects::Origin;
use crate::solver::Solver;
use crate::solver::calls::Arguments;
use crate::solver::statements::Adding;
use crate::world::World;
use catchment_ir::{Body, Op, Var};
use rustc_hash::FxHashSet;

impl Solver<'_> {
    /// The object of a string constant. Constants that name a class have an object for each class.
    pub(crate) fn string_constant(&mut self, text: &[u8]) -> ObjectId {
        let origin = class_named_by(&mut self.world, text).map_or(Origin::Merged, Origin::NameOf);
        self.object(self.known.string, origin)
    }

    /// The class that the method casts the result of a call to, if that is all it does with it.
    pub(super) fn cast_of_result(&mut self, adding: &Adding<'_>, arguments: &Arguments) -> Option<ClassId> {
        let result = adding.var(arguments.result?)?;
        cast_of(&mut self.world, adding.class, adding.body, result)
    }

    /// Names of members that a call asks for.
    pub(super) fn names_asked(&self, adding: &Adding<'_>, action: Action, arguments: &Arguments) -> Names {
        let Some(index) = action.name_argument() else { return Names::default() };
        let name = arguments.rest.get(index).copied().flatten();
        let name = name.and_then(|node| adding.var(node));
        Names::of(&self.world, adding.class, adding.body, name)
    }
}

/// Names of members that a call asks for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    /// Names that are constants in the method itself.
    pub(crate) constants: Box<[Box<[u8]>]>,
    /// Tells whether it may ask for others as well.
    pub(crate) has_others: bool,
}

cached! { struct Names { constants, has_others } }

impl Names {
    /// Strings that a variable in a method of `class` can be.
    pub(crate) fn of(world: &World<'_>, class: ClassId, body: &Body, var: Option<Var>) -> Self {
        let (Some(file), Some(var)) = (world.class_of(class).file(), var) else {
            return Self { constants: Box::default(), has_others: true };
        };
        let mut sources = sources_of(body, var);
        let mut constants = Vec::new();
        for statement in &body.statements {
            let is_told = match statement.op {
                Op::Constant { dst, constant } if sources.contains(&dst) => {
                    let name = file.pool.string(constant).ok();
                    constants.extend(name.map(|name| name.as_bytes().into()));
                    name.is_some()
                }
                // Nothing has the name null, and what others pass on is among the sources itself.
                Op::Null { .. } | Op::Cast { .. } | Op::Phi { .. } => true,
                _ => false,
            };
            if let Some(dst) = statement.op.dst().filter(|_| is_told) {
                sources.remove(&dst);
            }
        }
        Self { constants: constants.into(), has_others: !sources.is_empty() }
    }
}

/// The class that `Class.forName` would find.
pub(crate) fn class_named_by(world: &mut World<'_>, text: &[u8]) -> Option<ClassId> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'$');
    if text.len() < 2 || !text[0].is_ascii_alphabetic() || !text.iter().all(is_part) {
        return None;
    }
    let name: Vec<u8> = text.iter().map(|byte| if *byte == b'.' { b'/' } else { *byte }).collect();
    world.class_that_is_there(&name)
}

/// The class that a method of `class` casts a variable to, if that is all it does with it but ask whether it is null.
pub(crate) fn cast_of(world: &mut World<'_>, class: ClassId, body: &Body, var: Var) -> Option<ClassId> {
    let mut cast = None;
    for statement in &body.statements {
        let mut is_used = false;
        body.for_each_use(&statement.op, |used| is_used |= used == var);
        match statement.op {
            Op::Cast { class, .. } if is_used && cast.is_none() => cast = Some(class),
            Op::NullTest { .. } => {}
            _ if is_used => return None,
            _ => {}
        }
    }
    world.class_ref(class, cast?)
}

/// The variables whose value `var` can have, through casts and where several meet.
fn sources_of(body: &Body, var: Var) -> FxHashSet<Var> {
    let mut sources = FxHashSet::from_iter([var]);
    let mut unseen = vec![var];
    while let Some(var) = unseen.pop() {
        for statement in &body.statements {
            let found: &[Option<Var>] = match statement.op {
                Op::Cast { dst, src, .. } if dst == var => &[Some(src)],
                Op::Phi { dst, sources } if dst == var => body.operands(sources),
                _ => continue,
            };
            unseen.extend(found.iter().flatten().filter(|source| sources.insert(**source)));
        }
    }
    sources
}
