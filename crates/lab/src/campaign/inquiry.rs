//! Inquiries: one test after the other is asked a series of questions about a try that it executes.

use crate::session::LabError;
use crate::slot::{Slot, work_off};
use crate::trial::ask::{Answers, Line, QuestionSeries, SeriesAnswer, Subject, Unavailable, UnprovenSeries};
use crate::trial::engine::Trials;
use catchment_protocol::equipment::Equipment;
use catchment_verdicts::{CheckedPair, CheckedProject};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Instant;

/// One kind of inquiry: the maker of the questions, and the reader of the answers.
pub(crate) trait Inquiry: Sync {
    /// The subject of one question: an execution of the try, a call in it.
    type About: Serialize + DeserializeOwned;

    /// The name of the inquiry in the store.
    const KIND: &'static str;
    /// The phase of the progress.
    const PHASE: &'static str;
    const LINE: Line;
    /// Equipment of the JVMs that are asked.
    const EQUIPMENT: Equipment = Equipment::NONE;

    /// The pairs and tests to ask, in the order of the pairs.
    fn subjects(&self, trials: Trials<'_, '_>) -> Vec<Subject>;

    /// Tells whether the answers so far leave nothing to ask about the pair at this position.
    fn is_decided(&self, checked: &CheckedProject, position: usize) -> bool;

    /// Enters what is known of the test without asking it. Tells whether there was something.
    fn take_over(&self, _pair: &mut CheckedPair, _subject: &Subject) -> bool {
        false
    }

    fn questions(
        &self,
        trials: Trials<'_, '_>,
        slot: &mut Slot<'_>,
        subject: &Subject,
        unproven: &mut UnprovenSeries<'_>,
    ) -> Result<Result<QuestionSeries<Self::About>, Unavailable>, LabError>;

    /// Enters what the test has said in the evidence of the pair.
    fn add(&self, pair: &mut CheckedPair, subject: &Subject, answers: &Answers<Self::About>);
}

/// Asks all subjects of the inquiry, as far as earlier runs have not.
pub(crate) fn run<I: Inquiry>(
    trials: Trials<'_, '_>,
    inquiry: &I,
    slots: &mut [Slot<'_>],
) -> Result<(), LabError> {
    let mut left = Vec::new();
    for subject in inquiry.subjects(trials) {
        if !take_over(trials, inquiry, &subject)? {
            left.push(subject);
        }
    }
    slots.iter_mut().for_each(|slot| slot.equip(I::EQUIPMENT));
    let outcome = match ask_all(trials, inquiry, left, slots) {
        // Whoever was not asked is known by having no answer.
        Err(LabError::OutOfTime) => Ok(()),
        outcome => outcome,
    };
    slots.iter_mut().for_each(|slot| slot.equip(Equipment::NONE));
    outcome
}

/// The names in the store of what is asked about and of the question.
fn names<I: Inquiry>(subject: &Subject) -> (String, String) {
    (format!("pair {}", subject.pair_number.0), format!("{} in test {}", I::KIND, subject.test_number.0))
}

/// Tells whether it is known what the test says.
fn take_over<I: Inquiry>(trials: Trials<'_, '_>, inquiry: &I, subject: &Subject) -> Result<bool, LabError> {
    let mut ledger = trials.session.ledger();
    let (about, question) = names::<I>(subject);
    let known: Option<Answers<I::About>> = ledger.store.answer(&about, &question)?;
    let pair = &mut ledger.checked.pairs[subject.position];
    if let Some(answers) = known.filter(|answers| answers.is_final(subject.test, subject.demands)) {
        inquiry.add(pair, subject, &answers);
        return Ok(true);
    }
    Ok(inquiry.take_over(pair, subject))
}

fn ask_all<I: Inquiry>(
    trials: Trials<'_, '_>,
    inquiry: &I,
    mut subjects: Vec<Subject>,
    slots: &mut [Slot<'_>],
) -> Result<(), LabError> {
    let session = trials.session;
    // The cheapest first where time is short.
    if session.deadline.is_some() {
        subjects.sort_by_key(|subject| trials.micros_of(subject.test));
    }
    session.reporter.phase(I::PHASE, Some(subjects.len() as u64));
    work_off(session, slots, subjects, |slot, subject| {
        let begun = Instant::now();
        let is_decided = inquiry.is_decided(&session.ledger().checked, subject.position);
        if !is_decided && let Some(subject) = observed(trials, slot, subject)? {
            ask(trials, inquiry, slot, &subject)?;
        }
        I::LINE(&mut session.stats()).seconds += begun.elapsed().as_secs_f64();
        Ok(())
    })?;
    Ok(())
}

/// The subject as plain runs of its test show it; `None` if the test no longer counts or never enters the catch.
fn observed(
    trials: Trials<'_, '_>,
    slot: &mut Slot<'_>,
    subject: Subject,
) -> Result<Option<Subject>, LabError> {
    trials.observe_fully(slot, subject.test, subject.position)?;
    let ledger = trials.session.ledger();
    if !ledger.checked.tests[subject.test.index()].is_evidence() {
        return Ok(None);
    }
    let mut executing = ledger.checked.pairs[subject.position].executing_tests.iter();
    let executing = executing.find(|executing| executing.test == subject.test);
    Ok(executing.filter(|executing| executing.usages.white > 0).map(|executing| subject.of(executing)))
}

fn ask<I: Inquiry>(
    trials: Trials<'_, '_>,
    inquiry: &I,
    slot: &mut Slot<'_>,
    subject: &Subject,
) -> Result<(), LabError> {
    let put_to = (subject.test, subject.demands);
    let answers = trials.ask_until_proven(slot, put_to, |slot, demands, unproven| {
        match inquiry.questions(trials, slot, &Subject { demands, ..*subject }, unproven)? {
            Ok(series) => trials.ask_each(slot, series, unproven, I::LINE),
            Err(unavailable) => Ok(Some(Answers::Unavailable(unavailable))),
        }
    })?;
    let Some(answers) = answers else { return Ok(()) };
    let mut ledger = trials.session.ledger();
    let (about, question) = names::<I>(subject);
    ledger.store.together(|| ledger.store.keep_answer(&about, &question, &answers))?;
    inquiry.add(&mut ledger.checked.pairs[subject.position], subject, &answers);
    let is_settled = inquiry.is_decided(&ledger.checked, subject.position);
    trials.session.announce(&ledger.checked, subject.position, is_settled);
    Ok(())
}
