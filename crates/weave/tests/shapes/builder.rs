//! Builds a class with one method, byte by byte.

fn u2(value: usize) -> [u8; 2] {
    u16::try_from(value).expect("fits").to_be_bytes()
}

fn u4(value: usize) -> [u8; 4] {
    u32::try_from(value).expect("fits").to_be_bytes()
}

/// A class of version 49 (no frames) with the method `static m()V`. Rows are start, end, handler and catch type: 0 for
/// everything, 4 for `java/lang/Throwable`.
pub(crate) fn build(code: &[u8], rows: &[[usize; 4]]) -> Vec<u8> {
    let mut out = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 49];
    out.extend(u2(8));
    let utf8 = |out: &mut Vec<u8>, text: &str| {
        out.push(1);
        out.extend(u2(text.len()));
        out.extend(text.as_bytes());
    };
    utf8(&mut out, "T");
    out.extend([7, 0, 1]);
    utf8(&mut out, "java/lang/Throwable");
    out.extend([7, 0, 3]);
    ["m", "()V", "Code"].iter().for_each(|text| utf8(&mut out, text));
    out.extend([0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0, 0, 1, 0, 9, 0, 5, 0, 6, 0, 1, 0, 7]);
    out.extend(u4(12 + code.len() + 8 * rows.len()));
    out.extend([0, 2, 0, 2]);
    out.extend(u4(code.len()));
    out.extend(code);
    out.extend(u2(rows.len()));
    rows.iter().flatten().for_each(|field| out.extend(u2(*field)));
    out.extend([0, 0, 0, 0]);
    out
}
