//! `catchment check`: the main job, from a folder to findings.

use crate::args::{CheckArgs, FailOn};
use crate::config::Config;
use crate::exit::{BadInput, ExitCode};
use crate::output::{self, ReportFile};
use crate::progress;
use anyhow::Result;
use catchment_lab::project::{PlainRequest, ProjectRequest};
use catchment_lab::{CheckRequest, PairSelection, check};
use catchment_report::{
    CheckDetail, CheckReport, write_check_json, write_check_text, write_plan_text, write_stats_text,
};
use catchment_verdicts::{CheckedProject, Finding, FindingKind, NoOutcome, NotRun, Outcome};
use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

pub(crate) fn run(args: CheckArgs) -> Result<ExitCode> {
    if !args.folder.is_dir() {
        return Err(BadInput(format!("{} is not a folder", args.folder.display())).into());
    }
    if args.classpath.is_some() && args.test_classpath.is_none() {
        return Err(BadInput(
            "--classpath holds the application; --test-classpath is missing: the test classes, JUnit or TestNG and \
             whatever else the tests need"
                .into(),
        )
        .into());
    }
    let config = Config::of_project(&args.folder)?;
    // Before the work: its results must have a place to go.
    let file = open_report(args.output.as_deref())?;
    let checked = {
        let mut progress = progress::on_stderr();
        check(&request(&args, &config), &mut *progress)?
    };
    let report = CheckReport::new(&checked, &config.suppress);
    let render = |out: &mut dyn Write| render(out, &args, &report);
    let written = match file {
        Some(file) => file.write(render),
        None => output::to_stdout(render),
    };
    match written {
        // Whoever reads the report has seen enough; the findings still count.
        Err(error) if output::is_broken_pipe(&error) => {}
        outcome => outcome?,
    }
    if let Some(diagnosis) = nothing_tested(&checked, args.list) {
        eprintln!("catchment: {diagnosis}");
        return Ok(ExitCode::NOTHING_OBSERVED);
    }
    let has_findings = report.findings.open.iter().any(|finding| is_at_or_above(args.fail_on, finding));
    Ok(if has_findings && !args.list { ExitCode::FINDINGS } else { ExitCode::CLEAN })
}

fn open_report(output: Option<&Path>) -> Result<Option<ReportFile>, BadInput> {
    let file = output.filter(|path| *path != Path::new("-"));
    file.map(ReportFile::open).transpose()
}

fn render(out: &mut dyn Write, args: &CheckArgs, report: &CheckReport<'_>) -> io::Result<()> {
    match (args.json, args.list) {
        (true, _) => return write_check_json(out, report),
        (false, true) => write_plan_text(out, report.project)?,
        (false, false) => {
            write_check_text(out, report, detail(args))?;
        }
    }
    if args.stats { write_stats_text(out, &report.project.stats) } else { Ok(()) }
}

/// What makes the exit code must be among the findings.
fn detail(args: &CheckArgs) -> CheckDetail {
    CheckDetail { all: args.all, strict: args.fail_on >= FailOn::NotResilient }
}

/// What was typed goes before what the file says.
fn request(args: &CheckArgs, config: &Config) -> CheckRequest {
    let typed_or = |typed: &[String], configured: &[String]| {
        if typed.is_empty() { configured.to_vec() } else { typed.to_vec() }
    };
    CheckRequest {
        project: ProjectRequest {
            folder: args.folder.clone(),
            build_arguments: args.build_arguments.clone(),
            plain: args.classpath.as_ref().map(|class_path| plain(class_path, args)),
            fresh: args.fresh,
            report: args.output.clone().filter(|path| path != Path::new("-")),
        },
        selection: PairSelection {
            include: typed_or(&args.include, &config.include),
            exclude: typed_or(&args.exclude, &config.exclude),
        },
        jobs: args.jobs.or(config.jobs).map_or_else(default_jobs, NonZeroUsize::get),
        budget: args.budget.or(config.budget),
        silence: config.silence,
        matrix: args.matrix,
        confirm_passes: args.confirm_passes,
        selective: args.selective,
        fresh: args.fresh,
        allow_external: args.allow_external,
        list: args.list,
    }
}

fn plain(class_path: &OsString, args: &CheckArgs) -> PlainRequest {
    let split = |path: &OsString| env::split_paths(path).filter(|entry| entry != Path::new("")).collect();
    let test_class_path: Vec<PathBuf> = args.test_classpath.as_ref().map(split).unwrap_or_default();
    PlainRequest { class_path: split(class_path), test_class_path, tests: args.tests.clone(), java: None }
}

/// Half the processors: a JVM has threads of its own, and the user a machine to work on.
fn default_jobs() -> usize {
    thread::available_parallelism().map_or(1, |processors| processors.get().div_ceil(2))
}

fn is_at_or_above(fail_on: FailOn, finding: &Finding) -> bool {
    let least = match finding.kind {
        FindingKind::SourceDependent => FailOn::Dependent,
        FindingKind::NotResilient => FailOn::NotResilient,
        FindingKind::Unreachable | FindingKind::Unstable => FailOn::Any,
    };
    fail_on >= least
}

