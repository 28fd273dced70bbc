//! Stretches of a class replaced, constants that vary others, and names of variables.

use crate::builder::{Builder, OBJECT, u2};
use catchment_classfile::{ClassFile, Overwrite, PoolAppender, VariableTable, overwritten};

/// `return`
const RETURN: &[u8] = &[177];

#[test]
fn a_class_without_overwrites_and_constants_stays_as_it_is() {
    let bytes = Builder::new(RETURN).build();
    let class = ClassFile::parse(&bytes).expect("a class");
    assert_eq!(overwritten(&class, &PoolAppender::new(&class.pool), Vec::new()), Some(bytes.clone()));
}

#[test]
fn overwrites_and_constants_come_to_their_places() {
    let bytes = Builder::new(RETURN).catching([0, 1, 0, OBJECT]).build();
    let class = ClassFile::parse(&bytes).expect("a class");
    let (_, code) = class.code(&class.methods[0]).expect("readable").expect("code");
    let mut constants = PoolAppender::new(&class.pool);
    let added = constants.class(b"java/lang/Error").expect("room");
    let overwrites = vec![
        Overwrite::u2(code.exception_offset(0) + 6, added),
        Overwrite { range: code.offset..code.offset + 1, bytes: vec![191] },
    ];
    let new = overwritten(&class, &constants, overwrites).expect("patched");
    let class = ClassFile::parse(&new).expect("a class");
    let (_, code) = class.code(&class.methods[0]).expect("readable").expect("code");
    assert_eq!(code.bytes, [191]);
    let caught = code.exceptions().next().expect("a row").catch_type;
    assert_eq!(class.pool.class_name(caught).expect("a class").to_string(), "java/lang/Error");
}

#[test]
fn overwrites_that_overlap_or_lie_outside_are_refused() {
    let bytes = Builder::new(RETURN).build();
    let class = ClassFile::parse(&bytes).expect("a class");
    let constants = PoolAppender::new(&class.pool);
    let end = bytes.len();
    assert_eq!(
        overwritten(&class, &constants, vec![Overwrite::u2(end - 4, 0), Overwrite::u2(end - 3, 0)]),
        None
    );
    assert_eq!(overwritten(&class, &constants, vec![Overwrite::u2(end - 1, 0)]), None);
    assert_eq!(overwritten(&class, &constants, vec![Overwrite::u4(0, 0)]), None);
}

#[test]
fn only_members_and_call_sites_have_variants() {
    let bytes = Builder::new(RETURN).build();
    let class = ClassFile::parse(&bytes).expect("a class");
    let mut constants = PoolAppender::new(&class.pool);
    for index in [0, u16::try_from(OBJECT).expect("small"), 999] {
        assert_eq!(constants.member_of(&class.pool, index, 1), None);
        assert_eq!(constants.dynamic_with(&class.pool, index, b"()V"), None);
        assert_eq!(class.bootstrap_of(index), None);
    }
}

#[test]
fn variables_are_found_by_slot_and_pc() {
    // (start, length, name, descriptor, slot): texts 1 and 6 are `T` and `()V`, and 999 is none.
    let rows: [[usize; 5]; 3] = [[2, 3, 1, 6, 4], [5, 2, 6, 6, 4], [0, 9, 999, 6, 5]];
    let table: Vec<u8> = u2(rows.len()).into_iter().chain(rows.concat().into_iter().flat_map(u2)).collect();
    let bytes = Builder::new(RETURN).with("LocalVariableTable", &table).build();
    let class = ClassFile::parse(&bytes).expect("a class");
    let (_, code) = class.code(&class.methods[0]).expect("readable").expect("code");
    let variables = VariableTable::read(&code, &class.pool);
    let name = |slot, pc| variables.at(slot, pc).map(|it| it.name.to_string());
    assert_eq!(name(4, 1), None);
    assert_eq!(name(4, 2).as_deref(), Some("T"));
    assert_eq!(name(4, 4).as_deref(), Some("T"));
    assert_eq!(name(4, 5).as_deref(), Some("()V"));
    assert_eq!(name(4, 7), None);
    assert_eq!(name(5, 5), None);
}
