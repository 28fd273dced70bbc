//! Failures that say nothing about the program: it took a value from the injected exception that a real one would
//! have had.

const NULL_POINTER: &str = "java.lang.NullPointerException";
const RETURNED: &str = "because the return value of \"";
const BECAUSE: &str = "because \"";

/// The first release that says by default what was null.
const EXPLAINED_SINCE: u32 = 15;

/// The beginning of a failure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FirstThrown<'a> {
    pub(crate) exception: &'a str,
    pub(crate) message: Option<&'a str>,
    /// The site: `class.method:line`.
    pub(crate) frame: Option<&'a str>,
}

/// True if JVMs of this version explain their null pointers.
pub(crate) fn explains_nulls(java_version: &str) -> bool {
    let feature: String = java_version.chars().take_while(char::is_ascii_digit).collect();
    feature.parse().is_ok_and(|feature: u32| feature >= EXPLAINED_SINCE)
}

/// The exception that an experiment threw, as far as it is known.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Injected<'a> {
    /// Names of its class, of that of its cause, and of everything above them.
    pub(crate) supertypes: &'a [String],
    /// Names of the fields that these classes declare below `Throwable`.
    pub(crate) fields: &'a [String],
    /// The method that it was thrown in, `class.method`.
    pub(crate) thrown_in: Option<&'a str>,
    /// The JVM says what was null.
    pub(crate) explains_nulls: bool,
}

/// True if a failure began with a null pointer that came out of the injected exception, going by the JVM's own
/// explanation: one of its getters gave null, or one of its fields is null, which it reads itself or which the method
/// that it was thrown in reads of a variable. In a JVM that does not explain, a null pointer in that method may have
/// come out of it, which is enough to believe nothing.
pub(crate) fn is_artefact(first: FirstThrown<'_>, injected: Injected<'_>) -> bool {
    if first.exception != NULL_POINTER {
        return false;
    }
    let is_in = |place: Option<&str>| place.is_some() && first.frame.map(method_of) == place;
    let Some(message) = first.message else {
        return !injected.explains_nulls && is_in(injected.thrown_in);
    };
    if let Some((_, returned)) = message.split_once(RETURNED) {
        let call = returned.split_once('(').map(|(call, _)| call);
        let class = call.and_then(|call| call.rsplit_once('.')).map(|(class, _)| class);
        return class.is_some_and(|class| is_one_of(injected.supertypes, class));
    }
    let Some((variable, field)) = null_field(message) else { return false };
    let class = first.frame.map(method_of).and_then(|method| method.rsplit_once('.')).map(|(class, _)| class);
    match variable {
        "this" => class.is_some_and(|class| is_one_of(injected.supertypes, class)),
        _ => is_in(injected.thrown_in) && is_one_of(injected.fields, field),
    }
}

fn is_one_of(names: &[String], name: &str) -> bool {
    names.iter().any(|each| each == name)
}

/// The variable and its field in `because "e.currentToken" is null` and `because "<local4>.currentToken" is null`.
fn null_field(message: &str) -> Option<(&str, &str)> {
    let (_, rest) = message.split_once(BECAUSE)?;
    let (variable, field) = rest.split_once("\" is null")?.0.split_once('.')?;
    (!field.contains(['.', '(', '['])).then_some((variable, field))
}

fn method_of(frame: &str) -> &str {
    frame.split(':').next().unwrap_or(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(exception: &str, message: &str, frame: &str) -> bool {
        let supertypes =
            ["com.acme.Failure", "java.lang.Exception", "java.lang.Throwable", "java.lang.Object"];
        let supertypes = supertypes.map(str::to_owned);
        let fields = ["currentToken".to_owned()];
        let thrown_in = Some("a.B.c");
        let injected = Injected { supertypes: &supertypes, fields: &fields, thrown_in, explains_nulls: true };
        is_artefact(FirstThrown { exception, message: Some(message), frame: Some(frame) }, injected)
    }

    #[test]
    fn null_out_of_the_injected_exception_is_an_artefact() {
        let cases = [
            "Cannot throw exception because the return value of \"java.lang.Exception.getCause()\" is null",
            "Cannot invoke \"String.length()\" because the return value of \"com.acme.Failure.code(int)\" is null",
        ];
        assert!(cases.iter().all(|message| judged(NULL_POINTER, message, "a.B.c:3")));
        assert!(!judged(
            NULL_POINTER,
            "Cannot invoke \"a.B.c()\" because the return value of \"a.Map.get(Object)\" is null",
            "a.B.c:3"
        ));
        assert!(!judged(NULL_POINTER, "Cannot throw exception because \"e\" is null", "a.B.c:3"));
        assert!(!judged("java.lang.RuntimeException", cases[0], "a.B.c:3"));
    }

    #[test]
    fn a_null_field_of_the_injected_exception_is_an_artefact() {
        let read = |what: &str| format!("Cannot read field \"next\" because \"{what}\" is null");
        let is_artefact = |what: &str, frame| judged(NULL_POINTER, &read(what), frame);
        assert!(is_artefact("e.currentToken", "a.B.c:3"));
        assert!(is_artefact("<local4>.currentToken", "a.B.c:3"));
        assert!(is_artefact("this.currentToken", "com.acme.Failure.toString:9"));
        // Somebody else's field of that name, another field, a field of what the field holds, an element.
        assert!(!is_artefact("e.currentToken", "a.B.other:3"));
        assert!(!is_artefact("this.currentToken", "a.B.c:3"));
        assert!(!is_artefact("e.state", "a.B.c:3"));
        assert!(!is_artefact("e.currentToken.next", "a.B.c:3"));
        assert!(!is_artefact("tokens[0]", "a.B.c:3"));
    }

    #[test]
    fn an_unexplained_null_where_the_exception_was_thrown_may_be_an_artefact() {
        let judged = |frame, thrown_in| {
            let first = FirstThrown { exception: NULL_POINTER, message: None, frame };
            is_artefact(first, Injected { thrown_in, ..Injected::default() })
        };
        assert!(judged(Some("a.B.c:3"), Some("a.B.c")) && judged(Some("a.B.c"), Some("a.B.c")));
        assert!(!judged(Some("a.B.cd:3"), Some("a.B.c")) && !judged(None, Some("a.B.c")));
        assert!(!judged(Some("a.B.c:3"), None) && !judged(None, None));
        let first = FirstThrown { exception: NULL_POINTER, message: None, frame: Some("a.B.c:3") };
        let explained = Injected { thrown_in: Some("a.B.c"), explains_nulls: true, ..Injected::default() };
        assert!(!is_artefact(first, explained), "the application has thrown it itself");
        assert!(explains_nulls("17.0.15+6") && explains_nulls("25-ea"));
        assert!(!explains_nulls("11.0.13+8-LTS") && !explains_nulls("14.0.1+7"));
    }
}
