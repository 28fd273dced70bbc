//! The methods that tests have entered.

use std::collections::{BTreeSet, HashMap};

/// The number of a method in the store.
pub(crate) type MethodNumber = u32;

/// A set of methods.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MethodSet {
    words: Vec<u64>,
}

impl MethodSet {
    /// Tells whether the method was missing.
    pub(crate) fn insert(&mut self, method: MethodNumber) -> bool {
        let (word, bit) = (method as usize / 64, 1 << (method % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    pub(crate) fn contains(&self, method: MethodNumber) -> bool {
        self.words.get(method as usize / 64).is_some_and(|word| word & (1 << (method % 64)) != 0)
    }

    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(one, other)| one & other != 0)
    }

    /// Ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = MethodNumber> + '_ {
        let numbered = (0..).zip(&self.words);
        numbered.flat_map(|(index, word)| {
            let bits = (0..64u32).filter(move |bit| word & (1 << bit) != 0);
            bits.map(move |bit| index * 64 + bit)
        })
    }

    /// Distances from one method to the next, seven bits to a byte.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let (mut bytes, mut last) = (Vec::new(), 0);
        for method in self.iter() {
            let mut distance = method - last;
            last = method;
            while distance > 0x7f {
                bytes.push(distance as u8 | 0x80);
                distance >>= 7;
            }
            bytes.push(distance as u8);
        }
        bytes
    }

    /// `None` for bytes that are no set.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (mut set, mut last) = (Self::default(), 0u32);
        let (mut distance, mut shift) = (0u32, 0);
        for byte in bytes {
            distance |= u32::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 != 0 {
                shift += 7;
                continue;
            }
            last = last.checked_add(distance)?;
            // More methods than a JVM can mark are nobody's.
            if last > 1 << 28 {
                return None;
            }
            set.insert(last);
            (distance, shift) = (0, 0);
        }
        (shift == 0).then_some(set)
    }
}

impl FromIterator<MethodNumber> for MethodSet {
    fn from_iter<I: IntoIterator<Item = MethodNumber>>(methods: I) -> Self {
        let mut set = Self::default();
        methods.into_iter().for_each(|method| {
            set.insert(method);
        });
        set
    }
}

/// The bearer of a set: the runs of a test with nothing armed, those of its experiments, or no test at all.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Owner {
    pub(crate) configuration: usize,
    /// The id of the test; `None` for what belongs to no test, and so to every one.
    pub(crate) test: Option<String>,
    pub(crate) armed: bool,
}

impl Owner {
    pub(crate) fn nobody(configuration: usize) -> Self {
        Self { configuration, test: None, armed: false }
    }

    pub(crate) fn test(configuration: usize, test: &str, armed: bool) -> Self {
        Self { configuration, test: Some(test.to_owned()), armed }
    }
}

/// The methods that one owner has entered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Entries {
    pub(crate) methods: MethodSet,
    /// A JVM has ended before it could tell: it may be any.
    pub(crate) any: bool,
}

/// The methods entered so far. It only grows, so it may be written before the results that depend on it, and never after.
#[derive(Debug, Default)]
pub(crate) struct Executed {
    entries: HashMap<Owner, Entries>,
    unwritten: BTreeSet<Owner>,
}

impl Executed {
    pub(crate) fn new(entries: HashMap<Owner, Entries>) -> Self {
        Self { entries, unwritten: BTreeSet::new() }
    }

    pub(crate) fn add(&mut self, owner: &Owner, methods: impl IntoIterator<Item = MethodNumber>) {
        let known = self.entries.contains_key(owner);
        let entries = self.entries.entry(owner.clone()).or_default();
        let mut grows = !known;
        methods.into_iter().for_each(|method| grows |= entries.methods.insert(method));
        if grows {
            self.unwritten.insert(owner.clone());
        }
    }

    pub(crate) fn add_any(&mut self, owner: &Owner) {
        let entries = self.entries.entry(owner.clone()).or_default();
        if !std::mem::replace(&mut entries.any, true) {
            self.unwritten.insert(owner.clone());
        }
    }

    /// The methods that belong to no test of the configuration.
    pub(crate) fn of_nobody(&self, configuration: usize) -> Option<&MethodSet> {
        self.entries.get(&Owner::nobody(configuration)).map(|entries| &entries.methods)
    }

    /// What has grown since [`Self::written`].
    pub(crate) fn unwritten(&self) -> impl Iterator<Item = (&Owner, &Entries)> {
        self.unwritten.iter().filter_map(|owner| self.entries.get_key_value(owner))
    }

    pub(crate) fn written(&mut self) {
        self.unwritten.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_come_back_from_their_bytes() {
        for methods in [&[][..], &[0], &[1, 63, 64, 200, 70_000]] {
            let set: MethodSet = methods.iter().copied().collect();
            assert_eq!(set.iter().collect::<Vec<_>>(), methods);
            assert_eq!(MethodSet::decode(&set.encode()), Some(set));
        }
        assert_eq!(MethodSet::decode(&[0x80]), None);
        assert_eq!(MethodSet::decode(&[0xff; 9]), None);
    }

    #[test]
    fn sets_meet_in_a_common_method() {
        let [one, other, both]: [MethodSet; 3] =
            [vec![1, 90], vec![2, 300], vec![90, 300]].map(|set| set.into_iter().collect());
        assert!(!one.meets(&other) && one.meets(&both) && both.meets(&other));
        assert!(both.contains(300) && !one.contains(300));
    }

    #[test]
    fn only_what_has_grown_is_written() {
        let (mut executed, owner) = (Executed::default(), Owner::test(0, "t", false));
        executed.add(&owner, [3]);
        executed.add(&owner, [4]);
        assert_eq!(executed.unwritten().count(), 1);
        executed.written();
        executed.add(&owner, [3, 4]);
        assert_eq!(executed.unwritten().count(), 0);
        executed.add_any(&owner);
        assert!(executed.unwritten().next().unwrap().1.any);
    }
}
