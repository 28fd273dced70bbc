//! The form in which answers are compared: paths of the machine named, rules applied, sets as fields named `[...]`.

use super::recorded::Recorded;
use super::rules::{Act, element_name, kind_of, rules_for};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

pub(super) fn normal_form(recorded: &Recorded) -> Value {
    let mut record = json!({
        "arguments": recorded.arguments,
        "exit": recorded.exit,
        "seconds": recorded.seconds,
        "stderr": recorded.stderr,
        "answer": recorded.answer,
    });
    name_places(&mut record, &longest_first(&recorded.places));
    apply("record", "", &mut record);
    if let Some(answer) = record.get_mut("answer").filter(|answer| !answer.is_null()) {
        let kind = kind_of(answer).to_owned();
        apply(&kind, "", answer);
    }
    record
}

/// A folder within another is named before the other is.
fn longest_first(places: &[(String, PathBuf)]) -> Vec<(&str, String)> {
    let mut places: Vec<(&str, String)> =
        places.iter().map(|(name, path)| (name.as_str(), path.to_string_lossy().into_owned())).collect();
    places.sort_by_key(|(_, path)| std::cmp::Reverse(path.len()));
    places
}

fn name_places(value: &mut Value, places: &[(&str, String)]) {
    match value {
        Value::String(text) => {
            for (name, path) in places {
                if text.contains(path.as_str()) {
                    *text = text.replace(path.as_str(), name);
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| name_places(element, places)),
        Value::Object(fields) => fields.values_mut().for_each(|field| name_places(field, places)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Applies the rules for the value at `path`, then those for what is in it, then makes it a set if it is one.
fn apply(of: &str, path: &str, value: &mut Value) {
    for rule in rules_for(of, path) {
        if let Act::Rewrite(form) = rule.act {
            form(value);
        }
    }
    match value {
        Value::Object(fields) => apply_to_fields(of, path, fields),
        Value::Array(elements) => {
            let path = format!("{path}[]");
            elements.iter_mut().for_each(|element| apply(of, &path, element));
        }
        _ => {}
    }
    for rule in rules_for(of, path) {
        if let Act::Set(names) = rule.act {
            make_set(value, names);
        }
    }
}

fn apply_to_fields(of: &str, path: &str, fields: &mut Map<String, Value>) {
    let path_of = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let is_dropped = |name: &str| {
        let path = path_of(name);
        rules_for(of, &path).any(|rule| matches!(rule.act, Act::Drop))
    };
    // The answer has rules of its own kind.
    let is_answer = |name: &str| of == "record" && name == "answer";
    fields.retain(|name, _| !is_dropped(name));
    for (name, field) in fields.iter_mut().filter(|(name, _)| !is_answer(name)) {
        apply(of, &path_of(name), field);
    }
}

/// Elements of one name are numbered in the order of their contents.
fn make_set(value: &mut Value, names: &[&str]) {
    let Value::Array(elements) = value else { return };
    let mut named: Vec<(String, Value)> =
        elements.drain(..).map(|element| (element_name(&element, names), element)).collect();
    named.sort_by_cached_key(|(name, element)| (name.clone(), element.to_string()));
    let mut set = Map::new();
    for (name, element) in named {
        let mut key = name.clone();
        let mut number = 1;
        while set.contains_key(&key) {
            number += 1;
            key = format!("{name} #{number}");
        }
        set.insert(key, element);
    }
    *value = Value::Object(set);
}

#[cfg(test)]
mod tests {
    use super::super::difference::{Differences, differences};
    use super::*;

    fn experiment(test: &str, outcome: &str) -> Value {
        json!({"test": test, "type": "E", "mode": "short_circuit", "occurrence": null, "place": null,
            "outcome": outcome})
    }

    fn answer() -> Value {
        json!({"schema": "catchment.check/1",
            "pairs": [
                {"id": "a", "source_independence": "independent", "advice": null,
                    "evidence": {"source_independence": [0], "pure_resilience": []},
                    "experiments": [experiment("A.one", "pass"), experiment("A.two", "fail")]},
                {"id": "b", "source_independence": "unknown", "experiments": []}],
            "stats": {"wall_seconds": 1.5, "experiments": 2, "warm": {"count": 2, "seconds": 0.5}},
            "problems": [{"where": "<project>", "what": "in /tmp/one/src"}]})
    }

    fn recorded(answer: Value) -> Recorded {
        Recorded { answer: Some(answer), exit: Some(0), ..Recorded::failed("progress") }
    }

    /// Differences after the answer was changed.
    fn after(change: impl Fn(&mut Value)) -> Differences {
        let mut changed = answer();
        change(&mut changed);
        differences(&normal_form(&recorded(answer())), &normal_form(&recorded(changed)))
    }

    #[test]
    fn an_answer_equals_itself() {
        assert_eq!(after(|_| {}), Differences::default());
    }

    #[test]
    fn a_changed_verdict_is_a_difference() {
        let found = after(|answer| answer["pairs"][0]["source_independence"] = json!("dependent"));
        assert_eq!(
            found.lines,
            ["answer.pairs[a].source_independence: before \"independent\", after \"dependent\""]
        );
    }

    #[test]
    fn a_changed_time_is_none_and_a_changed_count_is_one() {
        let found = after(|answer| {
            answer["stats"]["wall_seconds"] = json!(7.0);
            answer["stats"]["warm"]["seconds"] = json!(7.0);
        });
        assert_eq!(found, Differences::default());
        let found = after(|answer| answer["stats"]["warm"]["count"] = json!(3));
        assert_eq!(found.lines, ["answer.stats.warm.count: before 2, after 3"]);
    }

    #[test]
    fn an_added_field_is_no_difference_and_a_removed_one_is() {
        let found = after(|answer| answer["pairs"][0]["module"] = json!("core"));
        assert_eq!(found.lines, [""; 0]);
        assert!(found.added.contains("answer.pairs[].module"), "{found:?}");
        let found = after(|answer| {
            answer["pairs"][0].as_object_mut().unwrap().remove("advice");
        });
        assert_eq!(found.lines, ["answer.pairs[a].advice: before null, after absent"]);
    }

    #[test]
    fn the_order_of_a_set_says_nothing_and_its_elements_do() {
        let found = after(|answer| {
            answer["pairs"].as_array_mut().unwrap().reverse();
            answer["pairs"][1]["experiments"].as_array_mut().unwrap().reverse();
            answer["pairs"][1]["evidence"]["source_independence"] = json!([1]);
        });
        assert_eq!(found, Differences::default());
        let found = after(|answer| {
            answer["pairs"].as_array_mut().unwrap().pop();
        });
        assert_eq!(found.lines.len(), 1, "{found:?}");
    }

    #[test]
    fn evidence_of_another_experiment_is_a_difference() {
        let found = after(|answer| answer["pairs"][0]["evidence"]["source_independence"] = json!([1]));
        assert_eq!(found.lines.len(), 1, "{found:?}");
    }

    #[test]
    fn paths_of_a_recording_are_named() {
        let place = |folder: &str| Recorded {
            places: vec![("<project>".to_owned(), folder.into())],
            ..recorded(json!({"schema": "catchment.check/1", "problems": [{"where": "x", "what": folder}]}))
        };
        let [one, two] = ["/tmp/one", "/tmp/two"].map(|folder| normal_form(&place(folder)));
        assert_eq!(differences(&one, &two), Differences::default());
    }

    #[test]
    fn stderr_is_compared_only_where_there_is_no_answer() {
        let said = |stderr: &str, answer: Option<Value>| {
            normal_form(&Recorded { stderr: stderr.to_owned(), answer, ..recorded(Value::Null) })
        };
        assert_eq!(
            differences(&said("a", Some(answer())), &said("b", Some(answer()))),
            Differences::default()
        );
        assert_eq!(
            differences(&said("a", None), &said("b", None)).lines,
            ["stderr: before \"a\", after \"b\""]
        );
        assert_ne!(differences(&said("a", Some(answer())), &said("a", None)), Differences::default());
    }

    #[test]
    fn an_exit_code_is_compared() {
        let exit = |code| normal_form(&Recorded { exit: Some(code), ..recorded(answer()) });
        assert_eq!(differences(&exit(0), &exit(1)).lines, ["exit: before 0, after 1"]);
    }
}
