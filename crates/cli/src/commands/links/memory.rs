//! How much memory this process holds, and sizes as people type them.

use std::fs;

mod allocator;

pub(crate) use allocator::held;

/// The ceiling without `--max-memory`: most of the memory that the system can still give.
pub(crate) fn default_ceiling() -> Option<usize> {
    let free = available(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let group = fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|it| it.trim().parse().ok());
    Some(free.min(group.unwrap_or(usize::MAX)) / 10 * 8)
}

/// In bytes.
fn available(meminfo: &str) -> Option<usize> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
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
    fn what_the_system_can_give_is_read_in_kilobytes() {
        let meminfo = "MemTotal:       24000000 kB\nMemFree:  1 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(available(meminfo), Some(2 << 20));
        assert_eq!(available("MemTotal: 1 kB"), None);
    }

    #[test]
    fn what_is_held_is_counted() {
        let before = held();
        let block = vec![1_u8; 8 << 20];
        assert!(held() >= before + block.len() - (1 << 20));
    }
}
