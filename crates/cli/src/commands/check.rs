//! `catchment check`: the main job, from a folder to findings.

use crate::args::{CheckArgs, FailOn};
use crate::config::Config;
use crate::exit::ExitCode;
use crate::output::{self, ReportFile};
use crate::progress;
use anyhow::Result;
use catchment_lab::{CheckRequest, check};
use catchment_report::{
    CheckDetail, CheckReport, write_check_json, write_check_text, write_plan_text, write_stats_text,
};
use catchment_verdicts::{CheckedProject, Finding, FindingKind, NoOutcome, NotRun, Outcome};
use std::io::{self, Write};

pub(crate) fn run(args: CheckArgs) -> Result<ExitCode> {
    args.project.require_usable()?;
    let config = Config::of_project(&args.project.folder)?;
    // Before the work: its results must have a place to go.
    let file = ReportFile::open_if_given(args.project.output.as_deref())?;
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

fn request(args: &CheckArgs, config: &Config) -> CheckRequest {
    CheckRequest {
        matrix: args.matrix,
        confirm_passes: args.confirm_passes,
        selective: args.selective,
        fine: args.fine,
        list: args.list,
        ..args.project.request(config)
    }
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

    fn args(typed: &[&str]) -> CheckArgs {
        let typed = ["catchment", "check"].iter().chain(typed);
        let CommandArgs::Check(args) = Args::try_parse_from(typed).unwrap().command else {
            panic!("another command")
        };
        args
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
