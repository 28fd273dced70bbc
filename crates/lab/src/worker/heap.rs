//! The end of a thread dump, where a JVM says how full its heap is.
//!
//! A JVM that runs out of memory may collect garbage for minutes before it says so: seen from outside it hangs.

/// The line before that part of the dump.
const BEGIN: &str = "\nHeap";
/// Collectors leave more than this free as long as they find anything to free.
const FULL_PERCENT: u64 = 95;
/// Whatever the collector: the part of the heap in which objects stay. The serial one has another name for it since Java 23.
const PARTS: [&str; 4] = ["garbage-first heap", "tenured generation", "Tenured ", "ParOldGen"];

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

/// `tenured generation   total 10240K, used 9239K [0xfd550000, 0xfdf50000, 0x100000000)`. The range behind is what the part
/// may grow to: the first number is where it begins, the last where it may end. How much of that it has by now stands under
/// other names and in other ways in each collector and release, and does not matter.
fn is_full_part(line: &str) -> bool {
    match (used_bytes(line), range_bytes(line)) {
        (Some(used), Some(most)) if most > 0 => used.saturating_mul(100) >= most.saturating_mul(FULL_PERCENT),
        _ => false,
    }
}

fn used_bytes(line: &str) -> Option<u64> {
    let (kib, _) = line.split_once("used ")?.1.split_once('K')?;
    Some(kib.trim().parse::<u64>().ok()?.saturating_mul(1 << 10))
}

fn range_bytes(line: &str) -> Option<u64> {
    let (numbers, _) = line.rsplit_once('[')?.1.split_once(')')?;
    let mut numbers = numbers.split(',').map(address);
    let begin = numbers.next()??;
    numbers.next_back()??.checked_sub(begin)
}

fn address(text: &str) -> Option<u64> {
    u64::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dump(parts: &str) -> String {
        format!(
            "2026-01-01 00:00:00\nFull thread dump\n\"main\" #1\n\nHeap\n{parts}\n Metaspace       used 131K\n"
        )
    }

    fn holds(parts: &str, is_expected_full: bool) {
        assert!(is_told(&dump(parts)), "{parts}");
        assert_eq!(is_full(&dump(parts)), is_expected_full, "{parts}");
    }

    /// As Java 17 and 25 print it, of JVMs with `-Xms16m -Xmx64m` in which the live objects take all that there is.
    #[test]
    fn a_heap_without_room_is_full() {
        for parts in [
            " def new generation   total 19648K, used 13098K [0x00000000fc000000, 0x00000000fd550000, 0x00000000fd550000)
  eden space 17472K,  74% used [0x00000000fc000000, 0x00000000fcccab60, 0x00000000fd110000)
 tenured generation   total 43712K, used 43712K [0x00000000fd550000, 0x0000000100000000, 0x0000000100000000)
   the space 43712K, 100% used [0x00000000fd550000, 0x0000000100000000, 0x0000000100000000, 0x0000000100000000)",
            " DefNew     total 19648K, used 17471K [0x00000000fc000000, 0x00000000fd550000, 0x00000000fd550000)
  eden space 17472K,  99% used [0x00000000fc000000, 0x00000000fd10fee0, 0x00000000fd110000)
 Tenured    total 43712K, used 43711K [0x00000000fd550000, 0x0000000100000000, 0x0000000100000000)
  the  space 43712K,  99% used [0x00000000fd550000, 0x00000000fffffcb8, 0x0000000100000000)",
            " PSYoungGen      total 18944K, used 16384K [0x00000000feb00000, 0x0000000100000000, 0x0000000100000000)
  eden space 16384K, 100% used [0x00000000feb00000,0x00000000ffb00000,0x00000000ffb00000)
 ParOldGen       total 44032K, used 44031K [0x00000000fc000000, 0x00000000feb00000, 0x00000000feb00000)
  object space 44032K, 99% used [0x00000000fc000000,0x00000000feaffff0,0x00000000feb00000)",
        ] {
            holds(parts, true);
        }
    }

    /// The same JVMs with 9 MB or 25 MB of live objects: most of what they have by now is used, but they can have more.
    #[test]
    fn a_heap_that_can_grow_is_not_full() {
        for parts in [
            " garbage-first heap   total 20480K, used 10344K [0x00000000fc000000, 0x0000000100000000)
  region size 1024K, 1 young (1024K), 0 survivors (0K)",
            " garbage-first heap   total reserved 65536K, committed 19456K, used 10630K [0x00000000fc000000, 0x0000000100000000)
  region size 1024K, 1 young (1024K), 0 survivors (0K)",
            " tenured generation   total 16136K, used 9680K [0x00000000fd550000, 0x00000000fe512000, 0x0000000100000000)
   the space 16136K,  59% used [0x00000000fd550000, 0x00000000fdec4270, 0x00000000fdec4400, 0x00000000fe512000)",
            " Tenured    total 17464K, used 10477K [0x00000000fd550000, 0x00000000fe65e000, 0x0000000100000000)
  the  space 17464K,  59% used [0x00000000fd550000, 0x00000000fdf8b6b0, 0x00000000fe65e000)",
            " ParOldGen       total 11264K, used 9680K [0x00000000fc000000, 0x00000000fcb00000, 0x00000000feb00000)
  object space 11264K, 85% used [0x00000000fc000000,0x00000000fc974270,0x00000000fcb00000)",
            " ParOldGen       total 25088K, used 25074K [0x00000000fc000000, 0x00000000fd880000, 0x00000000feb00000)
  object space 25088K, 99% used [0x00000000fc000000,0x00000000fd87ca48,0x00000000fd880000)",
        ] {
            holds(parts, false);
        }
    }

    /// For G1 the range is what is reserved: a small part of it that is in use says nothing.
    #[test]
    fn a_heap_of_g1_is_full_when_all_that_is_reserved_is_used() {
        let java17 = |total: u32, used: u32| {
            format!(
                " garbage-first heap   total {total}K, used {used}K [0x00000000fc000000, 0x0000000100000000)"
            )
        };
        let java25 = |committed: u32, used: u32| {
            format!(
                " garbage-first heap   total reserved 65536K, committed {committed}K, used {used}K \
                 [0x00000000fc000000, 0x0000000100000000)"
            )
        };
        for (committed, used, expected) in
            [(65536, 64900, true), (65536, 54900, false), (20480, 20400, false)]
        {
            holds(&java17(committed, used), expected);
            holds(&java25(committed, used), expected);
        }
    }

    #[test]
    fn what_is_not_understood_is_not_full() {
        for part in [
            " garbage-first heap   total oddK, used 1K",
            " Tenured    total 1K, used 1K [0x10, 0x08)",
            " Tenured    total 1K, used 1K [, )",
            " Tenured    total 1K, used 1K [0x10, 0x10)",
            " ZHeap           used 12M, capacity 16M, max capacity 64M",
        ] {
            holds(part, false);
        }
        assert!(!is_full("no dump at all") && !is_told("\nHeap\n tenured"));
    }
}
