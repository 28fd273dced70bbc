//! The loop of a campaign: its tenant's questions, one after the other on every slot.

use crate::campaign::queue::{Key, Needs, Queue, Taken};
use crate::session::{LabError, Ledger};
use crate::slot::{Slot, in_parallel};
use crate::store::StoreError;
use crate::trial::engine::{Question, Trials};
use crate::trial::proof::{Keeper, Unproven};
use catchment_verdicts::Attempt;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A test that takes so much longer under injection waits for something that does not happen.
const WAIT_MICROS: u64 = 1_000_000;

/// The maker of a campaign's questions, and the reader of their answers.
pub(crate) trait Tenant: Sync {
    type Key: Key;

    /// The phase of the progress, whose steps are groups.
    fn phase(&self) -> &'static str;

    /// An experiment in words: what is asked about, and who.
    fn describe(&self, ledger: &Ledger, key: Self::Key) -> String;

    /// Everything there is to do.
    fn needs(&self, ledger: &Ledger) -> Vec<Needs<Self::Key>>;

    /// The experiments that can still change something about the group.
    fn needed(&self, ledger: &Ledger, group: usize) -> Vec<Self::Key>;

    fn question(&self, ledger: &Ledger, taken: Taken<Self::Key>) -> Result<Question, LabError>;

    /// Makes the plain runs on which the experiment rests, if some are missing, and gives the groups that may need something
    /// else now; `None` if nothing was missing.
    fn observe<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        key: Self::Key,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<Option<BTreeSet<usize>>, LabError>;

    /// Tells whether the experiment may run together with others of its test's class.
    fn is_together(&self, key: Self::Key) -> bool;

    /// Tells whether the two are one experiment with two tests of a group.
    fn is_same_experiment(&self, one: Self::Key, other: Self::Key) -> bool;

    /// Enters what the attempts amount to in the ledger. Tells whether the group may need something else now.
    fn enter(&self, ledger: &mut Ledger, key: Self::Key, attempts: &[Attempt]) -> bool;

    /// Takes back what was entered: the worker did not prove itself.
    fn forget(&self, ledger: &mut Ledger, key: Self::Key);

    /// Writes attempts that stand to the store.
    fn keep(&self, ledger: &Ledger, key: Self::Key, attempts: &[Attempt]) -> Result<(), StoreError>;
}

/// A campaign under way.
struct Campaign<'c, 'a, 'p, T: Tenant> {
    trials: Trials<'a, 'p>,
    tenant: &'c T,
    queue: Mutex<Queue<T::Key>>,
    shown: ShownGroups,
    begun: Instant,
}

/// The most groups that have been shown as done. A plain run may show that one of them needs more after all; that is no reason
/// to count backwards.
#[derive(Debug, Default)]
struct ShownGroups(AtomicUsize);

impl ShownGroups {
    /// The number to show.
    fn reach(&self, done: usize) -> usize {
        self.0.fetch_max(done, Ordering::Relaxed).max(done)
    }

    /// The user has been told why there are fewer again.
    fn restart(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// The groups of a campaign that need nothing more, and the time that took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Pace {
    pub(crate) groups_done: usize,
    pub(crate) seconds: f64,
}

impl Pace {
    pub(crate) fn and(self, other: Self) -> Self {
        Self { groups_done: self.groups_done + other.groups_done, seconds: self.seconds + other.seconds }
    }

