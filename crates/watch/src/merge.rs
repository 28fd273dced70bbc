//! From counters to usages: sums what all JVMs counted, per pair.
//!
//! ```text
//! pink = exits of the try        sibling = caught by its other clauses
//! white = caught by this clause  escaped = left the try uncaught
//! ```
//!
//! A pair the compiler copied has a clause in several tries; they add up, as do class loaders and JVMs.

use crate::results::JvmFiles;
use crate::watched_run::{
    Ended, Jvm, Origin, Problem, SkippedClass, Usages, WatchedException, WatchedPair, WatchedRun,
};
use catchment_pairs::{ClassPairs, ClauseDescription, Pair};
use catchment_protocol::records::{CounterKind, Record, WovenClass, WovenPair, WovenTry};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

/// Kept per pair and exception class, over all JVMs.
const ORIGINS_KEPT: usize = 3;
const STACK_OVERFLOW: &str = "java.lang.StackOverflowError";
/// Named in the problem about changed classes.
const CHANGED_CLASSES_NAMED: usize = 3;

pub(crate) fn merge(jvms: &[JvmFiles], problems: Vec<Problem>) -> WatchedRun {
    let mut merge = Merge { problems: problems.into_iter().collect(), ..Merge::default() };
    for jvm in jvms {
        merge.add_jvm(jvm);
    }
    merge.into_run()
}

/// Class, hash of its bytes, position of the pair in it.
type PairKey = (String, u64, usize);

#[derive(Default)]
struct Merge {
    jvms_started: usize,
    jvms: Vec<Jvm>,
    pairs: BTreeMap<PairKey, PairSum>,
    skipped: BTreeSet<SkippedClass>,
    problems: BTreeSet<Problem>,
    changed_classes: BTreeSet<String>,
}

#[derive(Default)]
struct PairSum {
    pair: WatchedPair,
    siblings: BTreeMap<String, u64>,
    caught: ExceptionSums,
    escaped: ExceptionSums,
    counts_may_be_torn: bool,
}

/// By exception class; `None` collects those whose class could not be noted.
type ExceptionSums = BTreeMap<Option<String>, WatchedException>;

