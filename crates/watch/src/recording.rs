//! Recordings: the exceptions that came to handlers in a run, and by which calls, as all JVMs wrote them down, each
//! once.

mod merge;

pub(crate) use merge::merge;

use crate::watched_run::Problem;

/// In an order that does not depend on when things happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recording {
    /// JVMs that started under the agent, with application classes or not.
    pub jvms_started: usize,
    /// JVMs with application classes.
    pub jvms: usize,
    /// All that the others speak of, by name.
    pub methods: Vec<RecordedMethod>,
    /// Exceptions that came to handlers of the application, and what happened to the same objects before; that comes
    /// first.
    pub caught: Vec<Caught>,
    /// Methods that were called by reflection.
    pub reflective: Vec<ReflectiveCall>,
    pub problems: Vec<Problem>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordedMethod {
    /// Binary name with dots.
    pub class: String,
    pub method: String,
    pub descriptor: String,
    /// The class is one of the application.
    pub is_application: bool,
    /// The JVM made the class (a lambda's, for example), under a name that means nothing elsewhere.
    pub is_hidden: bool,
}

/// One way in which exceptions of a class came to a handler.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Caught {
    /// Binary name.
    pub exception: String,
    /// The raising frame first, the catching frame last.
    pub frames: Vec<Frame>,
    /// Frames missing before the last.
    pub frames_left_out: u32,
    pub handler_pc: u32,
    /// The catch of the same object before: an index into all that was caught.
    pub after: Option<usize>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Frame {
    /// Index into the methods.
    pub method: usize,
    /// Offset in the bytecode; -1 in native code.
    pub pc: i32,
}

/// A method or constructor that was called by reflection, or the `<clinit>` of a class that `Class.forName` gave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReflectiveCall {
    /// Index into the methods; `None` when no Java code called it.
    pub caller: Option<usize>,
    pub target: usize,
}

impl Recording {
    /// Exceptions that came to handlers of the application.
    pub fn at_the_application(&self) -> impl Iterator<Item = &Caught> {
        self.caught.iter().filter(|caught| {
            let catching = caught.frames.last().and_then(|frame| self.methods.get(frame.method));
            catching.is_some_and(|method| method.is_application)
        })
    }
}
