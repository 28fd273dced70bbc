//! What `catchment check --json` said, as facts in the words of the expected files.
//!
//! Read by the contract `catchment.check/1` only, never through the crates that wrote it.

use super::Facts;
use crate::colours::simple_names;
use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The answer of one run.
#[derive(Debug, Clone)]
pub struct Answer {
    json: Value,
    progress: String,
}

impl Answer {
    pub fn parse(text: &str) -> Result<Self> {
        let json: Value = serde_json::from_str(text).context("the answer is no JSON")?;
        match json["schema"].as_str() {
            Some("catchment.check/1") => Ok(Self { json, progress: String::new() }),
            schema => bail!("the answer's schema is {schema:?}"),
        }
    }

    /// With what it said on the way.
    pub(super) fn with_progress(self, progress: &str) -> Self {
        Self { progress: progress.to_owned(), ..self }
    }

    /// Lines that claim more to be done than there is to do.
    pub fn overdone(&self) -> Vec<String> {
        let is_overdone = |line: &&str| {
            let words: Vec<&str> = line.split(' ').collect();
            words.windows(3).any(|words| match (words[0].parse::<u64>(), words[2].parse::<u64>()) {
                (Ok(done), Ok(total)) => words[1] == "of" && done > total,
                _ => false,
            })
        };
        self.progress.lines().filter(is_overdone).map(str::to_owned).collect()
    }

    pub fn json(&self) -> &Value {
        &self.json
    }

    /// Everything an expected file can speak of.
    pub fn facts(&self) -> Facts {
        let mut facts = self.verdicts();
        for (kind, count) in self.json["tests"].as_object().into_iter().flatten() {
            facts.insert(format!("tests {kind}"), count.to_string());
        }
        for test in array(&self.json["test_list"]) {
            facts.insert(format!("shared {}", test_name(&test["name"])), test["shared_context"].to_string());
        }
        for pair in array(&self.json["pairs"]) {
            let about = about(pair);
            for experiment in array(&pair["experiments"]).iter().filter(|it| says_something(pair, it)) {
                let (test, caught) =
                    (test_name(&experiment["test"]), simple_names([text(&experiment["type"])]));
                let execution = experiment["occurrence"].as_u64().map(|number| format!(" at {number}"));
                let where_thrown = execution.or_else(|| place(&experiment["place"])).unwrap_or_default();
                facts.insert(format!("{about} under {test} [{caught}]{where_thrown}"), outcome(experiment));
            }
        }
        facts
    }

    /// What must be the same in every run: verdicts, what they rest on, and which tests are no evidence.
    pub fn verdicts(&self) -> Facts {
        let mut facts = Facts::new();
        for aside in array(&self.json["set_aside"]) {
            facts.insert(format!("aside {}", test_name(&aside["test"])), text(&aside["why"]).to_owned());
        }
        for pair in array(&self.json["pairs"]) {
            let about = about(pair);
            let verdicts = [&pair["source_independence"], &pair["pure_resilience"]].map(text).join(", ");
            facts.insert(format!("{about} usages"), usages(&pair["usages"]));
            for (flag, word) in [("only_timeouts", "only timeouts"), ("unstable", "unstable")] {
                if pair[flag] == true {
                    facts.insert(format!("{about} {word}"), "yes".to_owned());
                }
            }
            if !pair["not_injectable"].is_null() {
                facts.insert(format!("{about} unreachable"), "yes".to_owned());
            }
            if let Some(dependence) = pair["dependence"].as_str() {
                facts.insert(format!("{about} dependence"), dependence.to_owned());
            }
            for rule in ["selective", "fine"] {
                if let Some(verdict) = pair[rule]["source_independence"].as_str() {
                    facts.insert(format!("{about} {rule}"), verdict.to_owned());
                }
            }
            facts.insert(about, verdicts);
        }
        facts
    }

    /// What is wrong with the books: an experiment that is not accounted for, a failure that nobody confirmed.
    pub fn unaccounted(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for pair in array(&self.json["pairs"]) {
            for experiment in array(&pair["experiments"]) {
                if let Some(line) = unaccounted(pair, experiment) {
                    lines.push(format!("{} under {}: {line}", about(pair), test_name(&experiment["test"])));
                }
            }
        }
        lines
    }

