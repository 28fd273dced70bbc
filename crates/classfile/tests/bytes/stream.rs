//! Code inserted while it is copied is where a planned edit would have put it.

use crate::builder::{Builder, OBJECT};
use crate::relocate::{NoConstants, edit, insert};
use catchment_classfile::opcodes::{GOTO, ICONST_0, IFEQ, INVOKESTATIC, NOP, POP, RETURN, TABLESWITCH};
use catchment_classfile::{
    ClassFile, Constants, Inserter, MethodCode, Outlines, PoolAppender, RelocateError, Relocator,
    RelocatorBuffers, Role,
};

const ENTRY: [u8; 2] = [ICONST_0, POP];
const BEFORE_CALL: [u8; 3] = [NOP, NOP, NOP];

/// Greets the entry, if asked to, and every call.
struct Greeter {
    entry: bool,
    constants: NoConstants,
}

impl Inserter for Greeter {
    const MAX_INSERTED: usize = 3;

    fn wants(&self, role: Role) -> bool {
        role == Role::Call
    }

    fn put_entry(&mut self, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        out.extend_from_slice(if self.entry { &ENTRY } else { &[] });
        Ok(())
    }

    fn put_before(&mut self, _: Role, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        out.extend(BEFORE_CALL);
        Ok(())
    }

    fn put_handler(&mut self, _: &mut Vec<u8>) -> Result<Option<usize>, RelocateError> {
        Ok(None)
    }

    fn constants(&mut self) -> &mut dyn Constants {
        &mut self.constants
    }
}

/// The class with its method streamed; `None` if that does not do for it.
fn stream(class: &[u8], entry: bool) -> Option<Vec<u8>> {
    let class = ClassFile::parse(class).expect("readable");
    let method = class.methods[0];
    let (attribute, code) = class.code(&method).expect("readable").expect("has code");
    let mut outlines = Outlines::default();
    let span = outlines.add(code.bytes).expect("readable");
    let source = MethodCode { class: &class, method: &method, attribute, code, outline: outlines.get(&span) };
    if !Relocator::can_stream(&source, Greeter::MAX_INSERTED) {
        return None;
    }
    let mut buffers = RelocatorBuffers::default();
    let mut relocator = Relocator::new(&class, &mut buffers);
    let mut greeter = Greeter { entry, constants: NoConstants };
    relocator.stream(&source, code.max_stack, &mut greeter).expect("fits");
    Some(relocator.finish(&PoolAppender::new(&class.pool)))
}

/// The same by a plan: pieces, and jumps to the start land behind the entry.
fn plan(class: &[u8], entry: bool, calls: &[usize]) -> Vec<u8> {
    edit(class, |edit| {
        if entry {
            insert(edit, 0, &ENTRY);
            edit.landings.push((0, 1));
        }
        calls.iter().for_each(|pc| insert(edit, *pc, &BEFORE_CALL));
    })
    .expect("fits")
}

#[test]
fn what_is_streamed_is_what_a_plan_makes() {
    let call = [INVOKESTATIC, 0, 9];
    let lines: &[u8] = &[0, 2, 0, 0, 0, 7, 0, 3, 0, 8];
    // 0: call; 3: goto -3 (to 0): a jump to the start, where a call stands too.
    let loops = Builder::new(&[&call[..], &[GOTO, 0xFF, 0xFD]].concat());
    // 0: iconst_0; 1: ifeq +6 (to 7); 4: call; 7: call; 10: return
    let branches = Builder::new(&[&[ICONST_0, IFEQ, 0, 6][..], &call, &call, &[RETURN]].concat());
    // 0: goto +4 (to 4); 3: nop, dead; 4: call; 7: return
    let skips = Builder::new(&[&[GOTO, 0, 4, NOP][..], &call, &[RETURN]].concat());
    let straight = Builder::new(&[NOP, NOP, NOP, RETURN]);
    // 0: nop; 1: call, protected; 4: return; 5: return, the handler
    let protects = Builder::new(&[&[NOP][..], &call, &[RETURN, RETURN]].concat()).catching([1, 4, 5, OBJECT]);
    for (class, frames, calls) in [
        (loops, &[0, 1, 0][..], &[0][..]),
        (branches, &[0, 1, 7], &[4, 7]),
        (skips, &[0, 2, 3, 0], &[4]),
        (straight, &[0, 0], &[]),
        (protects, &[0, 1, 69, 7, 0, OBJECT as u8], &[1]),
    ] {
        let class =
            class.with("StackMapTable", frames).with("LineNumberTable", lines).with("Odd", &[1]).build();
        for entry in [true, false] {
            let streamed = stream(&class, entry).expect("can be streamed");
            assert_eq!(streamed, plan(&class, entry, calls), "entry {entry}, calls at {calls:?}");
        }
    }
}

#[test]
fn methods_that_need_a_plan_are_left_to_one() {
    let switches = Builder::new(&[
        ICONST_0,
        TABLESWITCH,
        0,
        0,
        0,
        0,
        0,
        19,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        19,
        RETURN,
    ]);
    let long = Builder::new(&[&[NOP; 32_760][..], &[RETURN]].concat());
    for class in [switches, long] {
        assert_eq!(stream(&class.build(), true), None);
    }
}
