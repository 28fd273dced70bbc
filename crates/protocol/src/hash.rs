//! A fast 64-bit hash to tell class files apart. Not for adversaries.

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Equal bytes give equal hashes on every machine and in every release of the same protocol version.
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
    use super::hash64;
    use std::collections::HashSet;

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
