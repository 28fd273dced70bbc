//! Fine-grain injection: clauses that hold when the exception comes at once are asked call by call.
//!
//! For each test that enters the catch: see which calls and throws of the application run within executions of the try, then
//! run it once for each of them with the exception thrown there. Those in the body of the try come first, in the order in
//! which they run: the first that fails is the line that makes the difference, and the last that is asked.

mod sites;

use crate::campaign::inquiry::Inquiry;
use crate::check::experiments::at_every_execution;
use crate::check::fine::sites::SiteReader;
use crate::check::inquiries::{experiment, subjects};
use crate::session::LabError;
use crate::slot::Slot;
use crate::store::Planned;
use crate::trial::ask::{
    Answers, Line, QuestionSeries, SeriesQuestion, Subject, Unavailable, UnprovenSeries,
};
use crate::trial::engine::{Question, Trials};
use catchment_build::Project;
use catchment_protocol::conversation::TestRun;
use catchment_protocol::equipment::Equipment;
use catchment_protocol::experiment::{Experiment, Site, Sites, Visits, Watch, When, Within};
use catchment_verdicts::{
    Attempt, CheckedPair, CheckedProject, FailureKind, FineGrained, FineSite, Mode, NoOutcome, Outcome,
    SourceIndependence, Verdicts, judge,
};

/// Sites that one test is asked about at most.
const MOST_ASKED: usize = 60;

/// The inquiry about every pair that is source-independent in the worst case.
pub(crate) struct FineInquiry<'p> {
    pub(crate) project: &'p Project,
    pub(crate) confirmed_passes: bool,
}

impl Inquiry for FineInquiry<'_> {
    /// The instruction at which the exception was thrown.
    type About = Site;

    const KIND: &'static str = "calls";
    const PHASE: &'static str = "calls within tries";
    const LINE: Line = |stats| &mut stats.fine;
    const EQUIPMENT: Equipment = Equipment::CALLS;

    fn subjects(&self, trials: Trials<'_, '_>) -> Vec<Subject> {
        let is_independent =
            |verdicts: &Verdicts| verdicts.source_independence.verdict == SourceIndependence::Independent;
        let begin = |pair: &mut CheckedPair| {
            pair.fine_grained.get_or_insert_default();
        };
        subjects(trials, self.confirmed_passes, is_independent, begin)
    }

    fn is_decided(&self, checked: &CheckedProject, position: usize) -> bool {
        let fine = judge(&checked.pairs[position], &checked.tests).fine;
        fine.is_some_and(|judgement| judgement.verdict == SourceIndependence::Dependent)
    }

    fn questions(
        &self,
        trials: Trials<'_, '_>,
        slot: &mut Slot<'_>,
        subject: &Subject,
        unproven: &mut UnprovenSeries<'_>,
    ) -> Result<Result<QuestionSeries<Site>, Unavailable>, LabError> {
        if subject.comes_first {
            return Ok(Err(Unavailable::lasting("it executes the try once per JVM")));
        }
        let visited = Watch { visited: true, ..Watch::default() };
        let looking = || (|_| Sites::Instructions, visited.clone());
        let watch = || trials.watch(slot, subject, unproven, looking(), Self::LINE);
        let sites = match trials.session.turns.take(watch)?.and_then(|run| sites_in(&run)) {
            Ok(sites) => sites,
            Err(unavailable) => return Ok(Err(unavailable)),
        };
        let ledger = trials.session.ledger();
        let pair = &ledger.checked.pairs[subject.position];
        let mut sites = self.body_first(pair, sites);
        let left = sites.len().saturating_sub(MOST_ASKED);
        sites.truncate(MOST_ASKED);
        let mut questions = Vec::new();
        for exception in &pair.clause.types {
            let (pair_number, test) = (subject.pair_number, subject.test_number);
            let planned = Planned { pair: pair_number, test, exception: exception.clone() };
            let every = at_every_execution(&ledger, pair, &planned, None, subject.usages.entries())?;
            questions.extend(sites.iter().map(|site| {
                let when =
                    When { within: Within::Executions(pair.clause.id.clone()), visits: Visits::FirstOfEach };
                let experiment = Experiment { sites: Sites::At(vec![site.clone()]), when, ..every.clone() };
                let question = Question {
                    reading: Box::new(|attempt, run| invalidate_if_elsewhere(attempt, run.test_run())),
                    ..Question::new(subject.test, experiment, subject.demands, subject.comes_first)
                };
                SeriesQuestion { about: site.clone(), exception: exception.clone(), question }
            }));
        }
        Ok(Ok(QuestionSeries { questions, left }))
    }

    fn add(&self, pair: &mut CheckedPair, subject: &Subject, answers: &Answers<Site>) {
        let mut fine = pair.fine_grained.take().unwrap_or_default();
        match answers {
            Answers::Unavailable(unavailable) => {
                fine.unavailable.push((subject.test, unavailable.why.clone()));
            }
            Answers::Given { runs, left } => {
                fine.left += left;
                let mut reader = SiteReader::new(self.project, pair);
                pair.experiments.extend(runs.iter().map(|run| {
                    let site = added(&mut fine, reader.describe(&run.about));
                    experiment(run, subject.test, Mode::Fine(site))
                }));
            }
        }
        pair.fine_grained = Some(fine);
    }
}

