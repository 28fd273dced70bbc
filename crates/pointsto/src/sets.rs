//! Sets of small numbers that are often empty, often nearly the same, and sometimes large.
//!
//! ```text
//!   {1, 3, 70}   =   [ key 0: ..1010 | key 1: ..1000000 ]     64 members to a block, blocks sorted by key
//! ```

use crate::cache_format::{Cached, Reader, Writer, cached};
use std::cmp::Ordering;

/// 64 members side by side. Two halves, so that a block takes twelve bytes and not sixteen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Block {
    key: u32,
    halves: [u32; 2],
}

cached! { struct Block { key, halves } }

impl Block {
    fn new(key: u32, bits: u64) -> Self {
        Self { key, halves: [bits as u32, (bits >> 32) as u32] }
    }

    #[inline]
    fn bits(self) -> u64 {
        u64::from(self.halves[0]) | u64::from(self.halves[1]) << 32
    }
}

/// A sorted list of blocks, none of them empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Set {
    blocks: Vec<Block>,
}

impl Set {
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Tells whether adding it to another costs more than a look into a hash table.
    pub(crate) fn takes_long(&self) -> bool {
        self.blocks.len() > 16
    }

    pub fn contains(&self, member: u32) -> bool {
        let found = self.blocks.binary_search_by_key(&(member / 64), |block| block.key);
        found.is_ok_and(|at| self.blocks[at].bits() & bit(member) != 0)
    }

