//! Values as bytes and back, for a base that is cached from one run to the next.
//!
//! Numbers have a fixed width, little-endian, and lists are their length and their elements: to be read fast matters
//! more than to be small. Only sets are written once each, since most of a solved graph's are equal to another:
//!
//! ```text
//! set   = number of one before, or the next number and its blocks
//! list  = length, elements
//! enum  = one byte, fields
//! ```
//!
//! Reading is checked and never panics, but does not know what the numbers mean: whoever has the bytes has to know that
//! they are those that were written, by the same code. No version is written for that reason, and no value is skipped
//! or defaulted.

use crate::sets::Set;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::hash::Hash;
use std::ops::Range;
use std::sync::Arc;

/// A value that can be written to the cache and read again.
pub(crate) trait Cached: Sized {
    fn write(&self, to: &mut Writer);

    /// Nothing if the bytes are not those of such a value.
    fn read(from: &mut Reader<'_>) -> Option<Self>;
}

#[derive(Debug, Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
    /// Sets that were written, with their number.
    sets: FxHashMap<Set, u32>,
}

#[derive(Debug)]
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    /// Sets that were read, by their number.
    sets: Vec<Set>,
}

impl Writer {
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// There are never four thousand million of anything: all of it has a number of 32 bits.
    pub(crate) fn len(&mut self, len: usize) {
        u32::try_from(len).unwrap_or(u32::MAX).write(self);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.len(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn list<'v, T: Cached + 'v>(&mut self, values: impl ExactSizeIterator<Item = &'v T>) {
        self.len(values.len());
        values.for_each(|value| value.write(self));
    }
}

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, sets: Vec::new() }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }

    /// A length of values that have a byte each at least: more than there are bytes would be a mistake to make room
    /// for.
    pub(crate) fn len(&mut self) -> Option<usize> {
        Some(u32::read(self)? as usize).filter(|len| *len <= self.bytes.len())
    }

    pub(crate) fn bytes(&mut self) -> Option<&'b [u8]> {
        let len = self.len()?;
        let (bytes, rest) = self.bytes.split_at_checked(len)?;
        self.bytes = rest;
        Some(bytes)
    }

    /// Room for the values is made bit by bit beyond this: what they take in memory is more than what they take here.
    fn room(len: usize) -> usize {
        len.min(1 << 20)
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Cached for $number {
            #[inline]
            fn write(&self, to: &mut Writer) {
                to.bytes.extend_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn read(from: &mut Reader<'_>) -> Option<Self> {
                let (number, rest) = from.bytes.split_first_chunk()?;
                from.bytes = rest;
                Some(Self::from_le_bytes(*number))
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64);

impl Cached for usize {
    #[inline]
    fn write(&self, to: &mut Writer) {
        (*self as u64).write(to);
    }

    #[inline]
    fn read(from: &mut Reader<'_>) -> Option<Self> {
        u64::read(from)?.try_into().ok()
    }
}

impl Cached for bool {
    #[inline]
    fn write(&self, to: &mut Writer) {
        u8::from(*self).write(to);
    }

    #[inline]
    fn read(from: &mut Reader<'_>) -> Option<Self> {
        match u8::read(from)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl<T: Cached> Cached for Option<T> {
    #[inline]
    fn write(&self, to: &mut Writer) {
        self.is_some().write(to);
        if let Some(value) = self {
            value.write(to);
        }
    }

    #[inline]
    fn read(from: &mut Reader<'_>) -> Option<Self> {
        Some(if bool::read(from)? { Some(T::read(from)?) } else { None })
    }
}

impl<T: Cached> Cached for Vec<T> {
    fn write(&self, to: &mut Writer) {
        to.list(self.iter());
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let len = from.len()?;
        let mut values = Vec::with_capacity(Reader::room(len));
        for _ in 0..len {
            values.push(T::read(from)?);
        }
        Some(values)
    }
}

impl<T: Cached> Cached for Box<[T]> {
    fn write(&self, to: &mut Writer) {
        to.list(self.iter());
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        Vec::read(from).map(Vec::into_boxed_slice)
    }
}

impl<T: Cached> Cached for SmallVec<[T; 1]> {
    fn write(&self, to: &mut Writer) {
        to.list(self.iter());
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let len = from.len()?;
        let mut values = SmallVec::with_capacity(Reader::room(len));
        for _ in 0..len {
            values.push(T::read(from)?);
        }
        Some(values)
    }
}

impl<T: Cached> Cached for Box<T> {
    fn write(&self, to: &mut Writer) {
        T::write(self, to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        T::read(from).map(Box::new)
    }
}

impl<T: Cached + Copy + Default, const N: usize> Cached for [T; N] {
    #[inline]
    fn write(&self, to: &mut Writer) {
        self.iter().for_each(|value| value.write(to));
    }

    #[inline]
    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let mut values = [T::default(); N];
        for value in &mut values {
            *value = T::read(from)?;
        }
        Some(values)
    }
}

impl Cached for Arc<[u8]> {
    fn write(&self, to: &mut Writer) {
        to.bytes(self);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        from.bytes().map(Arc::from)
    }
}

impl Cached for String {
    fn write(&self, to: &mut Writer) {
        to.bytes(self.as_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        std::str::from_utf8(from.bytes()?).ok().map(str::to_owned)
    }
}

impl Cached for Range<u32> {
    fn write(&self, to: &mut Writer) {
        (self.start, self.end).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        <(u32, u32)>::read(from).map(|(start, end)| start..end)
    }
}

macro_rules! tuples {
    ($(($($part:ident),*)),*) => {$(
        #[expect(non_snake_case, reason = "a value has the name of its type")]
        impl<$($part: Cached),*> Cached for ($($part,)*) {
            #[inline]
            fn write(&self, to: &mut Writer) {
                let ($($part,)*) = self;
                $($part.write(to);)*
            }

            #[inline]
            fn read(from: &mut Reader<'_>) -> Option<Self> {
                Some(($($part::read(from)?,)*))
            }
        }
    )*};
}

tuples!((A, B), (A, B, C));

impl<K: Cached + Eq + Hash, V: Cached> Cached for FxHashMap<K, V> {
    fn write(&self, to: &mut Writer) {
        to.len(self.len());
        for (key, value) in self {
            key.write(to);
            value.write(to);
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let len = from.len()?;
        let mut map = Self::with_capacity_and_hasher(Reader::room(len), FxBuildHasher);
        for _ in 0..len {
            map.insert(K::read(from)?, V::read(from)?);
        }
        Some(map)
    }
}

impl<T: Cached + Eq + Hash> Cached for FxHashSet<T> {
    fn write(&self, to: &mut Writer) {
        to.list(self.iter());
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let len = from.len()?;
        let mut set = Self::with_capacity_and_hasher(Reader::room(len), FxBuildHasher);
        for _ in 0..len {
            set.insert(T::read(from)?);
        }
        Some(set)
    }
}

impl Cached for Set {
    fn write(&self, to: &mut Writer) {
        let next = to.sets.len() as u32;
        let number = to.sets.get(self).copied().unwrap_or(next);
        number.write(to);
        if number == next {
            to.sets.insert(self.clone(), next);
            self.write_blocks(to);
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let number = u32::read(from)? as usize;
        if number == from.sets.len() {
            let set = Self::read_blocks(from)?;
            from.sets.push(set);
        }
        from.sets.get(number).cloned()
    }
}

/// The bytes of a type, by its fields in their order. Every field has to be named: one that is forgotten does not
/// compile.
macro_rules! cached {
    (struct $name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::cache_format::Cached for $name {
            #[inline]
            fn write(&self, to: &mut $crate::cache_format::Writer) {
                let Self { $($field),* } = self;
                $($crate::cache_format::Cached::write($field, to);)*
            }

            #[inline]
            fn read(from: &mut $crate::cache_format::Reader<'_>) -> Option<Self> {
                Some(Self { $($field: $crate::cache_format::Cached::read(from)?),* })
            }
        }
    };
    (struct $name:ident($number:ident)) => {
        impl $crate::cache_format::Cached for $name {
            #[inline]
            fn write(&self, to: &mut $crate::cache_format::Writer) {
                let Self($number) = self;
                $crate::cache_format::Cached::write($number, to);
            }

            #[inline]
            fn read(from: &mut $crate::cache_format::Reader<'_>) -> Option<Self> {
                $crate::cache_format::Cached::read(from).map(Self)
            }
        }
    };
    (enum $name:ident {
        $($tag:literal => $variant:ident $(($($item:ident),*))? $({ $($field:ident),* })?),* $(,)?
    }) => {
        impl $crate::cache_format::Cached for $name {
            #[inline]
            fn write(&self, to: &mut $crate::cache_format::Writer) {
                match self {
                    $(Self::$variant $(($($item),*))? $({ $($field),* })? => {
                        $crate::cache_format::Cached::write(&($tag as u8), to);
                        $($($crate::cache_format::Cached::write($item, to);)*)?
                        $($($crate::cache_format::Cached::write($field, to);)*)?
                    })*
                }
            }

            #[inline]
            fn read(from: &mut $crate::cache_format::Reader<'_>) -> Option<Self> {
                let tag: u8 = $crate::cache_format::Cached::read(from)?;
                match tag {
                    $($tag => {
                        $($(let $item = $crate::cache_format::Cached::read(from)?;)*)?
                        $($(let $field = $crate::cache_format::Cached::read(from)?;)*)?
                        Some(Self::$variant $(($($item),*))? $({ $($field),* })?)
                    })*
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use cached;

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq)]
    enum Shape {
        Nothing,
        Round(u16, Option<u32>),
        Square { side: u32 },
    }
    cached! { enum Shape { 0 => Nothing, 1 => Round(one, two), 2 => Square { side } } }

    type Value = (Vec<Shape>, FxHashMap<u32, String>, Vec<Set>);

    fn value() -> Value {
        let sets: [Set; 3] = [[1, 70].into_iter().collect(), Set::default(), [1, 70].into_iter().collect()];
        let shapes = vec![Shape::Nothing, Shape::Round(7, Some(9)), Shape::Square { side: 3 }];
        (shapes, FxHashMap::from_iter([(1, "one".to_owned()), (2, "two".to_owned())]), sets.to_vec())
    }

    fn written(value: &impl Cached) -> Vec<u8> {
        let mut writer = Writer::default();
        value.write(&mut writer);
        writer.into_bytes()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let bytes = written(&value());
        let mut reader = Reader::new(&bytes);
        assert_eq!(Value::read(&mut reader), Some(value()));
        assert!(reader.is_at_end());
    }

    #[test]
    fn equal_sets_are_written_once() {
        let set: Set = (0..640).collect();
        let one = written(&vec![set.clone()]).len();
        assert_eq!(written(&vec![set; 3]).len(), one + 2 * 4);
    }

    #[test]
    fn bytes_that_are_cut_off_or_changed_are_no_value_or_another_and_never_a_panic() {
        let bytes = written(&value());
        for end in 0..bytes.len() {
            assert_eq!(Value::read(&mut Reader::new(&bytes[..end])), None, "{end}");
        }
        for at in 0..bytes.len() {
            for flip in [1, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                assert_ne!(Value::read(&mut Reader::new(&changed)), Some(value()), "{at}");
            }
        }
    }
}
