//! Moves of code and tables when code is inserted into a method.

use crate::builder::{Builder, OBJECT};
use catchment_classfile::opcodes::{
    ALOAD, GOTO, GOTO_W, ICONST_0, IFEQ, LOOKUPSWITCH, NOP, POP, RETURN, TABLESWITCH,
};
use catchment_classfile::{
    Appended, AppendedEnd, BlockFrame, ClassError, ClassFile, CodeEdit, CodePosition, Constants, Frame, Insn,
    MethodCode, NewException, Outlines, Piece, PoolAppender, RelocateError, Relocator, RelocatorBuffers,
    VerificationType,
};

pub(crate) struct NoConstants;

impl Constants for NoConstants {
    fn class(&mut self, _: &[u8]) -> Option<u16> {
        None
    }

    fn stack_map_name(&mut self) -> Option<u16> {
        None
    }
}

/// Applies what `change` makes of an empty edit to the only method, and reads the class again.
pub(crate) fn edit(class: &[u8], change: impl FnOnce(&mut CodeEdit<'_>)) -> Result<Vec<u8>, RelocateError> {
    let class = ClassFile::parse(class).expect("readable");
    let method = class.methods[0];
    let (attribute, code) = class.code(&method).expect("readable").expect("has code");
    let mut edit = CodeEdit::unchanged(&code);
    change(&mut edit);
    let mut outlines = Outlines::default();
    let span = outlines.add(code.bytes)?;
    let source = MethodCode { class: &class, method: &method, attribute, code, outline: outlines.get(&span) };
    let mut buffers = RelocatorBuffers::default();
    let mut relocator = Relocator::new(&class, &mut buffers);
    relocator.relocate(&source, &edit, &mut NoConstants)?;
    Ok(relocator.finish(&PoolAppender::new(&class.pool)).to_vec())
}

/// Inserts `bytes` in front of the instruction at `pc`.
pub(crate) fn insert(edit: &mut CodeEdit<'_>, pc: usize, bytes: &[u8]) {
    let start = edit.code.len();
    edit.code.extend(bytes);
    edit.pieces.push(Piece::Code { pc, start, end: edit.code.len() });
}

fn code_of(class: &[u8]) -> Vec<u8> {
    let class = ClassFile::parse(class).expect("readable");
    let (_, code) = class.code(&class.methods[0]).expect("readable").expect("has code");
    code.bytes.to_vec()
}

fn attribute_of(class: &[u8], name: &str) -> Option<Vec<u8>> {
    let class = ClassFile::parse(class).expect("readable");
    let (_, code) = class.code(&class.methods[0]).expect("readable").expect("has code");
    code.attributes.find(&class.pool, name).map(|attribute| attribute.data.to_vec())
}

#[test]
fn an_empty_edit_changes_nothing() {
    let class = Builder::new(&[ICONST_0, IFEQ, 0, 4, NOP, RETURN])
        .catching([0, 5, 5, OBJECT])
        .with("StackMapTable", &[0, 1, 251, 0, 5])
        .with("LineNumberTable", &[0, 2, 0, 0, 0, 7, 0, 2, 0, 8])
        .with("Mystery", &[1, 2, 3])
        .build();
    assert_eq!(edit(&class, |_| {}).expect("fits"), class);
}

#[test]
fn a_branch_over_an_insertion_reaches_its_old_target() {
    // iconst_0; ifeq +4 (to 5); nop; return
    let class = Builder::new(&[ICONST_0, IFEQ, 0, 4, NOP, RETURN]).with("StackMapTable", &[0, 1, 5]).build();
    let woven = edit(&class, |edit| insert(edit, 4, &[NOP, NOP])).expect("fits");
    assert_eq!(code_of(&woven), [ICONST_0, IFEQ, 0, 6, NOP, NOP, NOP, RETURN]);
    assert_eq!(attribute_of(&woven, "StackMapTable"), Some(vec![0, 1, 7]));
}

#[test]
fn a_jump_can_land_behind_the_first_piece_and_gets_its_own_frame() {
    // 0: nop; 1: goto -1 (to 0)
    let class = Builder::new(&[NOP, GOTO, 0xFF, 0xFF]).with("StackMapTable", &[0, 1, 0]).build();
    let woven = edit(&class, |edit| {
        insert(edit, 0, &[ICONST_0, POP]);
        edit.redirects.push(((1, 0), CodePosition::Slot { pc: 0, slot: 1 }));
    })
    .expect("fits");
    assert_eq!(code_of(&woven), [ICONST_0, POP, NOP, GOTO, 0xFF, 0xFF]);
    // One frame, where the jump arrives: nobody jumps to the inserted code, and the method's start needs none.
    assert_eq!(attribute_of(&woven, "StackMapTable"), Some(vec![0, 1, 2]));
}

#[test]
fn switches_are_padded_anew() {
    for opcode in [TABLESWITCH, LOOKUPSWITCH] {
        let mut code = vec![ICONST_0, opcode, 0, 0];
        code.extend([0, 0, 0, 20]); // default: pc 21
        code.extend(if opcode == TABLESWITCH { [0; 8].to_vec() } else { [0, 0, 0, 1, 0, 0, 0, 0].to_vec() });
        code.extend([0, 0, 0, 19]); // case: pc 20
        code.extend([NOP, RETURN]);
        assert_eq!(code.len(), 22);
        let class = Builder::new(&code).with("StackMapTable", &[0, 2, 20, 0]).build();
        for inserted in 1..=8 {
            let woven = edit(&class, |edit| insert(edit, 1, &vec![NOP; inserted])).expect("fits");
            let code = code_of(&woven);
            let switch = Insn::at(&code, 1 + inserted).expect("an instruction");
            let targets: Vec<usize> = switch.targets().collect();
            assert_eq!(
                targets,
                [switch.next_pc() + 1, switch.next_pc()],
                "{inserted} bytes before opcode {opcode}"
            );
            assert_eq!(code[targets[0]], RETURN);
        }
    }
}

#[test]
fn padding_of_a_switch_that_is_not_zero_is_kept() {
    let switch = [LOOKUPSWITCH, 7, 8, 9, 0, 0, 0, 12, 0, 0, 0, 0, RETURN];
    let class = Builder::new(&switch).build();
    assert_eq!(edit(&class, |_| {}).expect("nothing to refuse"), class);
}

#[test]
fn a_switch_may_start_below_zero() {
    let mut code = vec![ICONST_0, TABLESWITCH, 0, 0, 0, 0, 0, 23];
    code.extend((-1i32).to_be_bytes());
    code.extend(0i32.to_be_bytes());
    code.extend([0, 0, 0, 23, 0, 0, 0, 23, RETURN]);
    let class = Builder::new(&code).with("StackMapTable", &[0, 1, 24]).build();
    let woven = edit(&class, |edit| insert(edit, 1, &[NOP])).expect("fits");
    let code = code_of(&woven);
    let switch = Insn::at(&code, 2).expect("an instruction");
    assert_eq!(switch.targets().collect::<Vec<_>>(), [code.len() - 1; 3]);
}

#[test]
fn a_goto_that_no_longer_reaches_is_widened() {
    let mut code = vec![GOTO, 0x7F, 0xFF];
    code.resize(32_767, NOP);
    code.push(RETURN);
    let class = Builder::new(&code).with("StackMapTable", &[0, 1, 251, 0x7F, 0xFF]).build();
    let woven = edit(&class, |edit| insert(edit, 3, &[NOP])).expect("fits");
    let code = code_of(&woven);
    assert_eq!(code[0], GOTO_W);
    assert_eq!(Insn::at(&code, 0).expect("an instruction").targets().collect::<Vec<_>>(), [code.len() - 1]);
    assert_eq!(attribute_of(&woven, "StackMapTable"), Some(vec![0, 1, 251, 0x80, 0x02]));
}

#[test]
fn a_conditional_branch_that_no_longer_reaches_is_refused() {
    let mut code = vec![ICONST_0, IFEQ, 0x7F, 0xFF];
    code.resize(32_768, NOP);
    code.push(RETURN);
    let class = Builder::new(&code).build();
    assert_eq!(edit(&class, |edit| insert(edit, 4, &[NOP])), Err(RelocateError::BranchTooFar));
}

#[test]
fn code_over_the_limit_is_refused() {
    let mut code = vec![NOP; 65_534];
    code.push(RETURN);
    let class = Builder::new(&code).build();
    assert!(edit(&class, |_| {}).is_ok());
    assert_eq!(edit(&class, |edit| insert(edit, 0, &[NOP])), Err(RelocateError::TooLong));
}

#[test]
fn an_insertion_inside_an_instruction_is_an_error() {
    let class = Builder::new(&[ICONST_0, IFEQ, 0, 3, RETURN]).build();
    let error = edit(&class, |edit| insert(edit, 2, &[NOP])).expect_err("pc 2 is an operand");
    assert_eq!(error, RelocateError::Class(ClassError::NotAnInstruction(2)));
}

#[test]
fn debug_tables_follow_the_code_and_unknown_attributes_are_dropped() {
    let class = Builder::new(&[NOP, NOP, RETURN])
        .with("LineNumberTable", &[0, 2, 0, 0, 0, 7, 0, 2, 0, 8])
        .with("LocalVariableTable", &[0, 1, 0, 1, 0, 2, 0, 5, 0, 6, 0, 0])
        .with("CharacterRangeTable", &[9, 9])
        .build();
    let woven = edit(&class, |edit| insert(edit, 2, &[NOP, NOP, NOP])).expect("fits");
    assert_eq!(attribute_of(&woven, "LineNumberTable"), Some(vec![0, 2, 0, 0, 0, 7, 0, 2, 0, 8]));
    assert_eq!(attribute_of(&woven, "LocalVariableTable"), Some(vec![0, 1, 0, 1, 0, 5, 0, 5, 0, 6, 0, 0]));
    assert_eq!(attribute_of(&woven, "CharacterRangeTable"), None);
}

#[test]
fn a_line_number_inside_an_instruction_stays_inside_it() {
    let class =
        Builder::new(&[ICONST_0, IFEQ, 0, 3, RETURN]).with("LineNumberTable", &[0, 1, 0, 2, 0, 7]).build();
    assert_eq!(edit(&class, |_| {}).expect("fits"), class);
    let woven = edit(&class, |edit| insert(edit, 1, &[NOP])).expect("fits");
    assert_eq!(attribute_of(&woven, "LineNumberTable"), Some(vec![0, 1, 0, 3, 0, 7]));
}

#[test]
fn annotations_on_a_catch_follow_their_row_of_the_exception_table() {
    // One annotation on exception parameter 0, no path, type 5, no values.
    let annotations = [0, 1, 0x42, 0, 0, 0, 0, 5, 0, 0];
    let class = Builder::new(&[NOP, RETURN, RETURN])
        .catching([0, 1, 2, OBJECT])
        .with("RuntimeVisibleTypeAnnotations", &annotations)
        .with("StackMapTable", &[0, 1, 66, 7, 0, 4])
        .build();
    let woven = edit(&class, |edit| {
        let row = NewException { original: None, catch_type: 0, ..edit.exceptions[0] };
        edit.exceptions.insert(0, row);
        insert(edit, 1, &[NOP]);
    })
    .expect("fits");
    assert_eq!(
        attribute_of(&woven, "RuntimeVisibleTypeAnnotations"),
        Some(vec![0, 1, 0x42, 0, 1, 0, 0, 5, 0, 0])
    );
}

#[test]
fn an_appended_block_gets_a_full_frame_and_goes_back() {
    // 0: iconst_0; 1: ifeq +3 (to 4); 4: return
    let class = Builder::new(&[ICONST_0, IFEQ, 0, 3, RETURN]).with("StackMapTable", &[0, 1, 4]).build();
    let woven = edit(&class, |edit| {
        edit.code.push(NOP);
        let frame = BlockFrame::Jump(Frame { locals: vec![VerificationType::Integer], stack: Vec::new() });
        edit.appended.push(Appended { code: 0..1, end: AppendedEnd::Goto(CodePosition::before(4)), frame });
        edit.redirects.push(((1, 4), CodePosition::Appended(0)));
    })
    .expect("fits");
    assert_eq!(code_of(&woven), [ICONST_0, IFEQ, 0, 4, RETURN, NOP, GOTO, 0xFF, 0xFE]);
    assert_eq!(attribute_of(&woven, "StackMapTable"), Some(vec![0, 2, 4, 255, 0, 0, 0, 1, 1, 0, 0]));
}

#[test]
fn dead_code_behind_a_goto_keeps_its_frame_in_front_of_what_is_inserted_there() {
    // 0: goto +4 (to 4); 3: nop (dead); 4: return
    let class = Builder::new(&[GOTO, 0, 4, NOP, RETURN]).with("StackMapTable", &[0, 2, 3, 0]).build();
    let woven = edit(&class, |edit| {
        insert(edit, 3, &[NOP, NOP]);
        edit.landings.push((3, 1));
    })
    .expect("fits");
    assert_eq!(attribute_of(&woven, "StackMapTable"), Some(vec![0, 2, 3, 2]));
}

#[test]
fn the_oldest_header_is_kept_but_not_rewritten() {
    let class = Builder { major: 45, minor: 2, ..Builder::new(&[NOP, RETURN]) }.build();
    assert_eq!(code_of(&class), [NOP, RETURN]);
    assert_eq!(edit(&class, |_| {}).expect("kept"), class);
    assert_eq!(edit(&class, |edit| insert(edit, 0, &[NOP])), Err(RelocateError::OldHeader));
}

#[test]
fn loads_and_stores_are_the_same_in_every_encoding() {
    let local = |bytes: &[u8]| Insn::at(bytes, 0).expect("an instruction").local();
    assert_eq!(local(&[43]), Some((ALOAD, 1)));
    assert_eq!(local(&[ALOAD, 1]), Some((ALOAD, 1)));
    assert_eq!(local(&[196, ALOAD, 0, 1]), Some((ALOAD, 1)));
    assert_eq!(local(&[78]), Some((58, 3)));
    assert_eq!(local(&[196, 132, 0, 1, 0, 1]), None);
}
