//! Code inserted while it is copied is where a planned edit would have put it.

use crate::builder::{Builder, OBJECT};
use crate::relocate::{NoConstants, edit, insert};
use catchment_classfile::opcodes::{GOTO, ICONST_0, IFEQ, INVOKESTATIC, NOP, POP, RETURN, TABLESWITCH};
use catchment_classfile::{
    ClassError, ClassFile, CodeEdit, CodePosition, Constants, ControlKind, Inserter, MethodCode, Outlines,
    Piece, PieceGroup, PlannedInserter, PoolAppender, RelocateError, Relocator, RelocatorBuffers,
    StreamInserter,
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

    fn wants(&self, control: ControlKind) -> bool {
        control == ControlKind::Call
    }

    fn put_before(&mut self, _: ControlKind, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        out.extend(BEFORE_CALL);
        Ok(())
    }
}

impl StreamInserter for Greeter {
    fn put_entry(&mut self, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        out.extend_from_slice(if self.entry { &ENTRY } else { &[] });
        Ok(())
    }

    fn put_handler(&mut self, _: &mut Vec<u8>) -> Result<Option<usize>, RelocateError> {
        Ok(None)
    }

    fn constants(&mut self) -> &mut dyn Constants {
        &mut self.constants
    }
}

/// Also has a row in front of some instructions: a jump over the rest of the row, and that rest.
struct RowGreeter<'r, 'a> {
    calls: Greeter,
    rows: &'r [usize],
    edit: CodeEdit<'a>,
}

const IN_ROW: [u8; 1] = [NOP];

impl Inserter for RowGreeter<'_, '_> {
    const MAX_INSERTED: usize = 3;

    fn wants(&self, control: ControlKind) -> bool {
        self.calls.wants(control)
    }

    fn put_before(&mut self, control: ControlKind, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        self.calls.put_before(control, out)
    }

    fn next_group(&self) -> Option<usize> {
        self.rows.first().copied()
    }

    fn put_group(&mut self, group: &mut PieceGroup<'_>) -> Result<(), RelocateError> {
        assert_eq!(Some(group.pc()), self.next_group());
        group.put_goto(2);
        group.begin_piece().extend(IN_ROW);
        self.rows = &self.rows[1..];
        Ok(())
    }
}

impl<'a> PlannedInserter<'a> for RowGreeter<'_, 'a> {
    fn plan(&mut self) -> Result<(&CodeEdit<'a>, &mut dyn Constants), RelocateError> {
        Ok((&self.edit, &mut self.calls.constants))
    }
}

/// The class with its method streamed; `None` if that does not do for it.
fn stream(class: &[u8], entry: bool) -> Option<Vec<u8>> {
    streamed(class, |relocator, source| {
        let mut greeter = Greeter { entry, constants: NoConstants };
        relocator.stream_without_tries(source, source.code.max_stack, &mut greeter)
    })
}

fn streamed(
    class: &[u8],
    stream: impl for<'a> FnOnce(&mut Relocator<'_, 'a>, &MethodCode<'_, 'a>) -> Result<bool, RelocateError>,
) -> Option<Vec<u8>> {
    let class = ClassFile::parse(class).expect("readable");
    let method = class.methods[0];
    let (attribute, code) = class.code(&method).expect("readable").expect("has code");
    let mut outlines = Outlines::default();
    let span = outlines.add(code.bytes).expect("readable");
    let source = MethodCode { class: &class, method: &method, attribute, code, outline: outlines.get(&span) };
    let mut buffers = RelocatorBuffers::default();
    let mut relocator = Relocator::new(&class, &mut buffers);
    let is_streamed = stream(&mut relocator, &source).expect("readable");
    is_streamed.then(|| relocator.finish(&PoolAppender::new(&class.pool)).to_vec())
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

/// `iconst_0; tableswitch`: default and case 0 go to a call, behind which is a `return`.
fn switching(call: &[u8]) -> Builder {
    let switch = [[0, 0, 0, 19], [0; 4], [0; 4], [0, 0, 0, 19]].concat();
    Builder::new(&[&[ICONST_0, TABLESWITCH, 0, 0][..], &switch, call, &[RETURN]].concat())
}

#[test]
fn switches_are_streamed_with_the_padding_of_their_new_place() {
    let class = switching(&[INVOKESTATIC, 0, 9]).with("StackMapTable", &[0, 1, 20]).build();
    for entry in [true, false] {
        assert_eq!(stream(&class, entry).expect("can be streamed"), plan(&class, entry, &[20]));
    }
}

#[test]
fn rows_are_streamed_as_a_plan_places_them() {
    let call = [INVOKESTATIC, 0, 9];
    // 0: iconst_0; 1: ifeq +6 (to 7); 4: call; 7: call; 10: return
    let branches = Builder::new(&[&[ICONST_0, IFEQ, 0, 6][..], &call, &call, &[RETURN]].concat());
    let branches = branches.with("StackMapTable", &[0, 1, 7]).build();
    let switches = switching(&call).with("StackMapTable", &[0, 1, 20]).build();
    for (class, calls, rows) in [
        (&branches, &[4, 7][..], &[7][..]),
        (&branches, &[4, 7], &[0, 7, 10]),
        (&switches, &[20], &[1, 20]),
        (&switches, &[20], &[20, 23]),
    ] {
        let landings: Vec<(usize, usize)> = rows.iter().map(|pc| (*pc, 1)).collect();
        let planned = edit(class, |edit| {
            for pc in 0..30 {
                if rows.contains(&pc) {
                    edit.pieces.push(Piece::Goto { pc, to: CodePosition::Slot { pc, slot: 2 } });
                    insert(edit, pc, &IN_ROW);
                }
                if calls.contains(&pc) {
                    insert(edit, pc, &BEFORE_CALL);
                }
            }
            edit.landings.clone_from(&landings);
        });
        let streamed = streamed(class, |relocator, source| {
            let edit = CodeEdit { landings, ..CodeEdit::unchanged(&source.code) };
            let calls = Greeter { entry: false, constants: NoConstants };
            relocator.stream_planned(source, &mut RowGreeter { calls, rows, edit })
        });
        assert_eq!(streamed, planned.ok(), "rows at {rows:?}");
    }
}

#[test]
fn a_row_inside_an_instruction_is_an_error() {
    let class = Builder::new(&[INVOKESTATIC, 0, 9, RETURN]).build();
    streamed(&class, |relocator, source| {
        for pc in [1, 4] {
            let calls = Greeter { entry: false, constants: NoConstants };
            let mut greeter = RowGreeter { calls, rows: &[pc][..], edit: CodeEdit::unchanged(&source.code) };
            let result = relocator.stream_planned(source, &mut greeter);
            assert_eq!(result, Err(ClassError::NotAnInstruction(pc).into()));
        }
        Ok(false)
    });
}

#[test]
fn methods_too_long_for_every_jump_to_reach_are_left_to_a_plan() {
    let long = Builder::new(&[&[NOP; 32_766][..], &[RETURN]].concat()).build();
    assert_eq!(stream(&long, true), None);
    assert!(stream(&long, false).is_some());
}
