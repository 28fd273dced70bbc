//! Class bytes in, class bytes that observe and can throw out. Pure and deterministic.

use catchment_pairs::ClassPairs;
use std::marker::PhantomData;

/// A set of probe kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeKinds(u16);

impl ProbeKinds {
    pub const TRY_ENTER: Self = Self(1);
    pub const TRY_EXIT: Self = Self(1 << 1);
    pub const TRY_ESCAPE: Self = Self(1 << 2);
    pub const CAUGHT: Self = Self(1 << 3);
    pub const THROWING: Self = Self(1 << 4);
    pub const CALL: Self = Self(1 << 5);
    pub const METHOD: Self = Self(1 << 6);
    /// What usages and colours need.
    pub const USAGE: Self = Self(0b1111);
    pub const ALL: Self = Self(0b111_1111);

    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What one probe of a class observes. Its local id is its index in [`Prepared::sites`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeSite {
    /// `try_site` indexes [`ClassPairs::tries`].
    TryEnter { try_site: usize },
    TryExit { try_site: usize },
    TryEscape { try_site: usize },
    /// `clause` indexes the clauses of the try.
    Caught { try_site: usize, clause: usize },
    Throwing { method: usize, pc: u16 },
    Call { method: usize, pc: u16 },
    MethodEnter { method: usize },
    MethodExit { method: usize },
    MethodEscape { method: usize },
}

/// A method left as it was, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedMethod {
    /// Index of the method in the class file.
    pub method: usize,
    pub name: String,
    pub descriptor: String,
    pub reason: String,
}

/// The outcome of weaving one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Woven {
    /// `None` when nothing had to change.
    pub bytes: Option<Vec<u8>>,
    pub skipped: Vec<SkippedMethod>,
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WeaveError(pub String);

/// A class read and its probes numbered from 0, ready to be woven with any base.
#[derive(Debug)]
pub struct Prepared<'a> {
    pairs: ClassPairs,
    sites: Vec<ProbeSite>,
    bytes: PhantomData<&'a [u8]>,
}

/// Reads `bytes` and numbers the probes of `kinds`.
pub fn prepare(_bytes: &[u8], _kinds: ProbeKinds) -> Result<Prepared<'_>, WeaveError> {
    Err(WeaveError("not built yet".into()))
}

impl Prepared<'_> {
    pub fn pairs(&self) -> &ClassPairs {
        &self.pairs
    }

    pub fn sites(&self) -> &[ProbeSite] {
        &self.sites
    }

    /// The class with its probes in place; probe `n` reports as `first_id + n`.
    pub fn weave(&self, _first_id: u32) -> Woven {
        Woven { bytes: None, skipped: Vec::new() }
    }
}
