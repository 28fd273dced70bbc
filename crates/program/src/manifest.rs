//! Facts of `META-INF/MANIFEST.MF` that a loader must know: is this a multi-release jar, and which others does it
//! bring?

use std::path::PathBuf;

pub(crate) const MANIFEST: &str = "META-INF/MANIFEST.MF";

/// Tells whether the main section says `Multi-Release: true`. As in the JDK, attribute names and the value ignore case,
/// and an attribute of a later (per-entry) section does not count.
pub(crate) fn is_multi_release(manifest: &[u8]) -> bool {
    attribute(manifest, "Multi-Release").is_some_and(|value| value.eq_ignore_ascii_case("true"))
}

/// The files and folders that `Class-Path` names, relative to the folder of the jar.
pub(crate) fn class_path(manifest: &[u8]) -> Vec<PathBuf> {
    let value = attribute(manifest, "Class-Path").unwrap_or_default();
    value.split_ascii_whitespace().map(decode_address).collect()
}

/// The path that a relative address in a manifest means: `%20` is a space.
fn decode_address(address: &str) -> PathBuf {
    let mut bytes = Vec::new();
    let mut rest = address.as_bytes();
    while let [first, behind @ ..] = rest {
        let code = behind.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    PathBuf::from(text.strip_prefix("file:").unwrap_or(&text))
}

/// An attribute of the main section.
fn attribute(manifest: &[u8], wanted: &str) -> Option<String> {
    let text = String::from_utf8_lossy(manifest);
    let text = unfold(&text);
    text.lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_once(": "))
        .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
        .map(|(_, value)| value.to_owned())
}

/// Joins continuation lines (a line break followed by one space, because a line holds at most 72 bytes), and makes
/// all three legal line ends one.
fn unfold(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").replace("\n ", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_section_decides_whatever_its_line_ends_and_folds() {
        for yes in [
            "Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n",
            "Manifest-Version: 1.0\nmulti-release: TRUE\n",
            "Manifest-Version: 1.0\rMulti-Release: true\r",
            "Multi-Release: tr\n ue\n",
        ] {
            assert!(is_multi_release(yes.as_bytes()), "{yes:?}");
        }
    }

    #[test]
    fn a_class_path_goes_over_folded_lines_and_has_addresses_for_paths() {
        let manifest =
            b"Manifest-Version: 1.0\r\nClass-Path: lib/a.jar li\r\n b/b.jar  c%20d/%zz\r\n\r\nName: x\r\n";
        assert_eq!(class_path(manifest), ["lib/a.jar", "lib/b.jar", "c d/%zz"].map(PathBuf::from));
        assert!(class_path(b"Manifest-Version: 1.0\n").is_empty());
    }

    #[test]
    fn other_values_and_other_sections_do_not_count() {
        for no in [
            "",
            "Manifest-Version: 1.0\n",
            "Multi-Release: false\n",
            "Multi-Release: true\n ish\n",
            "X-Multi-Release: true\n",
            "Manifest-Version: 1.0\n\nName: a/\nMulti-Release: true\n",
        ] {
            assert!(!is_multi_release(no.as_bytes()), "{no:?}");
        }
        assert!(!is_multi_release(&[0xff, 0xfe, 0]));
    }
}
