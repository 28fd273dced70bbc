//! The plan of a check for a terminal: pairs with the experiments planned for them.

use crate::plain_text::PlainText;
use crate::text::{clause_line, counted};
use catchment_verdicts::{CheckedPair, CheckedProject, ExperimentResult, Mode, NoOutcome, Outcome};
use std::io::{self, Write};

pub fn write_plan_text(out: &mut dyn Write, project: &CheckedProject) -> io::Result<()> {
    let out = &mut PlainText::new(out);
    let planned: Vec<_> = project.pairs.iter().filter(|pair| of_plan(pair).next().is_some()).collect();
    for pair in &planned {
        writeln!(out, "{}", clause_line(&pair.clause, &pair.location))?;
        let types = pair.clause.types.len();
        if types > 1 {
            writeln!(out, "    catches {types} types: every test is tried with each of them")?;
        }
        for experiment in of_plan(pair) {
            let test = project.test(experiment.test).map_or("?", |test| test.name.as_str());
            let known = if is_to_do(experiment) { "" } else { " (done)" };
            writeln!(out, "    {test}  throwing {}{known}", experiment.exception)?;
        }
    }
    let experiments = || planned.iter().flat_map(|pair| of_plan(pair));
    let total = counted(experiments().count(), "experiment", "experiments");
    let to_do = experiments().filter(|experiment| is_to_do(experiment)).count();
    writeln!(out, "{total} on {}, {to_do} to do", counted(planned.len(), "pair", "pairs"))
}

/// Experiments of the plan. Selective ones are not in it: they follow from the outcomes.
fn of_plan(pair: &CheckedPair) -> impl Iterator<Item = &ExperimentResult> {
    pair.experiments.iter().filter(|experiment| experiment.mode == Mode::ShortCircuit)
}

/// An earlier check may have done it.
fn is_to_do(experiment: &ExperimentResult) -> bool {
    matches!(experiment.outcome, Outcome::None(NoOutcome::NotRun(_)))
}
