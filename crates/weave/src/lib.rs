//! Class bytes in, class bytes that observe and can throw out. Pure and deterministic.
//!
//! A probe is a call of a static method of the Java runtime (see `protocol::runtime_abi`) with a number. Probes
//! of a class are numbered from 0 by [`Weaver::prepare`]; [`Weaver::weave`] adds a base, so the same class can be
//! woven under any base without looking at it again.
//!
//! Frames stay right, so woven classes pass the JVM's verifier. A method that cannot hold its probes is left as
//! it was and listed with the reason.

mod class;
mod constants;
mod edges;
mod escapes;
mod frames;
mod inserts;
mod kinds;
mod method;
mod planned;
mod probe_points;
mod probes;
mod streamed;

pub use kinds::ProbeKinds;
pub use probe_points::ProbePoint;

use catchment_classfile::{ClassError, ClassFile, ClassMemory, Member, RelocateError};
use catchment_pairs::{ClassPairs, Problem, pairs_of};
use class::{Buffers, weave_class};
use probe_points::{ClassProbePoints, ProbePointsMemory, number_probes};
use std::borrow::Cow;

/// A method left as it was, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedMethod {
    /// Index of the method in the class file.
    pub method: usize,
    pub name: String,
    pub descriptor: String,
    pub reason: String,
}

impl SkippedMethod {
    fn new(index: usize, method: &Member<'_>, reason: &RelocateError) -> Self {
        Self {
            method: index,
            name: method.name.to_string(),
            descriptor: method.descriptor.to_string(),
            reason: reason.to_string(),
        }
    }
}

/// The numbers that a class gets: of its first probe, and of the mark of its first method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FirstNumbers {
    pub probe: u32,
    /// With [`ProbeKinds::ENTERED`], entering method `n` of the class file sets mark `mark + n`.
    pub mark: u32,
}

/// The outcome of weaving one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Woven<'w> {
    /// Lent by the weaver until it weaves the next class; `None` when nothing had to change.
    pub bytes: Option<Cow<'w, [u8]>>,
    pub skipped: Vec<SkippedMethod>,
}

impl Woven<'_> {
    /// The same to keep.
    pub fn into_owned(self) -> Woven<'static> {
        Woven { bytes: self.bytes.map(|bytes| Cow::Owned(bytes.into_owned())), skipped: self.skipped }
    }
}

/// Why a class cannot be woven at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeaveError {
    #[error(transparent)]
    Unreadable(#[from] ClassError),
}

/// A class read and its probes numbered from 0, ready to be woven with any base.
#[derive(Debug)]
pub struct Prepared<'a> {
    class: ClassFile<'a>,
    points: ClassProbePoints<'a>,
}

/// Weaves one class after the other, with the same memory.
#[derive(Debug, Default)]
pub struct Weaver {
    class: ClassMemory,
    points: ProbePointsMemory,
    buffers: Buffers,
}

impl Weaver {
    /// Reads `bytes` and numbers the probes of `kinds`.
    pub fn prepare<'a>(&mut self, bytes: &'a [u8], kinds: ProbeKinds) -> Result<Prepared<'a>, WeaveError> {
        let class = ClassFile::parse_with(bytes, std::mem::take(&mut self.class))?;
        let points = number_probes(&class, kinds, std::mem::take(&mut self.points));
        Ok(Prepared { class, points })
    }

    /// The class with its probes in place; probe `n` reports as `first.probe + n`.
    pub fn weave<'w>(&'w mut self, prepared: &'w Prepared<'_>, first: FirstNumbers) -> Woven<'w> {
        let Prepared { class, points } = prepared;
        if points.methods.is_empty() {
            return Woven { bytes: None, skipped: Vec::new() };
        }
        weave_class(class, points, first, &mut self.buffers)
    }

    /// Takes back the memory of a class that is done with.
    pub fn recycle(&mut self, prepared: Prepared<'_>) {
        self.class = prepared.class.into_memory();
        self.points = prepared.points.into_memory();
    }
}

/// [`Weaver::prepare`] for a single class.
pub fn prepare(bytes: &[u8], kinds: ProbeKinds) -> Result<Prepared<'_>, WeaveError> {
    Weaver::default().prepare(bytes, kinds)
}

impl Prepared<'_> {
    /// Describes the pairs of the class. Weaving goes without: their tries are all it needs.
    pub fn pairs(&self) -> ClassPairs {
        pairs_of(&self.class)
    }

    /// Methods whose tries cannot be read, and so have no probes.
    pub fn problems(&self) -> &[Problem] {
        &self.points.problems
    }

    /// Number of probes.
    pub fn probes(&self) -> usize {
        self.points.count
    }

    /// Name and descriptor of a method, by its index in the class file.
    pub fn method(&self, index: usize) -> Option<(String, String)> {
        let method = self.class.methods.get(index)?;
        Some((method.name.to_string(), method.descriptor.to_string()))
    }

    /// Number of marks: one for each method of the class file, or none.
    pub fn marks(&self) -> usize {
        let marks_any = self.points.methods.iter().any(|points| points.ids.mark.is_some());
        if marks_any { self.class.methods.len() } else { 0 }
    }

    /// Probe points; the index is the local id.
    pub fn points(&self) -> Vec<ProbePoint> {
        self.points.list()
    }

    /// [`Weaver::weave`] for a single class.
    pub fn weave(&self, first_id: u32) -> Woven<'static> {
        Weaver::default().weave(self, FirstNumbers { probe: first_id, mark: 0 }).into_owned()
    }
}