/// The exception classes of one JVM, by counter.
struct JvmExceptions<'a> {
    jvm: &'a JvmFiles,
    types: BTreeMap<u32, Vec<(&'a str, u32)>>,
    origins: BTreeMap<(u32, &'a str), Vec<Origin>>,
}

impl Merge {
    fn add_jvm(&mut self, jvm: &JvmFiles) {
        self.jvms_started += 1;
        let exceptions = JvmExceptions::of(jvm);
        let mut woven_classes = 0;
        for record in &jvm.records {
            match record {
                Record::ClassWoven(class) => {
                    woven_classes += 1;
                    self.add_class(class, &exceptions);
                }
                Record::ClassSkipped { class, code_source, reason } => {
                    self.skipped.insert(SkippedClass {
                        class: class.clone(),
                        code_source: code_source.clone(),
                        reason: reason.clone(),
                    });
                }
                Record::Problem { place, what } => {
                    self.problems.insert(Problem { place: place.clone(), what: what.clone() });
                }
                _ => {}
            }
        }
        if jvm.records.contains(&Record::ApplicationSeen) {
            self.jvms.push(Jvm {
                pid: jvm.started.pid,
                java_version: jvm.started.java_version.clone(),
                command: jvm.started.command.clone(),
                ended: jvm.ended,
                woven_classes,
            });
        }
    }

    fn add_class(&mut self, class: &WovenClass, exceptions: &JvmExceptions<'_>) {
        if class.changed_before {
            self.changed_classes.insert(class.class.clone());
        }
        let key = |pair: usize| (class.class.clone(), class.hash, pair);
        let class_pairs = LazyCell::new(|| class_pairs(class));
        for (index, pair) in class.pairs.iter().enumerate() {
            let described = || class_pairs.describe(index).unwrap_or_default();
            let sum = self.pairs.entry(key(index)).or_insert_with(|| PairSum::new(class, pair, described()));
            if !sum.pair.code_sources.contains(&class.code_source) {
                sum.pair.code_sources.push(class.code_source.clone());
            }
            sum.counts_may_be_torn |= exceptions.jvm.ended == Ended::Running;
        }
        for (pair, kind, counter) in class.tries.iter().flat_map(WovenTry::counters) {
            let counter = class.base.checked_add(counter);
            if let (Some(sum), Some(counter)) = (self.pairs.get_mut(&key(pair as usize)), counter) {
                sum.add_counter(class, kind, counter, exceptions);
            }
        }
    }

    fn into_run(mut self) -> WatchedRun {
        if !self.changed_classes.is_empty() {
            let problem = changed_classes_problem(&self.changed_classes);
            self.problems.insert(problem);
        }
        let mut pairs = Vec::new();
        for sum in self.pairs.into_values() {
            self.problems.extend(sum.count_problem());
            self.problems.extend(sum.overflow_problem());
            pairs.push(sum.into_pair());
        }
        WatchedRun {
            jvms_started: self.jvms_started,
            jvms: self.jvms,
            pairs,
            skipped: self.skipped.into_iter().collect(),
            problems: self.problems.into_iter().collect(),
        }
    }
}

/// The pairs of a class as the agent found them.
fn class_pairs(class: &WovenClass) -> ClassPairs {
    let pairs = class.pairs.iter().map(|pair| Pair {
        id: pair.id.clone(),
        method: pair.method.clone(),
        descriptor: pair.descriptor.clone(),
        types: pair.types.clone(),
        try_line: pair.try_line,
        try_end_line: pair.try_end_line,
        catch_line: pair.catch_line,
        catch_end_line: pair.catch_end_line,
        parent: pair.parent.map(|parent| parent as usize),
        source: pair.source.clone(),
        maybe_generated: pair.maybe_generated,
        maybe_copy: false,
    });
    ClassPairs {
        class: class.class.clone(),
        source_file: class.source_file.clone(),
        pairs: pairs.collect(),
        ..ClassPairs::default()
    }
}

impl PairSum {
    fn new(class: &WovenClass, pair: &WovenPair, clause: ClauseDescription) -> Self {
        let pair = WatchedPair {
            clause,
            class_source: class.source_file.clone(),
            class_hash: class.hash,
            not_observed: class.not_observed(pair).map(str::to_owned),
            ..WatchedPair::default()
        };
        Self { pair, ..Self::default() }
    }

    fn add_counter(
        &mut self,
        class: &WovenClass,
        kind: CounterKind,
        counter: u32,
        exceptions: &JvmExceptions<'_>,
    ) {
        let total = exceptions.jvm.total(counter);
        self.pair.usages.count(kind, total);
        match kind {
            CounterKind::Entry | CounterKind::Pink => {}
            CounterKind::White => exceptions.add_to(&mut self.caught, counter),
            CounterKind::Sibling(sibling) => {
                let sibling = class.pairs.get(sibling as usize).map_or("unknown", |sibling| &sibling.id);
                *self.siblings.entry(sibling.to_owned()).or_default() += total;
            }
            CounterKind::Escaped => exceptions.add_to(&mut self.escaped, counter),
        }
    }

    fn count_problem(&self) -> Option<Problem> {
        let Usages { entries, pink, white, sibling, escaped } = self.pair.usages;
        let is_wrong = self.pair.usages.open() < 0 && !self.counts_may_be_torn;
        is_wrong.then(|| Problem {
            place: format!("{}.{}", self.pair.clause.class, self.pair.clause.method),
            what: format!(
                "counts of pair {} do not add up: {entries} entries, but {pink} pink, {white} white, \
                 {sibling} to siblings, {escaped} escaped",
                self.pair.clause.id
            ),
        })
    }

    /// A probe needs stack too; where none is left it cannot count.
    fn overflow_problem(&self) -> Option<Problem> {
        let may_be_overflow = |watched: &&WatchedException| {
            watched.count > 0
                && watched.exception.as_deref().is_none_or(|exception| exception == STACK_OVERFLOW)
        };
        let mut exceptions = self.caught.values().chain(self.escaped.values());
        exceptions.find(may_be_overflow).map(|_| Problem {
            place: format!("{}.{}", self.pair.clause.class, self.pair.clause.method),
            what: format!(
                "pair {} saw stack overflows or exceptions there was no room to note: usages at the end of the stack \
                 may be missing from its counts",
                self.pair.clause.id
            ),
        })
    }

    fn into_pair(self) -> WatchedPair {
        let most_first = |sums: ExceptionSums| {
            let mut exceptions: Vec<_> = sums.into_values().filter(|exception| exception.count > 0).collect();
            exceptions.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.exception.cmp(&b.exception)));
            exceptions
        };
        WatchedPair {
            siblings: self.siblings.into_iter().filter(|(_, count)| *count > 0).collect(),
            caught: most_first(self.caught),
            escaped: most_first(self.escaped),
            ..self.pair
        }
    }
}

