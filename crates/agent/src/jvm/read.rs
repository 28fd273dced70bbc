//! Failures of tests, and samples of exceptions that clauses catch.

use super::inject::is_injected;
use super::java::{Java, Object, Throwable, Value};
use crate::artefact::{self, FirstThrown};
use crate::experiment::Running;
use catchment_protocol::conversation::Failure;
use catchment_protocol::experiment::{FieldValue, Sample};

const FRAMES_KEPT: i32 = 12;
/// Causes of causes beyond this are a loop, or of no interest.
const CAUSES_READ: usize = 32;
/// Of a longer message the beginning and the end, half each.
const MESSAGE_CHARACTERS: usize = 16_000;
/// Longer texts in a field are data, not description.
const FIELD_CHARACTERS: usize = 16_000;

/// Why a test failed. Runs `getMessage` and `getCause` of the application; what they throw is ignored.
pub(super) fn failure<'j>(
    java: &Java<'j>,
    thrown: Throwable<'j>,
    experiment: Option<&Running>,
    explains_nulls: bool,
) -> Failure {
    let chain = chain(java, thrown);
    let mut described = chain.iter().map(|each| (java.name_of(*each), message(java, *each)));
    let (exception, message) = described.next().unwrap_or_default();
    let causes: Vec<(String, Option<String>)> = described.collect();
    let (first, its_message) =
        causes.last().map_or((&exception, &message), |(class, message)| (class, message));
    let frames = chain.last().map(|first| java.frames(*first, 1)).unwrap_or_default();
    let first = FirstThrown {
        exception: first,
        message: its_message.as_deref(),
        frame: frames.first().map(String::as_str),
    };
    let is_artefact = experiment.is_some_and(|it| artefact::is_artefact(first, it.injected(explains_nulls)));
    Failure {
        is_injected: experiment
            .is_some_and(|it| chain.iter().any(|each| is_injected(java, *each, it.number))),
        is_out_of_memory: chain.iter().any(|each| java.is_out_of_memory(*each)),
        is_artefact,
        frames: java.frames(thrown, FRAMES_KEPT),
        exception,
        message,
        causes,
    }
}

/// The exception and its causes, each once.
fn chain<'j>(java: &Java<'j>, thrown: Throwable<'j>) -> Vec<Throwable<'j>> {
    let mut chain = vec![thrown];
    while let Some(cause) = chain.last().and_then(|last| java.get_cause(*last)) {
        if chain.len() > CAUSES_READ || chain.iter().any(|known| java.is_same(*known, cause)) {
            break;
        }
        chain.push(cause);
    }
    chain
}

fn message<'j>(java: &Java<'j>, throwable: Throwable<'j>) -> Option<String> {
    java.get_message(throwable).map(|message| without_middle(&message))
}

fn without_middle(message: &str) -> String {
    let length = message.chars().count();
    if length <= MESSAGE_CHARACTERS {
        return message.to_owned();
    }
    let begin = message.chars().take(MESSAGE_CHARACTERS / 2);
    let end = message.chars().skip(length - MESSAGE_CHARACTERS / 2);
    begin.chain(" ... ".chars()).chain(end).collect()
}

/// The sample of a caught exception; `None` when it holds more than simple values. Runs no code of the application.
pub(super) fn sample<'j>(java: &Java<'j>, thrown: Throwable<'j>, is_exact: bool) -> Option<Sample> {
    let mut fields = Vec::new();
    for (class, field) in java.own_fields(java.class_of(thrown)) {
        let value = match java.value_of(thrown, &field)? {
            Value::Bits(bits) => FieldValue::Bits(bits),
            Value::Object(None) => FieldValue::Null,
            Value::Object(Some(object)) => field_value(java, object)?,
        };
        fields.push((class, field.name, value));
    }
    let exception = java.name_of(thrown);
    // Of a narrower type than is thrown later, what it says counts, however it comes by that. Code of the
    // application, which may have tries of its own, is not run here.
    let is_asked = !is_exact && exception.starts_with("java.");
    let said = if is_asked { message(java, thrown) } else { java.message_field(thrown) };
    let asked_cause = || java.get_cause(thrown).filter(|_| is_asked);
    let cause = java.cause_field(thrown).or_else(asked_cause).map(|cause| described(java, cause));
    let suppressed = java.suppressed(thrown).into_iter().map(|each| described(java, each)).collect();
    Some(Sample { exception, message: said, cause, fields, suppressed })
}

/// Class and stored message.
fn described<'j>(java: &Java<'j>, thrown: Throwable<'j>) -> (String, Option<String>) {
    (java.name_of(thrown), java.message_field(thrown))
}

fn field_value<'j>(java: &Java<'j>, object: Object<'j>) -> Option<FieldValue> {
    if let Some(exception) = java.as_throwable(object) {
        let (class, message) = described(java, exception);
        return Some(FieldValue::Exception(class, message));
    }
    java.text_of(object).filter(|text| text.len() <= FIELD_CHARACTERS).map(FieldValue::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_message_is_kept() {
        let message = format!("expected: <{}> but was: <3>", "x".repeat(MESSAGE_CHARACTERS));
        let kept = without_middle(&message);
        assert!(kept.starts_with("expected: <xx") && kept.ends_with("xx> but was: <3>"));
        assert_eq!(kept.len(), MESSAGE_CHARACTERS + 5);
        assert_eq!(without_middle("short"), "short");
    }
}
