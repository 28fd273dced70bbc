//! Blind spots of the analysis, counted and listed rather than passed over.

use crate::cache_format::cached;
use crate::ids::MethodId;
use crate::solver::Solver;

/// Why something was not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlindSpot {
    /// A dynamic call that links itself in a way nobody has modelled.
    Dynamic,
    /// Native code without a model.
    Native,
    /// A class, method or field that is not there.
    Missing,
    /// A method whose code cannot be read.
    Unreadable,
    /// A reflective call whose target is not a constant.
    Reflection,
    /// A parameter of an entry point that no object fits.
    Parameter,
}

cached! {
    enum BlindSpot { 0 => Dynamic, 1 => Native, 2 => Missing, 3 => Unreadable, 4 => Reflection, 5 => Parameter }
}

/// A place and what is not seen there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Blind {
    pub spot: BlindSpot,
    pub method: MethodId,
    pub pc: u16,
}

cached! { struct Blind { spot, method, pc } }

impl Solver<'_> {
    pub(crate) fn blind(&mut self, method: MethodId, pc: u16, spot: BlindSpot) {
        self.blind_spots.insert(Blind { spot, method, pc });
    }
}
