//! `catchment.stretch/1`: candidates, what they may catch, why not, and the patch.
//! `docs/schema/catchment.stretch.1.json` is its schema.

use crate::json::{JsonPair, write_line};
use catchment_lab::{Accepted, Refusal, Stretched, StretchedClause};
use catchment_patch::unified_diff;
use catchment_verdicts::TestId;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct JsonStretch<'a> {
    schema: &'static str,
    clauses: Vec<JsonClause<'a>>,
    /// The whole suite has passed with all accepted clauses stretched.
    together: bool,
    patch: Option<JsonPatch>,
}

#[derive(Serialize)]
struct JsonClause<'a> {
    /// Its id once more, under the name that this contract had for it first.
    pair: &'a str,
    #[serde(flatten)]
    clause: JsonPair<'a>,
    accepted: Option<JsonAccepted<'a>>,
    refused: Vec<JsonRefused<'a>>,
}

#[derive(Serialize)]
struct JsonAccepted<'a> {
    to: &'a str,
    case: &'static str,
    tests: usize,
    injected: usize,
    catches_all_unchecked: bool,
    /// The line of a later clause that caught exceptions of the type so far, or null.
    takes_from: Option<u32>,
    /// Declared by the method, and caught by the clause from now on.
    swallows: &'a [String],
    /// Pairs of later clauses that do the same and go.
    merges: Vec<&'a str>,
}

#[derive(Serialize)]
struct JsonRefused<'a> {
    to: Option<&'a str>,
    why: &'static str,
    /// Speaks against it, if a test does.
    test: Option<String>,
    text: String,
}

#[derive(Serialize)]
struct JsonPatch {
    /// Tests of the project's own build that pass with it.
    tests: usize,
    files: Vec<String>,
    diff: String,
}

pub fn write_stretch_json(out: &mut dyn Write, stretched: &Stretched) -> io::Result<()> {
    let clauses = stretched.clauses.iter().filter_map(|clause| json_clause(stretched, clause)).collect();
    let together = stretched.together;
    write_line(
        out,
        &JsonStretch { schema: "catchment.stretch/1", clauses, together, patch: patch(stretched) },
    )
}

fn json_clause<'a>(stretched: &'a Stretched, clause: &'a StretchedClause) -> Option<JsonClause<'a>> {
    let pair = stretched.checked.pairs.get(clause.pair)?;
    let refused = clause.refused.iter().map(|(to, refusal)| json_refused(stretched, to.as_deref(), refusal));
    Some(JsonClause {
        pair: &pair.clause.id,
        clause: JsonPair::of(&pair.clause, &pair.location),
        accepted: clause.accepted.as_ref().map(|accepted| json_accepted(stretched, accepted)),
        refused: refused.collect(),
    })
}

fn json_accepted<'a>(stretched: &'a Stretched, accepted: &'a Accepted) -> JsonAccepted<'a> {
    let merged = accepted.merges.iter().filter_map(|position| stretched.checked.pairs.get(*position));
    JsonAccepted {
        to: &accepted.to,
        case: accepted.evidence.case.as_str(),
        tests: accepted.evidence.tests,
        injected: accepted.evidence.injected,
        catches_all_unchecked: accepted.catches_all_unchecked,
        takes_from: accepted.takes_from,
        swallows: &accepted.swallows,
        merges: merged.map(|pair| pair.clause.id.as_str()).collect(),
    }
}

fn json_refused<'a>(stretched: &Stretched, to: Option<&'a str>, refusal: &Refusal) -> JsonRefused<'a> {
    let pair = |position: usize| stretched.checked.pairs.get(position).map(|pair| pair.clause.id.clone());
    let name = |id: TestId| stretched.checked.test(id).map(|test| test.name.clone()).unwrap_or_default();
    let text = refusal.explain(name, |position| pair(position).unwrap_or_default());
    JsonRefused { to, why: refusal.as_str(), test: refusal.test(name), text }
}

fn patch(stretched: &Stretched) -> Option<JsonPatch> {
    let patch = stretched.patch.as_ref()?;
    let diff = |file: &catchment_lab::PatchedFile| {
        unified_diff(&file.path.to_string_lossy(), &file.before, &file.after)
    };
    Some(JsonPatch {
        tests: patch.tests,
        files: patch.files.iter().map(|file| file.path.to_string_lossy().into_owned()).collect(),
        diff: patch.files.iter().map(diff).collect(),
    })
}
