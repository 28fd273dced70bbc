//! Results of a run, collected from all threads; failing classes are kept for reproduction.

use catchment_weave::SkippedMethod;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many messages of one kind are printed.
const SHOWN: usize = 15;

/// A check that a class can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Check {
    Rewrite,
    Weave,
    Link,
    StripCompare,
}

impl Check {
    const ALL: [Self; 4] = [Self::Rewrite, Self::Weave, Self::Link, Self::StripCompare];

    fn name(self) -> &'static str {
        match self {
            Self::Rewrite => "rewrite",
            Self::Weave => "weave",
            Self::Link => "link",
            Self::StripCompare => "strip-compare",
        }
    }

    fn describe(self) -> &'static str {
        match self {
            Self::Rewrite => "rewritten without change, other bytes",
            Self::Weave => "not woven, or not the same twice",
            Self::Link => "fails to link only when woven",
            Self::StripCompare => "differs once the probes are taken out",
        }
    }
}

/// Shared by all threads of the run.
#[derive(Debug, Clone)]
pub(super) struct Results(Arc<Mutex<Counts>>);

#[derive(Debug)]
struct Counts {
    failures: PathBuf,
    methods: usize,
    pairs: usize,
    probes: usize,
    compared: u64,
    probes_stripped: u64,
    linked: u64,
    failed_both_ways: u64,
    skipped: BTreeMap<String, usize>,
    unreadable: Vec<String>,
    unreadable_by_asm: Vec<String>,
    load_problems: Vec<String>,
    differences: BTreeMap<Check, usize>,
}

impl Results {
    pub(super) fn new(failures: PathBuf) -> Self {
        Self(Arc::new(Mutex::new(Counts {
            failures,
            methods: 0,
            pairs: 0,
            probes: 0,
            compared: 0,
            probes_stripped: 0,
            linked: 0,
            failed_both_ways: 0,
            skipped: BTreeMap::new(),
            unreadable: Vec::new(),
            unreadable_by_asm: Vec::new(),
            load_problems: Vec::new(),
            differences: BTreeMap::new(),
        })))
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        // Counts stay meaningful whatever happened to the thread that held them.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add_methods(&self, methods: usize) {
        self.counts().methods += methods;
    }

    pub(super) fn add_woven(&self, probes: usize, pairs: usize, skipped: &[SkippedMethod]) {
        let mut counts = self.counts();
        counts.probes += probes;
        counts.pairs += pairs;
        for method in skipped {
            *counts.skipped.entry(method.reason.clone()).or_default() += 1;
        }
    }

    pub(super) fn add_compared(&self, classes: u64, probes: u64) {
        let mut counts = self.counts();
        counts.compared += classes;
        counts.probes_stripped += probes;
    }

    pub(super) fn add_linked(&self, linked: u64, failed_both_ways: u64) {
        let mut counts = self.counts();
        counts.linked += linked;
        counts.failed_both_ways += failed_both_ways;
    }

    pub(super) fn add_load_problems(&self, problems: impl Iterator<Item = String>) {
        self.counts().load_problems.extend(problems);
    }

    /// Bytes our reader refuses. Listed, and judged by a person: real jars hold files that are no classes.
    pub(super) fn unreadable(&self, place: &str, what: &str) {
        self.counts().unreadable.push(format!("{place}: {what}"));
    }

    pub(super) fn unreadable_by_asm(&self, entry: &str, what: &str) {
        self.counts().unreadable_by_asm.push(format!("{entry}: {what}"));
    }

    /// Counts a failed check and keeps the class in both forms.
    pub(super) fn class_differs(&self, check: Check, place: &str, what: &str, original: &[u8], woven: &[u8]) {
        let mut counts = self.counts();
        let number = counts.differences.entry(check).or_default();
        *number += 1;
        let number = *number;
        if number <= SHOWN {
            eprintln!("{}: {place}: {}", check.name(), what.chars().take(600).collect::<String>());
        }
        let folder = counts.failures.join(check.name()).join(format!("{number:05}"));
        drop(counts);
        if let Err(error) = keep_failure(&folder, place, what, original, woven) {
            eprintln!("cannot keep {place}: {error}");
        }
    }

    pub(super) fn differences(&self) -> usize {
        self.counts().differences.values().sum()
    }

    pub(super) fn print(&self, classes: usize, sources: usize, elapsed: Duration) {
        let counts = self.counts();
        println!("sources                  {sources:>12}");
        println!("distinct classes         {classes:>12}");
        println!("methods with code        {:>12}", counts.methods);
        println!("try-catch pairs          {:>12}", counts.pairs);
        println!("probes                   {:>12}", counts.probes);
        println!("classes linked           {:>12}", counts.linked);
        println!("  fail as they were too  {:>12}", counts.failed_both_ways);
        println!("classes compared         {:>12}", counts.compared);
        println!("  probe calls taken out  {:>12}", counts.probes_stripped);
        println!("methods skipped          {:>12}", counts.skipped.values().sum::<usize>());
        for (reason, methods) in &counts.skipped {
            println!("  {methods:>6}  {reason}");
        }
        print_list("not readable as a class", &counts.unreadable);
        print_list("not readable for ASM", &counts.unreadable_by_asm);
        print_list("not readable in its jar", &counts.load_problems);
        println!("differences");
        for check in Check::ALL {
            let number = counts.differences.get(&check).copied().unwrap_or_default();
            println!("  {number:>6}  {}: {}", check.name(), check.describe());
        }
        println!("took {} s", elapsed.as_secs());
    }
}

fn print_list(title: &str, entries: &[String]) {
    println!("{title:<25}{:>12}", entries.len());
    for entry in entries.iter().take(SHOWN) {
        println!("  {entry}");
    }
}

fn keep_failure(
    folder: &Path,
    place: &str,
    what: &str,
    original: &[u8],
    woven: &[u8],
) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("what.txt"), format!("{place}\n{what}\n"))?;
    fs::write(folder.join("original.class"), original)?;
    fs::write(folder.join("woven.class"), woven)
}
