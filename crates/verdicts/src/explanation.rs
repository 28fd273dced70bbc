//! The words of a check's findings: the answer, the experiment that shows it, what is known of the reason, and what to
//! do about it.
//!
//! Every report shows these words. They say what experiments and bytecode show, and no more: where no reason is known,
//! the to-do is the question to ask.

use crate::experiment::{ExperimentResult, FailureKind, NoOutcome, Outcome};
use crate::finding::{Message, RelatedSite, SiteRole};
use crate::frame::Frame;
use crate::project::{CheckedPair, CheckedProject, FieldRead, Reliance};
use crate::rules::Rule;
use crate::sites::{site_of_frame, site_of_pair};

/// How exceptions are made that may not be what any real one is.
const WITHOUT_CONSTRUCTORS: &str = "allocated";
/// Variables that a to-do names; the reasons have all of them.
const NAMED: usize = 3;

/// A finding that words are needed for.
pub(crate) struct Subject<'a> {
    pub(crate) project: &'a CheckedProject,
    pub(crate) pair: &'a CheckedPair,
    pub(crate) rule: Rule,
    /// The experiment that shows the finding best.
    pub(crate) shown_by: Option<&'a ExperimentResult>,
    /// Number of tests that show the finding.
    pub(crate) tests: usize,
    pub(crate) only_timeouts: bool,
    /// The user asks for clauses that are not purely resilient.
    pub(crate) is_strict: bool,
}

