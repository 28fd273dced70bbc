//! Processor time of a command and of all that it has started, as Linux tells it under `/proc`.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::time::Duration;

/// Clock ticks of a second in `/proc`, the same on every Linux that we run on.
const TICKS_PER_SECOND: u64 = 100;

/// A line of `/proc/<process>/stat`, as far as it is of interest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProcessStat {
    process: u32,
    parent: u32,
    group: u32,
    /// Of the process and of children that it has seen end.
    ticks: u64,
}

impl ProcessStat {
    /// The name of the program, in parentheses, may hold anything, blanks and parentheses included.
    fn parse(line: &str) -> Option<Self> {
        let (process, rest) = line.split_once(" (")?;
        let fields: Vec<&str> = rest.rsplit_once(") ")?.1.split(' ').collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        // Fields are numbered as in proc(5), where the one behind the name is the third.
        let ticks = [14, 15, 16, 17].iter().map(|field| number(field - 3));
        Some(Self {
            process: process.parse().ok()?,
            parent: u32::try_from(number(4 - 3)?).ok()?,
            group: u32::try_from(number(5 - 3)?).ok()?,
            ticks: ticks.sum::<Option<u64>>()?,
        })
    }
}

/// Processor time used so far by the processes of a group and by their descendants in other groups. Processes whose
/// parent has ended before them without waiting for them take their time along.
pub fn processor_time(group: u32) -> Duration {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes =
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(|c: char| c.is_ascii_digit()));
    let stats = processes.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    let stats: Vec<ProcessStat> = stats.filter_map(|line| ProcessStat::parse(&line)).collect();
    Duration::from_millis(ticks_of(group, &stats) * 1000 / TICKS_PER_SECOND)
}

fn ticks_of(group: u32, stats: &[ProcessStat]) -> u64 {
    let mut children: HashMap<u32, Vec<&ProcessStat>> = HashMap::new();
    stats.iter().for_each(|stat| children.entry(stat.parent).or_default().push(stat));
    let mut counted = HashSet::new();
    let mut waiting: Vec<&ProcessStat> = stats.iter().filter(|stat| stat.group == group).collect();
    let mut ticks = 0;
    while let Some(stat) = waiting.pop() {
        if counted.insert(stat.process) {
            ticks += stat.ticks;
            waiting.extend(children.get(&stat.process).into_iter().flatten());
        }
    }
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    #[test]
    fn a_line_is_read_whatever_the_program_is_called() {
        let line = "17 (odd) (name) S 4 9 9 0 -1 4194560 1 2 3 4 100 20 3 1 20 0 1 0 5 6";
        let expected = ProcessStat { process: 17, parent: 4, group: 9, ticks: 124 };
        assert_eq!(ProcessStat::parse(line), Some(expected));
        assert_eq!(ProcessStat::parse("17 (cut) S 4"), None);
    }

    #[test]
    fn descendants_count_in_whatever_group_they_are() {
        let stat = |process, parent, group, ticks| ProcessStat { process, parent, group, ticks };
        let stats = [stat(10, 1, 10, 1), stat(11, 10, 10, 2), stat(12, 11, 99, 4), stat(13, 1, 13, 8)];
        assert_eq!((ticks_of(10, &stats), ticks_of(13, &stats)), (7, 8));
    }

    #[test]
    fn a_busy_child_uses_time_and_a_waiting_one_does_not() {
        let start = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]).stdin(Stdio::piped()).process_group(0).spawn().unwrap()
        };
        let (mut busy, mut waiting) = (start("while :; do :; done"), start("read line"));
        while processor_time(busy.id()) < Duration::from_millis(200) {
            std::thread::yield_now();
        }
        assert!(processor_time(waiting.id()) < Duration::from_millis(200));
        for child in [&mut busy, &mut waiting] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}
