//! Bad bytes are errors with a place and a reason.

use crate::builder::Builder;
use catchment_classfile::opcodes::{NOP, RETURN, TABLESWITCH};
use catchment_classfile::{ClassError, ClassFile, Insn};

fn error_of(bytes: &[u8]) -> String {
    match ClassFile::parse(bytes) {
        Ok(class) => class.code(&class.methods[0]).err().map_or("no error".into(), |error| error.to_string()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_truncation_is_an_error() {
    let class = Builder::new(&[NOP, RETURN]).catching([0, 1, 1, 0]).with("LineNumberTable", &[0, 0]).build();
    for len in 0..class.len() {
        assert!(ClassFile::parse(&class[..len]).is_err(), "cut to {len} of {} bytes", class.len());
    }
}

#[test]
fn errors_say_what_and_where() {
    let class = Builder::new(&[NOP, RETURN]).build();
    assert_eq!(error_of(b"PK\x03\x04 not a class"), "not a class file: magic number is 0x504b0304");
    assert_eq!(error_of(&class[..30]), "class file is cut off at offset 20: 16 more bytes expected");
    let trailing = [&class[..], &[0]].concat();
    assert_eq!(error_of(&trailing), "1 bytes follow the end of the class");
    let mut unknown_tag = class.clone();
    unknown_tag[10] = 99;
    assert_eq!(error_of(&unknown_tag), "constant tag 99 at offset 10 is unknown");
}

/// Found by fuzzing: written again, such a pool had one entry more.
#[test]
fn a_long_constant_needs_room_for_its_second_half() {
    let mut class = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 0, 2, 5];
    class.extend([0; 8 + 16]);
    assert_eq!(error_of(&class), "constant 1 takes two entries, but the constant pool ends behind the first");
}

#[test]
fn a_switch_with_an_absurd_number_of_cases_is_refused_before_it_is_read() {
    let mut code = vec![TABLESWITCH, 0, 0, 0];
    code.extend([0; 4]);
    code.extend(i32::MIN.to_be_bytes());
    code.extend(i32::MAX.to_be_bytes());
    assert!(matches!(Insn::at(&code, 0), Err(ClassError::Switch(0))));
    code[8..12].copy_from_slice(&1i32.to_be_bytes());
    code[12..16].copy_from_slice(&0i32.to_be_bytes());
    assert!(matches!(Insn::at(&code, 0), Err(ClassError::Switch(0))));
}

#[test]
fn an_unknown_opcode_is_named_with_its_pc() {
    let class = Builder::new(&[NOP, 203]).build();
    let class = ClassFile::parse(&class).expect("the structure is fine");
    let (_, code) = class.code(&class.methods[0]).expect("readable").expect("has code");
    let error = code.insns().find_map(Result::err).expect("opcode 203 does not exist");
    assert_eq!(error.to_string(), "unknown opcode 203 at pc 1");
}
