//! Two folders of answers held against each other.

use super::difference::{Differences, differences};
use super::normal_form::normal_form;
use super::recorded::Recorded;
use anyhow::{Result, bail};
use catchment_testkit::workspace::files_below;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Answers of the build before.
    before: PathBuf,
    /// Answers of the build after.
    after: PathBuf,
    /// Only subjects whose name begins so (repeatable).
    #[arg(long = "only", value_name = "PREFIX")]
    only: Vec<String>,
    /// Only subjects that are in both folders.
    #[arg(long)]
    common: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let before = answers_in(&options.before, &options.only)?;
    let after = answers_in(&options.after, &options.only)?;
    if before.is_empty() {
        bail!("there are no answers in {}", options.before.display());
    }
    let mut compared = 0;
    let mut changed = 0;
    let mut added: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, file) in &before {
        let Some(other) = after.get(name) else {
            if !options.common {
                changed += 1;
                println!("{name}: there is no answer after");
            }
            continue;
        };
        let found = compare(file, other)?;
        compared += 1;
        changed += usize::from(!found.lines.is_empty());
        for line in &found.lines {
            println!("{name}: {line}");
        }
        for field in found.added {
            added.entry(field).or_default().insert(name.clone());
        }
    }
    let surplus = after.keys().filter(|name| !before.contains_key(*name)).count();
    println!("{compared} answers compared, {changed} differ; {surplus} only after");
    for (field, names) in added {
        println!("added: {field}, in {} answers", names.len());
    }
    Ok(if changed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn compare(before: &Path, after: &Path) -> Result<Differences> {
    Ok(compared(&Recorded::read(before)?, &Recorded::read(after)?))
}

/// Two commands that both failed prove nothing, however alike they failed.
fn compared(before: &Recorded, after: &Recorded) -> Differences {
    let mut found = differences(&normal_form(before), &normal_form(after));
    if before.answer.is_none() && after.answer.is_none() {
        found.lines.push("there is no answer, before or after".to_owned());
    }
    found
}

/// The answers of a folder by subject and command.
fn answers_in(folder: &Path, prefixes: &[String]) -> Result<BTreeMap<String, PathBuf>> {
    let mut answers = BTreeMap::new();
    for file in files_below(folder)?.into_iter().filter(|file| file.extension() == Some("json".as_ref())) {
        let name = file.strip_prefix(folder)?.with_extension("").to_string_lossy().into_owned();
        if prefixes.is_empty() || prefixes.iter().any(|prefix| name.starts_with(prefix.as_str())) {
            answers.insert(name, file);
        }
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_commands_that_fail_alike_are_not_equal_answers() {
        let failed = Recorded::failed("out of memory");
        assert_eq!(compared(&failed, &failed).lines, ["there is no answer, before or after"]);
    }
}
