//! The clause that a widening means.

use crate::Refusal;
use crate::clauses::Clause;
use crate::naming::is_named;
use crate::scope::Scope;

/// A clause as bytecode knows it, see [`Widening`](crate::Widening).
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'w> {
    pub(crate) line: u32,
    pub(crate) try_line: Option<u32>,
    pub(crate) from: &'w [String],
}

/// The one clause that stands at the line and catches the types.
pub(crate) fn find<'c>(
    clauses: &'c [Clause],
    scope: &Scope,
    wanted: Wanted<'_>,
    has_errors: bool,
) -> Result<&'c Clause, Refusal> {
    let line = wanted.line;
    let at_header = clauses.iter().filter(|clause| clause.header.contains(&line));
    let around = clauses.iter().filter(|clause| clause.whole.contains(&line));
    // Line tables name the header. Only where no header fits may the line be one of the body: compilers differ.
    for candidates in [at_header.collect::<Vec<_>>(), around.collect()] {
        let fitting: Vec<_> =
            candidates.iter().copied().filter(|it| catches(it, scope, wanted.from)).collect();
        match *nearest(fitting, wanted.try_line) {
            [] => {}
            [clause] if clause.broken => return Err(Refusal::DoesNotParse { line }),
            [clause] if clause.interspersed => return Err(Refusal::Interspersed { line }),
            [clause] => return Ok(clause),
            _ => return Err(Refusal::Ambiguous { line }),
        }
    }
    Err(missing(clauses, wanted, has_errors))
}

/// Tells whether the clause catches just these types, in any order.
fn catches(clause: &Clause, scope: &Scope, types: &[String]) -> bool {
    let named = |class: &String| clause.types.iter().any(|name| is_named(scope, name, class, clause.start));
    let meant = |name: &Vec<String>| types.iter().any(|class| is_named(scope, name, class, clause.start));
    clause.types.len() == types.len() && types.iter().all(named) && clause.types.iter().all(meant)
}

/// Clauses whose try is the one that begins at `try_line`; all of them where that decides nothing.
fn nearest(clauses: Vec<&Clause>, try_line: Option<u32>) -> Vec<&Clause> {
    let Some(line) = try_line.filter(|_| clauses.len() > 1) else { return clauses };
    let begins = |clause: &&&Clause| clause.try_start == line;
    let contains = |clause: &&&Clause| clause.try_body.contains(&line);
    let exact: Vec<_> = clauses.iter().filter(begins).copied().collect();
    if !exact.is_empty() {
        return exact;
    }
    let near: Vec<_> = clauses.iter().filter(contains).copied().collect();
    if near.is_empty() { clauses } else { near }
}

fn missing(clauses: &[Clause], wanted: Wanted<'_>, has_errors: bool) -> Refusal {
    let line = wanted.line;
    if has_errors {
        return Refusal::DoesNotParse { line };
    }
    let here = clauses.iter().filter(|clause| clause.whole.contains(&line));
    match here.max_by_key(|clause| clause.start) {
        None => Refusal::NotFound { line },
        Some(clause) => {
            let found: Vec<String> = clause.types.iter().map(|name| name.join(".")).collect();
            let expected = wanted.from.join(" | ");
            Refusal::NotThatType { line, found: found.join(" | "), expected }
        }
    }
}