    /// Unknown verdicts of which nobody says what would decide them, or from which existing test to start.
    pub fn unadvised(&self) -> Vec<String> {
        let pairs = array(&self.json["pairs"]).iter().filter(|pair| pair["left_out"] != true);
        pairs.filter_map(|pair| Some(format!("{}: {}", about(pair), unadvised(pair)?))).collect()
    }
}

/// What reasons say that is to be done, without another test and with one.
const STEPS: [&str; 7] = [
    "run again",
    "repair it",
    "--allow-external",
    "let it wait",
    // And what no test would change.
    "be observed",
    "can reach this catch",
    "thrown here first",
];
const TESTS: [&str; 2] = ["add ", "would decide"];

fn unadvised(pair: &Value) -> Option<String> {
    let contracts = ["source_independence", "pure_resilience"].into_iter();
    let mut reasons = Vec::new();
    for contract in contracts.filter(|contract| pair[contract] == "unknown") {
        let own: Vec<&str> = array(&pair["reasons_unknown"][contract]).iter().map(text).collect();
        if own.is_empty() || own.first().copied() != pair["why_unknown"][contract].as_str() {
            return Some(format!("{contract} is unknown, because of {own:?}"));
        }
        reasons.extend(own);
    }
    let says = |reason: &str, words: &[&str]| words.iter().any(|each| reason.contains(each));
    if let Some(idle) = reasons.iter().find(|reason| !says(reason, &STEPS) && !says(reason, &TESTS)) {
        return Some(format!("nothing to do about '{idle}'"));
    }
    let is_decided =
        matches!(pair["selective"]["source_independence"].as_str(), Some("independent" | "dependent"));
    let wants_test = reasons.iter().any(|reason| says(reason, &TESTS)) && !is_decided;
    (wants_test && pair["nearest_test"].is_null()).then(|| format!("no test to start from for {reasons:?}"))
}

fn unaccounted(pair: &Value, experiment: &Value) -> Option<String> {
    let number = |name: &str| experiment[name].as_u64().unwrap_or(0);
    let outcome = text(&experiment["outcome"]);
    if outcome == "none" {
        return experiment["why"].is_null().then(|| "no outcome, and no reason".to_owned());
    }
    if experiment["confirmed_fresh"] != true && outcome != "pass" && is_evidence(pair, experiment) {
        return Some(format!("{outcome} decides and was not confirmed in a fresh JVM"));
    }
    // A JVM that ends cannot be asked how often the exception was thrown.
    if !matches!(outcome, "pass" | "fail") {
        return None;
    }
    let (reached, fired, caught) = (number("reached"), number("fired"), number("caught_here"));
    if fired == 0 {
        Some(format!("{outcome} although nothing was thrown"))
    } else if fired != reached || caught != fired {
        Some(format!("reached {reached} times, fired {fired} times, caught {caught} times"))
    } else {
        None
    }
}

/// ` before Integer.parseInt`, ` before throw`.
fn place(place: &Value) -> Option<String> {
    place.as_object()?;
    let Some(callee) = place["callee"].as_str() else { return Some(" before throw".to_owned()) };
    let mut names = callee.rsplit('.');
    let (name, class) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    Some(format!(" before {class}.{name}"))
}

/// Whether a negative verdict rests on this experiment.
fn is_evidence(pair: &Value, experiment: &Value) -> bool {
    let position = array(&pair["experiments"]).iter().position(|it| it == experiment);
    let mode = text(&experiment["mode"]);
    if matches!(mode, "selective" | "fine") {
        return pair[mode]["source_independence"] == "dependent";
    }
    let negative = [("source_independence", "dependent"), ("pure_resilience", "not_resilient")];
    negative.into_iter().filter(|(contract, verdict)| text(&pair[*contract]) == *verdict).any(
        |(contract, _)| {
            array(&pair["evidence"][contract])
                .iter()
                .any(|number| number.as_u64().map(|it| it as usize) == position)
        },
    )
}

