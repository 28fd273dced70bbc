//! `catchment.seen/1`: which exceptions came to which handlers in a run.
//!
//! ```text
//! {"schema":"catchment.seen/1",
//!  "methods":[{"class","method","descriptor","application","hidden"}],
//!  "caught":[{"exception":binary name, "frames":[{"method":index,"pc"}], "frames_left_out", "handler_pc",
//!             "after":index|null}],
//!  "reflective":[{"caller":index|null,"target":index}],
//!  "problems":[{"where","what"}]}
//! ```
//!
//! Frames go from the raising to the catching one. `after` is where the same object was caught before; that always
//! stands further up. Targets are methods and constructors that were called by reflection, and the `<clinit>` of
//! classes that `Class.forName` gave, whether they have one or not.

use crate::json::{JsonProblem, write_line};
use catchment_watch::{Caught, Frame, RecordedMethod, Recording, ReflectiveCall};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct JsonRecording<'a> {
    schema: &'static str,
    methods: Vec<JsonMethod<'a>>,
    caught: Vec<JsonCaught<'a>>,
    reflective: Vec<JsonReflective>,
    problems: Vec<JsonProblem<'a>>,
}

#[derive(Serialize)]
struct JsonMethod<'a> {
    class: &'a str,
    method: &'a str,
    descriptor: &'a str,
    application: bool,
    hidden: bool,
}

#[derive(Serialize)]
struct JsonCaught<'a> {
    exception: &'a str,
    frames: Vec<JsonFrame>,
    frames_left_out: u32,
    handler_pc: u32,
    after: Option<usize>,
}

#[derive(Serialize)]
struct JsonFrame {
    method: usize,
    pc: i32,
}

#[derive(Serialize)]
struct JsonReflective {
    caller: Option<usize>,
    target: usize,
}

pub fn write_recording_json(out: &mut dyn Write, recording: &Recording) -> io::Result<()> {
    let (reflective, problems) = (recording.reflective.iter(), recording.problems.iter());
    let value = JsonRecording {
        schema: "catchment.seen/1",
        methods: recording.methods.iter().map(method).collect(),
        caught: recording.caught.iter().map(caught).collect(),
        reflective: reflective
            .map(|&ReflectiveCall { caller, target }| JsonReflective { caller, target })
            .collect(),
        problems: problems.map(|each| JsonProblem { place: &each.place, what: &each.what }).collect(),
    };
    write_line(out, &value)
}

fn method(method: &RecordedMethod) -> JsonMethod<'_> {
    JsonMethod {
        class: &method.class,
        method: &method.method,
        descriptor: &method.descriptor,
        application: method.is_application,
        hidden: method.is_hidden,
    }
}

fn caught(caught: &Caught) -> JsonCaught<'_> {
    JsonCaught {
        exception: &caught.exception,
        frames: caught.frames.iter().map(|&Frame { method, pc }| JsonFrame { method, pc }).collect(),
        frames_left_out: caught.frames_left_out,
        handler_pc: caught.handler_pc,
        after: caught.after,
    }
}
