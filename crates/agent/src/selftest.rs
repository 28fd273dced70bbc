//! Counts of the woven `catchment.runtime.SelfTest`, compared once it ran.
//!
//! A hook that is never called, a weaver that changes nothing or a runtime that counts nowhere would otherwise look
//! like a program without exceptions.

use crate::mapping::CounterFile;
use crate::recorder::Recorder;
use catchment_protocol::records::{WovenClass, WovenTry};

pub(crate) const CLASS: &str = "catchment/runtime/SelfTest";
const EXCEPTION: &str = "java.lang.IllegalStateException";

#[derive(Debug, PartialEq, Eq)]
struct Colours {
    entries: u64,
    exits: u64,
    escapes: u64,
    caught: u64,
}

/// Per method and caught type, worked out by hand from the source.
const EXPECTED: [(&str, &str, Colours); 6] = [
    ("run", EXCEPTION, Colours { entries: 1, exits: 0, escapes: 0, caught: 1 }),
    ("pink", "java.lang.RuntimeException", Colours { entries: 2, exits: 2, escapes: 0, caught: 0 }),
    ("white", EXCEPTION, Colours { entries: 1, exits: 0, escapes: 0, caught: 1 }),
    ("blue", "java.lang.IllegalArgumentException", Colours { entries: 1, exits: 0, escapes: 1, caught: 0 }),
    ("nested", "java.lang.IllegalArgumentException", Colours { entries: 1, exits: 0, escapes: 1, caught: 0 }),
    ("nested", EXCEPTION, Colours { entries: 1, exits: 0, escapes: 0, caught: 1 }),
];

/// `Err` says the first thing that is not as it must be.
pub(crate) fn check(woven: &WovenClass, counters: &CounterFile, seen: &[String]) -> Result<(), String> {
    if woven.pairs.len() != EXPECTED.len() {
        return Err(format!("{} tries found instead of {}", woven.pairs.len(), EXPECTED.len()));
    }
    for (method, caught_type, expected) in EXPECTED {
        let actual = colours_of(woven, counters, method, caught_type)
            .ok_or_else(|| format!("try of {method} catching {caught_type} not woven"))?;
        if actual != expected {
            return Err(format!("{method} catching {caught_type} gave {actual:?} instead of {expected:?}"));
        }
    }
    if !seen.iter().any(|exception| exception == EXCEPTION) {
        return Err("the class of a caught exception was not reported".to_owned());
    }
    Ok(())
}

/// As [`check`], where exceptions are recorded and nothing is woven.
pub(crate) fn check_recording(recorder: &Recorder) -> Result<(), String> {
    let class = CLASS.replace('/', ".");
    for catching in ["run", "white", "nested"] {
        if !recorder.has_seen(&class, "fail", catching, EXCEPTION) {
            return Err(format!("the JVM did not tell that {catching} caught an exception"));
        }
    }
    Ok(())
}

fn colours_of(
    woven: &WovenClass,
    counters: &CounterFile,
    method: &str,
    caught_type: &str,
) -> Option<Colours> {
    let pair = woven.pairs.iter().position(|pair| pair.method == method && pair.types == [caught_type])?;
    let (woven_try, caught) = woven.tries.iter().find_map(|woven_try| caught_probe(woven_try, pair))?;
    let total = |local: Option<u32>| local.map_or(0, |local| counters.total(woven.base + local));
    Some(Colours {
        entries: total(woven_try.enter),
        exits: total(woven_try.exit),
        escapes: total(woven_try.escape),
        caught: total(caught),
    })
}

fn caught_probe(woven_try: &WovenTry, pair: usize) -> Option<(&WovenTry, Option<u32>)> {
    let clause = woven_try.clauses.iter().find(|clause| clause.pair as usize == pair)?;
    Some((woven_try, clause.caught))
}
