//! The places of a method where more happens than copying.

use super::Piece;
use std::iter::Peekable;
use std::ops::Range;
use std::slice;

/// An old instruction with pieces in front of it, or one that may change its length.
#[derive(Debug)]
pub(super) struct Stop {
    pub(super) pc: usize,
    /// Indices into the edit's pieces.
    pub(super) pieces: Range<usize>,
    pub(super) resized: bool,
}

/// All stops of a method, in code order.
#[derive(Debug)]
pub(super) struct Stops<'s> {
    pieces: &'s [Piece],
    next_piece: usize,
    resized: Peekable<slice::Iter<'s, usize>>,
}

impl<'s> Stops<'s> {
    /// `resized` are the pcs of the instructions that may change their length, sorted.
    pub(super) fn new(pieces: &'s [Piece], resized: &'s [usize]) -> Self {
        Self { pieces, next_piece: 0, resized: resized.iter().peekable() }
    }
}

impl Iterator for Stops<'_> {
    type Item = Stop;

    #[inline]
    fn next(&mut self) -> Option<Stop> {
        let first = self.next_piece;
        let piece_pc = self.pieces.get(first).map(Piece::pc);
        let resized_pc = self.resized.peek().map(|pc| **pc);
        let pc = match (piece_pc, resized_pc) {
            (Some(piece), Some(resized)) => piece.min(resized),
            (one, other) => one.or(other)?,
        };
        while self.pieces.get(self.next_piece).is_some_and(|piece| piece.pc() == pc) {
            self.next_piece += 1;
        }
        let resized = self.resized.next_if(|it| **it == pc).is_some();
        Some(Stop { pc, pieces: first..self.next_piece, resized })
    }
}
