//! Strings as class files hold them: modified UTF-8, lone surrogates included.

use std::fmt;

/// Bytes of a `CONSTANT_Utf8`. Compared as bytes; turned into text only for people and ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct JvmStr<'a>(&'a [u8]);

impl<'a> JvmStr<'a> {
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    #[inline]
    pub fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub fn starts_with(self, prefix: &str) -> bool {
        self.0.starts_with(prefix.as_bytes())
    }

    pub fn ends_with(self, suffix: &str) -> bool {
        self.0.ends_with(suffix.as_bytes())
    }

    /// The class name `java/lang/String` as people write it, `java.lang.String`.
    pub fn to_binary_name(self) -> String {
        if self.0.is_ascii() {
            let dotted = self.0.iter().map(|byte| if *byte == b'/' { b'.' } else { *byte });
            return String::from_utf8(dotted.collect()).unwrap_or_default();
        }
        self.to_string().replace('/', ".")
    }
}

impl PartialEq<str> for JvmStr<'_> {
    #[inline]
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for JvmStr<'_> {
    #[inline]
    fn eq(&self, other: &&str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl fmt::Debug for JvmStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

impl fmt::Display for JvmStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_ascii() {
            return f.write_str(std::str::from_utf8(self.0).unwrap_or_default());
        }
        let units = utf16_units(self.0);
        for unit in char::decode_utf16(units) {
            write!(f, "{}", unit.unwrap_or(char::REPLACEMENT_CHARACTER))?;
        }
        Ok(())
    }
}

/// Decodes JVMS §4.4.7; a byte that fits no pattern becomes U+FFFD.
fn utf16_units(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        let continuation = |i: usize| tail.get(i).filter(|b| **b & 0xC0 == 0x80).map(|b| u16::from(b & 0x3F));
        let (unit, used) = match (*first, continuation(0), continuation(1)) {
            (b @ 0..=0x7F, ..) => (u16::from(b), 1),
            (b @ 0xC0..=0xDF, Some(x), _) => (u16::from(b & 0x1F) << 6 | x, 2),
            (b @ 0xE0..=0xEF, Some(x), Some(y)) => (u16::from(b & 0x0F) << 12 | x << 6 | y, 3),
            _ => (0xFFFD, 1),
        };
        units.push(unit);
        rest = &rest[used..];
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supplementary_characters_are_two_three_byte_units() {
        assert_eq!(JvmStr::new(b"\xED\xA0\xBD\xED\xB8\x80").to_string(), "\u{1F600}");
    }

    #[test]
    fn a_lone_surrogate_and_a_torn_sequence_become_replacement_characters() {
        assert_eq!(JvmStr::new(b"a\xED\xA0\xBDb").to_string(), "a\u{FFFD}b");
        assert_eq!(JvmStr::new(b"a\xE0").to_string(), "a\u{FFFD}");
    }

    #[test]
    fn an_encoded_nul_is_a_nul() {
        assert_eq!(JvmStr::new(b"\xC0\x80").to_string(), "\0");
    }
}