impl FineInquiry<'_> {
    /// The sites in the body of the try, then the others.
    fn body_first(&self, pair: &CheckedPair, sites: Vec<Site>) -> Vec<Site> {
        let reader = SiteReader::new(self.project, pair);
        let (body, deeper): (Vec<_>, Vec<_>) = sites.into_iter().partition(|site| reader.is_in_body(site));
        [body, deeper].concat()
    }
}

/// The index of the site, which is added if it is new.
fn added(fine: &mut FineGrained, site: FineSite) -> usize {
    let known = fine.sites.iter().position(|each| *each == site);
    known.unwrap_or_else(|| {
        fine.sites.push(site);
        fine.sites.len() - 1
    })
}

/// A run counts if every execution of the try came to the site, and this clause caught what was thrown there: then it differs
/// from the run that passed in nothing but where the exception came from. One that does not end may do so because of what
/// watching so many calls takes.
fn invalidate_if_elsewhere(attempt: Attempt, run: Option<&TestRun>) -> Attempt {
    let why = match (&attempt.outcome, run.and_then(|run| run.observed.as_ref())) {
        (Outcome::None(_), _) => return attempt,
        (Outcome::Fail(failure), _) if failure.kind == FailureKind::Timeout => {
            NoOutcome::WorkerLost("it did not end in time".to_owned())
        }
        // The JVM has ended, and cannot be asked.
        (_, None) => return attempt,
        (_, Some(observed)) => {
            let executions = &observed.executions;
            let count = executions.iter().count() as u64;
            if executions.is_interleaved || executions.is_cut {
                NoOutcome::Diverged
            } else if count != observed.reached {
                let outcome = Outcome::None(NoOutcome::NotFired);
                return Attempt { outcome, reached: count, ..attempt };
            } else if observed.caught_here < observed.fired {
                let first = attempt.caught_elsewhere.first().map(|elsewhere| elsewhere.place.clone());
                NoOutcome::CaughtElsewhere(first.unwrap_or_else(|| "code that is not observed".to_owned()))
            } else {
                return attempt;
            }
        }
    };
    Attempt { outcome: Outcome::None(why), ..attempt }
}

/// The calls and throws that a run which only watched came to.
fn sites_in(run: &TestRun) -> Result<Vec<Site>, Unavailable> {
    let Some(observed) = &run.observed else { return Err(Unavailable::for_now("it was not watched")) };
    if observed.executions.is_interleaved {
        return Err(Unavailable::lasting("several threads or coroutines execute the try"));
    }
    if observed.visited.is_empty() {
        return Err(Unavailable::lasting("nothing of the application is called in the try"));
    }
    Ok(observed.visited.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_protocol::experiment::Observed;
    use catchment_protocol::occurrences::{Colour, Occurrence, Occurrences};
    use catchment_verdicts::Failure;

    /// A test that passes after so many executions of the try, so many of which came to the site.
    fn passed(executions: usize, reached: u64, caught_here: u64) -> NoOutcomeOrPass {
        let mut occurrences = Occurrences::default();
        (0..executions).for_each(|_| occurrences.push(Occurrence { depth: 0, colour: Colour::White }));
        let observed =
            Observed { reached, fired: reached, caught_here, executions: occurrences, ..Observed::default() };
        let run = TestRun { observed: Some(Box::new(observed)), ..TestRun::default() };
        match invalidate_if_elsewhere(Attempt::default(), Some(&run)).outcome {
            Outcome::None(why) => Some(why.as_str()),
            _ => None,
        }
    }

    type NoOutcomeOrPass = Option<&'static str>;

    #[test]
    fn a_run_counts_if_every_execution_was_hit_and_the_clause_caught_it() {
        assert_eq!(passed(2, 2, 2), None);
        assert_eq!(passed(2, 1, 1), Some("not fired"));
        assert_eq!(passed(2, 2, 1), Some("caught elsewhere"));
        let timeout = Failure { kind: FailureKind::Timeout, text: String::new() };
        let hung = Attempt { outcome: Outcome::Fail(timeout), ..Attempt::default() };
        assert!(matches!(
            invalidate_if_elsewhere(hung, None).outcome,
            Outcome::None(NoOutcome::WorkerLost(_))
        ));
    }
}
