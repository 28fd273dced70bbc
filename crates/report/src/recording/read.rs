//! Reads `catchment.seen/1`: what runs of a program have shown. The only contract that is read as well as written.

use crate::handlers::ListedProblem;
use catchment_exceptions::{RecordedCatch, RecordedFrame, RecordedMethod, RecordedTarget, Recording};
use serde::Deserialize;

const SCHEMA: &str = "catchment.seen/1";

/// The content of a recording file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordingFile {
    pub recording: Recording,
    /// Problems that kept the recorder from seeing everything.
    pub problems: Vec<ListedProblem>,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error("no JSON of a recording: {0}")]
    Json(#[from] serde_json::Error),
    #[error("its schema is '{0}', not '{SCHEMA}'")]
    Schema(String),
    #[error("{place} names {what} {index}, and there are only {count}")]
    Index { place: String, what: &'static str, index: usize, count: usize },
    #[error("{place} has no frames")]
    NoFrames { place: String },
    #[error("{place} has the bytecode index {pc}")]
    Pc { place: String, pc: i64 },
}

#[derive(Deserialize)]
struct JsonSchema {
    schema: String,
}

#[derive(Deserialize)]
struct JsonRecording {
    methods: Vec<JsonMethod>,
    caught: Vec<JsonCaught>,
    #[serde(default)]
    reflective: Vec<JsonTarget>,
    #[serde(default)]
    problems: Vec<JsonRecordingProblem>,
}

#[derive(Deserialize)]
struct JsonMethod {
    class: String,
    method: String,
    descriptor: String,
}

#[derive(Deserialize)]
struct JsonCaught {
    exception: String,
    frames: Vec<JsonFrame>,
    #[serde(default)]
    frames_left_out: u64,
    handler_pc: i64,
    after: Option<usize>,
}

#[derive(Deserialize)]
struct JsonFrame {
    method: usize,
    pc: i64,
}

#[derive(Deserialize)]
struct JsonTarget {
    caller: Option<usize>,
    target: usize,
}

#[derive(Deserialize)]
struct JsonRecordingProblem {
    #[serde(rename = "where")]
    place: String,
    what: String,
}

/// The pc of native code.
const NATIVE: i64 = -1;

/// Reads a recording, in which every number means something.
pub fn read_recording(text: &[u8]) -> Result<RecordingFile, RecordingError> {
    // Of another schema nothing else may be read.
    let JsonSchema { schema } = serde_json::from_slice(text)?;
    if schema != SCHEMA {
        return Err(RecordingError::Schema(schema));
    }
    let json: JsonRecording = serde_json::from_slice(text)?;
    let (methods, records) = (json.methods.len(), json.caught.len());
    let caught = (0..).zip(json.caught).map(|(index, it)| caught(index, it, methods, records));
    let reflective = (0..).zip(json.reflective).map(|(index, it)| target(index, &it, methods));
    let recording = Recording {
        caught: caught.collect::<Result<_, _>>()?,
        reflective: reflective.collect::<Result<_, _>>()?,
        methods: json.methods.into_iter().map(method).collect(),
    };
    let problems = json.problems.into_iter().map(|it| ListedProblem { place: it.place, what: it.what });
    Ok(RecordingFile { recording, problems: problems.collect() })
}

fn method(JsonMethod { class, method, descriptor }: JsonMethod) -> RecordedMethod {
    RecordedMethod { class, method, descriptor }
}

fn caught(
    index: usize,
    it: JsonCaught,
    methods: usize,
    records: usize,
) -> Result<RecordedCatch, RecordingError> {
    let place = || format!("caught {index}");
    if it.frames.is_empty() {
        return Err(RecordingError::NoFrames { place: place() });
    }
    let wrong_pc = |pc| RecordingError::Pc { place: place(), pc };
    let frame = |JsonFrame { method, pc }: JsonFrame| {
        let method = within(method, methods, "method", place)?;
        let pc = (pc != NATIVE).then(|| u16::try_from(pc).map_err(|_| wrong_pc(pc))).transpose()?;
        Ok(RecordedFrame { method, pc })
    };
    Ok(RecordedCatch {
        frames: it.frames.into_iter().map(frame).collect::<Result<_, RecordingError>>()?,
        is_whole: it.frames_left_out == 0,
        handler_pc: u16::try_from(it.handler_pc).map_err(|_| wrong_pc(it.handler_pc))?,
        after: it.after.map(|after| within(after, records, "record", place)).transpose()?,
        exception: it.exception,
    })
}

fn target(index: usize, it: &JsonTarget, methods: usize) -> Result<RecordedTarget, RecordingError> {
    let place = || format!("reflective {index}");
    let caller = it.caller.map(|caller| within(caller, methods, "method", place)).transpose()?;
    Ok(RecordedTarget { caller, target: within(it.target, methods, "method", place)? })
}

fn within(
    index: usize,
    count: usize,
    what: &'static str,
    place: impl Fn() -> String,
) -> Result<usize, RecordingError> {
    if index < count { Ok(index) } else { Err(RecordingError::Index { place: place(), what, index, count }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{"schema":"catchment.seen/1",
        "methods":[{"class":"a.B","method":"open0","descriptor":"()V"},{"class":"a.C","method":"m","descriptor":"()V"}],
        "caught":[{"exception":"a.E","frames":[{"method":0,"pc":-1},{"method":1,"pc":4}],"handler_pc":9,"after":null}],
        "reflective":[{"caller":null,"target":1}],
        "problems":[{"where":"a.D","what":"gone"}],
        "added_later":1}"#;

    fn refused(from: &str, to: &str) -> String {
        assert!(FILE.contains(from));
        read_recording(FILE.replace(from, to).as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn everything_of_a_recording_is_read() {
        let RecordingFile { recording, problems } = read_recording(FILE.as_bytes()).unwrap();
        let frames = vec![RecordedFrame { method: 0, pc: None }, RecordedFrame { method: 1, pc: Some(4) }];
        assert_eq!(
            recording.caught,
            [RecordedCatch {
                exception: "a.E".to_owned(),
                frames,
                is_whole: true,
                handler_pc: 9,
                after: None
            }]
        );
        assert_eq!(recording.reflective, [RecordedTarget { caller: None, target: 1 }]);
        assert_eq!(recording.methods[1].class, "a.C");
        assert_eq!(problems[0].place, "a.D");
    }

    #[test]
    fn frames_that_were_left_out_are_not_forgotten() {
        let cut = FILE.replace("\"handler_pc\"", "\"frames_left_out\":1490,\"handler_pc\"");
        assert!(!read_recording(cut.as_bytes()).unwrap().recording.caught[0].is_whole);
    }

    #[test]
    fn what_means_nothing_is_refused_with_the_place() {
        assert_eq!(refused("seen/1", "seen/2"), "its schema is 'catchment.seen/2', not 'catchment.seen/1'");
        assert_eq!(
            refused("\"target\":1", "\"target\":2"),
            "reflective 0 names method 2, and there are only 2"
        );
        assert_eq!(refused("\"after\":null", "\"after\":1"), "caught 0 names record 1, and there are only 1");
        assert_eq!(refused("\"pc\":4", "\"pc\":70000"), "caught 0 has the bytecode index 70000");
        assert!(
            refused("{\"schema\"", "{\"scheme\"")
                .starts_with("no JSON of a recording: missing field `schema`")
        );
        assert!(read_recording(b"").is_err());
    }
}
