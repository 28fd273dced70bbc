//! The group of inserts in front of one instruction, and their order.
//!
//! ```text
//!   method entry | exits by falling in | goto over the next | caught || try entries, outer to inner | in place | insn
//!                                                                    ^ ordinary jumps land here
//! ```

use crate::probes::Probe;

/// Order of a piece among those in front of one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    MethodEntry,
    FallExit,
    Bypass,
    Caught,
    /// From here on pieces lie behind the landing of ordinary jumps. Outer tries first.
    TryEntry(u16),
    TryExit,
    InPlace,
    MethodExit,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Action {
    Probe {
        probe: Probe,
        id: u32,
    },
    /// A caught probe whose stack map frame may promise less than an exception.
    CaughtWithCast {
        id: u32,
    },
    /// A caught probe that gives the object the clause goes on with. Its class is the constant `class` of the pool.
    Exchange {
        id: u32,
        class: u16,
        /// The stack map frame may promise less than an exception.
        with_cast: bool,
    },
    BypassCaught,
    /// The method is marked as entered.
    Entered {
        mark: u32,
    },
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Insert {
    pc: u32,
    pub(crate) rank: Rank,
    pub(crate) action: Action,
}

impl Insert {
    #[inline]
    pub(crate) fn probe(pc: usize, rank: Rank, probe: Probe, id: usize) -> Self {
        // More ids than a u32 counts would need more code than a class file can hold.
        let id = u32::try_from(id).unwrap_or(u32::MAX);
        Self { pc: pc as u32, rank, action: Action::Probe { probe, id } }
    }

    pub(crate) fn exchange(pc: usize, id: usize, class: u16) -> Self {
        let id = u32::try_from(id).unwrap_or(u32::MAX);
        Self { pc: pc as u32, rank: Rank::Caught, action: Action::Exchange { id, class, with_cast: false } }
    }

    pub(crate) fn entered(mark: u32) -> Self {
        Self { pc: 0, rank: Rank::MethodEntry, action: Action::Entered { mark } }
    }

    pub(crate) fn bypass(pc: usize) -> Self {
        Self { pc: pc as u32, rank: Rank::Bypass, action: Action::BypassCaught }
    }

    #[inline]
    pub(crate) fn pc(&self) -> usize {
        self.pc as usize
    }

    /// Order in the code.
    #[inline]
    pub(crate) fn position(&self) -> (u32, Rank) {
        (self.pc, self.rank)
    }
}

/// Slot at which ordinary jumps land among the sorted inserts of one instruction.
#[inline]
pub(crate) fn landing(group: &[Insert]) -> usize {
    group.iter().take_while(|insert| insert.rank < Rank::TryEntry(0)).count()
}

/// Answers which slot is which among the sorted inserts of each instruction.
pub(crate) struct Slots<'i> {
    pub(crate) inserts: &'i [Insert],
}

impl Slots<'_> {
    fn at(&self, pc: usize) -> &[Insert] {
        let from = self.inserts.partition_point(|insert| insert.pc() < pc);
        let to = from + self.inserts[from..].iter().take_while(|insert| insert.pc() == pc).count();
        &self.inserts[from..to]
    }

    /// Slot at which ordinary jumps to `pc` land.
    pub(crate) fn landing(&self, pc: usize) -> usize {
        landing(self.at(pc))
    }

    /// Slot at which exceptions caught by the handler at `pc` arrive.
    pub(crate) fn handler(&self, pc: usize) -> usize {
        let group = self.at(pc);
        group.iter().position(|insert| insert.rank == Rank::Caught).unwrap_or_else(|| landing(group))
    }
}