impl Subject<'_> {
    pub(crate) fn message(&self) -> Message {
        Message {
            sentences: self.sentences(),
            failure: self.failure().map(|(_, text)| text.lines().next().unwrap_or_default().to_owned()),
            reasons: self.reasons(),
            to_do: self.to_do(),
        }
    }

    /// The site of the throw first.
    pub(crate) fn related(&self) -> Vec<RelatedSite> {
        let line = self.pair.clause.try_line;
        let throws = line.map(|line| RelatedSite {
            role: SiteRole::Throws,
            site: site_of_pair(self.pair, Some(line)),
            words: match self.shown_by {
                Some(experiment) => format!("{} is thrown here, as the try begins", thrown(experiment)),
                None => "the try begins here".to_owned(),
            },
        });
        let relied = self.relied().iter().flat_map(|reliance| self.sites_of(reliance));
        let read = self.left_to_calls().iter().filter_map(|field| self.site_of_read(field));
        throws.into_iter().chain(relied).chain(read).chain(self.fails()).collect()
    }

    fn site_of_read(&self, field: &FieldRead) -> Option<RelatedSite> {
        Some(RelatedSite {
            role: SiteRole::Reads,
            site: site_of_pair(self.pair, Some(field.line?)),
            words: format!("the catch reads {}", field.what),
        })
    }

    fn sites_of(&self, reliance: &Reliance) -> Vec<RelatedSite> {
        let site = |role, line: &u32, words| RelatedSite {
            role,
            site: site_of_pair(self.pair, Some(*line)),
            words: format!("{words} {}", reliance.what),
        };
        let reads = if reliance.is_read_after { "the code after the catch reads" } else { "the catch reads" };
        let set = reliance.set_lines.iter().map(|line| site(SiteRole::Sets, line, "the try sets"));
        set.chain(reliance.read_line.iter().map(|line| site(SiteRole::Reads, line, reads))).collect()
    }

    fn fails(&self) -> Option<RelatedSite> {
        let (_, text) = self.failure()?;
        let test = self.project.test(self.shown_by?.test);
        let site = site_of_frame(&Frame::of_failure(text)?, self.project, self.pair, test)?;
        let words = format!("{} fails here", test.map_or("the test", |test| test.name.as_str()));
        Some(RelatedSite { role: SiteRole::Fails, site, words })
    }

    /// None of an unstable experiment, which passes as well.
    fn failure(&self) -> Option<(FailureKind, &str)> {
        match &self.shown_by?.outcome {
            Outcome::Fail(failure) if self.rule != Rule::Unstable => Some((failure.kind, &failure.text)),
            _ => None,
        }
    }

    /// What the clause relies on, as far as that says anything about the finding.
    fn relied(&self) -> &[Reliance] {
        if self.rule == Rule::FailsAtOnce { &self.pair.relies_on } else { &[] }
    }

    /// Fields that the clause reads and calls in the try can have set, where it reads nothing that the try sets itself.
    fn left_to_calls(&self) -> &[FieldRead] {
        let is_asked = self.rule == Rule::FailsAtOnce && self.pair.relies_on.is_empty();
        if is_asked { &self.pair.left_to_calls } else { &[] }
    }

    fn test(&self) -> &str {
        let test = self.shown_by.and_then(|experiment| self.project.test(experiment.test));
        test.map_or("?", |test| test.name.as_str())
    }

    fn sentences(&self) -> Vec<String> {
        let (test, exception) = (self.test(), self.shown_by.map_or("?", thrown));
        let verb = self.failure().map_or("fails", |(kind, _)| kind.verb());
        match self.rule {
            Rule::FailsAtOnce => {
                let line = self.pair.clause.try_line.map(|line| format!(", before line {line}"));
                let line = line.unwrap_or_default();
                vec![
                    "The catch, or the code after it, relies on what the try did before the exception came"
                        .to_owned(),
                    format!(
                        "{test} passes when {exception} comes from where the try throws it, and {verb} when a copy of it \
                         comes at once{line}"
                    ),
                ]
            }
            Rule::BreaksTheJvm | Rule::NotResilient => {
                vec![format!("{test} {verb} when {exception} comes at once")]
            }
            Rule::Unreachable => {
                let why = self.pair.not_injectable.as_deref().unwrap_or_default();
                vec![format!("No exception thrown at the try can reach this catch: {why}")]
            }
            Rule::Unstable => {
                vec![format!("Undecided: {test} has different outcomes when the same experiment is repeated")]
            }
        }
    }

    fn reasons(&self) -> Vec<String> {
        let handler = self.what_the_catch_did();
        let read = self.left_to_calls().iter().map(|field| {
            let read = in_lines(field.line.as_slice());
            format!(
                "The catch reads {}{read}, which the try does not set itself: only its calls can",
                field.what
            )
        });
        let relied = self.relied().iter().map(|relied| capitalised(&reliance_words(relied)));
        let made = self.shown_by.and_then(|experiment| experiment.made.as_deref());
        let made = made.filter(|made| made.starts_with(WITHOUT_CONSTRUCTORS) && self.failure().is_some());
        let made = made.map(|made| format!("The exception was {made}"));
        let timeouts = self.only_timeouts.then(|| "The only evidence is a timeout".to_owned());
        let others = match self.tests.saturating_sub(1) {
            0 => None,
            1 => Some("1 other test shows the same".to_owned()),
            more => Some(format!("{more} other tests show the same")),
        };
        handler.into_iter().chain(relied).chain(read).chain(made).chain(timeouts).chain(others).collect()
    }

    /// The part of the clause in the failure, where the failure shows one.
    fn what_the_catch_did(&self) -> Option<String> {
        let (experiment, (_, text)) = (self.shown_by?, self.failure()?);
        let clause = &self.pair.clause;
        let frame = Frame::of_failure(text)?;
        let line = frame.line.filter(|_| frame.class == clause.class && frame.method == clause.method)?;
        let is_in_clause = clause.catch_line? <= line && line <= clause.catch_end_line?;
        if is_in_clause {
            return Some(format!("The failure comes out of the catch itself, line {line}"));
        }
        // An injected exception has the trace of the site where it was thrown.
        let is_thrown_one =
            text.strip_prefix(experiment.exception.as_str()).is_some_and(|rest| rest.starts_with([':', ' ']));
        (is_thrown_one && Some(line) == clause.try_line)
            .then(|| "The catch lets the exception go on: it is what the test ends with".to_owned())
    }

    fn to_do(&self) -> Option<String> {
        match self.rule {
            Rule::FailsAtOnce => Some(match self.relied() {
                [] if !self.left_to_calls().is_empty() => self.ask_what_the_calls_set(),
                [] => self.ask_what_the_calls_do(),
                relied => set_before(relied),
            }),
            Rule::BreaksTheJvm => self.failure().map(|(kind, _)| limit(kind).to_owned()),
            Rule::Unreachable => Some(self.remove()),
            Rule::NotResilient => self.is_strict.then(|| {
                "let the catch give what the try would have given, if the program is meant to do without it".to_owned()
            }),
            Rule::Unstable => Some(
                "let the test do the same each time, or add one that does; the usual reasons are threads, clocks and random \
                 numbers"
                    .to_owned(),
            ),
        }
    }

    /// ` (lines 3 to 5)`, the lines of the body, or nothing.
    fn lines_of_try(&self) -> String {
        let clause = &self.pair.clause;
        match (clause.try_line, clause.try_end_line) {
            (Some(first), Some(last)) if first < last => format!(" (lines {first} to {last})"),
            (Some(line), _) => format!(" (line {line})"),
            _ => String::new(),
        }
    }

    fn ask_what_the_calls_set(&self) -> String {
        let names: Vec<&str> = self.left_to_calls().iter().map(|field| field.what.as_str()).collect();
        let (names, be, them) = listed(&names);
        format!(
            "find out whether the calls in the try{} set {names}. If so, decide what {names} {be} to be when the exception comes before \
             those calls, and set {them} so before the try or in the catch",
            self.lines_of_try()
        )
    }

    fn ask_what_the_calls_do(&self) -> String {
        let lines = self.lines_of_try();
        format!(
            "find out what the calls in the try{lines} do that the test counts on. If the program needs that too, do it before \
             the try or in the catch; if only the test wants it, accept the finding ([[suppress]] in catchment.toml)"
        )
    }

    fn remove(&self) -> String {
        let is_impossible =
            |it: &ExperimentResult| matches!(it.outcome, Outcome::None(NoOutcome::NotConstructible(_)));
        if self.pair.experiments.iter().any(is_impossible) {
            "look for code that throws such an exception; if there is none, remove the catch".to_owned()
        } else {
            "remove this catch, or put it before the one that takes its exceptions".to_owned()
        }
    }
}

