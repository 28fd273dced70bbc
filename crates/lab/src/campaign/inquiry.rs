//! Inquiries: one test after the other is asked a row of questions about a try that it enters the catch of.

use crate::observations::TestNumber;
use crate::session::LabError;
use crate::slot::{Slot, in_parallel};
use crate::trial::ask::{Answers, Line, Questions, Row, Subject, Unavailable};
use crate::trial::engine::Trials;
use catchment_protocol::equipment::Equipment;
use catchment_verdicts::{CheckedPair, Demands, ExecutingTest, Verdicts, judge};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// One kind of inquiry: the maker of the questions, and the reader of the answers.
pub(crate) trait Inquiry: Sync {
    /// The subject of one question: an execution of the try, a call in it.
    type About: Serialize + DeserializeOwned;

    /// Its name in the store.
    const KIND: &'static str;
    /// The phase of the progress.
    const PHASE: &'static str;
    const LINE: Line;
    /// Equipment of the JVMs that are asked.
    const EQUIPMENT: Equipment = Equipment::NONE;

    /// Tells whether pairs with these verdicts are asked about.
    fn is_about(&self, verdicts: &Verdicts) -> bool;

    /// Tells whether the verdicts leave nothing to ask.
    fn is_decided(&self, verdicts: &Verdicts) -> bool;

    /// The pair is asked about.
    fn begin(&self, pair: &mut CheckedPair);

    /// Enters what is known of the test without asking it. Tells whether there was something.
    fn take_over(&self, _pair: &mut CheckedPair, _subject: &Subject) -> bool {
        false
    }

    fn questions(
        &self,
        trials: Trials<'_, '_>,
        slot: &mut Slot<'_>,
        subject: &Subject,
        unproven: &mut Row,
    ) -> Result<Result<Questions<Self::About>, Unavailable>, LabError>;

    /// Enters what the test has said in the evidence of the pair.
    fn add(&self, pair: &mut CheckedPair, subject: &Subject, answers: &Answers<Self::About>);
}

/// Asks the tests that enter the catches of all pairs that the inquiry is about, as far as earlier runs have not.
pub(crate) fn run<I: Inquiry>(
    trials: Trials<'_, '_>,
    inquiry: &I,
    confirmed_passes: bool,
    slots: &mut [Slot<'_>],
) -> Result<(), LabError> {
    let mut left = Vec::new();
    for subject in subjects(trials, inquiry, confirmed_passes) {
        if !take_over(trials, inquiry, &subject)? {
            left.push(subject);
        }
    }
    slots.iter_mut().for_each(|slot| slot.equip(I::EQUIPMENT));
    let outcome = ask_all(trials, inquiry, left, slots);
    slots.iter_mut().for_each(|slot| slot.equip(Equipment::NONE));
    outcome
}

fn subjects(trials: Trials<'_, '_>, inquiry: &impl Inquiry, confirmed_passes: bool) -> Vec<Subject> {
    let mut ledger = trials.session.ledger();
    let checked = &mut ledger.checked;
    let mut subjects = Vec::new();
    for (position, pair) in checked.pairs.iter_mut().enumerate() {
        let is_asked = !pair.left_out && pair.not_injectable.is_none();
        if !is_asked || !inquiry.is_about(&judge(pair, &checked.tests)) {
            continue;
        }
        let is_evidence = |execution: &&ExecutingTest| {
            execution.usages.white > 0 && checked.tests[execution.test.index()].is_evidence()
        };
        let before = subjects.len();
        subjects.extend(pair.executing_tests.iter().filter(is_evidence).map(|execution| {
            let comes_first = execution.once_per_jvm || execution.needs_fresh;
            Subject {
                position,
                test: execution.test,
                pair_number: trials.session.number_of(position),
                test_number: trials.test(execution.test).0,
                demands: Demands { only_fresh: comes_first, confirmed_passes },
                comes_first,
                usages: execution.usages,
            }
        }));
        if subjects.len() > before {
            inquiry.begin(pair);
        }
    }
    subjects
}

/// Tells whether it is known what the test says.
fn take_over<I: Inquiry>(trials: Trials<'_, '_>, inquiry: &I, subject: &Subject) -> Result<bool, LabError> {
    let mut ledger = trials.session.ledger();
    let (pair, test): (_, TestNumber) = (subject.pair_number, subject.test_number);
    let known: Option<Answers<I::About>> = ledger.store.answer(pair, test, I::KIND)?;
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
    let left = Mutex::new(VecDeque::from(subjects));
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    in_parallel(slots, |slot| {
        while !session.is_over()
            && let Some(subject) = next()
        {
            let begun = Instant::now();
            if !is_decided(trials, inquiry, subject.position) {
                ask(trials, inquiry, slot, &subject)?;
            }
            I::LINE(&mut session.stats()).seconds += begun.elapsed().as_secs_f64();
            session.reporter.step(1);
        }
        Ok(())
    })
}

fn is_decided(trials: Trials<'_, '_>, inquiry: &impl Inquiry, position: usize) -> bool {
    let ledger = trials.session.ledger();
    inquiry.is_decided(&judge(&ledger.checked.pairs[position], &ledger.checked.tests))
}

fn ask<I: Inquiry>(
    trials: Trials<'_, '_>,
    inquiry: &I,
    slot: &mut Slot<'_>,
    subject: &Subject,
) -> Result<(), LabError> {
    let answers = trials.ask_until_proven(slot, subject, |slot, subject, unproven| {
        match inquiry.questions(trials, slot, subject, unproven)? {
            Ok(questions) => trials.ask_each(slot, questions, unproven, I::LINE),
            Err(untold) => Ok(Some((Answers::Unavailable(untold), true))),
        }
    })?;
    let Some(answers) = answers else { return Ok(()) };
    let mut ledger = trials.session.ledger();
    let (pair, test) = (subject.pair_number, subject.test_number);
    ledger.store.together(|| ledger.store.keep_answer(pair, test, I::KIND, &answers))?;
    inquiry.add(&mut ledger.checked.pairs[subject.position], subject, &answers);
    Ok(())
}
