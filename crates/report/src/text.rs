//! How places and numbers look on a terminal.

/// `com.acme.Cache.load  Cache.java:83  catch IOException | SQLException`
pub(crate) fn pair_line(
    class: &str,
    method: &str,
    source_file: Option<&str>,
    line: Option<u32>,
    types: &[String],
) -> String {
    format!("{class}.{method}  {}  catch {}", source_place(source_file, line), simple_names(types))
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

fn simple_names(types: &[String]) -> String {
    let simple = types.iter().map(|name| simple_name(name));
    simple.collect::<Vec<_>>().join(" | ")
}

/// `IOException` of `java.io.IOException`.
pub(crate) fn simple_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// `1 class`, `2 classes`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_show_what_is_known() {
        let types = ["java.io.IOException".to_owned(), "com.acme.Outer$Failure".to_owned()];
        assert_eq!(
            pair_line("com.acme.Cache", "load", Some("Cache.java"), Some(83), &types),
            "com.acme.Cache.load  Cache.java:83  catch IOException | Outer$Failure"
        );
        assert_eq!(source_place(None, Some(3)), "line 3");
        assert_eq!(source_place(Some("A.kt"), None), "A.kt");
        assert_eq!(source_place(None, None), "no line information");
    }
}
