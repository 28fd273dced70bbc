//! The entries of a recording: exceptions that came to handlers, with the way they came, and reflective calls.
//!
//! Methods are numbered within one JVM, in the order in which they are first named; so are arrivals. A record is
//! written once all that it names has been.

use serde::{Deserialize, Serialize};

/// A method by its name, as in class files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MethodName {
    /// Binary name with dots.
    pub class: String,
    pub method: String,
    pub descriptor: String,
}

/// A method with its number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedMethod {
    pub number: u32,
    pub name: MethodName,
    /// The class is one of the application.
    pub is_application: bool,
    /// The class is hidden: the JVM made it, and its name means nothing to others.
    pub is_hidden: bool,
}

/// A place in a running method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Frame {
    pub method: u32,
    /// Offset in the bytecode; -1 in native code.
    pub pc: i32,
}

/// An exception that came to a handler.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
    pub number: u32,
    /// Binary name of its class.
    pub exception: String,
    /// The stack from the raising frame, which is the first, to the catching one.
    pub frames: Vec<Frame>,
    /// Frames that are missing before the last, because there were too many.
    pub frames_left_out: u32,
    /// The pc of the handler, in the method of the last frame.
    pub handler_pc: u32,
    /// The number of the arrival at which the same object was caught before.
    pub after: Option<u32>,
}

/// A method that was called by reflection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reflected {
    /// The method that called it; `None` when no Java code did.
    pub caller: Option<u32>,
    /// The method or constructor; `<clinit>` of a class that came out of `Class.forName`.
    pub target: u32,
}
