//! Recordings of a program's runs: exceptions that were caught, and targets of reflective calls.
//!
//! ```text
//! Recording ──► reflective targets ──► the analysis finds more
//!      └─► caught exceptions ──► journeys ──► raising point and clause: E ──► compared with the links found: F
//!                                (journey)    (raising)                       (compare; why: what of E is not in F)
//! ```
//!
//! A recording comes from a file. Its names and numbers are input from outside: an entry that leads nowhere is set aside.

mod compare;
pub(crate) mod comparison;
mod generated;
mod journey;
mod raising;
mod resolved;
mod walk;
mod why;

pub use compare::compare_under;

use catchment_pointsto::ReflectiveTarget;

/// A method that was on a stack.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordedMethod {
    /// Binary name with dots.
    pub class: String,
    pub method: String,
    pub descriptor: String,
}

/// A method on a stack with its pc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecordedFrame {
    /// Index into [`Recording::methods`].
    pub method: usize,
    /// Nothing in native code.
    pub pc: Option<u16>,
}

/// An exception that came to a handler.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecordedCatch {
    /// Binary name of its class.
    pub exception: String,
    /// The one that raised first, the one that caught last.
    pub frames: Vec<RecordedFrame>,
    /// No frame is missing: of deep stacks only so many are recorded.
    pub is_whole: bool,
    pub handler_pc: u16,
    /// Index into [`Recording::caught`]: how the very same object came to a handler before it was thrown again here.
    pub after: Option<usize>,
}

/// A method that was called by reflection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecordedTarget {
    /// Indices into [`Recording::methods`]; who called need not be known.
    pub caller: Option<usize>,
    pub target: usize,
}

/// All that runs have shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recording {
    pub methods: Vec<RecordedMethod>,
    pub caught: Vec<RecordedCatch>,
    pub reflective: Vec<RecordedTarget>,
}

impl Recording {
    /// Adds what another run has shown.
    pub fn add(&mut self, other: Self) {
        let (methods, caught) = (self.methods.len(), self.caught.len());
        self.methods.extend(other.methods);
        self.caught.extend(other.caught.into_iter().map(|mut it| {
            it.frames.iter_mut().for_each(|frame| frame.method += methods);
            RecordedCatch { after: it.after.map(|after| after + caught), ..it }
        }));
        self.reflective.extend(other.reflective.iter().map(|it| RecordedTarget {
            caller: it.caller.map(|caller| caller + methods),
            target: it.target + methods,
        }));
    }

    /// The targets of reflective calls as the analysis takes them, each once.
    pub fn reflective_targets(&self) -> Vec<ReflectiveTarget> {
        let mut found: Vec<ReflectiveTarget> = Vec::new();
        for RecordedTarget { caller, target } in &self.reflective {
            let Some(target) = self.methods.get(*target) else { continue };
            let caller = caller.and_then(|caller| self.methods.get(caller));
            let recorded = ReflectiveTarget {
                caller: caller.map(|it| (internal_name(&it.class), it.method.clone().into_bytes())),
                class: internal_name(&target.class),
                name: target.method.clone().into_bytes(),
                descriptor: target.descriptor.clone().into_bytes(),
            };
            found.push(recorded);
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn internal_name(binary_name: &str) -> Vec<u8> {
    binary_name.replace('.', "/").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(class: &str) -> RecordedMethod {
        RecordedMethod { class: class.to_owned(), method: "m".to_owned(), descriptor: "()V".to_owned() }
    }

    fn run(class: &str) -> Recording {
        let caught = |after| RecordedCatch {
            exception: "E".to_owned(),
            frames: vec![RecordedFrame { method: 0, pc: Some(3) }],
            is_whole: true,
            handler_pc: 7,
            after,
        };
        Recording {
            methods: vec![method(class), method("a.Caller")],
            caught: vec![caught(None), caught(Some(0))],
            reflective: vec![
                RecordedTarget { caller: Some(1), target: 0 },
                RecordedTarget { caller: None, target: 0 },
            ],
        }
    }

    #[test]
    fn runs_are_joined_and_keep_what_belongs_together() {
        let mut recording = run("a.One");
        recording.add(run("a.Two"));
        assert_eq!(recording.methods[recording.caught[3].frames[0].method], method("a.Two"));
        assert_eq!(recording.caught[3].after, Some(2));
        assert_eq!(recording.methods[recording.reflective[2].target], method("a.Two"));
        assert_eq!(recording.reflective[2].caller, Some(3));
    }

    #[test]
    fn targets_have_the_names_of_class_files_and_come_once() {
        let mut recording = run("a.One");
        recording.add(run("a.One"));
        let recorded = recording.reflective_targets();
        assert_eq!(recorded.len(), 2);
        assert_eq!(recorded[0].caller, None);
        assert_eq!(recorded[1].caller, Some((b"a/Caller".to_vec(), b"m".to_vec())));
        assert_eq!(recorded[1].class, b"a/One");
    }
}
