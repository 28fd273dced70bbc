//! The rules by which two answers to the same question become comparable: the whole list, with a reason each.

use super::links::links_by_operation;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A treatment of one field.
#[derive(Debug)]
pub(super) struct Rule {
    /// The kind of answers it holds for: `check`, `links`, ...; `record` for what is recorded beside the answer.
    pub(super) of: &'static str,
    /// From the answer's root: `pairs[].usages`; `*` stands for one field of any name, the empty path for the answer.
    pub(super) path: &'static str,
    pub(super) act: Act,
    pub(super) why: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Act {
    /// The field is not compared.
    Drop,
    /// The list is a set: its elements are named by these fields, by their whole value if there are none.
    Set(&'static [&'static str]),
    /// The value is brought into another form before its fields are looked at.
    Rewrite(fn(&mut Value)),
}

const fn drop(of: &'static str, path: &'static str, why: &'static str) -> Rule {
    Rule { of, path, act: Act::Drop, why }
}

const fn set(
    of: &'static str,
    path: &'static str,
    fields: &'static [&'static str],
    why: &'static str,
) -> Rule {
    Rule { of, path, act: Act::Set(fields), why }
}

const fn rewrite(of: &'static str, path: &'static str, form: fn(&mut Value), why: &'static str) -> Rule {
    Rule { of, path, act: Act::Rewrite(form), why }
}

const MEASURED: &str = "a measured time";
const LOAD: &str = "a count that depends on how loaded the machine is";
const ENDS: &str = "addresses, process ids and times of a JVM that died; the frame in which a stack was full";
const UNORDERED: &str = "a set: the order says nothing";

pub(super) const RULES: &[Rule] = &[
    drop("record", "seconds", MEASURED),
    drop("record", "arguments", "flags may be renamed; what they ask for is in the answer"),
    rewrite("record", "", without_progress, "with an answer, stderr is progress; without one it is compared"),
    // check
    drop("check", "test_list[].suite_millis", MEASURED),
    drop("check", "test_list[].solo_millis", MEASURED),
    drop("check", "stats.test_seconds", MEASURED),
    drop("check", "stats.wall_seconds", MEASURED),
    drop("check", "stats.warm_unarmed_seconds", MEASURED),
    drop("check", "stats.both_ways_fresh_seconds", MEASURED),
    drop("check", "stats.*.seconds", MEASURED),
    drop("check", "stats.workers", LOAD),
    drop("check", "stats.workers_replaced", LOAD),
    drop("check", "stats.sentinels", LOAD),
    rewrite("check", "pairs[]", evidence_by_name, "positions in a list whose order says nothing"),
    rewrite(
        "check",
        "pairs[].nearest_test",
        nearest_test_untold,
        "of tests that execute a try equally often the one that took least time is named",
    ),
    rewrite("check", "problems[].what", without_details_of_an_end, ENDS),
    rewrite("check", "set_aside[].detail", without_details_of_an_end, ENDS),
    rewrite("check", "pairs[].experiments[].detail", without_details_of_an_end, ENDS),
    set("check", "configurations", &["name"], UNORDERED),
    set("check", "set_aside", &["test"], UNORDERED),
    set("check", "test_list", &["configuration", "name"], UNORDERED),
    set("check", "pairs", &["id"], UNORDERED),
    set("check", "pairs[].executions", &["test"], UNORDERED),
    set("check", "pairs[].experiments", EXPERIMENT, UNORDERED),
    set("check", "pairs[].experiments[].caught_elsewhere", &["place"], UNORDERED),
    set("check", "problems", &["where"], UNORDERED),
    // stretch
    set("stretch", "clauses", &["pair"], UNORDERED),
    set("stretch", "problems", &["where"], UNORDERED),
    // links
    rewrite("links", "schema", without_version, "catchment.links/1 became catchment.links/2"),
    rewrite(
        "links",
        "",
        links_by_operation,
        "in links/2 overloads of one catalogue operation are one point, and points are a list of their own",
    ),
    drop("links", "stats.seconds", MEASURED),
    drop("links", "stats.peak_mib", "measured memory"),
    drop(
        "links",
        "stats.classes",
        "classes that were looked up, reached or not; methods and calls are compared",
    ),
    set("links", "entries", &[], UNORDERED),
    set("links", "pairs", &["id"], UNORDERED),
    set("links", "blind_spots", &["kind", "class", "method", "line"], UNORDERED),
    set("links", "missing_classes", &[], UNORDERED),
    set("links", "problems", &["where"], UNORDERED),
    // handlers
    set("handlers", "pairs", &["id"], UNORDERED),
    set("handlers", "filtered", &["class", "method", "line", "reason"], UNORDERED),
    set("handlers", "problems", &["where"], UNORDERED),
    // watch
    drop("watch", "jvms[].pid", "given by the system"),
    set("watch", "pairs", &["id", "class_hash"], UNORDERED),
    set("watch", "pairs[].siblings", &["pair"], UNORDERED),
    set("watch", "pairs[].caught", &["exception"], UNORDERED),
    set("watch", "pairs[].caught[].origins", &["frame"], UNORDERED),
    set("watch", "pairs[].escaped", &["exception"], UNORDERED),
    set("watch", "pairs[].escaped[].origins", &["frame"], UNORDERED),
    set("watch", "problems", &["where"], UNORDERED),
];

const STACK_OVERFLOW: &str = "java.lang.StackOverflowError at ";

/// An experiment's identity within its pair.
const EXPERIMENT: &[&str] = &["test", "type", "mode", "occurrence", "place"];