impl<'a> JvmExceptions<'a> {
    fn of(jvm: &'a JvmFiles) -> Self {
        let mut types: BTreeMap<u32, Vec<(&str, u32)>> = BTreeMap::new();
        let mut origins: BTreeMap<(u32, &str), Vec<Origin>> = BTreeMap::new();
        for record in &jvm.records {
            match record {
                Record::ExceptionType { counter, exception, type_counter } => {
                    types.entry(*counter).or_default().push((exception, *type_counter));
                }
                Record::Origin(origin) => {
                    let origins = origins.entry((origin.counter, &origin.exception)).or_default();
                    origins.push(Origin { frame: origin.frame.clone(), application: origin.application });
                }
                _ => {}
            }
        }
        Self { jvm, types, origins }
    }

    fn add_to(&self, sums: &mut ExceptionSums, counter: u32) {
        let mut named = 0;
        for (exception, type_counter) in self.types.get(&counter).into_iter().flatten() {
            let count = self.jvm.total(*type_counter);
            named += count;
            let origins = self.origins.get(&(counter, exception)).map_or(&[][..], Vec::as_slice);
            add_exception(sums, Some((*exception).to_owned()), count, origins);
        }
        let unnamed = self.jvm.total(counter).saturating_sub(named);
        if unnamed > 0 {
            add_exception(sums, None, unnamed, &[]);
        }
    }
}

fn add_exception(sums: &mut ExceptionSums, exception: Option<String>, count: u64, origins: &[Origin]) {
    let sum = sums.entry(exception.clone()).or_default();
    sum.exception = exception;
    sum.count += count;
    for origin in origins {
        if sum.origins.len() < ORIGINS_KEPT && !sum.origins.contains(origin) {
            sum.origins.push(origin.clone());
        }
    }
}

fn changed_classes_problem(changed: &BTreeSet<String>) -> Problem {
    Problem {
        place: some_of(changed),
        what: format!(
            "{} classes were not loaded as built: another agent or a class loader changed them first, so the ids of \
             their pairs may differ from those of the class files",
            changed.len()
        ),
    }
}

