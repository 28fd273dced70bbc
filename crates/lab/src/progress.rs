//! Progress of long work.

use catchment_verdicts::{CheckFinding, CheckedPair};
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Hears of the progress of a run. How it looks is the business of whoever implements it.
pub trait Progress {
    /// The work enters a phase of so many steps, or of nobody knows how many.
    fn phase(&mut self, name: &str, total: Option<u64>);

    /// The phase turns out to have another number of steps.
    fn retotal(&mut self, total: u64);

    /// This many more steps are done.
    fn step(&mut self, steps: u64);

    /// So many steps are done by now, less than before where some have to be done again. `left` is what the rest will take,
    /// as far as it can be told.
    fn reach(&mut self, done: u64, left: Option<Duration>);

    /// The step at hand, in one line.
    fn asks(&mut self, what: &str);

    /// A finding, as soon as it stands. The report will have it too.
    fn finding(&mut self, pair: &CheckedPair, finding: &CheckFinding);

    /// Something that the user should know at once, in one line.
    fn note(&mut self, text: &str);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn phase(&mut self, _name: &str, _total: Option<u64>) {}

    fn retotal(&mut self, _total: u64) {}

    fn step(&mut self, _steps: u64) {}

    fn reach(&mut self, _done: u64, _left: Option<Duration>) {}

    fn asks(&mut self, _what: &str) {}

    fn finding(&mut self, _pair: &CheckedPair, _finding: &CheckFinding) {}

    fn note(&mut self, _text: &str) {}
}

/// Lets several threads tell.
pub(crate) struct Reporter<'a>(Mutex<&'a mut (dyn Progress + Send)>);

impl<'a> Reporter<'a> {
    pub(crate) fn new(progress: &'a mut (dyn Progress + Send)) -> Self {
        Self(Mutex::new(progress))
    }

    fn tell(&self, what: impl FnOnce(&mut dyn Progress)) {
        what(&mut **self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn phase(&self, name: &str, total: Option<u64>) {
        self.tell(|progress| progress.phase(name, total));
    }

    pub(crate) fn retotal(&self, total: u64) {
        self.tell(|progress| progress.retotal(total));
    }

    pub(crate) fn step(&self, steps: u64) {
        self.tell(|progress| progress.step(steps));
    }

    pub(crate) fn reach(&self, done: u64, left: Option<Duration>) {
        self.tell(|progress| progress.reach(done, left));
    }

    pub(crate) fn asks(&self, what: &str) {
        self.tell(|progress| progress.asks(what));
    }

    pub(crate) fn finding(&self, pair: &CheckedPair, finding: &CheckFinding) {
        self.tell(|progress| progress.finding(pair, finding));
    }

    pub(crate) fn note(&self, text: &str) {
        self.tell(|progress| progress.note(text));
    }
}

impl fmt::Debug for Reporter<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Reporter")
    }
}