/// Why there are no verdicts, if so: that must not look like a project without findings.
fn nothing_tested(checked: &CheckedProject, only_list: bool) -> Option<String> {
    let pairs: Vec<_> = checked.pairs.iter().filter(|pair| !pair.left_out).collect();
    let experiments = || pairs.iter().flat_map(|pair| &pair.experiments);
    if checked.pairs.is_empty() {
        return Some("there is no try-catch pair in the application's classes".into());
    }
    if pairs.iter().all(|pair| pair.executions.is_empty()) {
        return Some("no test executes a try when it runs alone".into());
    }
    if only_list || experiments().any(|it| matches!(it.outcome, Outcome::Pass | Outcome::Fail(_))) {
        return None;
    }
    let budget = Outcome::None(NoOutcome::NotRun(NotRun::Budget));
    if experiments().any(|it| it.outcome == budget) {
        return Some(
            "the budget was used up before the first experiment ended; the next check goes on".into(),
        );
    }
    let why = experiments().find_map(|it| match &it.outcome {
        Outcome::None(why) => Some(why.as_str()),
        _ => None,
    });
    Some(format!(
        "no experiment came to an outcome: {}",
        why.unwrap_or("every test that executes a try is set aside")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, CommandArgs};
    use catchment_verdicts::{CheckedPair, Execution, Experiment, TestId};
    use clap::Parser;
    use std::time::Duration;

    fn args(typed: &[&str]) -> CheckArgs {
        let typed = ["catchment", "check"].iter().chain(typed);
        let CommandArgs::Check(args) = Args::try_parse_from(typed).unwrap().command else {
            panic!("another command")
        };
        args
    }

    #[test]
    fn what_is_typed_goes_before_the_file() {
        let config = Config {
            include: vec!["com.file.*".into()],
            exclude: vec!["*Old".into()],
            jobs: NonZeroUsize::new(3),
            budget: Some(Duration::from_secs(60)),
            silence: Some(Duration::from_secs(7)),
            suppress: Vec::new(),
        };
        let from_file = request(&args(&[]), &config);
        assert_eq!(from_file.silence, Some(Duration::from_secs(7)));
        assert_eq!((from_file.jobs, from_file.budget), (3, Some(Duration::from_secs(60))));
        assert_eq!(from_file.selection.include, ["com.file.*"]);
        let typed = args(&["--include", "a.*", "--include", "b.*", "--jobs", "2", "--budget", "1h"]);
        let typed = request(&typed, &config);
        assert_eq!((typed.jobs, typed.budget), (2, Some(Duration::from_secs(3600))));
        assert_eq!(typed.selection.include, ["a.*", "b.*"]);
        assert_eq!(typed.selection.exclude, ["*Old"]);
    }

    #[test]
    fn class_paths_stand_in_for_a_build() {
        let typed =
            args(&["--classpath", "a.jar:classes", "--test-classpath", "t:", "--tests", "*Test", "sub"]);
        let project = request(&typed, &Config::default()).project;
        assert_eq!(project.folder, Path::new("sub"));
        let plain = project.plain.unwrap();
        assert_eq!(plain.class_path, [Path::new("a.jar"), Path::new("classes")]);
        assert_eq!(plain.test_class_path, [Path::new("t")]);
        assert_eq!(plain.tests, ["*Test"]);
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        for typed in [
            &["--tests", "*Test"][..],
            &["--test-classpath", "t"],
            &["--classpath", "c", "--", "-Pfast"],
            &["--budget", "10"],
            &["--jobs", "0"],
            &["--fail-on", "everything"],
        ] {
            let typed = ["catchment", "check"].iter().chain(typed);
            assert!(Args::try_parse_from(typed.clone()).is_err(), "{:?}", typed.collect::<Vec<_>>());
        }
    }

    #[test]
    fn arguments_behind_dashes_are_the_build_s() {
        let typed = args(&["core", "--json", "--", "-Pfast", "--offline"]);
        assert_eq!(request(&typed, &Config::default()).project.build_arguments, ["-Pfast", "--offline"]);
    }

    #[test]
    fn a_report_lists_what_makes_the_exit_code() {
        let is_strict = |typed: &[&str]| detail(&args(typed)).strict;
        assert!(!is_strict(&[]) && !is_strict(&["--fail-on", "never", "--all"]));
        assert!(is_strict(&["--fail-on", "not-resilient"]) && is_strict(&["--fail-on", "any", "--all"]));
    }

    #[test]
    fn each_step_of_fail_on_includes_the_one_before() {
        let kinds = [FindingKind::SourceDependent, FindingKind::NotResilient, FindingKind::Unreachable];
        let failing = |fail_on| {
            let finding = |kind| Finding { pair: 0, kind, shown_by: None, tests: 0 };
            kinds.iter().filter(|kind| is_at_or_above(fail_on, &finding(**kind))).count()
        };
        let order = [FailOn::Never, FailOn::Dependent, FailOn::NotResilient, FailOn::Any];
        assert_eq!(order.map(failing), [0, 1, 2, 3]);
        assert_eq!(args(&[]).fail_on, FailOn::Dependent);
    }

    fn project(pair: CheckedPair) -> CheckedProject {
        CheckedProject { pairs: vec![pair], ..CheckedProject::default() }
    }

    fn with(outcome: Outcome) -> CheckedPair {
        CheckedPair {
            executions: vec![Execution::default()],
            experiments: vec![Experiment::new(TestId(0), "E", outcome)],
            ..CheckedPair::default()
        }
    }

    #[test]
    fn a_check_without_a_single_outcome_is_not_clean() {
        let reason = |pair| nothing_tested(&project(pair), false).unwrap();
        assert!(nothing_tested(&CheckedProject::default(), false).unwrap().contains("no try-catch pair"));
        assert!(reason(CheckedPair::default()).contains("no test executes"));
        assert!(reason(with(Outcome::None(NoOutcome::NotRun(NotRun::Budget)))).contains("budget"));
        assert!(reason(with(Outcome::None(NoOutcome::NotFired))).contains("not fired"));
        assert_eq!(nothing_tested(&project(with(Outcome::Pass)), false), None);
        let planned = with(Outcome::None(NoOutcome::NotRun(NotRun::PlanOnly)));
        assert_eq!(nothing_tested(&project(planned), true), None);
    }
}
