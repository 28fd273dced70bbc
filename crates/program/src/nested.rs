//! What all archives inside one file may cost together.
//!
//! A few kilobytes of archives in archives, each of them small and none of them deep, can hold any amount.

use crate::visit::{Limits, ReadError};

/// The rest of what may be read of the archives inside one file.
#[derive(Debug, Clone)]
pub(crate) struct NestedBudget {
    archives: usize,
    entries: usize,
    bytes: u64,
    /// Something was left out, and that was told.
    is_told: bool,
    limits: Limits,
}

impl NestedBudget {
    /// For a file of this size.
    pub(crate) fn of_file(limits: &Limits, size: usize) -> Self {
        let by_size = (size as u64).saturating_mul(limits.nested_bytes_per_byte);
        Self {
            archives: limits.nested_archives,
            entries: limits.nested_entries,
            bytes: limits.nested_bytes.saturating_add(by_size),
            is_told: false,
            limits: limits.clone(),
        }
    }

    /// The number of bytes that the next thing in an archive may have.
    pub(crate) fn bytes_left(&self) -> u64 {
        self.bytes
    }

    /// Bytes that were unpacked, of a whole archive or class or of a part of it.
    pub(crate) fn spend_bytes(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes as u64);
    }

    /// One more archive with so many entries.
    pub(crate) fn spend_archive(&mut self, entries: usize) {
        self.archives = self.archives.saturating_sub(1);
        self.entries = self.entries.saturating_sub(entries);
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.archives == 0 || self.entries == 0 || self.bytes == 0
    }

    /// Spends everything, as what comes next is larger than what is left.
    pub(crate) fn spend_all_bytes(&mut self) {
        self.bytes = 0;
    }

    /// The problem, when it is met for the first time.
    pub(crate) fn problem(&mut self) -> Option<ReadError> {
        let is_told = std::mem::replace(&mut self.is_told, true);
        let Limits { nested_archives: archives, nested_entries: entries, .. } = self.limits;
        let what = match self {
            Self { archives: 0, .. } => format!("{archives} archives"),
            Self { entries: 0, .. } => format!("{entries} entries"),
            _ => "many times its size".to_owned(),
        };
        (!is_told).then_some(ReadError::TooMuchNested { what })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_told_once() {
        let limits = Limits {
            nested_archives: 2,
            nested_entries: 100,
            nested_bytes: 10,
            nested_bytes_per_byte: 2,
            ..Limits::default()
        };
        let check = |spend: &dyn Fn(&mut NestedBudget), expected: Option<&str>| {
            let mut budget = NestedBudget::of_file(&limits, 5);
            spend(&mut budget);
            assert_eq!(budget.is_spent(), expected.is_some());
            let Some(expected) = expected else { return };
            let told = budget.problem().map(|problem| problem.to_string());
            assert!(told.as_ref().is_some_and(|told| told.contains(expected)), "{told:?}");
            assert!(budget.problem().is_none());
        };
        check(&|budget| budget.spend_archive(99), None);
        check(&|budget| budget.spend_archive(100), Some("100 entries"));
        check(&|budget| (0..2).for_each(|_| budget.spend_archive(1)), Some("2 archives"));
        check(&|budget| budget.spend_bytes(19), None);
        check(&|budget| budget.spend_bytes(20), Some("many times its size"));
    }
}