    /// Tells whether it was not there yet.
    pub fn insert(&mut self, member: u32) -> bool {
        let key = member / 64;
        // Numbers are given in order, so most new members belong to the end.
        let found = match self.blocks.last() {
            Some(last) if last.key < key => Err(self.blocks.len()),
            Some(last) if last.key == key => Ok(self.blocks.len() - 1),
            _ => self.blocks.binary_search_by_key(&key, |block| block.key),
        };
        match found {
            Ok(at) => {
                let bits = self.blocks[at].bits();
                self.blocks[at] = Block::new(key, bits | bit(member));
                bits & bit(member) == 0
            }
            Err(at) => {
                self.blocks.insert(at, Block::new(key, bit(member)));
                true
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.blocks.iter().flat_map(|block| {
            let mut bits = block.bits();
            std::iter::from_fn(move || {
                let lowest = (bits != 0).then(|| bits.trailing_zeros())?;
                bits &= bits - 1;
                Some(block.key * 64 + lowest)
            })
        })
    }

    /// Tells whether they have a member in common.
    pub fn intersects(&self, other: &Self) -> bool {
        let (small, large) =
            if self.blocks.len() <= other.blocks.len() { (self, other) } else { (other, self) };
        let mut at = 0;
        small.blocks.iter().any(|block| {
            at += gallop(&large.blocks[at..], block.key);
            let matching = large.blocks.get(at).filter(|it| it.key == block.key);
            matching.is_some_and(|it| it.bits() & block.bits() != 0)
        })
    }

    /// Takes in all of `other`; what was not there yet also goes to `fresh`. Whether there was anything.
    pub fn add_all(&mut self, other: &Self, fresh: &mut Self) -> bool {
        self.add_masked(other, None, fresh)
    }

    /// Like [`Self::add_all`] with those members of `other` that are in `mask` or, if so wanted, that are not.
    pub fn add_filtered(&mut self, other: &Self, mask: &Self, wanted: bool, fresh: &mut Self) -> bool {
        // What two sets have in common is found by a walk over the smaller one.
        let (walked, other) =
            if wanted && mask.blocks.len() < other.blocks.len() { (mask, other) } else { (other, mask) };
        self.add_masked(walked, Some((other, wanted)), fresh)
    }

    /// Takes in what both have. Nothing may be in it yet.
    pub fn add_common(&mut self, one: &Self, other: &Self) {
        debug_assert!(self.is_empty());
        let (small, large) = if one.blocks.len() <= other.blocks.len() { (one, other) } else { (other, one) };
        let mut at = 0;
        for block in &small.blocks {
            at += gallop(&large.blocks[at..], block.key);
            let matching = large.blocks.get(at).filter(|it| it.key == block.key);
            let bits = block.bits() & matching.map_or(0, |it| it.bits());
            if bits != 0 {
                self.blocks.push(Block::new(block.key, bits));
            }
        }
    }

    fn add_masked(&mut self, other: &Self, mask: Option<(&Self, bool)>, fresh: &mut Self) -> bool {
        let (mut at, mut masked_at) = (0, 0);
        let mut found_new = false;
        let mut merge: Option<Vec<Block>> = None;
        for block in &other.blocks {
            let mut bits = block.bits();
            if let Some((mask, wanted)) = mask {
                masked_at += gallop(&mask.blocks[masked_at..], block.key);
                let matching = mask.blocks.get(masked_at).filter(|it| it.key == block.key);
                let masked = matching.map_or(0, |it| it.bits());
                bits &= if wanted { masked } else { !masked };
                if bits == 0 {
                    continue;
                }
            }
            at += gallop(&self.blocks[at..], block.key);
            match self.blocks.get_mut(at).filter(|it| it.key == block.key) {
                Some(own) => {
                    let new = bits & !own.bits();
                    if new != 0 {
                        *own = Block::new(block.key, own.bits() | new);
                        fresh.or_block(block.key, new);
                        found_new = true;
                    }
                }
                None => {
                    // Collected and merged in one go: inserting each would move what is behind it every time.
                    merge.get_or_insert_default().push(Block::new(block.key, bits));
                    fresh.or_block(block.key, bits);
                    found_new = true;
                }
            }
        }
        if let Some(new) = merge {
            self.merge_blocks(new);
        }
        found_new
    }

    /// Adds the members of one block.
    fn or_block(&mut self, key: u32, bits: u64) {
        match self.blocks.last() {
            Some(last) if last.key < key => self.blocks.push(Block::new(key, bits)),
            None => self.blocks.push(Block::new(key, bits)),
            _ => match self.blocks.binary_search_by_key(&key, |block| block.key) {
                Ok(at) => self.blocks[at] = Block::new(key, self.blocks[at].bits() | bits),
                Err(at) => self.blocks.insert(at, Block::new(key, bits)),
            },
        }
    }

    /// Takes in blocks whose keys are not there yet, from behind, so that each block moves once.
    fn merge_blocks(&mut self, new: Vec<Block>) {
        let (mut old, mut left) = (self.blocks.len(), new.len());
        self.blocks.resize(old + left, Block::new(0, 0));
        let mut end = self.blocks.len();
        while left > 0 {
            end -= 1;
            if old > 0 && self.blocks[old - 1].key > new[left - 1].key {
                old -= 1;
                self.blocks[end] = self.blocks[old];
            } else {
                left -= 1;
                self.blocks[end] = new[left];
            }
        }
    }

    pub(crate) fn shrink(&mut self) {
        self.blocks.shrink_to_fit();
    }

    /// As [`Cached`] does the first time.
    pub(crate) fn write_blocks(&self, to: &mut Writer) {
        self.blocks.write(to);
    }

    pub(crate) fn read_blocks(from: &mut Reader<'_>) -> Option<Self> {
        Some(Self { blocks: Vec::read(from)? })
    }
}

impl FromIterator<u32> for Set {
    fn from_iter<I: IntoIterator<Item = u32>>(members: I) -> Self {
        let mut set = Self::default();
        for member in members {
            set.insert(member);
        }
        set
    }
}

fn bit(member: u32) -> u64 {
    1 << (member % 64)
}

/// The number of blocks before the one with `key`. The wanted block is mostly near, so steps double until it is passed.
#[inline]
fn gallop(blocks: &[Block], key: u32) -> usize {
    match blocks.first().map(|first| first.key.cmp(&key)) {
        None | Some(Ordering::Equal | Ordering::Greater) => return 0,
        Some(Ordering::Less) => {}
    }
    let mut step = 1;
    while blocks.get(step).is_some_and(|block| block.key < key) {
        step *= 2;
    }
    let end = blocks.len().min(step + 1);
    let from = step / 2;
    from + blocks[from..end].partition_point(|block| block.key < key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Numbers that look random and are the same in every run.
    fn members(seed: u32, count: usize, bound: u32) -> Vec<u32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % bound
        };
        (0..count).map(|_| next()).collect()
    }

    fn listed(set: &Set) -> Vec<u32> {
        set.iter().collect()
    }

    #[test]
    fn a_union_is_what_a_plain_set_says_and_the_rest_is_fresh() {
        for (seed, counts) in [(1, [0, 50]), (2, [500, 3]), (3, [3, 500]), (4, [400, 400])] {
            let [old, new] = [members(seed, counts[0], 9_000), members(seed + 9, counts[1], 9_000)];
            let (mut set, other): (Set, Set) = (old.iter().copied().collect(), new.iter().copied().collect());
            let mut fresh = Set::default();
            let is_changed = set.add_all(&other, &mut fresh);

            let before: BTreeSet<u32> = old.into_iter().collect();
            let all: BTreeSet<u32> = before.iter().copied().chain(new).collect();
            let added: Vec<u32> = all.difference(&before).copied().collect();
            assert_eq!(listed(&set), all.iter().copied().collect::<Vec<_>>());
            assert_eq!(listed(&fresh), added);
            assert_eq!(is_changed, !added.is_empty());
            assert_eq!(set.iter().count(), all.len());
        }
    }

    #[test]
    fn filters_let_through_what_is_in_the_mask_or_what_is_not() {
        let from: Set = [1, 2, 70, 500, 501].into_iter().collect();
        let mask: Set = [2, 70, 501, 900].into_iter().collect();
        let (mut within, mut without) = (Set::default(), Set::default());
        assert!(within.add_filtered(&from, &mask, true, &mut Set::default()));
        assert!(without.add_filtered(&from, &mask, false, &mut Set::default()));
        assert_eq!(listed(&within), [2, 70, 501]);
        assert_eq!(listed(&without), [1, 500]);
        assert!(!within.add_filtered(&from, &mask, true, &mut Set::default()));
    }

    #[test]
    fn sets_intersect_if_one_member_is_in_both() {
        for (seed, counts, bound) in [(1, [40, 3], 200), (2, [3, 400], 9_000), (5, [30, 30], 90_000)] {
            let [one, other] = [members(seed, counts[0], bound), members(seed + 7, counts[1], bound)];
            let expected = one.iter().any(|member| other.contains(member));
            let (one, other): (Set, Set) = (one.into_iter().collect(), other.into_iter().collect());
            assert_eq!((one.intersects(&other), other.intersects(&one)), (expected, expected));
        }
    }

    #[test]
    fn members_come_out_in_order_however_they_went_in() {
        let mut set = Set::default();
        for member in [700, 3, 64, 63, 700] {
            set.insert(member);
        }
        assert_eq!(listed(&set), [3, 63, 64, 700]);
        assert!(set.contains(64) && !set.contains(65));
    }
}
