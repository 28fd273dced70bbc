//! Culprits: the clause that is dropped of those that do not go together, found by delta debugging on bytecode.

use crate::baseline::solo::{plain_time_limit, run_fresh};
use crate::session::LabError;
use crate::slot::{Changes, Slot};
use crate::stretch::kept::once;
use crate::stretch::subject::Stretchings;
use crate::stretch::together::delta::smallest;
use crate::stretch::together::{Failing, stretchings};
use crate::stretch::{Candidate, Stretching};

impl Stretching<'_, '_> {
    /// One of the smallest set that makes the test fail, and the others of that set. Asked is the test alone or, where that
    /// says nothing, the whole suite. `None` if time was up.
    pub(crate) fn culprit(
        &self,
        slot: &mut Slot<'_>,
        candidates: &[Candidate],
        accepted: Vec<usize>,
        failing: &Failing,
    ) -> Result<Option<(usize, Vec<usize>)>, LabError> {
        let all = stretchings(candidates, &accepted);
        let Some(tells_alone) = self.tells_alone(slot, &all, failing)? else { return Ok(None) };
        let smallest = smallest(accepted, |chosen| {
            let chosen = stretchings(candidates, chosen);
            match tells_alone {
                true => self.fails_alone(slot, &chosen, failing),
                false => self.fails_in_suite(slot, &chosen, failing),
            }
        })?;
        Ok(smallest.map(|mut smallest| (smallest.pop().unwrap_or_default(), smallest)))
    }

    /// Tells whether the test fails by itself with all of them, and only with them.
    fn tells_alone(
        &self,
        slot: &mut Slot<'_>,
        all: &Stretchings<'_>,
        failing: &Failing,
    ) -> Result<Option<bool>, LabError> {
        match self.fails_alone(slot, all, failing)? {
            Some(true) => Ok(self.fails_alone(slot, &[], failing)?.map(|fails| !fails)),
            other => Ok(other),
        }
    }

    /// In a JVM of its own.
    fn fails_alone(
        &self,
        slot: &mut Slot<'_>,
        chosen: &Stretchings<'_>,
        failing: &Failing,
    ) -> Result<Option<bool>, LabError> {
        let (number, test) = &self.trials.baseline.tests[failing.test.index()];
        once(self.trials.session, chosen, &format!("test {} alone", number.0), || {
            self.wear(slot, chosen)?;
            let limit = plain_time_limit(self.trials.baseline.longest_micros(*number));
            let (run, _) = run_fresh(slot, test, limit)?;
            slot.change(Changes::default());
            Ok(Some(!run.passed()))
        })
    }

    fn fails_in_suite(
        &self,
        slot: &mut Slot<'_>,
        chosen: &Stretchings<'_>,
        failing: &Failing,
    ) -> Result<Option<bool>, LabError> {
        let (number, _) = &self.trials.baseline.tests[failing.test.index()];
        once(self.trials.session, chosen, &format!("test {} in the suite", number.0), || {
            let found = self.failing_in_suite(slot, chosen)?;
            Ok(found.map(|found| found.iter().any(|other| other.test == failing.test)))
        })
    }
}
