//! The output of a worker: drained always, kept only in part. A test may print without end.

use std::collections::VecDeque;
use std::io::Read;
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const KEPT: usize = 256 << 10;

/// The last of what a JVM printed on both streams.
#[derive(Debug, Clone, Default)]
pub(super) struct Output {
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    bytes: VecDeque<u8>,
    printed: u64,
}

impl Output {
    /// Reads both streams until whoever holds them has ended.
    pub(super) fn drain(child: &mut Child) -> Self {
        let output = Self::default();
        let streams: [Option<Box<dyn Read + Send>>; 2] =
            [child.stdout.take().map(|s| Box::new(s) as _), child.stderr.take().map(|s| Box::new(s) as _)];
        for mut stream in streams.into_iter().flatten() {
            let output = output.clone();
            std::thread::spawn(move || {
                let mut buffer = vec![0; 64 << 10];
                while let Ok(count) = stream.read(&mut buffer) {
                    if count == 0 {
                        break;
                    }
                    output.kept().add(&buffer[..count]);
                }
            });
        }
        output
    }

    /// Number of bytes printed so far.
    pub(super) fn mark(&self) -> u64 {
        self.kept().printed
    }

    pub(super) fn text(&self) -> String {
        self.text_since(0)
    }

    /// The output after the mark, as far as it is kept.
    pub(super) fn text_since(&self, mark: u64) -> String {
        let kept = self.kept();
        let wanted = usize::try_from(kept.printed.saturating_sub(mark)).unwrap_or(usize::MAX);
        let skipped = kept.bytes.len().saturating_sub(wanted);
        let bytes: Vec<u8> = kept.bytes.iter().skip(skipped).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    pub(super) fn last_line(&self) -> String {
        let text = self.text();
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        last.map_or_else(|| "it printed nothing".to_owned(), |line| line.trim().to_owned())
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn add(&mut self, printed: &[u8]) {
        self.printed += printed.len() as u64;
        self.bytes.extend(printed);
        let surplus = self.bytes.len().saturating_sub(KEPT);
        self.bytes.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_flood_is_drained_and_its_end_kept() {
        let script = "head -c 20000000 /dev/zero; echo; echo last words";
        let mut child = Command::new("sh")
            .args(["-c", script])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = Output::drain(&mut child);
        child.wait().unwrap();
        while output.mark() < 20_000_012 {
            std::thread::yield_now();
        }
        assert_eq!(output.last_line(), "last words");
        assert_eq!(output.text_since(20_000_001), "last words\n");
        assert!(output.text().len() <= KEPT);
    }
}
