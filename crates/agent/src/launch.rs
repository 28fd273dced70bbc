//! How this JVM was started, read from the system's own account of the process.
//!
//! Files that its arguments name (argument files, Surefire's booter jar and properties) may be deleted by the process
//! that started the JVM: small ones are kept with their content.

use catchment_protocol::records::Launch;
use rustc_hash::FxHashSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Larger files are libraries or data, which nobody deletes on the way.
const KEPT_BYTES: u64 = 16 << 20;
/// A command line may name a folder and, later, files in it. Longer lists name something else.
const COMBINED: usize = 64;

/// `process` is `/proc/self`.
pub(crate) fn launch(process: &Path) -> io::Result<Launch> {
    let executable = fs::read_link(process.join("exe"))?;
    let working_folder = fs::read_link(process.join("cwd"))?;
    let arguments: Vec<Vec<u8>> = zero_terminated(&fs::read(process.join("cmdline"))?).skip(1).collect();
    let environment = zero_terminated(&fs::read(process.join("environ"))?).filter_map(variable).collect();
    Ok(Launch {
        executable: executable.into_os_string().into_vec(),
        files: named_files(&arguments, &working_folder),
        arguments,
        environment,
        working_folder: working_folder.into_os_string().into_vec(),
    })
}

fn zero_terminated(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let parts = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    let count = if bytes.is_empty() { 0 } else { usize::MAX };
    parts.split(|byte| *byte == 0).map(<[u8]>::to_vec).take(count)
}

fn variable(text: Vec<u8>) -> Option<(Vec<u8>, Vec<u8>)> {
    let equals = text.iter().position(|byte| *byte == b'=')?;
    Some((text[..equals].to_vec(), text[equals + 1..].to_vec()))
}

fn named_files(arguments: &[Vec<u8>], working_folder: &Path) -> Vec<(Vec<u8>, Vec<u8>)> {
    let argument_files = arguments.iter().filter_map(|argument| argument.strip_prefix(b"@"));
    let mut paths: Vec<PathBuf> = argument_files.map(|name| working_folder.join(as_path(name))).collect();
    let mut words: Vec<Vec<u8>> =
        paths.iter().filter_map(|path| small_file(path)).flat_map(|content| words_of(&content)).collect();
    words.extend(arguments.iter().filter(|argument| !argument.is_empty()).cloned());
    paths.extend(words.iter().map(|word| working_folder.join(as_path(word))));
    paths.extend(in_named_folders(&words, working_folder));
    let mut seen = FxHashSet::default();
    paths.retain(|path| seen.insert(path.clone()));
    let kept = |path: PathBuf| small_file(&path).map(|content| (path.into_os_string().into_vec(), content));
    paths.into_iter().filter_map(kept).collect()
}

/// Surefire passes a folder, and then names of files in it.
fn in_named_folders(words: &[Vec<u8>], working_folder: &Path) -> Vec<PathBuf> {
    let last = &words[words.len().saturating_sub(COMBINED)..];
    let mut found = Vec::new();
    for (index, folder) in last.iter().enumerate() {
        let folder = working_folder.join(as_path(folder));
        if folder.is_dir() {
            found.extend(last[index + 1..].iter().map(|name| folder.join(as_path(name))));
        }
    }
    found
}

/// The words of an argument file: separated by blanks, with quotes and backslashes as the `java` launcher has them.
fn words_of(content: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut word = Vec::new();
    let mut quote = None;
    let mut bytes = content.iter().copied();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (Some(_), b'\\') => word.extend(bytes.next()),
            (Some(open), _) if byte == open => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, _) if byte.is_ascii_whitespace() => {
                words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
            }
            _ => word.push(byte),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

fn small_file(path: &Path) -> Option<Vec<u8>> {
    let metadata = fs::metadata(path).ok()?;
    if metadata.is_file() && metadata.len() <= KEPT_BYTES { fs::read(path).ok() } else { None }
}

fn as_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A folder that looks like `/proc/self` for a JVM started in `work`.
    fn process(folder: &Path, arguments: &[&str]) -> PathBuf {
        let process = folder.join("proc");
        fs::create_dir_all(&process).unwrap();
        symlink("/j/bin/java", process.join("exe")).unwrap();
        symlink(folder.join("work"), process.join("cwd")).unwrap();
        fs::write(process.join("cmdline"), arguments.iter().map(|it| format!("{it}\0")).collect::<String>())
            .unwrap();
        fs::write(process.join("environ"), b"A=b=c\0EMPTY=\0odd\0").unwrap();
        process
    }

    fn kept(launch: &Launch, folder: &Path) -> Vec<(String, String)> {
        let relative = |path: &[u8]| as_path(path).strip_prefix(folder).unwrap().display().to_string();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        launch.files.iter().map(|(path, content)| (relative(path), text(content))).collect()
    }

    #[test]
    fn everything_that_surefire_deletes_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work");
        let surefire = folder.path().join("surefire");
        fs::create_dir_all(&work).unwrap();
        fs::create_dir_all(&surefire).unwrap();
        fs::write(surefire.join("booter.jar"), "jar").unwrap();
        fs::write(surefire.join("1tmp"), "one").unwrap();
        fs::write(surefire.join("2tmp"), "two").unwrap();
        let (booter, surefire_text) = (surefire.join("booter.jar"), surefire.to_str().unwrap());
        let arguments =
            ["java", "-Xmx1g", "-jar", booter.to_str().unwrap(), surefire_text, "run-1", "1tmp", "2tmp"];
        let launch = launch(&process(folder.path(), &arguments)).unwrap();
        assert_eq!(launch.executable, b"/j/bin/java");
        assert_eq!(launch.arguments[0], b"-Xmx1g");
        assert_eq!(launch.environment[..1], [(b"A".to_vec(), b"b=c".to_vec())]);
        assert_eq!(launch.environment.len(), 2);
        let expected = [("surefire/booter.jar", "jar"), ("surefire/1tmp", "one"), ("surefire/2tmp", "two")]
            .map(|(path, content)| (path.to_owned(), content.to_owned()));
        assert_eq!(kept(&launch, folder.path()), expected);
    }

    #[test]
    fn argument_files_and_what_they_name_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work");
        fs::create_dir_all(&work).unwrap();
        fs::write(work.join("args"), "-cp\n\"a b.jar\" Main").unwrap();
        fs::write(work.join("a b.jar"), "jar").unwrap();
        let launch = launch(&process(folder.path(), &["java", "@args", "@missing"])).unwrap();
        let files = kept(&launch, folder.path());
        assert_eq!(
            files.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(),
            ["work/args", "work/a b.jar"]
        );
    }
}
