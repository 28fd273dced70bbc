//! The fate of one exception that is raised at one instruction: which handlers it may come to, and whether it may leave
//! the method.
//!
//! The same walk over the exception table as in `exception_flow.rs`, for a single exception. Handlers of the compiler
//! throw on what they catch.

use crate::exception_flow::class_handlers::{ClassHandlers, MethodHandlers};
use catchment_ir::Translator;
use catchment_pointsto::MethodId;
use catchment_pointsto::{Fits, Typed, World};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The fate of an exception within the method it is raised in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fate {
    /// Pcs of handlers.
    pub(crate) caught: Vec<u16>,
    pub(crate) leaves: bool,
}

/// The exception tables of methods, read when first asked for.
#[derive(Debug, Default)]
pub(crate) struct Fates {
    methods: FxHashMap<MethodId, Rc<MethodHandlers>>,
    translator: Translator,
}

impl Fates {
    pub(crate) fn of(&mut self, world: &mut World<'_>, method: MethodId, pc: u16, typed: Typed) -> Fate {
        let handlers = self.handlers_of(world, method);
        let mut fate = Fate::default();
        let mut open = vec![pc];
        while let Some(pc) = open.pop() {
            if !walk(world, method, &handlers, pc, typed, &mut fate, &mut open) {
                fate.leaves = true;
            }
        }
        fate
    }

    fn handlers_of(&mut self, world: &World<'_>, method: MethodId) -> Rc<MethodHandlers> {
        if let Some(handlers) = self.methods.get(&method) {
            return Rc::clone(handlers);
        }
        let declared = world.method(method);
        let handlers = world.class_of(declared.class).file().map(|file| {
            let of_class = ClassHandlers::of(file);
            MethodHandlers::of(file, declared.position, &of_class, &mut self.translator)
        });
        let handlers = Rc::new(handlers.unwrap_or_default());
        self.methods.insert(method, Rc::clone(&handlers));
        handlers
    }
}

/// Asks the rows for `pc` in turn. Whether one of them surely takes the exception; `open` gets the throws that pass it
/// on.
fn walk(
    world: &mut World<'_>,
    method: MethodId,
    handlers: &MethodHandlers,
    pc: u16,
    typed: Typed,
    fate: &mut Fate,
    open: &mut Vec<u16>,
) -> bool {
    let class = world.method(method).class;
    for (handler, caught) in world.unshadowed_rows(class, handlers.rows_at(pc)) {
        let fits = caught.map_or(Fits::Yes, |caught| world.typed_fits(typed, caught));
        if fits == Fits::No {
            continue;
        }
        if !fate.caught.contains(&handler) {
            fate.caught.push(handler);
            open.extend(handlers.passing_on(handler));
        }
        if fits == Fits::Yes {
            return true;
        }
    }
    false
}
