//! Reads `expected.txt`.
//!
//! ```text
//! # comment
//! tests  total 13  red 0  flaky 0  pink 5  white 6  blue 2
//! aside ToggledTest.everyOtherTime: flaky
//! shared ContextTest.reads: true                  (tried together with its class; nothing is said of other tests)
//! pair Cache.load catch IOException: independent, not_resilient
//!   usages 1 pink, 2 white
//!   unreachable                                   (no injected exception can get there)
//!   only timeouts                                 (the negative verdict rests on nothing else)
//!   dependence place                              (of a dependent clause: place, object or undecided)
//!   CacheTest.works: fail                         (the outcome of this test, for every caught type)
//!   CacheTest.fails [IOException]: none (artefact)
//!   selective independent                         (execution by execution, where asked)
//!   CacheTest.mixes [IOException] at 3: pass      (thrown at the third execution only)
//!   fine dependent                                (call by call, where asked)
//!   CacheTest.reads [IOException] before Reader.read: fail
//! ```
//!
//! Names are without packages, the types of a multi-catch sorted and joined by `|`.

use super::Facts;
use anyhow::{Context, Result, bail};

pub(super) fn parse(text: &str) -> Result<Facts> {
    let mut reader = Reader::default();
    for line in text.lines() {
        reader.line(line).with_context(|| format!("line '{line}'"))?;
    }
    Ok(reader.facts)
}

#[derive(Default)]
struct Reader {
    facts: Facts,
    /// The pair that indented lines belong to, `pair Cache.load catch IOException`.
    pair: Option<String>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => Ok(()),
            [first, ..] if first.starts_with('#') => Ok(()),
            ["tests", counts @ ..] => self.counts(counts),
            ["aside" | "shared", ..] => self.fact(line),
            ["pair", ..] => self.pair_line(line),
            _ if line.starts_with(' ') => self.detail(line.trim()),
            _ => bail!("starts with no known word"),
        }
    }

    fn counts(&mut self, counts: &[&str]) -> Result<()> {
        for count in counts.chunks(2) {
            let [kind, number] = count else { bail!("a kind without a number") };
            number.parse::<u64>().context("not a number")?;
            self.insert(format!("tests {kind}"), number)?;
        }
        Ok(())
    }

    fn fact(&mut self, line: &str) -> Result<()> {
        let (about, value) = line.split_once(": ").context("no colon")?;
        self.insert(about.to_owned(), value)
    }

    fn pair_line(&mut self, line: &str) -> Result<()> {
        self.fact(line)?;
        self.pair = line.split_once(": ").map(|(about, _)| about.to_owned());
        Ok(())
    }

    fn detail(&mut self, line: &str) -> Result<()> {
        let pair = self.pair.clone().context("belongs to no pair")?;
        if let Some(usages) = line.strip_prefix("usages ") {
            return self.insert(format!("{pair} usages"), usages);
        }
        for rule in ["selective", "fine", "dependence"] {
            if let Some(verdict) = line.strip_prefix(rule).and_then(|rest| rest.strip_prefix(' ')) {
                return self.insert(format!("{pair} {rule}"), verdict);
            }
        }
        if line == "unreachable" || line == "only timeouts" {
            return self.insert(format!("{pair} {line}"), "yes");
        }
        let (experiment, outcome) = line.split_once(": ").context("no colon")?;
        match experiment.split_once(" [") {
            Some(_) => self.insert(format!("{pair} under {experiment}"), outcome),
            None => self.for_every_type(&pair, experiment, outcome),
        }
    }

    fn for_every_type(&mut self, pair: &str, test: &str, outcome: &str) -> Result<()> {
        let (_, types) = pair.split_once(" catch ").context("the pair names no type")?;
        for caught in types.split('|') {
            self.insert(format!("{pair} under {test} [{caught}]"), outcome)?;
        }
        Ok(())
    }

    fn insert(&mut self, about: String, value: &str) -> Result<()> {
        match self.facts.insert(about, value.trim().to_owned()) {
            None => Ok(()),
            Some(_) => bail!("says something twice"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_holds_for_every_type_unless_one_is_named() {
        let facts = parse(
            "pair A.b catch C|D: unknown, unknown\n  usages none\n  T.x: pass\n  T.y [C]: none (artefact)\n",
        );
        let facts: Vec<String> =
            facts.unwrap().into_iter().map(|(about, value)| format!("{about} = {value}")).collect();
        assert_eq!(
            facts,
            [
                "pair A.b catch C|D = unknown, unknown",
                "pair A.b catch C|D under T.x [C] = pass",
                "pair A.b catch C|D under T.x [D] = pass",
                "pair A.b catch C|D under T.y [C] = none (artefact)",
                "pair A.b catch C|D usages = none",
            ]
        );
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for wrong in ["  T.x: pass", "pear A.b: unknown", "tests red", "tests red x", "pair A: x\npair A: y"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
