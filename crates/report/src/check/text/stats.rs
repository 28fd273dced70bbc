//! The cost of a check for a terminal.

use crate::plain_text::PlainText;
use catchment_verdicts::{Stats, Timed};
use std::io::{self, Write};

/// Times of workers add up over workers; the wall time does not.
pub fn write_stats_text(out: &mut dyn Write, stats: &Stats) -> io::Result<()> {
    let out = &mut PlainText::new(out);
    writeln!(out)?;
    writeln!(out, "What it took")?;
    writeln!(
        out,
        "  experiments: {} planned, {} ended ({} of them in an earlier check), {} not needed",
        stats.planned, stats.experiments, stats.resumed, stats.not_needed
    )?;
    let lines: [(&str, Timed); 12] = [
        ("build", stats.build),
        ("suite runs, nothing armed", stats.suite),
        ("solo runs, nothing armed", stats.solo),
        ("warm experiments, pass or fail", stats.warm),
        ("warm experiments, no outcome", stats.no_outcome),
        ("runs for single executions", stats.single),
        ("runs for calls within tries", stats.fine),
        ("runs for place or object", stats.copies),
        ("time-outs", stats.timeouts),
        ("experiments in fresh JVMs", stats.fresh),
        ("sentinel runs", stats.sentinels),
        ("starts of workers", stats.workers),
    ];
    for (name, timed) in lines {
        writeln!(out, "  {name:<32}{:>9}{:>11.1} s", timed.count, timed.seconds)?;
    }
    if let Some(factor) = stats.warm_factor() {
        writeln!(
            out,
            "  warm experiments took {:.1} s, {factor:.2} times the {:.1} s of the same tests with nothing armed",
            stats.warm.seconds, stats.warm_plain_seconds
        )?;
    }
    if let Some(factor) = stats.fresh_factor() {
        writeln!(
            out,
            "  {} experiments ran both ways: {:.1} s in warm workers, {:.1} s with a fresh JVM each, {factor:.0} times; \
             {} ended differently",
            stats.both_ways.count,
            stats.both_ways.seconds,
            stats.both_ways_fresh_seconds,
            stats.both_ways_different
        )?;
    }
    writeln!(out, "  {} of {} workers replaced another", stats.replaced, stats.workers.count)?;
    writeln!(out, "  wall time {:.1} s", stats.wall_seconds)
}
