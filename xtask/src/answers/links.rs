//! One form for the links of `catchment.links/1` and `catchment.links/2`.
//!
//! Version 1 describes the raising point within each link, one point per overload of an operation. Version 2 has a list
//! of points, in which the overloads of one catalogue operation are one. In the common form a link is named by its
//! point and its pair: an operation by kind of fault, class and method, any other point by class, method, descriptor,
//! line and exception. Links of several overloads are one, with the union of their exceptions; links of several throws
//! on one line are counted.

use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Links of one name.
#[derive(Default)]
struct Group {
    count: usize,
    exceptions: BTreeSet<String>,
    seen: BTreeSet<String>,
    layers: BTreeSet<String>,
}

pub(super) fn links_by_operation(answer: &mut Value) {
    let points = answer["points"].take();
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for link in answer["links"].as_array().into_iter().flatten() {
        let point = point_of(link, &points);
        let group = groups.entry(name(link, point)).or_default();
        // Overloads are one point in version 2, so their number says nothing.
        group.count = if is_operation(point) { 1 } else { group.count + 1 };
        group
            .exceptions
            .extend(field(link, point, "exceptions").as_array().into_iter().flatten().map(exception));
        group.seen.insert(link["seen"].to_string());
        group.layers.insert(text(&point["layer"]));
    }
    let links: Map<String, Value> = groups.into_iter().map(|(name, group)| (name, group.value())).collect();
    if let Some(fields) = answer.as_object_mut() {
        fields.remove("points");
        fields.insert("links".to_owned(), Value::Object(links));
    }
}

impl Group {
    fn value(self) -> Value {
        let Self { count, exceptions, seen, layers } = self;
        json!({ "count": count, "exceptions": exceptions, "seen": seen, "layers": layers })
    }
}

/// The raising point: within the link in version 1, in the list of points in version 2.
fn point_of<'a>(link: &'a Value, points: &'a Value) -> &'a Value {
    let index = link["from"].as_u64().and_then(|index| usize::try_from(index).ok());
    index.map_or(&link["from"], |index| &points[index])
}

/// A field that version 1 has in the point and version 2 in the link.
fn field<'a>(link: &'a Value, point: &'a Value, name: &str) -> &'a Value {
    link.get(name).unwrap_or(&point[name])
}

fn is_operation(point: &Value) -> bool {
    point["kind"] == "operation"
}

fn name(link: &Value, point: &Value) -> String {
    let [kind, class, method] = ["kind", "class", "method"].map(|name| text(&point[name]));
    let to = text(&link["to"]);
    if is_operation(point) {
        // The kind of fault is called operation in version 1.
        let fault = text(point.get("fault").unwrap_or(&point["operation"]));
        return format!("[{kind} {fault} {class}.{method} -> {to}]");
    }
    let (descriptor, line) = (text(&point["descriptor"]), text(&point["line"]));
    let exception = text(field(link, point, "exception"));
    format!("[{kind} {class}.{method}{descriptor}:{line} {exception} -> {to}]")
}

fn exception(exception: &Value) -> String {
    let exact = if exception["exact"] == true { "" } else { " or below" };
    format!("{}{exact}", text(&exception["class"]))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(descriptor: &str, class: &str) -> Value {
        json!({"kind": "operation", "operation": "DSK_READ", "class": "java.io.InputStream", "method": "read",
            "descriptor": descriptor, "line": null, "layer": "jdk", "exception": class,
            "exceptions": [{"class": class, "exact": false}]})
    }

    fn in_common_form(mut answer: Value) -> Value {
        links_by_operation(&mut answer);
        answer
    }

    #[test]
    fn overloads_of_version_1_are_the_one_point_of_version_2() {
        let first = json!({"links": [
            {"number": 1, "from": operation("()I", "java.io.IOException"), "to": "a", "seen": null},
            {"number": 2, "from": operation("([B)I", "java.io.EOFException"), "to": "a", "seen": null}]});
        let second = json!({
            "points": [{"kind": "operation", "operation": "java.io.InputStream.read", "fault": "DSK_READ",
                "class": "java.io.InputStream", "method": "read", "descriptor": null, "layer": "jdk"}],
            "links": [{"id": "x", "from": 0, "to": "a", "seen": null, "exception": "java.io.IOException",
                "exceptions": [{"class": "java.io.EOFException", "exact": false},
                    {"class": "java.io.IOException", "exact": false}]}]});
        assert_eq!(in_common_form(first), in_common_form(second));
    }

    #[test]
    fn two_throws_on_one_line_are_two_links() {
        let link = json!({"from": {"kind": "throw", "class": "A", "method": "m", "descriptor": "()V", "line": 3,
            "layer": "application", "exception": "E", "exceptions": []}, "to": "a", "seen": null});
        let once = in_common_form(json!({"links": [link]}));
        let twice = in_common_form(json!({"links": [link, link]}));
        assert_ne!(once, twice);
        assert!(twice.to_string().contains("[throw A.m()V:3 E -> a]"), "{twice}");
    }

    #[test]
    fn a_link_to_another_pair_is_another_link() {
        let link = |to: &str| {
            in_common_form(json!({"links": [{"from": operation("()I", "E"), "to": to, "seen": null}]}))
        };
        assert_ne!(link("a"), link("b"));
    }
}
