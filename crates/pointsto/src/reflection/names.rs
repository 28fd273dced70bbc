//! Names that are constants: of classes wherever the string flows, of members within the method that asks.

use crate::calls::Arguments;
use crate::ids::{ClassId, ObjectId};
use crate::objects::Origin;
use crate::solver::Solver;
use crate::statements::Adding;
use crate::world::World;
use catchment_ir::{Body, Op, Var};
use rustc_hash::FxHashSet;

impl Solver<'_> {
    /// The object of a string constant. Those that name a class are told apart by it.
    pub(crate) fn string_constant(&mut self, text: &[u8]) -> ObjectId {
        let origin = class_named_by(&mut self.world, text).map_or(Origin::Merged, Origin::NameOf);
        self.object(self.known.string, origin)
    }

    /// The class that the method casts the result of a call to, if that is all it does with it.
    pub(super) fn cast_of_result(&mut self, adding: &Adding<'_>, arguments: &Arguments) -> Option<ClassId> {
        let result = adding.var(arguments.result?)?;
        cast_of(&mut self.world, adding.class, adding.body, result)
    }

    /// Strings that an argument of the call can be, if it is a constant in the method itself.
    pub(super) fn constant_names(&self, adding: &Adding<'_>, arguments: &Arguments) -> Box<[Box<[u8]>]> {
        let vars = arguments.rest.iter().flatten().filter_map(|node| adding.var(*node));
        constants_among(&self.world, adding.class, adding.body, vars)
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

/// Strings that these variables can be, if they are constants in the method itself.
pub(crate) fn constants_among(
    world: &World<'_>,
    class: ClassId,
    body: &Body,
    vars: impl Iterator<Item = Var>,
) -> Box<[Box<[u8]>]> {
    let Some(file) = world.class_of(class).file() else { return Box::default() };
    let sources = vars.flat_map(|var| sources_of(body, var)).collect::<FxHashSet<Var>>();
    let constants = body.statements.iter().filter_map(|statement| match statement.op {
        Op::Constant { dst, constant } if sources.contains(&dst) => file.pool.string(constant).ok(),
        _ => None,
    });
    constants.map(|name| name.as_bytes().into()).collect()
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
