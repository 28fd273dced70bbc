//! Uses of the object that a clause caught.

use crate::effects::{Values, values_of};
use crate::method::Method;
use crate::operands::operands;
use crate::solve::Solution;
use crate::stack_map::{Held, held};
use crate::value::{Origin, State, Value};
use crate::{FlowError, stack_map};
use catchment_classfile::descriptor::type_name;
use catchment_classfile::{ClassFile, Frame, Insn};
use catchment_pairs::{CompiledClause, CompiledTry};

/// Everything that is done with one caught object in its method, `finally` copies and code behind the try included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandlerUses {
    /// By pc.
    pub uses: Vec<Use>,
    /// Positions of stack map frames that hold it, by pc. Empty for classes without frames.
    pub held: Vec<Held>,
}

/// One thing done with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    pub pc: usize,
    pub line: Option<u32>,
    pub kind: UseKind,
    /// Behind a cast: the use needs what the cast makes of it, not what was caught.
    pub after_cast: bool,
    /// Another value may be used here as well.
    pub merged: bool,
}

/// The kind of a use. Types and owners are binary names with dots, as in [`Pair::types`](catchment_pairs::Pair::types).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UseKind {
    /// Thrown, the very object.
    Rethrown,
    Argument {
        owner: String,
        name: String,
        descriptor: String,
        parameter: String,
        index: usize,
    },
    /// A method of it is called. Compilers name the static type of the variable as owner, wherever the method is
    /// declared.
    Receiver {
        owner: String,
        name: String,
        descriptor: String,
        /// Looked up from the owner upwards, so that another owner that has it does as well. Not so methods of
        /// interfaces and private ones.
        virtual_call: bool,
    },
    /// A field of it is read or written.
    FieldOf {
        owner: String,
        name: String,
        descriptor: String,
    },
    /// Stored into a field.
    Stored {
        owner: String,
        name: String,
        field: String,
    },
    /// Stored into an array; of what, where that can be told.
    StoredInArray {
        element: Option<String>,
    },
    /// Stored into a local variable with a name of its own; the one of the clause does not count.
    Assigned {
        variable: String,
        declared: String,
    },
    Returned {
        declared: String,
    },
    /// Handed to a dynamic call site, such as a lambda's.
    Captured {
        declared: String,
        index: usize,
    },
    /// Part of a string concatenation, which takes anything.
    Concatenated {
        declared: String,
        index: usize,
    },
    Cast {
        target: String,
    },
    InstanceOf {
        target: String,
    },
    /// With another reference or `null`.
    Compared,
    /// Locked or unlocked.
    Monitor,
}

/// Uses of the object that clause number `clause` of a try catches.
pub fn handler_uses(
    class: &ClassFile<'_>,
    compiled_try: &CompiledTry,
    clause: usize,
) -> Result<HandlerUses, FlowError> {
    let method = Method::open(class, compiled_try.method)?;
    let clause = method.clause(compiled_try, clause)?;
    Trace::of(&method)?.uses_of(usize::from(clause.handler))
}

/// A method with its values followed.
#[derive(Debug)]
pub(crate) struct Trace<'m, 'c, 'a> {
    pub(crate) method: &'m Method<'c, 'a>,
    values: Solution<State>,
    pub(crate) frames: Vec<(usize, Frame<'a>)>,
}

impl<'m, 'c, 'a> Trace<'m, 'c, 'a> {
    pub(crate) fn of(method: &'m Method<'c, 'a>) -> Result<Self, FlowError> {
        Ok(Self { method, values: values_of(method)?, frames: stack_map::frames_of(method)? })
    }

    /// Shows every instruction that control comes to, with the values in front of it.
    pub(crate) fn visit(
        &self,
        see: &mut dyn FnMut(&Insn<'a>, &State) -> Result<(), FlowError>,
    ) -> Result<(), FlowError> {
        self.values.visit(self.method, &Values { method: self.method }, see)
    }

    /// Uses of the object caught by the handler at `handler`.
    pub(crate) fn uses_of(&self, handler: usize) -> Result<HandlerUses, FlowError> {
        let mut found = HandlerUses { uses: Vec::new(), held: Vec::new() };
        let is_followed = |value: &&Value| is_caught(value, handler);
        self.visit(&mut |insn, state| {
            if let Ok(index) = self.frames.binary_search_by_key(&insn.pc, |(pc, _)| *pc) {
                found.held.extend(held(self.method, &self.frames[index], state, handler));
            }
            if state.stack.iter().any(|value| is_followed(&value)) {
                let operands = operands(self.method, insn, state)?;
                let own = operands
                    .into_iter()
                    .filter(|(value, kind)| is_followed(value) && !self.is_own_variable(insn, kind, handler));
                found.uses.extend(own.map(|(value, kind)| self.used(insn, value, kind, handler)));
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn used(&self, insn: &Insn<'_>, value: &Value, kind: UseKind, handler: usize) -> Use {
        Use {
            pc: insn.pc,
            line: self.method.line(insn.pc),
            kind,
            after_cast: !value.may_be(Origin::Caught(handler)),
            merged: value.origins().len() > 1,
        }
    }

    /// The first instruction of a handler gives the clause's variable its value.
    fn is_own_variable(&self, insn: &Insn<'_>, kind: &UseKind, handler: usize) -> bool {
        insn.pc == handler && matches!(kind, UseKind::Assigned { .. })
    }

    /// The types that the handler's code may take the caught object for: what its rows catch, and what the compiler has
    /// found to be common to these.
    pub(crate) fn narrow_types(&self, clause: &CompiledClause) -> Result<Vec<String>, FlowError> {
        let pool = &self.method.class.pool;
        let mut types = Vec::new();
        for (row, index) in self.method.code.exceptions().zip(0u16..) {
            if clause.rows.contains(&index) {
                types.push(pool.class_name(row.catch_type)?.to_binary_name());
            }
        }
        let handler = usize::from(clause.handler);
        if let Ok(index) = self.frames.binary_search_by_key(&handler, |(pc, _)| *pc) {
            let on_stack = self.frames[index].1.stack.first();
            types.extend(on_stack.and_then(|it| stack_map::class_of(*it, pool)).map(type_name));
        }
        types.sort();
        types.dedup();
        Ok(types)
    }
}

/// True if a value may be what the handler at `handler` caught, cast or not.
fn is_caught(value: &Value, handler: usize) -> bool {
    value.may_be(Origin::Caught(handler)) || value.may_be(Origin::CastCaught(handler))
}