/// Experiments of tests that are set aside are no experiments, and what those with copies say is the dependence; those of unreachable pairs cannot say anything.
fn says_something(pair: &Value, experiment: &Value) -> bool {
    let is_copy = text(&experiment["mode"]).starts_with("copy_");
    text(&experiment["why"]) != "set aside" && pair["not_injectable"].is_null() && !is_copy
}

fn outcome(experiment: &Value) -> String {
    match text(&experiment["outcome"]) {
        "none" => format!("none ({})", text(&experiment["why"])),
        outcome => outcome.to_owned(),
    }
}

/// `pair Cache.load catch IOException`.
fn about(pair: &Value) -> String {
    format!("pair {}", clause_name(pair))
}

/// `Cache.load catch IOException`.
pub(crate) fn clause_name(pair: &Value) -> String {
    let class = text(&pair["class"]).rsplit('.').next().unwrap_or_default();
    let types = simple_names(array(&pair["types"]).iter().map(text));
    format!("{class}.{} catch {types}", text(&pair["method"]))
}

/// `1 pink, 2 white`, or `none`.
fn usages(usages: &Value) -> String {
    let count = |colour: &&str| usages[*colour].as_u64().filter(|count| *count > 0);
    let colours = ["pink", "white", "blue", "open"];
    let counts: Vec<String> =
        colours.iter().filter_map(|colour| Some(format!("{} {colour}", count(colour)?))).collect();
    if counts.is_empty() { "none".to_owned() } else { counts.join(", ") }
}

/// Without the package, whose parts begin with small letters.
pub(crate) fn test_name(name: &Value) -> String {
    let mut rest = text(name);
    while let Some((part, after)) = rest.split_once('.')
        && part.starts_with(|first: char| first.is_ascii_lowercase())
    {
        rest = after;
    }
    rest.to_owned()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = r#"{"schema":"catchment.check/1","tests":{"total":2},
      "set_aside":[{"test":"com.acme.CacheTest.odd","why":"flaky"}],
      "pairs":[{"class":"com.acme.Cache","method":"load","types":["java.io.IOException"],
        "usages":{"pink":1,"white":0,"blue":2,"open":0},"source_independence":"unknown",
        "pure_resilience":"not_resilient","not_injectable":null,"only_timeouts":true,
        "evidence":{"source_independence":[],"pure_resilience":[0]},
        "experiments":[{"test":"com.acme.CacheTest.loads[1.5]","type":"java.io.IOException","outcome":"fail",
          "fired":1,"reached":1,"caught_here":0,"confirmed_fresh":true},
          {"test":"com.acme.CacheTest.odd","type":"java.io.IOException","outcome":"none","why":"set aside"}]}]}"#;

    #[test]
    fn an_answer_is_told_in_the_words_of_the_expected_files() {
        let facts = Answer::parse(ANSWER).unwrap().facts();
        let expected = super::super::expected::parse(
            "tests total 2\naside CacheTest.odd: flaky\npair Cache.load catch IOException: unknown, not_resilient\n  \
             usages 1 pink, 2 blue\n  only timeouts\n  CacheTest.loads[1.5]: fail\n",
        );
        assert_eq!(facts, expected.unwrap());
    }

    #[test]
    fn more_than_all_is_too_much() {
        let said = "catchment: tests: 7 of 7\ncatchment: experiments: 31 of 29\ncatchment: a note of 3";
        let answer = Answer::parse(ANSWER).unwrap().with_progress(said);
        assert_eq!(answer.overdone(), ["catchment: experiments: 31 of 29"]);
    }

    #[test]
    fn an_exception_that_another_clause_caught_is_no_evidence() {
        let lines = Answer::parse(ANSWER).unwrap().unaccounted();
        assert_eq!(
            lines,
            [
                "pair Cache.load catch IOException under CacheTest.loads[1.5]: reached 1 times, fired 1 times, caught 0 times"
            ]
        );
        let unconfirmed = ANSWER.replace("\"confirmed_fresh\":true", "\"confirmed_fresh\":false");
        assert!(Answer::parse(&unconfirmed).unwrap().unaccounted()[0].contains("not confirmed"));
    }
}
