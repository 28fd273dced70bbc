//! The options string behind `-agentpath:library=`.
//!
//! The string travels through `JAVA_TOOL_OPTIONS`, which the JVM splits at blanks and unquotes, so every byte except
//! plain path and name characters is written as `%XX`. Keys are separated by commas.

use crate::equipment::Equipment;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Options that the agent is given at start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentOptions {
    /// The folder of the JVM's result files; when it no longer exists, nobody waits for them.
    pub results: PathBuf,
    /// The classes of the probe runtime, packed by the build (see [`unpack_runtime`]).
    pub runtime: PathBuf,
    /// Patterns of class names to weave wherever they come from.
    pub include: Vec<String>,
    /// Patterns of class names never to weave; stronger than everything else.
    pub exclude: Vec<String>,
    /// Folders with the application's classes. When named, class folders elsewhere are not the application's.
    pub application: Vec<PathBuf>,
    /// Folders with the classes of the tests.
    pub tests: Vec<PathBuf>,
    /// The socket of the controller whose worker this JVM is.
    pub socket: Option<PathBuf>,
    pub equipment: Equipment,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    #[error("agent option '{0}' is unknown or has no value")]
    Unknown(String),
    #[error("agent option '{0}' is missing")]
    Missing(&'static str),
    #[error("agent option '{0}' has a broken escape")]
    BadEscape(String),
}

impl AgentOptions {
    pub fn encode(&self) -> String {
        let mut parts = vec![
            format!("results={}", escape(self.results.as_os_str())),
            format!("runtime={}", escape(self.runtime.as_os_str())),
        ];
        parts.extend(self.include.iter().map(|pattern| format!("include={}", escape(OsStr::new(pattern)))));
        parts.extend(self.exclude.iter().map(|pattern| format!("exclude={}", escape(OsStr::new(pattern)))));
        let folders = |key: &'static str, folders: &[PathBuf]| {
            folders
                .iter()
                .map(move |folder| format!("{key}={}", escape(folder.as_os_str())))
                .collect::<Vec<_>>()
        };
        parts.extend(folders("application", &self.application));
        parts.extend(folders("tests", &self.tests));
        parts.extend(self.socket.iter().map(|socket| format!("socket={}", escape(socket.as_os_str()))));
        if !self.equipment.is_empty() {
            parts.push(format!("equipment={}", escape(OsStr::new(&self.equipment.encode()))));
        }
        parts.join(",")
    }

    pub fn parse(text: &str) -> Result<Self, OptionsError> {
        let mut options = Self::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| OptionsError::Unknown(part.into()))?;
            let value = unescape(value).ok_or_else(|| OptionsError::BadEscape(key.into()))?;
            match key {
                "results" => options.results = PathBuf::from(value),
                "runtime" => options.runtime = PathBuf::from(value),
                "include" => options.include.push(value.to_string_lossy().into_owned()),
                "exclude" => options.exclude.push(value.to_string_lossy().into_owned()),
                "application" => options.application.push(PathBuf::from(value)),
                "tests" => options.tests.push(PathBuf::from(value)),
                "socket" => options.socket = Some(PathBuf::from(value)),
                "equipment" => {
                    let named = value.to_str().and_then(Equipment::parse);
                    options.equipment = named.ok_or_else(|| OptionsError::Unknown(part.into()))?;
                }
                _ => return Err(OptionsError::Unknown(key.into())),
            }
        }
        require(&options.results, "results")?;
        require(&options.runtime, "runtime")?;
        Ok(options)
    }
}

fn require(path: &Path, key: &'static str) -> Result<(), OptionsError> {
    if path.as_os_str().is_empty() { Err(OptionsError::Missing(key)) } else { Ok(()) }
}

fn escape(value: &OsStr) -> String {
    let mut text = String::new();
    for &byte in value.as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

fn unescape(text: &str) -> Option<OsString> {
    percent_decode(text).map(OsString::from_vec)
}

/// Undoes `%XX`, as in our options and in `file:` URLs; `None` for a broken escape.
pub fn percent_decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    Some(bytes)
}

/// One class of the packed runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuntimeClass<'a> {
    /// Internal name, `catchment/runtime/Probes`.
    pub name: &'a str,
    pub bytes: &'a [u8],
}

/// Reads a packed runtime: per class a line `<name> <length>` followed by that many bytes.
/// `None` when the file is not one.
pub fn unpack_runtime(mut packed: &[u8]) -> Option<Vec<RuntimeClass<'_>>> {
    let mut classes = Vec::new();
    while !packed.is_empty() {
        let line_end = packed.iter().position(|&byte| byte == b'\n')?;
        let (name, length) = std::str::from_utf8(&packed[..line_end]).ok()?.split_once(' ')?;
        let (bytes, rest) = packed[line_end + 1..].split_at_checked(length.parse().ok()?)?;
        classes.push(RuntimeClass { name, bytes });
        packed = rest;
    }
    Some(classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_paths_and_patterns_survive_the_trip() {
        let options = AgentOptions {
            results: PathBuf::from(OsString::from_vec(b"/some/a b,c=d%\"'\xff\n".to_vec())),
            runtime: PathBuf::from("/opt/r\u{fc}ntime"),
            include: vec!["com.acme.*".into(), "a,b".into()],
            exclude: vec!["*Test".into()],
            application: vec!["/p/target/classes".into(), "/q/a b".into()],
            tests: vec!["/p/target/test-classes".into()],
            socket: Some("/run/s 1".into()),
            equipment: Equipment::CALLS.union(Equipment::EXCHANGE),
        };
        let text = options.encode();
        assert!(text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\''), "{text}");
        assert_eq!(AgentOptions::parse(&text), Ok(options));
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(AgentOptions::parse("results=/a"), Err(OptionsError::Missing("runtime")));
        assert_eq!(AgentOptions::parse("colour=red"), Err(OptionsError::Unknown("colour".into())));
        let unknown = "results=/a,runtime=/b,equipment=wings";
        assert_eq!(AgentOptions::parse(unknown), Err(OptionsError::Unknown("equipment=wings".into())));
        assert_eq!(AgentOptions::parse("results"), Err(OptionsError::Unknown("results".into())));
        assert_eq!(AgentOptions::parse("results=%4"), Err(OptionsError::BadEscape("results".into())));
        assert_eq!(
            AgentOptions::parse("results=%\u{e4}\u{e4}"),
            Err(OptionsError::BadEscape("results".into()))
        );
    }

    #[test]
    fn a_packed_runtime_is_read_back() {
        let packed = b"a/B 3\nxyza/C 0\n";
        let expected =
            [RuntimeClass { name: "a/B", bytes: b"xyz" }, RuntimeClass { name: "a/C", bytes: b"" }];
        assert_eq!(unpack_runtime(packed).unwrap(), expected);
        assert_eq!(unpack_runtime(b"a/B 4\nxyz"), None);
        assert_eq!(unpack_runtime(b"\xca\xfe\xba\xbe"), None);
    }
}
