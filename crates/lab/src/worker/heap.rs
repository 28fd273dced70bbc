//! The end of a thread dump, where a JVM says how full its heap is.
//!
//! A JVM that runs out of memory may collect garbage for minutes before it says so: seen from outside it hangs.

/// The line before that part of the dump.
const BEGIN: &str = "\nHeap";
/// Collectors leave more than this free as long as they find anything to free.
const FULL_PERCENT: u64 = 95;
/// Whatever the collector: the part of the heap in which objects stay.
const PARTS: [&str; 3] = ["garbage-first heap", "tenured generation", "ParOldGen"];

/// Tells whether the dump has come to its end, the lines about the heap.
pub(super) fn is_told(dump: &str) -> bool {
    dump.split_once(BEGIN).is_some_and(|(_, rest)| rest.contains("Metaspace"))
}

/// Tells whether the heap has no room left and cannot grow.
pub(super) fn is_full(dump: &str) -> bool {
    let Some((_, heap)) = dump.split_once(BEGIN) else { return false };
    let part = heap.lines().map(str::trim).find(|line| PARTS.iter().any(|part| line.starts_with(part)));
    part.is_some_and(is_full_part)
}

/// `tenured generation   total 43712K, used 43711K [0xfd550000, 0x100000000, 0x100000000)`. The numbers behind say where it
/// begins, where it ends now, and where it may end; of a part that has its largest size from the start there are two.
fn is_full_part(line: &str) -> bool {
    let kib = |word: &str| {
        let behind = line.split_once(word)?.1.trim_start();
        behind.split_once('K')?.0.parse::<u64>().ok()
    };
    let ends = line.rsplit_once('[').map(|(_, range)| range.trim_end_matches(')'));
    let ends: Vec<&str> = ends.into_iter().flat_map(|range| range.split(',').map(str::trim)).collect();
    let can_grow = matches!(ends.as_slice(), [_, now, most] if now != most);
    match (kib("total "), kib("used ")) {
        (Some(total), Some(used)) => {
            !can_grow && used.saturating_mul(100) >= total.saturating_mul(FULL_PERCENT)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dump(part: &str) -> String {
        format!(
            "2026-01-01 00:00:00\nFull thread dump\n\"main\" #1\n\nHeap\n {part}\n Metaspace       used 131K\n"
        )
    }

    /// As Java 17 prints it, of a JVM with 64 MiB.
    #[test]
    fn a_heap_without_room_is_told_from_one_with_some() {
        for (part, expected) in [
            (
                "tenured generation   total 43712K, used 43711K [0x00000000fd550000, 0x0000000100000000, 0x0000000100000000)",
                true,
            ),
            (
                "tenured generation   total 43712K, used 21711K [0x00000000fd550000, 0x0000000100000000, 0x0000000100000000)",
                false,
            ),
            (
                "tenured generation   total 10240K, used 10239K [0x00000000fd550000, 0x00000000fdf50000, 0x0000000100000000)",
                false,
            ),
            (
                "ParOldGen       total 44032K, used 44021K [0x00000000fc000000, 0x00000000feb00000, 0x00000000feb00000)",
                true,
            ),
            ("garbage-first heap   total 65536K, used 64900K [0x00000000fc000000, 0x0000000100000000)", true),
            (
                "garbage-first heap   total 65536K, used 54900K [0x00000000fc000000, 0x0000000100000000)",
                false,
            ),
            ("garbage-first heap   total oddK, used 1K", false),
        ] {
            assert!(is_told(&dump(part)), "{part}");
            assert_eq!(is_full(&dump(part)), expected, "{part}");
        }
        assert!(!is_full("no dump at all") && !is_told("\nHeap\n tenured"));
    }
}
