//! Failures that say nothing about the program: it took a value from the injected exception that a real one would have had.

const NULL_POINTER: &str = "java.lang.NullPointerException";
const RETURNED: &str = "because the return value of \"";

/// Whether the first exception of a failure is a null pointer that came out of the injected one, going by the JVM's own
/// explanation. `injected` are the names of its class and everything above it.
pub(crate) fn is_artefact(exception: &str, message: Option<&str>, injected: &[String]) -> bool {
    let Some(message) = message.filter(|_| exception == NULL_POINTER) else { return false };
    let called =
        message.split_once(RETURNED).and_then(|(_, rest)| rest.split_once('(')).map(|(call, _)| call);
    let class = called.and_then(|call| call.rsplit_once('.')).map(|(class, _)| class);
    class.is_some_and(|class| injected.iter().any(|each| each == class))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(exception: &str, message: &str) -> bool {
        let injected = ["com.acme.Failure", "java.lang.Exception", "java.lang.Throwable", "java.lang.Object"];
        is_artefact(exception, Some(message), &injected.map(str::to_owned))
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
        assert!(!is_artefact(null, None, &[]));
    }
}