/// The reliance in words: `the catch reads variable size (line 34), which the try sets (lines 30, 31)`.
pub fn reliance_words(reliance: &Reliance) -> String {
    let reader = if reliance.is_read_after { "the code after the catch" } else { "the catch" };
    let read = in_lines(reliance.read_line.as_slice());
    let set = in_lines(&reliance.set_lines);
    // Then the code is right until somebody edits the try.
    let first = match (reliance.may_be_older, reliance.set_lines.len()) {
        (true, _) => "",
        (false, ..=1) => " before anything in it can throw",
        (false, _) => ", for the first time before anything in it can throw",
    };
    format!("{reader} reads {}{read}, which the try sets{set}{first}", reliance.what)
}

/// ` (line 3)`, ` (lines 3, 4)`, or nothing.
fn in_lines(lines: &[u32]) -> String {
    match lines {
        [] => String::new(),
        [line] => format!(" (line {line})"),
        lines => format!(" (lines {})", lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The mend of a clause that reads what its try sets.
fn set_before(relied: &[Reliance]) -> String {
    // To move it is right only if it comes first anyway.
    if let [Reliance { what, set_lines, may_be_older: false, .. }] = relied
        && let [line] = set_lines.as_slice()
    {
        return format!("move what sets {what} (line {line}) before the try, or set it in the catch");
    }
    let names: Vec<&str> = relied.iter().map(|reliance| reliance.what.as_str()).collect();
    let (names, be, them) = listed(&names);
    let first = relied.iter().flat_map(|reliance| &reliance.set_lines).min();
    let first = first.map(|line| format!(" before line {line}")).unwrap_or_default();
    format!(
        "decide what {names} {be} to be when the exception comes{first}, and set {them} so before the try or in the catch"
    )
}

/// The first of these names with their verb and pronoun: `a, b and c`, `are`, `them`.
fn listed(names: &[&str]) -> (String, &'static str, &'static str) {
    match &names[..names.len().min(NAMED)] {
        [] => (String::new(), "is", "it"),
        [one] => ((*one).to_owned(), "is", "it"),
        [others @ .., last] => (format!("{} and {last}", others.join(", ")), "are", "them"),
    }
}

fn limit(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Assertion => "find out what the test counts on that the try did not do",
        FailureKind::Timeout => {
            "look for a loop around the try that tries again without limit, or for a thread that waits for what the try \
             should have done; limit the attempts or the waiting"
        }
        FailureKind::Oom => {
            "look for what grows as long as the try fails, such as a list that a loop around it fills; limit the attempts"
        }
        FailureKind::Crash => {
            "look for native code that the catch, or the code after it, calls with what the try has not prepared"
        }
        FailureKind::Exit => {
            "throw an exception to the caller instead of ending the JVM; where ending it is meant, accept the finding \
             ([[suppress]] in catchment.toml)"
        }
    }
}

/// `IOException` of `java.io.IOException`.
fn thrown(experiment: &ExperimentResult) -> &str {
    experiment.exception.rsplit('.').next().unwrap_or_default()
}

fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
