//! Failures that say nothing about the program: it took a value from the injected exception that a real one would
//! have had.

const NULL_POINTER: &str = "java.lang.NullPointerException";
const RETURNED: &str = "because the return value of \"";

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

/// True if a failure began with a null pointer that came out of the injected exception, going by the JVM's own
/// explanation. `injected` are the names of its class and everything above it. In a JVM that does not explain,
/// `thrown_in` is the method that it was thrown in: a null pointer there may have come out of it, which is enough to
/// believe nothing.
pub(crate) fn is_artefact(first: FirstThrown<'_>, injected: &[String], thrown_in: Option<&str>) -> bool {
    if first.exception != NULL_POINTER {
        return false;
    }
    let Some(message) = first.message else {
        return first.frame.is_some_and(|frame| Some(method_of(frame)) == thrown_in);
    };
    let called =
        message.split_once(RETURNED).and_then(|(_, rest)| rest.split_once('(')).map(|(call, _)| call);
    let class = called.and_then(|call| call.rsplit_once('.')).map(|(class, _)| class);
    class.is_some_and(|class| injected.iter().any(|each| each == class))
}

fn method_of(frame: &str) -> &str {
    frame.split(':').next().unwrap_or(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(exception: &str, message: &str) -> bool {
        let injected = ["com.acme.Failure", "java.lang.Exception", "java.lang.Throwable", "java.lang.Object"];
        let first = FirstThrown { exception, message: Some(message), frame: Some("a.B.c:3") };
        is_artefact(first, &injected.map(str::to_owned), Some("a.B.c"))
    }

    #[test]
    fn null_out_of_the_injected_exception_is_an_artefact() {
        let null = "java.lang.NullPointerException";
        let cases = [
            "Cannot throw exception because the return value of \"java.lang.Exception.getCause()\" is null",
            "Cannot invoke \"String.length()\" because the return value of \"com.acme.Failure.code(int)\" is null",
        ];
        assert!(cases.iter().all(|message| judged(null, message)));
        assert!(!judged(
            null,
            "Cannot invoke \"a.B.c()\" because the return value of \"a.Map.get(Object)\" is null"
        ));
        assert!(!judged(null, "Cannot throw exception because \"e\" is null"));
        assert!(!judged("java.lang.RuntimeException", cases[0]));
    }

    #[test]
    fn an_unexplained_null_where_the_exception_was_thrown_may_be_an_artefact() {
        let judged = |frame, thrown_in| {
            let exception = "java.lang.NullPointerException";
            is_artefact(FirstThrown { exception, message: None, frame }, &[], thrown_in)
        };
        assert!(judged(Some("a.B.c:3"), Some("a.B.c")) && judged(Some("a.B.c"), Some("a.B.c")));
        assert!(!judged(Some("a.B.cd:3"), Some("a.B.c")) && !judged(None, Some("a.B.c")));
        assert!(!judged(Some("a.B.c:3"), None) && !judged(None, None));
        assert!(explains_nulls("17.0.15+6") && explains_nulls("25-ea"));
        assert!(!explains_nulls("11.0.13+8-LTS") && !explains_nulls("14.0.1+7"));
    }
}
