//! Instructions of Surefire and Failsafe to one of their JVMs, without the tests.
//!
//! A JVM that runs no tests ends at once and well, so the build goes on as after tests that pass. What it was to run has
//! been recorded before; the lab runs it in a JVM of its own.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Only the instructions of a test JVM have this key.
const PROVIDER: &[u8] = b"providerConfiguration=";
/// Numbered keys: the classes that the scan for tests has found.
const TEST: &[u8] = b"tc.";
/// A JVM for a single class, one that asks Maven for one class after the other, and one that runs suites of TestNG, whose
/// classes only the reports of their tests tell.
const TOLD_OTHERWISE: [&[u8]; 3] = [b"forkTestSet=", b"preferTestsFromInStream=true", b"testSuiteXmlFiles"];

/// Takes the tests out of the instructions among these files, given by path and content.
pub(crate) fn leave_tests_out(files: &[(Vec<u8>, Vec<u8>)]) -> io::Result<()> {
    for (path, content) in files {
        if let Some(emptied) = without_tests(content) {
            fs::write(PathBuf::from(OsString::from_vec(path.clone())), emptied)?;
        }
    }
    Ok(())
}

/// `None` for a file that lists no tests.
fn without_tests(content: &[u8]) -> Option<Vec<u8>> {
    let lines = || content.split_inclusive(|&byte| byte == b'\n');
    let has = |key: &[u8]| lines().any(|line| line.starts_with(key));
    if !has(PROVIDER) || !has(TEST) || TOLD_OTHERWISE.iter().any(|key| has(key)) {
        return None;
    }
    Some(lines().filter(|line| !line.starts_with(TEST)).flatten().copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "#surefire\ntc.0=a.ATest\ntc.1=a.BTest\n\
        preferTestsFromInStream=false\nproviderConfiguration=p\nparallel=none\n";

    #[test]
    fn a_list_of_tests_is_emptied_and_nothing_else_changes() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["instructions", "other"].map(|name| folder.path().join(name));
        let files = [LISTED, "tc.0=of another program\n"];
        let files: Vec<_> = paths
            .iter()
            .zip(files)
            .map(|(path, content)| {
                fs::write(path, content).unwrap();
                (path.clone().into_os_string().into_vec(), content.as_bytes().to_vec())
            })
            .collect();
        leave_tests_out(&files).unwrap();
        let left = paths.map(|path| fs::read_to_string(path).unwrap());
        let emptied = "#surefire\npreferTestsFromInStream=false\nproviderConfiguration=p\nparallel=none\n";
        assert_eq!(left, [emptied, "tc.0=of another program\n"]);
    }

    #[test]
    fn tests_that_the_jvm_is_told_in_another_way_stay() {
        let told = |more: &str| without_tests(format!("{LISTED}{more}\n").as_bytes());
        assert_eq!(told("forkTestSet=a.ATest"), None);
        assert_eq!(told("testSuiteXmlFiles0=suite.xml"), None);
        assert_eq!(without_tests(LISTED.replace("=false", "=true").as_bytes()), None);
        assert_eq!(without_tests(b"providerConfiguration=p\n"), None);
    }
}
