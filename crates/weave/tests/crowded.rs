//! Machine-made methods with thousands of handlers are read or refused, not brooded over.
//!
//! There is no clock here: with cubic work these tests would not end in any reasonable time.

use catchment_weave::{ProbeKinds, prepare};

const HANDLERS: usize = 4_000;

fn u2(value: usize) -> [u8; 2] {
    u16::try_from(value).expect("fits").to_be_bytes()
}

/// A class of version 49 (no frames) with one method: `nop`s, then one `athrow` per handler. `row` gives range and catch type
/// (0 or 4, `java/lang/Throwable`) of each handler.
fn class(row: impl Fn(usize) -> (usize, usize, usize)) -> Vec<u8> {
    let mut out = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 49];
    let texts = ["T", "java/lang/Throwable", "m", "()V", "Code"];
    out.extend(u2(8));
    let utf8 = |out: &mut Vec<u8>, text: &str| {
        out.push(1);
        out.extend(u2(text.len()));
        out.extend(text.as_bytes());
    };
    utf8(&mut out, texts[0]);
    out.extend([7, 0, 1]);
    utf8(&mut out, texts[1]);
    out.extend([7, 0, 3]);
    texts[2..].iter().for_each(|text| utf8(&mut out, text));
    out.extend([0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0, 0, 1, 0, 9, 0, 5, 0, 6, 0, 1, 0, 7]);
    let mut code = vec![0u8; HANDLERS];
    code.push(177);
    code.extend(vec![191; HANDLERS]);
    let length = 12 + code.len() + 8 * HANDLERS;
    out.extend(u32::try_from(length).expect("fits").to_be_bytes());
    out.extend([0, 2, 0, 2]);
    out.extend(u32::try_from(code.len()).expect("fits").to_be_bytes());
    out.extend(code);
    out.extend(u2(HANDLERS));
    for index in 0..HANDLERS {
        let (start, end, catch_type) = row(index);
        [start, end, HANDLERS + 1 + index, catch_type].iter().for_each(|field| out.extend(u2(*field)));
    }
    out.extend([0, 0, 0, 0]);
    out
}

fn problems(class: &[u8]) -> Vec<String> {
    let prepared = prepare(class, ProbeKinds::USAGE).expect("the structure is fine");
    let skipped = prepared.weave(0).skipped;
    let problems = prepared.pairs().problems.iter().map(|problem| problem.what.clone());
    problems.chain(skipped.into_iter().map(|method| method.reason)).collect()
}

#[test]
fn nested_ranges() {
    let what = problems(&class(|index| (0, index + 1, 4)));
    assert_eq!(what, ["malformed Code attribute: over 2000 catch clauses"]);
}

#[test]
fn catch_alls_between_typed_ones() {
    assert_eq!(problems(&class(|index| (index, index + 1, 4 * (index % 2)))), Vec::<String>::new());
}

#[test]
fn tries_under_many_outer_rows() {
    let row = |index: usize| if index < 1_000 { (index, index + 1, 4) } else { (0, HANDLERS, 0) };
    assert_eq!(problems(&class(row)), ["it would pass the limit of 65,535 bytes"]);
}
