//! Hashes: one that never changes, for ids, and a fast one to tell files apart. Neither is for adversaries.

const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;
const SEVEN_ZEROS: u64 = FNV_PRIME.wrapping_pow(7);

/// A 64-bit FNV-1a hash: the same on every platform and in every release, as ids must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fnv(u64);

impl Fnv {
    pub const NEW: Self = Self(0xcbf2_9ce4_8422_2325);

    pub fn value(self) -> u64 {
        self.0
    }

    pub fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
    }

    /// Length first, so that neighbouring texts cannot run together.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        bytes.iter().for_each(|byte| self.byte(*byte));
    }

    /// Eight bytes, the lowest first.
    pub fn number(&mut self, number: u64) {
        if let Ok(small) = u8::try_from(number) {
            // Nearly all numbers are small, and a byte of 0 only multiplies.
            self.byte(small);
            self.0 = self.0.wrapping_mul(SEVEN_ZEROS);
        } else {
            number.to_le_bytes().iter().for_each(|byte| self.byte(*byte));
        }
    }
}

/// FNV-1a of some texts, each with its length in front.
pub fn stable_hash<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let mut hash = Fnv::NEW;
    texts.into_iter().for_each(|text| hash.bytes(text));
    hash.value()
}

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A hash of whole files, for everything that is not an id: FNV takes a multiplication for each byte and would be felt
/// where the agent hashes every class of the application. Equal on every machine and in every release of the same
/// protocol version.
pub fn hash64(bytes: &[u8]) -> u64 {
    let mut state = MULTIPLIER ^ bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = mix(state, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(mix(state, u64::from_le_bytes(last)), MULTIPLIER)
}

fn mix(state: u64, word: u64) -> u64 {
    let product = u128::from(state ^ word ^ MULTIPLIER) * u128::from(MULTIPLIER | 1);
    (product as u64) ^ ((product >> 64) as u64) ^ state.rotate_left(23)
}

#[cfg(test)]
mod tests {
    use super::{Fnv, hash64};
    use std::collections::HashSet;

    #[test]
    fn small_numbers_are_hashed_as_eight_bytes_too() {
        for number in [0, 1, 255, 256, u64::MAX] {
            let (mut whole, mut bytewise) = (Fnv::NEW, Fnv::NEW);
            whole.number(number);
            number.to_le_bytes().iter().for_each(|byte| bytewise.byte(*byte));
            assert_eq!(whole, bytewise);
        }
    }

    #[test]
    fn every_single_byte_and_every_length_matters() {
        let base = vec![7u8; 100];
        let mut seen = HashSet::from([hash64(&base)]);
        for index in 0..base.len() {
            for flip in [1u8, 0x80, 0xff] {
                let mut changed = base.clone();
                changed[index] ^= flip;
                assert!(seen.insert(hash64(&changed)), "byte {index} flipped by {flip:#x}");
            }
        }
        for length in 0..base.len() {
            assert!(seen.insert(hash64(&base[..length])), "length {length}");
        }
    }
}