/// The rules for one field, in the order of the table.
pub(super) fn rules_for<'a>(of: &'a str, path: &'a str) -> impl Iterator<Item = &'static Rule> + use<'a> {
    RULES.iter().filter(move |rule| rule.of == of && matches(rule.path, path))
}

fn matches(pattern: &str, path: &str) -> bool {
    let (mut pattern, mut path) = (pattern.split('.'), path.split('.'));
    loop {
        match (pattern.next(), path.next()) {
            (None, None) => return true,
            (Some("*"), Some(_)) => {}
            (Some(wanted), Some(segment)) if wanted == segment => {}
            _ => return false,
        }
    }
}

/// The table as text.
pub(super) fn listed() -> String {
    let mut text = String::new();
    for Rule { of, path, act, why } in RULES {
        let act = match act {
            Act::Drop => "not compared".to_owned(),
            Act::Set([]) => "a set by value".to_owned(),
            Act::Set(fields) => format!("a set by {}", fields.join(", ")),
            Act::Rewrite(_) => "brought into one form".to_owned(),
        };
        let path = if path.is_empty() { "(all)" } else { path };
        let _ = writeln!(text, "{of} {path}: {act} ({why})");
    }
    text
}

/// `check`, of an answer of `catchment.check/1`.
pub(super) fn kind_of(answer: &Value) -> &str {
    let schema = answer["schema"].as_str().unwrap_or_default();
    let name = schema.split('/').next().unwrap_or_default();
    name.strip_prefix("catchment.").unwrap_or(name)
}

/// The name of an element by some of its fields.
pub(super) fn element_name(element: &Value, fields: &[&str]) -> String {
    let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if fields.is_empty() {
        return format!("[{}]", value(element));
    }
    let values: Vec<String> = fields.iter().map(|field| value(&element[*field])).collect();
    format!("[{}]", values.join(" "))
}

fn without_progress(record: &mut Value) {
    if !record["answer"].is_null() {
        record["stderr"] = Value::Null;
    }
}

fn without_details_of_an_end(detail: &mut Value) {
    let Some(text) = detail.as_str() else { return };
    if text.contains("the JVM died") {
        let is_of_this_run = |word: &&str| {
            word.contains("0x")
                || word.starts_with("pid=")
                || word.starts_with("tid=")
                || word.starts_with('[')
        };
        let words = text.split(' ').filter(|word| !is_of_this_run(word));
        *detail = json!(words.collect::<Vec<_>>().join(" "));
    } else if text.starts_with(STACK_OVERFLOW) {
        *detail = json!(STACK_OVERFLOW);
    }
}

fn without_version(schema: &mut Value) {
    *schema = json!(schema.as_str().and_then(|schema| schema.split('/').next()));
}

/// Without the test, where one was chosen because it executes something; by name or package the choice is certain.
fn nearest_test_untold(nearest: &mut Value) {
    let why = nearest["why"].as_str().unwrap_or_default();
    if why.starts_with("enters") || why.starts_with("executes") {
        nearest["test"] = Value::Null;
    }
}

/// Positions of experiments become their names.
fn evidence_by_name(pair: &mut Value) {
    let names: Vec<Value> = pair["experiments"]
        .as_array()
        .map(|experiments| {
            experiments.iter().map(|experiment| element_name(experiment, EXPERIMENT).into()).collect()
        })
        .unwrap_or_default();
    for path in [
        "/evidence/source_independence",
        "/evidence/pure_resilience",
        "/selective/evidence",
        "/fine/evidence",
    ] {
        let Some(Value::Array(positions)) = pair.pointer_mut(path) else { continue };
        for position in positions.iter_mut() {
            let index = position.as_u64().and_then(|position| usize::try_from(position).ok());
            *position = index.and_then(|index| names.get(index)).cloned().unwrap_or_default();
        }
        positions.sort_by_key(ToString::to_string);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_one_field() {
        assert!(matches("stats.*.seconds", "stats.warm.seconds"));
        assert!(!matches("stats.*.seconds", "stats.seconds"));
        assert!(!matches("stats.*.seconds", "stats.warm.count"));
    }

    #[test]
    fn a_nearest_test_chosen_by_its_name_is_compared() {
        let untold = |why: &str| {
            let mut nearest = json!({"test": "a.CacheTest.reads", "why": why});
            nearest_test_untold(&mut nearest);
            nearest["test"].clone()
        };
        assert!(untold("executes this try").is_null());
        assert_eq!(untold("is named after the class"), "a.CacheTest.reads");
    }

    #[test]
    fn how_a_jvm_died_is_compared_without_its_addresses() {
        let left = |text: &str| {
            let mut detail = json!(text);
            without_details_of_an_end(&mut detail);
            detail.as_str().unwrap().to_owned()
        };
        let died = "the JVM died: SIGSEGV (0xb) at pc=0x00007f622b, pid=30337, tid=30338";
        assert_eq!(left(died), "the JVM died: SIGSEGV at");
        assert_eq!(
            left("the JVM died: signal: 9 (SIGKILL); [0.3s][error] Posting"),
            "the JVM died: signal: 9 (SIGKILL); Posting"
        );
        assert_eq!(left("java.lang.StackOverflowError at a.B.c:9"), STACK_OVERFLOW);
        assert_eq!(left("java.lang.Error at 0x1"), "java.lang.Error at 0x1");
    }

    #[test]
    fn every_rule_has_a_reason_and_no_two_treat_one_field_alike() {
        for (position, rule) in RULES.iter().enumerate() {
            assert!(!rule.why.is_empty());
            let earlier = &RULES[..position];
            assert!(
                !earlier.iter().any(|other| (other.of, other.path) == (rule.of, rule.path)),
                "{}",
                rule.path
            );
        }
    }
}
