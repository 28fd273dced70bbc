//! `cargo xtask corpus`: real classes of many compilers through reading, rewriting and weaving.
//!
//! ```text
//!   sources (jars, JDK modules) ──► checks without a JVM ──► shard (original.jar, woven.jar) ─┬─► ASM strips and compares
//!                                                                                             └─► a JVM links both
//! ```
//!
//! This process reads and weaves; two JVMs judge at the same time. A shard is deleted when both are done with it, so
//! disk use stays bounded. A JDK's woven modules are kept until that JDK has been started with all of them.

mod class_checks;
mod jdk_modules;
mod judges;
mod results;
mod shard;
mod sources;

use anyhow::{Context, Result};
use catchment_testkit::workspace::target_folder;
use judges::Judges;
use results::Results;
use rustc_hash::FxHashSet;
use sources::Source;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Stop after this many distinct classes.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Only sources whose name contains this text: a coordinate, or `jdk-17/java.base`.
    #[arg(long, value_name = "PATTERN")]
    only: Option<String>,
}

/// State of one run, from source to source.
struct Corpus {
    limit: usize,
    /// Hashes of the contents of all classes met so far.
    seen: FxHashSet<u64>,
    results: Results,
    work: PathBuf,
}

impl Corpus {
    /// Tells whether these bytes are met for the first time, and the limit is not reached.
    fn admit(&mut self, hash: u64) -> bool {
        self.seen.len() < self.limit && self.seen.insert(hash)
    }

    fn is_full(&self) -> bool {
        self.seen.len() >= self.limit
    }
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let started = Instant::now();
    let root = target_folder("corpus")?;
    let work = root.join("work");
    for folder in [&work, &root.join("failures")] {
        // Left over from an earlier run; absent is as good.
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let sources = sources::all(options.only.as_deref())?;
    let jars = sources.iter().filter_map(|source| source.jar().map(ToOwned::to_owned)).collect::<Vec<_>>();
    let results = Results::new(root.join("failures"));
    let limit = options.limit.unwrap_or(usize::MAX);
    let mut corpus = Corpus { limit, seen: FxHashSet::default(), results, work };
    let mut judges = Judges::start(jars, &corpus.results)?;
    for (index, source) in sources.iter().enumerate() {
        if corpus.is_full() {
            break;
        }
        match source {
            Source::Jar { path, .. } => shard::feed_jar(path, &mut corpus, &mut judges)?,
            Source::Jdk { feature, image, modules } => {
                jdk_modules::feed_jdk(*feature, image, modules.as_deref(), &mut corpus, &mut judges)?;
            }
        }
        let (classes, differences) = (corpus.seen.len(), corpus.results.differences());
        eprintln!("[{}/{}] {source}: {classes} classes, {differences} differences", index + 1, sources.len());
    }
    judges.finish()?;
    // What is left are empty folders.
    let _ = fs::remove_dir_all(&corpus.work);
    corpus.results.print(corpus.seen.len(), sources.len(), started.elapsed());
    Ok(if corpus.results.differences() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn content_hash(bytes: &[u8]) -> u64 {
    // The standard hasher with its fixed keys: good enough to tell a million classes apart.
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
