//! `check`: throws into the tries of every pair while the project's tests run, and tells which tests notice.
//!
//! ```text
//! session ──► suite twice ──► tests alone, twice ──► plan ──► experiments ──► single executions, calls ──► CheckedProject
//!                └──────────────────┴── every step in the store ──┴────────────────┘
//! ```

mod experiments;
mod fine;
mod history;
mod places;
mod reliance;
mod single;

use crate::progress::Progress;
use crate::session::{LabError, Session, SessionRequest};
use crate::slot::Slot;
use crate::trial::engine::Trials;
use catchment_verdicts::{CheckedProject, NotRun};
use experiments::{Experiments, Manner};
use fine::Calls;
use single::SingleExecutions;

/// A check: the session to open, and how far its experiments go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckRequest {
    pub session: SessionRequest,
    /// Run every experiment, also those that no longer change a verdict.
    pub matrix: bool,
    /// Confirm passes in fresh JVMs too, not only failures.
    pub confirm_passes: bool,
    /// Where all executions of a try together say nothing, ask one at a time.
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
) -> Result<CheckedProject, LabError> {
    let session = Session::open(&request.session, progress)?;
    let outcome = check_in(&session, request);
    outcome.map_err(|error| session.explained(error))?;
    Ok(checked(&session))
}

fn check_in<'p>(session: &'p Session<'p>, request: &CheckRequest) -> Result<(), LabError> {
    let mut slots = session.slots()?;
    let baseline = session.baseline(&mut slots)?;
    experiment(request, Trials { session, baseline: &baseline }, &mut slots)
}

/// Plans and carries out the experiments of a check.
pub(crate) fn experiment(
    request: &CheckRequest,
    trials: Trials<'_, '_>,
    slots: &mut [Slot<'_>],
) -> Result<(), LabError> {
    let manner = Manner { matrix: request.matrix, confirm_passes: request.confirm_passes };
    let experiments = Experiments::new(trials, manner);
    experiments.plan()?;
    if request.list {
        experiments.add_not_run(NotRun::PlanOnly);
    } else {
        experiments.run(slots)?;
        if request.selective {
            experiments.inquire(&SingleExecutions, slots)?;
        }
        if request.fine {
            experiments.inquire(&Calls { project: &trials.session.project }, slots)?;
        }
    }
    if trials.session.is_interrupted() { Err(LabError::Interrupted) } else { Ok(()) }
}

/// The results of the session, with what each clause relies on.
pub(crate) fn checked(session: &Session<'_>) -> CheckedProject {
    let mut checked = session.checked();
    reliance::add_reliances(&mut checked, &session.project);
    checked
}
