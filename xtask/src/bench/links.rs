//! `cargo xtask bench links`: call graphs and points-to of real programs, with Tai-e beside it.
//!
//! Both analyse the same class path, entry point and JDK in fresh processes, in turn, so that the machine's moods meet
//! both alike. A smaller call graph is cheaper, so the programs are also run, and it is counted which of the methods
//! that really ran each analysis has reached.

mod comparison;
mod method_names;
mod ours;
mod recorded;
mod tai_e;
mod wala;

use super::measured::Measured;
use super::subjects::{self, Subject};
use anyhow::Result;
use catchment_testkit::workspace;
use comparison::{Comparison, Side};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tai_e::TaiE;
use wala::Wala;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// How often each analysis is run on a subject.
    #[arg(long, value_name = "N", default_value_t = 3)]
    runs: usize,
    /// Only this subject of xtask/links/subjects.toml (repeatable).
    #[arg(long = "only", value_name = "SUBJECT")]
    only: Vec<String>,
    /// Leave Catchment out.
    #[arg(long)]
    only_tai_e: bool,
    /// A folder with another build of Tai-e and everything it needs: jars, and classes in `classes`.
    #[arg(long, value_name = "FOLDER")]
    tai_e: Option<PathBuf>,
    /// The largest heap of Tai-e's JVM, such as 4g; what the JVM chooses unless given.
    #[arg(long, value_name = "SIZE")]
    heap: Option<String>,
    /// Run WALA as well.
    #[arg(long)]
    wala: bool,
    /// End an analysis that takes longer than this.
    #[arg(long, value_name = "MINUTES", default_value_t = 30)]
    limit: u64,
}

/// The programs that are compared.
struct Analyses {
    tai_e: TaiE,
    catchment: Option<PathBuf>,
    wala: Option<Wala>,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let subjects = subjects::chosen(&options.only)?;
    let analyses = Analyses {
        tai_e: TaiE::prepare(options.tai_e.as_deref(), options.heap.as_deref())?,
        catchment: if options.only_tai_e { None } else { Some(crate::binary::build_catchment()?) },
        wala: if options.wala { Some(Wala::prepare()?) } else { None },
    };
    let mut all_met = true;
    println!("{}\n\n{}", analyses.tai_e.settings(), comparison::HEADER);
    for subject in &subjects {
        let folder = results_folder(subject)?;
        let comparison = analyses.compare(subject, &folder, options)?;
        all_met &= comparison.is_met();
        print!("{comparison}");
        comparison.write_missing(&folder)?;
    }
    println!("\n{}", comparison::BARS);
    Ok(if all_met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Analyses {
    fn compare(&self, subject: &Subject, folder: &Path, options: &Options) -> Result<Comparison> {
        let program = subject.prepare()?;
        let executed = recorded::executed_methods(&program)?;
        let limit = Duration::from_secs(options.limit * 60);
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for round in 1..=options.runs {
            theirs.push(self.tai_e.analyse(&program, folder, limit)?);
            eprintln!("{} {round}: Tai-e {}", subject.name, describe(theirs.last()));
            if let Some(catchment) = &self.catchment {
                ours.push(ours::analyse(catchment, &program, folder, limit)?);
                eprintln!("{} {round}: Catchment {}", subject.name, describe(ours.last()));
            }
        }
        // Which methods are reached is asked in runs of their own: writing them down is not what is measured.
        let tai_e = Side::new(theirs, self.tai_e.reached_methods(&program, folder, limit)?);
        let mut comparison = Comparison::new(&subject.name, executed, tai_e);
        if let Some(catchment) = &self.catchment {
            let reached = if ours.iter().all(|run| run.counts.is_ok()) {
                ours::reached_methods(catchment, &program, folder, limit)?
            } else {
                BTreeSet::new()
            };
            comparison.ours = Some(Side::new(ours, reached));
        }
        if let Some(wala) = &self.wala {
            let (analysis, reached) = wala.analyse(&program, folder, limit)?;
            comparison.wala = Some(Side::new(vec![analysis], reached));
        }
        Ok(comparison)
    }
}

fn describe(analysis: Option<&Analysis>) -> String {
    match analysis {
        Some(Analysis { measured, counts: Ok(counts) }) => {
            format!("{measured}; {} methods, {} edges", counts.methods, counts.edges)
        }
        Some(Analysis { measured, counts: Err(why) }) => format!("{measured}; {why}"),
        None => "not run".to_owned(),
    }
}

/// One run of an analysis.
#[derive(Debug, Clone)]
struct Analysis {
    measured: Measured,
    /// Or why there are none: a program that fails on one subject is compared on the others.
    counts: Result<Counts, String>,
}

/// Figures of an analysis about its call graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counts {
    methods: u64,
    edges: u64,
}

fn results_folder(subject: &Subject) -> Result<PathBuf> {
    let folder = workspace::target_folder("bench-links")?.join(&subject.name);
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}
