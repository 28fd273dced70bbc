//! The buffers that a layout fills, kept from method to method.

/// The new pcs of what was at one old pc, both in one word so that long runs are quick to write. Inside an
/// instruction both are as far behind its start as before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moved(u32);

impl Moved {
    /// Added to move one byte on.
    const ONE: u32 = 0x0001_0001;

    /// Longer code than 16 bits can address is refused once all of it is placed.
    #[inline]
    pub(super) fn to(before: u32, at: u32) -> Self {
        Self(at << 16 | before & 0xffff)
    }

    /// In front of everything inserted.
    #[inline]
    pub(super) fn before(self) -> u32 {
        self.0 & 0xffff
    }

    /// The instruction itself.
    #[inline]
    pub(super) fn at(self) -> u32 {
        self.0 >> 16
    }

    #[inline]
    pub(super) fn has_pieces(self) -> bool {
        self.before() != self.at()
    }
}

/// The buffers of a layout.
#[derive(Debug, Default)]
pub(super) struct Positions {
    /// Per old pc, that of the end of the code included.
    pub(super) moved: Vec<Moved>,
    pub(super) pieces: Vec<u32>,
    pub(super) appended: Vec<(u32, u32)>,
    /// Where jumps to the first instruction land in code that was streamed; 0 for no place of its own.
    pub(super) start_landing: u32,
    /// Where everything ends.
    pub(super) end: u32,
    /// Old pcs of the instructions whose length may change: switches, for their padding, and what is widened.
    pub(super) resized: Vec<usize>,
    /// Old pcs of each `goto` and `jsr` that became its wide form; nearly always none.
    pub(super) widened: Vec<usize>,
    pub(super) widened_pieces: Vec<usize>,
    pub(super) widened_appended: Vec<usize>,
}

impl Positions {
    pub(super) fn with_room_for(len: usize) -> Self {
        Self { moved: Vec::with_capacity(len + 1), ..Self::default() }
    }

    pub(super) fn clear(&mut self) {
        self.clear_places();
        self.start_landing = 0;
        self.widened.clear();
        self.widened_pieces.clear();
        self.widened_appended.clear();
    }

    pub(super) fn clear_places(&mut self) {
        self.moved.clear();
        self.pieces.clear();
        self.appended.clear();
        self.resized.clear();
    }

    /// Moves the old bytes up to `end` to `new_pc` and on; gives the new pc behind them.
    #[inline]
    pub(super) fn move_run(&mut self, end: usize, new_pc: u32) -> u32 {
        let run = (end - self.moved.len()) as u32;
        let first = Moved::to(new_pc, new_pc).0;
        self.moved.extend((0..run).map(|offset| Moved(first.wrapping_add(offset.wrapping_mul(Moved::ONE)))));
        new_pc + run
    }
}
