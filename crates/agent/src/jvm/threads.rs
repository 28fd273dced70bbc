//! Threads that a test leaves behind.

use super::java::Java;
use rustc_hash::FxHashSet;
use std::thread::sleep;
use std::time::Duration;

/// A thread that was told to end may need a moment.
const GRACE: [u64; 6] = [1, 2, 4, 8, 16, 32];
/// Groups in which the JVM keeps its own threads.
const GROUPS_OF_THE_JVM: [&str; 3] = ["system", "InnocuousThreadGroup", "CarrierThreads"];
/// Threads that belong to the whole JVM, whoever needed them first.
const SHARED_THREADS: [&str; 4] = [
    "ForkJoinPool.commonPool-",
    "CompletableFutureDelayScheduler",
    "Common-Cleaner",
    "VirtualThread-unparker",
];

/// The numbers of the threads there are.
pub(super) fn alive(java: &Java<'_>) -> FxHashSet<u64> {
    java.threads().into_iter().map(|thread| thread.number).collect()
}

/// The names of threads that were not there before and do not end by themselves.
pub(super) fn left(java: &Java<'_>, before: &FxHashSet<u64>) -> Vec<String> {
    let mut names = new_threads(java, before);
    for millis in GRACE {
        if names.is_empty() {
            break;
        }
        sleep(Duration::from_millis(millis));
        names = new_threads(java, before);
    }
    names
}

fn new_threads(java: &Java<'_>, before: &FxHashSet<u64>) -> Vec<String> {
    let new = java.threads().into_iter().filter(|thread| !before.contains(&thread.number));
    let named = new.filter_map(|thread| java.thread_names(thread));
    let counted = named.filter(|(name, group)| {
        !GROUPS_OF_THE_JVM.contains(&group.as_str()) && !SHARED_THREADS.iter().any(|it| name.starts_with(it))
    });
    let mut names: Vec<String> = counted.map(|(name, _)| name).collect();
    names.sort();
    names
}
