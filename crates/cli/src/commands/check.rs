//! `catchment check`: the main job, from a folder to findings.

pub(crate) mod args;
mod reports;

use crate::commands::check::args::{CheckArgs, FailOn};
use crate::commands::check::reports::Reports;
use crate::config::Config;
use crate::exit::{BadInput, ExitCode};
use crate::output;
use crate::progress;
use crate::size;
use anyhow::Result;
use catchment_lab::{ChangedLines, CheckRequest, FindingWishes, check, trim};
use catchment_report::CheckReport;
use catchment_verdicts::{FindingPolicy, Rule, why_nothing_tested};

/// The largest `.catchment` of a project, unless `catchment.toml` says otherwise.
const SIZE_LIMIT: u64 = 4 << 30;

pub(crate) fn run(args: CheckArgs) -> Result<ExitCode> {
    args.project.require_usable()?;
    let config = Config::of_project(&args.project.folder)?;
    // Before the work: its results must have a place to go.
    let reports = Reports::open(&args)?;
    let changed = changed_lines(&args)?;
    if let (Some(revision), Some(true)) = (&args.changed_since, changed.as_ref().map(ChangedLines::is_empty))
    {
        output::tell(&format_args!("nothing has changed since {revision}"));
        return Ok(ExitCode::CLEAN);
    }
    output::tell_of_refused_cache();
    let checked = {
        let mut progress = progress::on_stderr();
        let mut request = request(&args, &config);
        request.session.changed = changed;
        check(&request, &mut *progress)?
    };
    keep_small(&args, &config);
    let report = CheckReport::new(&checked, policy(&args, &config));
    match reports.write(&args, &report) {
        // Whoever reads the report has seen enough; the findings still count.
        Err(error) if output::is_broken_pipe(&error) => {}
        outcome => outcome?,
    }
    if let Some(revision) =
        args.changed_since.as_ref().filter(|_| checked.pairs.iter().all(|pair| pair.left_out))
    {
        output::tell(&format_args!("no clause has changed since {revision}, and no test that executes one"));
        return Ok(ExitCode::CLEAN);
    }
    if let Some(diagnosis) = why_nothing_tested(&checked, args.list) {
        output::tell(&diagnosis);
        return Ok(ExitCode::NOTHING_OBSERVED);
    }
    let has_findings = report.findings.open.iter().any(|finding| is_at_or_above(args.fail_on, finding.rule));
    Ok(if has_findings && !args.list { ExitCode::FINDINGS } else { ExitCode::CLEAN })
}

fn changed_lines(args: &CheckArgs) -> Result<Option<ChangedLines>, BadInput> {
    let since = |revision: &String| ChangedLines::since(&args.project.folder, revision);
    let changed = args.changed_since.as_ref().map(since).transpose();
    changed.map_err(|error| BadInput(format!("--changed-since: {error}")))
}

/// Caches are removed when they have grown beyond what the user wants to spend on them.
fn keep_small(args: &CheckArgs, config: &Config) {
    let limit = config.size_limit.unwrap_or(SIZE_LIMIT);
    if let Some(removed) = trim(&args.project.request(config).project, limit) {
        output::tell(&format_args!(
            "{} was larger than {}: removed {} of it ({})",
            removed.folder.display(),
            size::told(limit),
            size::told(removed.bytes),
            removed.names.join(", ")
        ));
    }
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
    let mut session = args.project.request(config);
    session.announced = Some(announced(args, config));
    session.project.reports.extend(args.sarif.iter().chain(&args.markdown).cloned());
    CheckRequest {
        matrix: args.matrix,
        confirm_passes: args.confirm_passes,
        // What may become a finding is confirmed.
        confirm_routine: args.fail_on >= FailOn::NotResilient,
        selective: args.selective,
        fine: args.fine,
        list: args.list,
        session,
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
            &["--sarif-suppressed"],
            &["--list", "--sarif", "x"],
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
    fn no_report_is_part_of_the_project() {
        let args = args(&["-o", "check.json", "--sarif", "check.sarif", "--markdown", "check.md"]);
        let reports = request(&args, &Config::default()).session.project.reports;
        assert_eq!(reports, ["check.json", "check.sarif", "check.md"].map(std::path::PathBuf::from));
    }

    #[test]
    fn each_step_of_fail_on_includes_the_one_before() {
        let failing = |fail_on| Rule::ALL.iter().filter(|rule| is_at_or_above(fail_on, **rule)).count();
        let order = [FailOn::Never, FailOn::Dependent, FailOn::NotResilient, FailOn::Any];
        assert_eq!(order.map(failing), [0, 1, 3, 5]);
        assert_eq!(args(&[]).fail_on, FailOn::Dependent);
    }
}
