//! Kinds of probes to weave.

use catchment_classfile::ControlKind;

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
    pub const METHOD_ENTER: Self = Self(1 << 6);
    pub const METHOD_EXIT: Self = Self(1 << 7);
    pub const METHOD_ESCAPE: Self = Self(1 << 8);
    /// Probes at clauses can give them another object than the one they catch.
    pub const EXCHANGE: Self = Self(1 << 9).union(Self::CAUGHT);
    /// Methods are marked as entered, see [`crate::FirstNumbers`]; the ends of class initialisers have probes too.
    pub const ENTERED: Self = Self(1 << 10);
    /// Entry, normal exits and exceptional exit of methods.
    pub const METHOD: Self = Self::METHOD_ENTER.union(Self::METHOD_EXIT).union(Self::METHOD_ESCAPE);
    /// The probes that usages and colours need.
    pub const USAGE: Self = Self::TRY_ENTER.union(Self::TRY_EXIT).union(Self::TRY_ESCAPE).union(Self::CAUGHT);
    /// One probe of every kind; probes at clauses leave them the object.
    pub const ALL: Self = Self::USAGE.union(Self::THROWING).union(Self::CALL).union(Self::METHOD);

    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True if tries have probes.
    pub(crate) const fn at_tries(self) -> bool {
        self.0 & Self::USAGE.union(Self::EXCHANGE).0 != 0
    }

    /// True if any probe stands elsewhere than at tries, so that methods without tries matter too.
    pub(crate) const fn beyond_tries(self) -> bool {
        self.0 & !Self::USAGE.union(Self::EXCHANGE).0 != 0
    }

    /// The kinds of instructions that each have a probe of their own in front of them.
    pub(crate) fn in_place(self) -> ControlKinds {
        let call = ControlKinds::none().with(ControlKind::Call, self.contains(Self::CALL));
        call.with(ControlKind::Throw, self.contains(Self::THROWING))
    }

    /// True if a probe of its own stands in front of each instruction of this kind.
    #[inline]
    pub(crate) fn stand_before(self, control: ControlKind) -> bool {
        self.in_place().contains(control)
    }
}

/// A set of kinds of instructions, looked up for many of them: without a branch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ControlKinds(u16);

impl ControlKinds {
    pub(crate) fn none() -> Self {
        Self(0)
    }

    /// Also `control`, if it is wanted.
    #[inline]
    pub(crate) fn with(self, control: ControlKind, wanted: bool) -> Self {
        Self(self.0 | u16::from(wanted) << (control as u16))
    }

    #[inline]
    pub(crate) fn contains(self, control: ControlKind) -> bool {
        self.0 >> (control as u16) & 1 == 1
    }
}
