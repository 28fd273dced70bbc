//! Sentences that several reports of a check have.

use crate::check::CheckReport;
use crate::text::counted;
use catchment_verdicts::{DecidedPairs, NoOutcome, NotRun, Outcome, PairTables, Unfinished, Unknown};

/// `14 try-catch pairs: tests execute the try of 13, and enter the catch of 9`.
pub(crate) fn pairs_of(tables: &PairTables) -> String {
    let pairs = counted(tables.all.pairs, "try-catch pair", "try-catch pairs");
    let (executed, entered) = (tables.executed.pairs, tables.entered.pairs);
    format!("{pairs}: tests execute the try of {executed}, and enter the catch of {entered}")
}

/// Of a check that was cut short: why, what is known and open, what more time would buy. Nothing of one that was not.
pub(crate) fn unfinished(report: &CheckReport<'_>) -> Vec<String> {
    let experiments = || report.project.pairs.iter().flat_map(|pair| &pair.experiments);
    let left =
        |why: NotRun| experiments().filter(|it| it.outcome == Outcome::None(NoOutcome::NotRun(why))).count();
    let (budget, interrupted) = (left(NotRun::Budget) + single_left(report), left(NotRun::Interrupted));
    let unfinished = report.project.unfinished;
    let why = match (budget, interrupted) {
        (0, 0) if unfinished.is_none() => return Vec::new(),
        (_, 0) => "the budget was used up",
        _ => "the check was interrupted",
    };
    let open = match &unfinished {
        Some(unfinished) => open(report, unfinished),
        None => format!("{} not run.", counted(budget + interrupted, "experiment was", "experiments were")),
    };
    vec![format!("Incomplete: {why}."), open, "The next check goes on from here.".to_owned()]
}

fn open(report: &CheckReport<'_>, unfinished: &Unfinished) -> String {
    let DecidedPairs { executed, decided, experiments, unseen_tests } = DecidedPairs::of(report.project);
    let clauses = counted(executed, "clause", "clauses");
    let are = if decided == 1 { "is" } else { "are" };
    let known = format!("{decided} of {clauses} that tests execute {are} done");
    if unseen_tests > 0 {
        let tests = counted(unseen_tests, "test has", "tests have");
        return format!("{known}; {tests} not run at all, and until then only failures count.");
    }
    match unfinished.seconds {
        Some(seconds) => format!("{known}; about {} would do for the rest.", more_time(seconds)),
        None => {
            let left = counted(experiments, "experiment is", "experiments are");
            format!("{known}; at most {left} left, and how long they take is not known yet.")
        }
    }
}

/// `40 more seconds`, `4 more minutes`: no more exact than it can be.
fn more_time(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("{:.0} more seconds", (seconds / 10.0).ceil().max(1.0) * 10.0)
    } else {
        format!("{:.0} more minutes", (seconds / 60.0).ceil())
    }
}

/// Single executions that nobody has come to.
fn single_left(report: &CheckReport<'_>) -> usize {
    let selective = report.verdicts.iter().filter_map(|verdicts| verdicts.selective.as_ref());
    let left = selective.flat_map(|judgement| &judgement.unknown).map(|reason| match reason {
        Unknown::NotRun(count) => *count,
        _ => 0,
    });
    left.sum()
}
