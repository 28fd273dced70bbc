//! The tries of a method: its handlers, but for those nobody wrote, grouped by what they protect.

use crate::body::Body;
use crate::clauses::{handlers_of, tries_of};
use crate::filters::{ClassFacts, Classifier};
use crate::{CompiledTry, Reason, coroutine};
use catchment_classfile::{ClassError, ClassFile, MethodCode};
use std::cell::OnceCell;

/// Clauses of one method that are looked at. No compiler makes as many; a hostile class might.
const MAX_CLAUSES: usize = 2_000;

/// Finds the tries of a class method by method, without describing them. Which pairs they are is said by
/// [`pairs_of`](crate::pairs_of), which goes through the same tries.
#[derive(Debug)]
pub struct TryFinder<'c, 'a> {
    class: &'c ClassFile<'a>,
    /// Most classes protect nothing and never need them.
    facts: OnceCell<ClassFacts>,
}

/// A handler nobody wrote, by its pc.
pub(crate) type FilteredHandler = (u16, Reason);

impl<'c, 'a> TryFinder<'c, 'a> {
    pub fn new(class: &'c ClassFile<'a>) -> Self {
        Self { class, facts: OnceCell::new() }
    }

    pub(crate) fn facts(&self) -> &ClassFacts {
        self.facts.get_or_init(|| ClassFacts::of(self.class))
    }

    /// Appends the tries of the class's method number `method` to `tries`, an enclosing one before what it encloses.
    /// None of them on an error.
    pub fn find(
        &self,
        method: usize,
        source: &MethodCode<'_, '_>,
        tries: &mut Vec<CompiledTry>,
    ) -> Result<(), ClassError> {
        if source.code.has_exceptions() {
            let body = Body::open(source)?;
            tries.extend(self.find_in(method, &body, &mut Vec::new())?);
        }
        Ok(())
    }

    /// The tries of an opened method; adds the handlers that are none to `filtered`.
    pub(crate) fn find_in(
        &self,
        method: usize,
        body: &Body<'_>,
        filtered: &mut Vec<FilteredHandler>,
    ) -> Result<Vec<CompiledTry>, ClassError> {
        let mut handlers = handlers_of(&body.rows);
        let classifier = Classifier::new(self.facts(), body, &handlers);
        handlers.retain(|handler| match classifier.reason(handler) {
            Some(reason) => {
                filtered.push((handler.pc, reason));
                false
            }
            None => true,
        });
        if handlers.len() > MAX_CLAUSES {
            return Err(ClassError::Attribute {
                attribute: "Code",
                what: format!("over {MAX_CLAUSES} catch clauses"),
            });
        }
        let mut tries = tries_of(method, handlers);
        if !tries.is_empty() {
            check_types(body, &tries)?;
            add_suspensions(body, &mut tries);
        }
        Ok(tries)
    }
}

fn check_types(body: &Body<'_>, tries: &[CompiledTry]) -> Result<(), ClassError> {
    for row in tries.iter().flat_map(|it| &it.clauses).flat_map(|clause| &clause.rows) {
        body.pool.class_name(body.rows[usize::from(*row)].catch_type)?;
    }
    Ok(())
}

fn add_suspensions(body: &Body<'_>, tries: &mut [CompiledTry]) {
    let suspensions = coroutine::suspensions(body);
    for it in tries {
        // A suspension inside the try, or cut out of it, follows an instruction of the try.
        let touches = |at: u16| it.ranges.iter().any(|range| range.start < at && at <= range.end);
        it.suspensions = suspensions.iter().filter(|it| touches(it.start)).copied().collect();
    }
}
