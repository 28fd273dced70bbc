//! The command line of a `java` process, taken apart.
//!
//! Follows the launcher: argument files are expanded up to the main class, options with a value of their own are known
//! by name. Everything is bytes, since paths need not be UTF-8.

use catchment_protocol::records::Launch;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Options of the launcher whose value is the next argument.
const WITH_VALUE: &[&str] = &[
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--limit-modules",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--patch-module",
    "--enable-native-access",
    "--source",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandLine {
    /// What stands before the main class, without the class path.
    pub(super) jvm_arguments: Vec<OsString>,
    pub(super) class_path: Option<Vec<PathBuf>>,
    pub(super) main: Main,
    pub(super) program_arguments: Vec<OsString>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Main {
    Class(OsString),
    Jar(PathBuf),
    Module(OsString),
    /// `java -version` and the like.
    None,
}

impl CommandLine {
    pub(super) fn of(launch: &Launch) -> Self {
        let arguments = launch.arguments.iter().map(|bytes| OsString::from_vec(bytes.clone())).collect();
        let mut line = Self {
            jvm_arguments: Vec::new(),
            class_path: None,
            main: Main::None,
            program_arguments: Vec::new(),
        };
        line.read(expand_argument_files(arguments, launch).into_iter());
        line
    }

    fn read(&mut self, mut arguments: impl Iterator<Item = OsString>) {
        while let Some(argument) = arguments.next() {
            let text = argument.to_string_lossy().into_owned();
            match text.as_str() {
                "-cp" | "-classpath" | "--class-path" => {
                    self.class_path = arguments.next().map(|value| split_paths(&value));
                }
                "-jar" => self.main = arguments.next().map_or(Main::None, |jar| Main::Jar(jar.into())),
                "-m" | "--module" => self.main = arguments.next().map_or(Main::None, Main::Module),
                option if WITH_VALUE.contains(&option) => {
                    self.jvm_arguments.push(argument);
                    self.jvm_arguments.extend(arguments.next());
                }
                option if option.starts_with("--class-path=") => {
                    let value = OsStr::from_bytes(&argument.as_bytes()["--class-path=".len()..]);
                    self.class_path = Some(split_paths(value));
                }
                option if option.starts_with("--module=") => {
                    self.main = Main::Module(OsString::from(&option["--module=".len()..]));
                }
                option if option.starts_with('-') => self.jvm_arguments.push(argument),
                _ => self.main = Main::Class(argument),
            }
            if self.main != Main::None {
                self.program_arguments = arguments.collect();
                return;
            }
        }
    }
}

/// What the launch recorded of this file, or what is there now.
pub(super) fn recorded_file(launch: &Launch, path: &Path) -> Option<Vec<u8>> {
    let path = Path::new(OsStr::from_bytes(&launch.working_folder)).join(path);
    let recorded = launch.files.iter().find(|(name, _)| name.as_slice() == path.as_os_str().as_bytes());
    recorded.map(|(_, content)| content.clone()).or_else(|| std::fs::read(&path).ok())
}

pub(super) fn split_paths(value: &OsStr) -> Vec<PathBuf> {
    let parts = value.as_bytes().split(|&byte| byte == b':').filter(|part| !part.is_empty());
    parts.map(|part| PathBuf::from(OsStr::from_bytes(part))).collect()
}

/// Replaces `@file` by what the file says, up to the main class: behind it `@` means nothing.
fn expand_argument_files(arguments: Vec<OsString>, launch: &Launch) -> Vec<OsString> {
    let mut expanded = Vec::new();
    let mut enabled = true;
    for argument in arguments {
        match argument.as_bytes() {
            b"--disable-@files" => enabled = false,
            [b'@', b'@', rest @ ..] if enabled => {
                expanded.push(OsString::from_vec([b"@", rest].concat()));
            }
            [b'@', file @ ..] if enabled => match recorded_file(launch, Path::new(OsStr::from_bytes(file))) {
                Some(content) => expanded.extend(words(&content)),
                None => expanded.push(argument),
            },
            _ => expanded.push(argument),
        }
        enabled = enabled && !has_main(&expanded);
    }
    expanded
}

/// Tells whether the main class stands among these arguments.
fn has_main(arguments: &[OsString]) -> bool {
    let mut takes_value = false;
    arguments.iter().any(|argument| {
        let text = argument.to_string_lossy();
        if std::mem::take(&mut takes_value) {
            return false;
        }
        takes_value = WITH_VALUE.contains(&text.as_ref())
            || matches!(text.as_ref(), "-cp" | "-classpath" | "--class-path");
        matches!(text.as_ref(), "-jar" | "-m" | "--module") || !text.starts_with('-')
    })
}

/// The options in the text of a variable such as `JDK_JAVA_OPTIONS`, with those in argument files that it names, as far as they
/// can be read. Relative files are those of the folder in which the JVM starts.
pub fn options_in(text: &OsStr, working_folder: &Path) -> Vec<OsString> {
    let expanded = |word: OsString| match word.as_bytes() {
        [b'@', file @ ..] if !file.starts_with(b"@") => {
            let content = std::fs::read(working_folder.join(OsStr::from_bytes(file)));
            content.map_or_else(|_| vec![word], |content| words(&content))
        }
        _ => vec![word],
    };
    words(text.as_bytes()).into_iter().flat_map(expanded).collect()
}

/// The words of an argument file: blanks separate, quotes group, `#` starts a comment, a backslash in quotes escapes.
fn words(content: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = content.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            // At the end of a line: the word goes on behind the blanks of the next one.
            (Some(_), b'\\') if bytes.next_if(|next| matches!(next, b'\n' | b'\r')).is_some() => {
                while bytes.next_if(|next| matches!(next, b' ' | b'\t' | b'\n' | b'\r')).is_some() {}
            }
            (Some(_), b'\\') => word.get_or_insert_default().extend(bytes.next().map(unescaped)),
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(byte),
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (None, b'#') if word.is_none() => while bytes.next_if(|&next| next != b'\n').is_some() {},
            (None, b' ' | b'\t' | b'\n' | b'\r' | 12) => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

fn unescaped(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'f' => 12,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(arguments: &[&str], files: &[(&str, &str)]) -> Launch {
        Launch {
            arguments: arguments.iter().map(|argument| argument.as_bytes().to_vec()).collect(),
            working_folder: b"/w".to_vec(),
            files: files
                .iter()
                .map(|(name, content)| (name.as_bytes().to_vec(), content.as_bytes().to_vec()))
                .collect(),
            ..Launch::default()
        }
    }

    fn strings(values: &[OsString]) -> Vec<&str> {
        values.iter().map(|value| value.to_str().unwrap()).collect()
    }

    #[test]
    fn options_before_the_main_class_are_the_jvms_and_those_behind_it_the_programs() {
        let line = CommandLine::of(&launch(
            &[
                "-Xmx1g",
                "--add-opens",
                "java.base/java.lang=ALL-UNNAMED",
                "-cp",
                "/a:/b",
                "-Dx=a b",
                "Main",
                "-cp",
                "@x",
            ],
            &[],
        ));
        assert_eq!(
            strings(&line.jvm_arguments),
            ["-Xmx1g", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Dx=a b"]
        );
        assert_eq!(line.class_path, Some(vec!["/a".into(), "/b".into()]));
        assert_eq!(line.main, Main::Class("Main".into()));
        assert_eq!(strings(&line.program_arguments), ["-cp", "@x"]);
    }

    #[test]
    fn a_jar_ends_the_options() {
        let line = CommandLine::of(&launch(&["-ea", "-jar", "/b.jar", "/w/t", "x"], &[]));
        assert_eq!(line.main, Main::Jar("/b.jar".into()));
        assert_eq!(strings(&line.program_arguments), ["/w/t", "x"]);
        assert_eq!(CommandLine::of(&launch(&["-version"], &[])).main, Main::None);
        let module = CommandLine::of(&launch(&["--module=a/b.C", "x"], &[]));
        assert_eq!(
            (module.main, strings(&module.program_arguments)),
            (Main::Module("a/b.C".into()), vec!["x"])
        );
    }

    #[test]
    fn argument_files_are_read_as_the_launcher_reads_them() {
        let file = "--module-path\n\"/p/target/classes\"\n# comment\n--class-path '/a b:/c'\n\
                    --patch-module\nm=\"/p/test\"\n-Dq=\"a\\\\b\\\n   c\"\nMain\n";
        let line = CommandLine::of(&launch(&["-Xmx1g", "@args", "one", "@two"], &[("/w/args", file)]));
        assert_eq!(
            strings(&line.jvm_arguments),
            ["-Xmx1g", "--module-path", "/p/target/classes", "--patch-module", "m=/p/test", "-Dq=a\\bc"]
        );
        assert_eq!(line.class_path, Some(vec!["/a b".into(), "/c".into()]));
        assert_eq!(line.main, Main::Class("Main".into()));
        assert_eq!(strings(&line.program_arguments), ["one", "@two"]);
    }

    #[test]
    fn options_in_a_variable_may_be_quoted_or_stand_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("args"), "-Xmx2g # much\n\"-Dx=a b\"\n").unwrap();
        let options = options_in(OsStr::new(" -ea '-Dy=c -Xmx1g' @args @none @@x"), folder.path());
        assert_eq!(strings(&options), ["-ea", "-Dy=c -Xmx1g", "-Xmx2g", "-Dx=a b", "@none", "@@x"]);
    }

    #[test]
    fn an_argument_may_begin_with_an_at_sign() {
        let line = CommandLine::of(&launch(&["@@x", "y"], &[]));
        assert_eq!(line.main, Main::Class("@x".into()));
        let line = CommandLine::of(&launch(&["--disable-@files", "-Da=b", "@x"], &[("/w/x", "Main")]));
        assert_eq!(line.main, Main::Class("@x".into()));
    }
}
