//! `check`: throws into the tries of every pair while the project's tests run, and tells which tests notice.
//!
//! ```text
//! session ──► suite ──► plan ──► experiments, each after its test has run alone ──► place or object, single executions,
//!               │                        │                                          calls ──► CheckedProject
//!               └────────────────────────┴── every step in the store
//! ```

mod dependence;
mod error;
mod experiments;
mod fine;
mod inquiries;
mod reliance;
mod selective;

pub use error::CheckError;

use crate::baseline::Baseline;
use crate::campaign::inquiry;
use crate::progress::Progress;
use crate::session::{LabError, Session, SessionRequest};
use crate::slot::Slot;
use crate::trial::engine::Trials;
use catchment_verdicts::{CheckedPair, CheckedProject, NotRun};
use experiments::{Experiments, Manner};
use fine::FineInquiry;
use selective::SelectiveInquiry;

/// A check: the session to open, and how far its experiments go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckRequest {
    pub session: SessionRequest,
    /// Run every experiment, also those that no longer change a verdict.
    pub matrix: bool,
    /// Confirm passes in fresh JVMs too, not only failures.
    pub confirm_passes: bool,
    /// Confirm every failure in a fresh JVM, also those that cannot become findings.
    pub confirm_routine: bool,
    /// Ask executions of a try one at a time where all of them together decide nothing.
    pub selective: bool,
    /// Also throw at the calls within tries whose clauses hold when the exception comes at once.
    pub fine: bool,
    /// Only plan.
    pub list: bool,
}

/// Checks the project. Every result is stored at once, so a check that is cut short goes on where it was.
pub fn check(
    request: &CheckRequest,
    progress: &mut (dyn Progress + Send),
) -> Result<CheckedProject, CheckError> {
    let session = open(&request.session, progress)?;
    check_in(&session, request).map_err(|error| error.explained(&session))?;
    Ok(checked(&session))
}

fn check_in<'p>(session: &'p Session<'p>, request: &CheckRequest) -> Result<(), CheckError> {
    let mut slots = session.slots()?;
    let baseline = baseline(session, &mut slots)?;
    Ok(experiment(request, Trials { session, baseline: &baseline }, &mut slots)?)
}

/// A session with at least one pair to ask about, unless the project has none at all.
pub(crate) fn open<'p>(
    request: &SessionRequest,
    progress: &'p mut (dyn Progress + Send),
) -> Result<Session<'p>, CheckError> {
    Session::open(request, progress, |pairs: &[CheckedPair]| {
        let leaves_nothing = !pairs.is_empty() && pairs.iter().all(|pair| pair.left_out);
        if leaves_nothing { Err(CheckError::NothingSelected) } else { Ok(()) }
    })
}

/// The baseline of a session in which at least one test is evidence.
pub(crate) fn baseline(session: &Session<'_>, slots: &mut [Slot<'_>]) -> Result<Baseline, CheckError> {
    let baseline = session.baseline(slots)?;
    let ledger = session.ledger();
    let tests = &ledger.checked.tests;
    if tests.iter().any(|test| test.colour.is_some()) {
        return Ok(baseline);
    }
    if session.is_over() {
        return Err(CheckError::OutOfTime(session.out_of_time()));
    }
    let first = tests.iter().find_map(|test| Some((test, test.set_aside.as_ref()?)));
    Err(CheckError::NothingPasses(first.map_or_else(
        || session.why_no_tests(&ledger.store),
        |(test, why)| format!("{}: {}", test.name, why.detail()),
    )))
}

/// Plans and carries out the experiments of a check.
pub(crate) fn experiment(
    request: &CheckRequest,
    trials: Trials<'_, '_>,
    slots: &mut [Slot<'_>],
) -> Result<(), LabError> {
    let manner = Manner {
        matrix: request.matrix,
        confirm_passes: request.confirm_passes,
        confirm_routine: request.confirm_routine,
    };
    let confirmed_passes = request.confirm_passes;
    let experiments = Experiments::new(trials, manner);
    experiments.plan()?;
    if request.list {
        experiments.add_not_run(NotRun::PlanOnly);
    } else {
        experiments.run(slots)?;
        if request.selective {
            inquiry::run(trials, &SelectiveInquiry { confirmed_passes }, slots)?;
        }
        if request.fine {
            let fine = FineInquiry { project: &trials.session.project, confirmed_passes };
            inquiry::run(trials, &fine, slots)?;
        }
        if !trials.session.is_over() {
            trials.session.announce_the_rest();
        }
    }
    trials.tell_strays();
    if trials.session.is_interrupted() { Err(LabError::Interrupted) } else { Ok(()) }
}

/// The results of the session, with what each clause relies on.
pub(crate) fn checked(session: &Session<'_>) -> CheckedProject {
    let mut checked = session.checked();
    reliance::add_reliances(&mut checked, &session.project);
    checked
}
