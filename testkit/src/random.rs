//! Numbers that are the same in every run.

/// Xorshift. The seed must not be 0.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number, less than `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}
