//! What a check would do: pairs with the experiments planned for them.

use crate::text::{counted, pair_line};
use catchment_verdicts::CheckedProject;
use std::io::{self, Write};

pub fn write_plan_text(out: &mut dyn Write, project: &CheckedProject) -> io::Result<()> {
    let planned: Vec<_> = project.pairs.iter().filter(|pair| !pair.experiments.is_empty()).collect();
    for pair in &planned {
        let line = pair.catch_line.or(pair.try_line);
        let source = pair.source_file.as_deref();
        writeln!(out, "{}", pair_line(&pair.class, &pair.method, source, line, &pair.types))?;
        for experiment in &pair.experiments {
            let test = project.test(experiment.test).map_or("?", |test| test.name.as_str());
            writeln!(out, "    {test}  throwing {}", experiment.exception)?;
        }
    }
    let experiments: usize = planned.iter().map(|pair| pair.experiments.len()).sum();
    let pairs = counted(planned.len(), "pair", "pairs");
    writeln!(out, "{} on {pairs} planned", counted(experiments, "experiment", "experiments"))
}
