//! `cargo xtask bench precision`: how many links from faults of disk and network each configuration leaves.
//!
//! Every configuration is safe, so a link that one does not report cannot be, and a coarser one may only report more.
//! That is checked here on whole programs, where it is most likely to break.

mod configurations;
mod counted;
mod inclusion;
mod table;

use super::subjects;
use anyhow::{Result, bail};
use catchment_testkit::workspace;
use configurations::Configuration;
use std::process::ExitCode;
use std::time::Duration;
use table::SubjectRow;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only this subject of xtask/links/subjects.toml (repeatable).
    #[arg(long = "only", value_name = "SUBJECT")]
    only: Vec<String>,
    /// Only this configuration, such as inpta+mdr (repeatable).
    #[arg(long = "analysis", value_name = "NAME")]
    analyses: Vec<String>,
    /// End a configuration that takes longer than this.
    #[arg(long, value_name = "MINUTES", default_value_t = 10)]
    limit: u64,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let subjects = subjects::chosen(&options.only)?;
    let configurations = chosen(&options.analyses)?;
    let catchment = crate::binary::build_catchment()?;
    let limit = Duration::from_secs(options.limit * 60);
    let (mut rows, mut violations) = (Vec::new(), Vec::new());
    println!("{}", table::HEADER);
    for subject in &subjects {
        let program = subject.prepare()?;
        let folder = workspace::target_folder("bench-precision")?.join(&subject.name);
        std::fs::create_dir_all(&folder)?;
        let mut counted = Vec::new();
        for configuration in &configurations {
            let count = counted::count(&catchment, &program, *configuration, &folder, limit)?;
            println!("{}", table::line(&subject.name, *configuration, &count));
            counted.push((*configuration, count));
        }
        violations.extend(inclusion::violations(&subject.name, &counted));
        rows.push(SubjectRow::new(&subject.name, &counted));
    }
    print!("\n{}", table::summary(&configurations, &rows));
    for violation in &violations {
        eprintln!("{violation}");
    }
    Ok(if violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn chosen(names: &[String]) -> Result<Vec<Configuration>> {
    let all = configurations::all();
    if let Some(unknown) = names.iter().find(|name| all.iter().all(|it| it.to_string() != **name)) {
        bail!("no configuration is called {unknown}");
    }
    Ok(all.into_iter().filter(|it| names.is_empty() || names.contains(&it.to_string())).collect())
}
