//! How places and numbers look on a terminal.

use catchment_pairs::{ClassLocation, ClauseDescription};

/// `com.acme.Cache.load  src/main/java/com/acme/Cache.java:83  catch IOException | SQLException`
pub(crate) fn clause_line(clause: &ClauseDescription, location: &ClassLocation) -> String {
    let (class, method) = (&clause.class, readable(&clause.method));
    let place = source_place(shown_file(location, clause.source_file.as_deref()), clause.line());
    format!("{class}.{method}  {place}  catch {}", simple_names(&clause.types))
}

const LAMBDA: &str = "lambda$";

/// Names of methods as people know them: what javac calls `lambda$load$0` and kotlinc `load$lambda$0` is a lambda in
/// `load`. Not for ids, of which nothing may change.
pub fn readable(text: &str) -> String {
    let mut parts = text.split(LAMBDA);
    let mut readable = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let name_end = part.find(|c: char| !is_of_a_name(c)).unwrap_or(part.len());
        let (name, rest) = part.split_at(name_end);
        match (name.rsplit_once('$'), readable.strip_suffix('$')) {
            (Some((method, number)), _) if is_number(number) => {
                readable = format!("{readable}{} (lambda){rest}", member_name(method));
            }
            (None, Some(before)) if is_number(name) && before.ends_with(is_of_a_name) => {
                readable = format!("{before} (lambda){rest}");
            }
            _ => readable = format!("{readable}{LAMBDA}{part}"),
        }
    }
    readable
}

fn is_of_a_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// javac cannot put the names of constructors and static initialisers into another name.
fn member_name(name: &str) -> &str {
    match name {
        "new" => "<init>",
        "static" => "<clinit>",
        other => other,
    }
}

/// The file as a path from the top of the repository, which terminals and editors can open; else the name that the class
/// file has.
pub(crate) fn shown_file<'a>(location: &'a ClassLocation, file: Option<&'a str>) -> Option<&'a str> {
    location.source_of(file).or(file)
}

/// `Cache.java:83`, or as much of it as is known.
pub(crate) fn source_place(source_file: Option<&str>, line: Option<u32>) -> String {
    match (source_file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_owned(),
        (None, Some(line)) => format!("line {line}"),
        (None, None) => "no line information".to_owned(),
    }
}

pub(crate) fn simple_names(types: &[String]) -> String {
    let simple = types.iter().map(|name| simple_name(name));
    simple.collect::<Vec<_>>().join(" | ")
}

/// `IOException` of `java.io.IOException`.
pub(crate) fn simple_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// With a capital letter.
pub(crate) fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// `1 class`, `2 classes`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambdas_are_named_after_the_method_they_stand_in() {
        let check = |text: &str, expected: &str| assert_eq!(readable(text), expected);
        check("lambda$number$0", "number (lambda)");
        check("lambda$new$12", "<init> (lambda)");
        check("lambda$static$0", "<clinit> (lambda)");
        check("number$lambda$0", "number (lambda)");
        check(
            "E: no at a.BTest.lambda$is_it$one$3:41 (lambda$x$0)",
            "E: no at a.BTest.is_it$one (lambda):41 (x (lambda))",
        );
        for kept in ["load", "lambda$0", "lambda$", "a lambda$x", "lambda$x$", "costs $lambda$0", ""] {
            check(kept, kept);
        }
    }

    #[test]
    fn places_show_what_is_known() {
        let clause = ClauseDescription {
            class: "com.acme.Cache".into(),
            method: "load".into(),
            types: vec!["java.io.IOException".into(), "com.acme.Outer$Failure".into()],
            source_file: Some("Cache.java".into()),
            catch_line: Some(83),
            ..ClauseDescription::default()
        };
        assert_eq!(
            clause_line(&clause, &ClassLocation::default()),
            "com.acme.Cache.load  Cache.java:83  catch IOException | Outer$Failure"
        );
        let source = Some("core/src/com/acme/Cache.java".to_owned());
        let location = ClassLocation { source, ..ClassLocation::default() };
        assert_eq!(
            clause_line(&clause, &location),
            "com.acme.Cache.load  core/src/com/acme/Cache.java:83  catch IOException | Outer$Failure"
        );
        assert_eq!(source_place(None, Some(3)), "line 3");
        assert_eq!(source_place(Some("A.kt"), None), "A.kt");
        assert_eq!(source_place(None, None), "no line information");
    }
}