/// The first few classes by name.
pub(crate) fn some_of(classes: &BTreeSet<String>) -> String {
    let named: Vec<_> = classes.iter().take(CHANGED_CLASSES_NAMED).map(String::as_str).collect();
    let more = if classes.len() > CHANGED_CLASSES_NAMED { ", ..." } else { "" };
    format!("{}{more}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::jvm_files;
    use catchment_protocol::records::{Origin as OriginRecord, SkippedMethod, WovenClause};

    fn pair(id: &str) -> WovenPair {
        WovenPair { id: id.into(), method: "m".into(), descriptor: "()V".into(), ..WovenPair::default() }
    }

    /// A try of clauses A and B; probes 0 to 4 are enter, exit, escape, caught A, caught B.
    fn class_with_one_try() -> WovenClass {
        let clause = |pair, caught| WovenClause { pair, caught: Some(caught) };
        WovenClass {
            class: "a.B".into(),
            code_source: "/classes".into(),
            counters: 5,
            pairs: vec![pair("A"), pair("B")],
            tries: vec![WovenTry {
                enter: Some(0),
                exit: Some(1),
                escape: Some(2),
                clauses: vec![clause(0, 3), clause(1, 4)],
            }],
            ..WovenClass::default()
        }
    }

    fn merged(records: Vec<Record>, counts: &[(u32, u64)]) -> WatchedRun {
        merge(&[jvm_files(1, Ended::Orderly, records, counts)], Vec::new())
    }

    fn colours(pair: &WatchedPair) -> [i64; 6] {
        let Usages { entries, pink, white, sibling, escaped } = pair.usages;
        [entries as i64, pink as i64, white as i64, sibling as i64, escaped as i64, pair.usages.open()]
    }

    #[test]
    fn each_clause_sees_the_other_as_its_sibling() {
        let counts = [(0, 20), (1, 9), (2, 1), (3, 4), (4, 5)];
        let run = merged(vec![Record::ClassWoven(class_with_one_try())], &counts);
        assert_eq!(colours(&run.pairs[0]), [20, 9, 4, 5, 1, 1]);
        assert_eq!(colours(&run.pairs[1]), [20, 9, 5, 4, 1, 1]);
        assert_eq!(run.pairs[0].siblings, [("B".to_owned(), 5)]);
        assert!(run.problems.iter().all(|problem| !problem.what.contains("do not add up")));
    }

    #[test]
    fn copies_of_a_try_and_several_jvms_add_up() {
        let mut class = class_with_one_try();
        let mut copy = class.tries[0].clone();
        (copy.enter, copy.exit, copy.escape) = (Some(5), Some(6), Some(7));
        (copy.clauses[0].caught, copy.clauses[1].caught) = (Some(8), Some(9));
        class.tries.push(copy);
        let counts = [(0, 2), (1, 1), (3, 1), (5, 10), (6, 9), (9, 1)];
        let records = || vec![Record::ClassWoven(class.clone())];
        let jvms = [
            jvm_files(1, Ended::Orderly, records(), &counts),
            jvm_files(2, Ended::Killed, records(), &counts),
        ];
        let run = merge(&jvms, Vec::new());
        assert_eq!(colours(&run.pairs[0]), [24, 20, 2, 2, 0, 0]);
        assert_eq!(run.jvms_started, 2);
    }

    #[test]
    fn counts_that_do_not_add_up_are_a_problem_unless_the_jvm_still_runs() {
        let records = || vec![Record::ClassWoven(class_with_one_try())];
        let run = merged(records(), &[(0, 1), (1, 2)]);
        assert_eq!(colours(&run.pairs[0])[5], -1);
        assert!(run.problems[0].what.contains("do not add up: 1 entries, but 2 pink"), "{:?}", run.problems);
        let running = merge(&[jvm_files(1, Ended::Running, records(), &[(0, 1), (1, 2)])], Vec::new());
        assert_eq!(running.problems, []);
    }

    #[test]
    fn exceptions_are_named_counted_and_the_rest_is_kept() {
        let exception_type = |exception: &str, type_counter| Record::ExceptionType {
            counter: 3,
            exception: exception.into(),
            type_counter,
        };
        let origin = |frame: &str| {
            let (frame, exception) = (Some(frame.to_owned()), "E".to_owned());
            Record::Origin(OriginRecord { counter: 3, exception, frame, application: true })
        };
        let mut records = vec![Record::ClassWoven(class_with_one_try())];
        records.extend([exception_type("E", 10), exception_type("F", 11)]);
        records.extend(["x:1", "x:2", "x:1", "x:3", "x:4"].map(origin));
        let run = merged(records, &[(0, 9), (3, 9), (10, 2), (11, 6)]);
        let caught: Vec<_> =
            run.pairs[0].caught.iter().map(|each| (each.exception.as_deref(), each.count)).collect();
        assert_eq!(caught, [(Some("F"), 6), (Some("E"), 2), (None, 1)]);
        let frames: Vec<_> =
            run.pairs[0].caught[1].origins.iter().flat_map(|each| each.frame.clone()).collect();
        assert_eq!(frames, ["x:1", "x:2", "x:3"]);
    }

    #[test]
    fn pairs_of_skipped_methods_are_marked_and_changed_classes_reported_once() {
        let skipped = SkippedMethod { method: "m".into(), descriptor: "()V".into(), reason: "jsr".into() };
        let class = WovenClass {
            skipped: vec![skipped],
            tries: Vec::new(),
            changed_before: true,
            ..class_with_one_try()
        };
        let other = WovenClass { class: "a.C".into(), ..class.clone() };
        let run = merged(vec![Record::ClassWoven(class), Record::ClassWoven(other)], &[]);
        assert_eq!(run.pairs[0].not_observed.as_deref(), Some("jsr"));
        assert_eq!(run.problems.len(), 1);
        assert_eq!(run.problems[0].place, "a.B, a.C");
    }
}
