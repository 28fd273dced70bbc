//! `cargo xtask soundness`: every link that real test suites go through is found, under every configuration.
//!
//! The suites run under `catchment watch --links`; each recording is compared with the links of each analysis. Every
//! missed link must have a named cause; fewer than 2 % may be missed.

mod classes;
mod suites;
mod table;

use crate::bar::verdict;
use crate::binary::build_catchment;
use anyhow::{Context, Result, bail};
use catchment_exceptions::{
    Analysis, Catalogue, ClauseScope, EntryKind, EntryPoints, FaultSelection, SearchRequest, compare_under,
};
use catchment_report::read_recording;
use catchment_testkit::links::CONFIGURATIONS;
use catchment_testkit::{jdk, workspace};
use classes::SuiteClasses;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use suites::{Prepared, Suite};
use table::Compared;

/// The JDK that the suites run on and are analysed with.
const JDK: u32 = 17;
/// The bar: percentage of links that may be missed with a named cause.
const EXCUSED: f64 = 2.0;
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only this suite of xtask/suites.toml (repeatable).
    #[arg(long = "only", value_name = "SUITE")]
    only: Vec<String>,
    /// Only this configuration, such as inpta+mdr (repeatable).
    #[arg(long = "analysis", value_name = "NAME")]
    analyses: Vec<String>,
    /// Also compare what the JVM itself raised, such as null pointers: takes much longer.
    #[arg(long)]
    implicit: bool,
    /// Compare the recordings of the last time where there are some, instead of running the suites again.
    #[arg(long)]
    keep: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let suites = suites::chosen(&options.only)?;
    let wanted: Vec<&str> = if options.analyses.is_empty() {
        CONFIGURATIONS.to_vec()
    } else {
        options.analyses.iter().map(String::as_str).collect()
    };
    let analyses = wanted.iter().map(|name| name.parse()).collect::<Result<Vec<Analysis>, _>>()?;
    let catchment = build_catchment()?;
    println!("{}", table::HEADER);
    let mut all = Vec::new();
    for suite in suites {
        let prepared = suite.prepare()?;
        let seen = recording(&suite, &prepared, &catchment, options.keep)?;
        for compared in compare(&suite, &prepared, &seen, &analyses, options.implicit)? {
            println!("{}", compared.line());
            all.push(compared);
        }
    }
    println!("\n{}", table::unfound(&all));
    if let Some(empty) = all.iter().find(|compared| compared.is_empty()) {
        bail!("nothing could be compared: {}", empty.line());
    }
    let worst = all.iter().map(Compared::excused).fold(0.0, f64::max);
    let is_met = worst < EXCUSED;
    println!("excused at most {worst:.1} % (bar {EXCUSED} %: {})", verdict(is_met));
    Ok(if is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The recording of a run of the suite, as a file.
fn recording(suite: &Suite, prepared: &Prepared, catchment: &Path, keep: bool) -> Result<PathBuf> {
    let file = workspace::target_folder("soundness")?.join(format!("{}.json", suite.name));
    if keep && file.is_file() {
        return Ok(file);
    }
    let scratch = tempfile::tempdir().context("cannot create a folder for the tests")?;
    let tests = prepared.suite(&jdk::installed(JDK)?)?;
    eprintln!("{}: running its tests", suite.name);
    let output = Command::new(catchment)
        .args(["watch", "--links", "--output"])
        .arg(&file)
        .arg("--")
        .arg(tests.get_program())
        .args(tests.get_args())
        .current_dir(scratch.path())
        .stdin(Stdio::null())
        .output()
        .context("cannot start catchment")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let counted =
        said.lines().filter(|line| ["tests successful", "tests failed"].iter().any(|it| line.contains(it)));
    counted.for_each(|line| eprintln!("{}: {line}", suite.name));
    if !file.is_file() {
        bail!("{}: nothing was recorded: {}", suite.name, String::from_utf8_lossy(&output.stderr));
    }
    Ok(file)
}

fn compare(
    suite: &Suite,
    prepared: &Prepared,
    seen: &Path,
    analyses: &[Analysis],
    implicit: bool,
) -> Result<Vec<Compared>> {
    let text = fs::read(seen).with_context(|| format!("cannot read {}", seen.display()))?;
    let recording = read_recording(&text)?.recording;
    if recording.caught.is_empty() {
        bail!("{}: its tests have shown nothing: did they run?", suite.name);
    }
    let classes = SuiteClasses::open(&prepared.class_path, jdk::installed(JDK)?.home());
    let catalogue = Catalogue::of_jdk()?;
    let request = SearchRequest {
        analysis: analyses.first().copied().context("no analysis")?,
        reflective_targets: Vec::new(),
        ceiling: None,
        entries: EntryPoints { named: Vec::new(), kinds: vec![EntryKind::Main, EntryKind::Tests] },
        own: classes.own(),
        faults: FaultSelection::of(&[], &catalogue)?,
        catalogue,
        throws: true,
        implicit,
        handlers: ClauseScope::Application,
        escapes: false,
        release: Some(JDK),
    };
    let mut compared = Vec::new();
    compare_under(
        &classes,
        &request,
        &recording,
        analyses,
        &mut |_| {},
        &mut |analysis, search, comparison| {
            eprintln!("{}: {analysis}", suite.name);
            let links = analysis.filter().is_none().then(|| search.count());
            compared.push(Compared::new(&suite.name, analysis, links, comparison));
        },
    )?;
    Ok(compared)
}