    /// Seconds for so many more groups; `None` before the first one is done.
    pub(crate) fn seconds_for(self, groups: usize) -> Option<f64> {
        (self.groups_done > 0).then(|| self.seconds / self.groups_done as f64 * groups as f64)
    }
}

/// A question that was taken from the queue, to be asked now.
struct QueuedQuestion<K> {
    key: K,
    question: Question,
    /// A worker that did not prove itself has answered it before.
    is_repeated: bool,
}

/// Carries out all that the tenant needs, as far as there is time.
pub(crate) fn run<T: Tenant>(
    trials: Trials<'_, '_>,
    tenant: &T,
    slots: &mut [Slot<'_>],
) -> Result<Pace, LabError> {
    let queue = Queue::new(tenant.needs(&trials.session.ledger()));
    trials.session.reporter.phase(tenant.phase(), Some(queue.groups() as u64));
    let (queue, shown) = (Mutex::new(queue), ShownGroups::default());
    let campaign = Campaign { trials, tenant, queue, shown, begun: Instant::now() };
    in_parallel(slots, |slot| campaign.work(slot))?;
    Ok(campaign.pace(&campaign.queue()))
}

impl<T: Tenant> Keeper for Campaign<'_, '_, '_, T> {
    type Result = (T::Key, Vec<Attempt>);

    fn keep(&self, proven: Vec<Self::Result>) -> Result<(), LabError> {
        let ledger = self.trials.session.ledger();
        let mut results = proven.iter();
        let mut keep = |(key, attempts): &Self::Result| self.tenant.keep(&ledger, *key, attempts);
        Ok(ledger.store.together(|| results.try_for_each(&mut keep))?)
    }

    fn put_back(&self, lost: Vec<Self::Result>) {
        let mut ledger = self.trials.session.ledger();
        let mut queue = self.queue();
        let mut groups = BTreeSet::new();
        for (key, _) in lost {
            self.tenant.forget(&mut ledger, key);
            queue.suspect(key);
            groups.insert(key.group());
        }
        let clauses = groups.len();
        for group in groups {
            queue.set_needed(group, self.tenant.needed(&ledger, group));
        }
        let session = self.trials.session;
        if !session.is_over() {
            let clauses = if clauses == 1 { "1 clause".to_owned() } else { format!("{clauses} clauses") };
            session
                .reporter
                .note(&format!("a test JVM is not to be trusted any more: {clauses} are asked about again"));
            self.shown.restart();
        }
        self.tell(&queue);
    }
}

impl<T: Tenant> Campaign<'_, '_, '_, T> {
    fn queue(&self) -> MutexGuard<'_, Queue<T::Key>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pace(&self, queue: &Queue<T::Key>) -> Pace {
        Pace {
            groups_done: queue.groups() - queue.open_groups(),
            seconds: self.begun.elapsed().as_secs_f64(),
        }
    }

    /// Tells how far the campaign is.
    fn tell(&self, queue: &Queue<T::Key>) {
        let pace = self.pace(queue);
        let left = pace.seconds_for(queue.open_groups()).map(Duration::from_secs_f64);
        let reporter = &self.trials.session.reporter;
        reporter.retotal(queue.groups() as u64);
        reporter.reach(self.shown.reach(pace.groups_done) as u64, left);
    }

    fn work(&self, slot: &mut Slot<'_>) -> Result<(), LabError> {
        let mut unproven = Unproven::of(self);
        match self.work_until_over(slot, &mut unproven) {
            // What the JVM that was ended had not proven is nothing to go by.
            Err(LabError::OutOfTime) => {
                unproven.put_back();
                Ok(())
            }
            outcome => outcome,
        }
    }

    fn work_until_over(
        &self,
        slot: &mut Slot<'_>,
        unproven: &mut Unproven<'_, Self>,
    ) -> Result<(), LabError> {
        let session = self.trials.session;
        loop {
            while !session.is_over()
                && let Some(taken) = self.take()
            {
                session.reporter.asks(&self.tenant.describe(&session.ledger(), taken.key));
                if self.observe(slot, taken.key, unproven)? {
                    continue;
                }
                let queued = self.queued(&session.ledger(), taken)?;
                let companions = self.companions(&queued)?;
                if companions.is_empty() {
                    self.do_one(slot, &queued, unproven)?;
                } else {
                    let batch: Vec<_> = std::iter::once(queued).chain(companions).collect();
                    self.do_together(slot, &batch, unproven)?;
                }
            }
            if session.is_interrupted() {
                return Ok(());
            }
            self.trials.prove_last(slot, unproven)?;
            // What turned out to be in doubt is taken up again.
            if session.is_over() || !self.queue().has_work() {
                return Ok(());
            }
        }
    }

    fn take(&self) -> Option<Taken<T::Key>> {
        self.queue().take()
    }

    /// Makes the plain runs on which the question rests, if some are missing. The question then waits in the queue again, if
    /// it is still one.
    fn observe(
        &self,
        slot: &mut Slot<'_>,
        key: T::Key,
        unproven: &mut Unproven<'_, Self>,
    ) -> Result<bool, LabError> {
        let Some(mut changed) = self.tenant.observe(slot, key, unproven)? else { return Ok(false) };
        changed.insert(key.group());
        let session = self.trials.session;
        let ledger = session.ledger();
        let mut queue = self.queue();
        queue.release(key);
        for group in changed {
            queue.set_needed(group, self.tenant.needed(&ledger, group));
        }
        self.tell(&queue);
        Ok(true)
    }

    fn queued(&self, ledger: &Ledger, taken: Taken<T::Key>) -> Result<QueuedQuestion<T::Key>, LabError> {
        let Taken { key, is_repeated, .. } = taken;
        Ok(QueuedQuestion { key, question: self.tenant.question(ledger, taken)?, is_repeated })
    }

    /// The questions that can be asked together with this one; they are taken from the queue.
    fn companions(&self, queued: &QueuedQuestion<T::Key>) -> Result<Vec<QueuedQuestion<T::Key>>, LabError> {
        let is_alone = queued.is_repeated || queued.question.demands.only_fresh;
        if is_alone || !self.tenant.is_together(queued.key) {
            return Ok(Vec::new());
        }
        let class_of = |key: T::Key| {
            let (_, test) = self.trials.test(key.test());
            (test.configuration, test.unit.class.as_str())
        };
        let is_companion = |key: &T::Key| {
            self.tenant.is_same_experiment(*key, queued.key)
                && class_of(*key) == class_of(queued.key)
                && self.tenant.is_together(*key)
        };
        let ledger = self.trials.session.ledger();
        let more = self.queue().take_more(queued.key.group(), is_companion);
        let taken = |key| Taken { key, is_repeated: false, is_suspect: false };
        more.into_iter().map(|key| self.queued(&ledger, taken(key))).collect()
    }

    fn do_one(
        &self,
        slot: &mut Slot<'_>,
        queued: &QueuedQuestion<T::Key>,
        unproven: &mut Unproven<'_, Self>,
    ) -> Result<(), LabError> {
        self.trials.prove_before_another(slot, queued.key.test(), unproven)?;
        let is_doubtful = self.carry_out(slot, queued, Vec::new(), unproven)?;
        let is_last_repeat = queued.is_repeated && !self.queue().has_repeats();
        if is_last_repeat && !is_doubtful {
            return self.trials.prove_last(slot, unproven);
        }
        self.trials.prove_if_due(slot, is_doubtful.then_some(queued.key.test()), unproven)
    }

    /// All of one group, experiment and class.
    fn do_together(
        &self,
        slot: &mut Slot<'_>,
        batch: &[QueuedQuestion<T::Key>],
        unproven: &mut Unproven<'_, Self>,
    ) -> Result<(), LabError> {
        let Some(first) = batch.first() else { return Ok(()) };
        self.trials.prove_before_another(slot, first.key.test(), unproven)?;
        let session = self.trials.session;
        let questions: Vec<_> = batch.iter().map(|queued| &queued.question).collect();
        let attempts = session.turns.take(|| self.trials.attempt_together(slot, &questions, unproven))?;
        let mut doubtful = None;
        for (queued, attempt) in batch.iter().zip(attempts) {
            // Another test of the class may have spoilt what they share, so a failure counts only if the test fails alone.
            let attempt = attempt.filter(|attempt| !attempt.is_failure());
            if attempt.is_none() && (session.is_over() || !self.is_still_needed(queued.key)) {
                self.queue().release(queued.key);
                continue;
            }
            if self.carry_out(slot, queued, attempt.into_iter().collect(), unproven)? {
                doubtful = Some(queued.key.test());
            }
        }
        self.trials.prove_if_due(slot, doubtful, unproven)
    }

    fn is_still_needed(&self, key: T::Key) -> bool {
        self.tenant.needed(&self.trials.session.ledger(), key.group()).contains(&key)
    }

    /// Makes the attempts the experiment needs besides those that were made. Tells whether something in the warm worker was
    /// doubtful.
    fn carry_out(
        &self,
        slot: &mut Slot<'_>,
        queued: &QueuedQuestion<T::Key>,
        made: Vec<Attempt>,
        unproven: &mut Unproven<'_, Self>,
    ) -> Result<bool, LabError> {
        let made_before = made.len();
        let attempts = self.trials.attempts(slot, &queued.question, made, unproven)?;
        self.trials.session.stats().count(&attempts);
        if attempts[made_before..].iter().any(has_waited) {
            self.queue().postpone(queued.key.test());
        }
        let is_final = attempts.iter().any(|attempt| attempt.is_fresh);
        if is_final {
            let ledger = self.trials.session.ledger();
            ledger.store.together(|| self.tenant.keep(&ledger, queued.key, &attempts))?;
        }
        self.finish(queued.key, &attempts);
        let has_doubts = attempts.iter().any(|attempt| !attempt.is_fresh && attempt.is_doubtful());
        if !is_final {
            let micros = attempts.iter().map(|attempt| attempt.micros).sum();
            unproven.add(queued.key.test(), micros, (queued.key, attempts));
        }
        Ok(has_doubts)
    }

    /// The experiment has its outcome; what the group needs now may be less.
    fn finish(&self, key: T::Key, attempts: &[Attempt]) {
        let session = self.trials.session;
        let mut ledger = session.ledger();
        let mut queue = self.queue();
        queue.finish(key);
        if self.tenant.enter(&mut ledger, key, attempts) {
            queue.set_needed(key.group(), self.tenant.needed(&ledger, key.group()));
        }
        self.tell(&queue);
    }
}

/// The time of a fresh JVM says nothing of its test.
fn has_waited(attempt: &Attempt) -> bool {
    !attempt.is_fresh && attempt.micros > attempt.plain_micros + WAIT_MICROS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_are_shown_as_done_stay_so_until_the_user_is_told_otherwise() {
        let shown = ShownGroups::default();
        assert_eq!([3, 5, 4, 6].map(|done| shown.reach(done)), [3, 5, 5, 6]);
        shown.restart();
        assert_eq!(shown.reach(2), 2);
    }
}
