//! How much memory this process holds, and sizes as people type them.

use cap::Cap;
use std::alloc::System;

/// Counts what is allocated: what the system says a process has does not shrink when memory is given back.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// In bytes.
pub(crate) fn held() -> usize {
    ALLOCATOR.allocated()
}

/// `800M`, `2G`. A number without a unit is refused: it would be a guess.
pub(crate) fn parse(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "M" | "MB" | "MIB" => Some(1 << 20),
        "G" | "GB" | "GIB" => Some(1 << 30),
        _ => None,
    };
    let bytes = digits.parse::<usize>().ok().zip(unit).and_then(|(number, unit)| number.checked_mul(unit));
    bytes.filter(|bytes| *bytes > 0).ok_or_else(|| format!("'{text}' is not a size such as 800M or 2G"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse("800M"), Ok(800 << 20));
        assert_eq!(parse("2GiB"), Ok(2 << 30));
        for wrong in ["", "12", "G", "0M", "-1G", "1T", "99999999999999999999G", "1.5G"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_held_is_counted() {
        let before = held();
        let block = vec![1_u8; 8 << 20];
        assert!(held() >= before + block.len() - (1 << 20));
    }
}
