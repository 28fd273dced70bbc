//! Recordings written by hand: places are named by what stands there, and looked up in the class files.

use crate::program::Program;
use catchment_classfile::ClassFile;
use catchment_classfile::opcodes::{ATHROW, INVOKEDYNAMIC, INVOKEVIRTUAL};
use catchment_exceptions::{
    ClassSource, RecordedCatch, RecordedFrame, RecordedMethod, RecordedTarget, Recording,
};

/// A place in a method.
#[derive(Debug, Clone, Copy)]
pub(crate) enum At {
    /// The first `throw`, or the one behind so many others.
    Throw(usize),
    /// The first call of a method of this name.
    Call(&'static str),
    Pc(u16),
    Native,
}

/// A recording of a program.
pub(crate) struct HandWritten<'p> {
    program: &'p Program,
    pub(crate) recording: Recording,
}

impl<'p> HandWritten<'p> {
    pub(crate) fn of(program: &'p Program) -> Self {
        Self { program, recording: Recording::default() }
    }

    /// An exception came from the first of these frames, `Class.method`, to a handler of the last one: the one for this type
    /// (`any` for all) behind so many others for it. The number of the record.
    pub(crate) fn caught(
        &mut self,
        exception: &str,
        frames: &[(&str, At)],
        (handled, number): (&str, usize),
        after: Option<usize>,
    ) -> usize {
        let last = frames.last().expect("a frame").0;
        let handler_pc = self.handler(last, handled, number);
        let frames = frames.iter().map(|(method, at)| self.frame(method, *at)).collect();
        let exception = exception.to_owned();
        self.recording.caught.push(RecordedCatch { exception, frames, is_whole: true, handler_pc, after });
        self.recording.caught.len() - 1
    }

    pub(crate) fn reflective(&mut self, caller: Option<&str>, target: &str) {
        let caller = caller.map(|caller| self.method(caller));
        let target = self.method(target);
        self.recording.reflective.push(RecordedTarget { caller, target });
    }

    fn frame(&mut self, method: &str, at: At) -> RecordedFrame {
        let pc = match at {
            At::Native => None,
            At::Pc(pc) => Some(pc),
            At::Throw(_) | At::Call(_) => Some(self.find(method, at)),
        };
        RecordedFrame { method: self.method(method), pc }
    }

    /// `class.name` or `class.name(descriptor)`; of classes that nobody has, the descriptor does not matter.
    fn method(&mut self, named: &str) -> usize {
        let (class, name, descriptor) = parts(named);
        let descriptor = descriptor.map(str::to_owned);
        let descriptor = descriptor.or_else(|| self.with_method(named, |_, member| member.to_owned()));
        let method = RecordedMethod {
            class: class.to_owned(),
            method: name.to_owned(),
            descriptor: descriptor.unwrap_or_else(|| "()V".to_owned()),
        };
        self.recording.methods.push(method);
        self.recording.methods.len() - 1
    }

    fn find(&self, method: &str, wanted: At) -> u16 {
        let pc = self.with_code(method, |class, code| {
            let mut throws = code.insns().filter_map(Result::ok).filter(|it| it.opcode == ATHROW);
            let mut calls = code.insns().filter_map(Result::ok);
            let is_of =
                |name: &str, constant| class.pool.member_ref(constant).is_ok_and(|it| it.name == name);
            let found = match wanted {
                At::Throw(number) => throws.nth(number),
                At::Call(name) => calls
                    .find(|it| (INVOKEVIRTUAL..INVOKEDYNAMIC).contains(&it.opcode) && is_of(name, it.u2())),
                At::Pc(_) | At::Native => None,
            };
            found.map(|it| it.pc as u16)
        });
        let pc = pc.flatten();
        assert!(pc.is_some(), "no {wanted:?} in {method}");
        pc.unwrap_or_default()
    }

    fn handler(&self, method: &str, handled: &str, number: usize) -> u16 {
        let found = self.with_code(method, |class, code| {
            let is_for = |catch_type| match catch_type {
                0 => handled == "any",
                index => {
                    class.pool.class_name(index).is_ok_and(|it| it.to_string().replace('/', ".") == handled)
                }
            };
            let rows = code.exceptions().filter(|row| is_for(row.catch_type));
            let mut handlers: Vec<u16> = rows.map(|row| row.handler).collect();
            handlers.sort_unstable();
            handlers.dedup();
            handlers.get(number).copied()
        });
        let found = found.flatten();
        assert!(found.is_some(), "no handler of {handled} in {method}");
        found.unwrap_or_default()
    }

    fn with_code<T>(
        &self,
        named: &str,
        with: impl FnOnce(&ClassFile<'_>, &catchment_classfile::Code<'_>) -> T,
    ) -> Option<T> {
        let (class, name, descriptor) = parts(named);
        let (bytes, _) = self.program.find(class.replace('.', "/").as_bytes())?;
        let file = ClassFile::parse(bytes).expect("a class");
        let is_meant = |it: &&catchment_classfile::Member<'_>| {
            it.name == name && descriptor.is_none_or(|only| it.descriptor == only)
        };
        let member = file.methods.iter().find(is_meant)?;
        let (_, code) = file.code(member).expect("readable")?;
        Some(with(&file, &code))
    }

    fn with_method<T>(&self, named: &str, with: impl FnOnce(&ClassFile<'_>, &str) -> T) -> Option<T> {
        let (class, name, _) = parts(named);
        let (bytes, _) = self.program.find(class.replace('.', "/").as_bytes())?;
        let file = ClassFile::parse(bytes).expect("a class");
        let member = file.methods.iter().find(|it| it.name == name)?;
        Some(with(&file, &member.descriptor.to_string()))
    }
}

fn parts(named: &str) -> (&str, &str, Option<&str>) {
    let start = named.find('(').unwrap_or(named.len());
    let (path, descriptor) = named.split_at(start);
    let (class, name) = path.rsplit_once('.').expect("a class and a method");
    (class, name, Some(descriptor).filter(|it| !it.is_empty()))
}
