//! Answers about stretched clauses, kept in the store from run to run.

use crate::session::{LabError, Session};
use crate::stretch::subject::Stretchings;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Asks unless the answer is known from an earlier run. `None` if time is up, or was before the answer was complete.
pub(crate) fn once<A: Serialize + DeserializeOwned>(
    session: &Session<'_>,
    chosen: &Stretchings<'_>,
    question: &str,
    ask: impl FnOnce() -> Result<Option<A>, LabError>,
) -> Result<Option<A>, LabError> {
    let clauses = combination(chosen);
    let known = session.ledger().store.answer(&clauses, question)?;
    if known.is_some() || session.is_over() {
        return Ok(known);
    }
    let answer = ask()?;
    if let Some(answer) = &answer {
        let ledger = session.ledger();
        ledger.store.together(|| ledger.store.keep_answer(&clauses, question, answer))?;
    }
    Ok(answer)
}

/// The clauses as the store names them: pairs by number, with the types they are to catch.
fn combination(chosen: &Stretchings<'_>) -> String {
    let mut clauses: Vec<_> = chosen.iter().map(|(subject, to)| (subject.number, *to)).collect();
    clauses.sort_unstable();
    clauses.iter().map(|(number, to)| format!("{} {to}\n", number.0)).collect()
}
