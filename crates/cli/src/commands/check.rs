//! `catchment check`: the main job, from a folder to findings.

pub(crate) mod args;

use crate::commands::check::args::{CheckArgs, FailOn};
use crate::config::Config;
use crate::exit::ExitCode;
use crate::output::{self, ReportFile};
use crate::progress;
use anyhow::Result;
use catchment_lab::{CheckRequest, FindingWishes, SessionRequest, check};
use catchment_report::{
    CheckDetail, CheckReport, write_check_json, write_check_text, write_plan_text, write_stats_text,
};
use catchment_verdicts::{FindingPolicy, Rule, why_nothing_tested};
use std::io::{self, Write};

pub(crate) fn run(args: CheckArgs) -> Result<ExitCode> {
    args.project.require_usable()?;
    let config = Config::of_project(&args.project.folder)?;
    // Before the work: its results must have a place to go.
    let file = ReportFile::open_if_given(args.project.output.as_deref())?;
    output::tell_of_refused_cache();
    let checked = {
        let mut progress = progress::on_stderr();
        check(&request(&args, &config), &mut *progress)?
    };
    let report = CheckReport::new(&checked, policy(&args, &config));
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
    if let Some(diagnosis) = why_nothing_tested(&checked, args.list) {
        output::tell(&diagnosis);
        return Ok(ExitCode::NOTHING_OBSERVED);
    }
    let has_findings = report.findings.open.iter().any(|finding| is_at_or_above(args.fail_on, finding.rule));
    Ok(if has_findings && !args.list { ExitCode::FINDINGS } else { ExitCode::CLEAN })
}

fn render(out: &mut dyn Write, args: &CheckArgs, report: &CheckReport<'_>) -> io::Result<()> {
    match (args.json, args.list) {
        (true, _) => return write_check_json(out, report),
        (false, true) => write_plan_text(out, report.project)?,
        (false, false) => {
            write_check_text(out, report, CheckDetail { all: args.all })?;
        }
    }
    if args.stats { write_stats_text(out, &report.project.stats) } else { Ok(()) }
}

/// Findings that make the exit code must be listed.
fn policy<'a>(args: &CheckArgs, config: &'a Config) -> FindingPolicy<'a> {
    FindingPolicy { suppressions: &config.suppress, strict: args.fail_on >= FailOn::NotResilient }
}

fn announced(args: &CheckArgs, config: &Config) -> FindingWishes {
    let FindingPolicy { suppressions, strict } = policy(args, config);
    FindingWishes { suppressions: suppressions.to_vec(), strict }
}

fn request(args: &CheckArgs, config: &Config) -> CheckRequest {
    CheckRequest {
        matrix: args.matrix,
        confirm_passes: args.confirm_passes,
        // What may become a finding is confirmed.
        confirm_routine: args.fail_on >= FailOn::NotResilient,
        selective: args.selective,
        fine: args.fine,
        list: args.list,
        session: SessionRequest { announced: Some(announced(args, config)), ..args.project.request(config) },
    }
}

fn is_at_or_above(fail_on: FailOn, rule: Rule) -> bool {
    let least = match rule {
        Rule::FailsAtOnce => FailOn::Dependent,
        Rule::BreaksTheJvm | Rule::NotResilient => FailOn::NotResilient,
        Rule::Unreachable | Rule::Unstable => FailOn::Any,
    };
    fail_on >= least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, CommandArgs};
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
        let is_strict = |typed: &[&str]| policy(&args(typed), &Config::default()).strict;
        assert!(!is_strict(&[]) && !is_strict(&["--fail-on", "never", "--all"]));
        assert!(is_strict(&["--fail-on", "not-resilient"]) && is_strict(&["--fail-on", "any", "--all"]));
    }

    #[test]
    fn each_step_of_fail_on_includes_the_one_before() {
        let failing = |fail_on| Rule::ALL.iter().filter(|rule| is_at_or_above(fail_on, **rule)).count();
        let order = [FailOn::Never, FailOn::Dependent, FailOn::NotResilient, FailOn::Any];
        assert_eq!(order.map(failing), [0, 1, 3, 5]);
        assert_eq!(args(&[]).fail_on, FailOn::Dependent);
    }
}
