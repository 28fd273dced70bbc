//! The two JVMs that judge shards, each fed by a thread of its own.

use super::results::{Check, Results};
use super::shard::Shard;
use anyhow::{Result, anyhow};
use catchment_testkit::oracle::{Linker, StripComparer};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// Shards that may wait for a judge: bounds the disk space in use.
const WAITING: usize = 2;

pub(super) struct Judges {
    comparer: Lane,
    linker: Lane,
}

/// A judge's thread and the way to it.
struct Lane {
    shards: SyncSender<Arc<Shard>>,
    thread: JoinHandle<Result<()>>,
}

impl Judges {
    /// `others` are jars whose classes the judged ones may need when they are linked.
    pub(super) fn start(others: Vec<PathBuf>, results: &Results) -> Result<Self> {
        let (to_compare, compared) = (results.clone(), StripComparer::start()?);
        let (to_link, linked) = (results.clone(), Linker::start(&others)?);
        Ok(Self {
            comparer: Lane::start(move |shards| compare_all(&shards, compared, &to_compare)),
            linker: Lane::start(move |shards| link_all(&shards, linked, &to_link)),
        })
    }

    /// Hands a shard to both judges.
    pub(super) fn judge(&mut self, shard: Shard) -> Result<()> {
        let shard = Arc::new(shard);
        self.compare(&shard)?;
        self.linker.send(&shard)
    }

    /// Hands a shard to ASM alone: JDK modules are linked by their own JDK.
    pub(super) fn compare(&mut self, shard: &Arc<Shard>) -> Result<()> {
        self.comparer.send(shard)
    }

    /// Waits until everything is judged.
    pub(super) fn finish(self) -> Result<()> {
        self.comparer.finish()?;
        self.linker.finish()
    }
}

impl Lane {
    fn start(work: impl FnOnce(Receiver<Arc<Shard>>) -> Result<()> + Send + 'static) -> Self {
        let (shards, receiver) = sync_channel(WAITING);
        Self { shards, thread: thread::spawn(move || work(receiver)) }
    }

    fn send(&self, shard: &Arc<Shard>) -> Result<()> {
        self.shards.send(shard.clone()).map_err(|_| anyhow!("a judge has stopped; see above"))
    }

    fn finish(self) -> Result<()> {
        drop(self.shards);
        self.thread.join().map_err(|_| anyhow!("a judge's thread has panicked"))?
    }
}

fn compare_all(shards: &Receiver<Arc<Shard>>, mut comparer: StripComparer, results: &Results) -> Result<()> {
    for shard in shards {
        let report = comparer.compare(&shard.original, &shard.woven).inspect_err(tell)?;
        results.add_compared(report.classes, report.probes);
        for it in &report.unreadable {
            results.unreadable_by_asm(&it.class, &it.what);
        }
        for it in &report.differences {
            let (original, woven) = shard.class(&it.class);
            results.class_differs(Check::StripCompare, &it.class, &it.what, &original, &woven);
        }
    }
    Ok(())
}

fn link_all(shards: &Receiver<Arc<Shard>>, mut linker: Linker, results: &Results) -> Result<()> {
    for shard in shards {
        let report = linker.link(&shard.original, &shard.woven).inspect_err(tell)?;
        results.add_linked(report.linked, report.failed_both_ways);
        for it in &report.differences {
            let name = it.class.trim_end_matches("@51").replace('.', "/");
            let (original, woven) = shard.class(&format!("{name}.class"));
            results.class_differs(Check::Link, &it.class, &it.what, &original, &woven);
        }
    }
    Ok(())
}

/// The feeding thread only learns that this one has ended.
fn tell(error: &anyhow::Error) {
    eprintln!("error: {error:#}");
}
