//! `catchment demo`, compared as a whole.

use crate::support::catchment;

#[test]
fn the_demo_checks_the_example() {
    let output = catchment().arg("demo").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (text, versions) = without_versions(&text);
    assert_eq!(text, include_str!("demo.txt"), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(versions.starts_with("JUnit Platform 1.") && versions.contains(" on Java "), "{versions}");
    assert_eq!(output.status.code(), Some(0));
}

/// The Java is that of whoever runs this.
fn without_versions(text: &str) -> (String, String) {
    let mut versions = String::new();
    let lines = text.lines().map(|line| match line.split_once(", run by ") {
        Some((tests, by)) => {
            by.clone_into(&mut versions);
            tests
        }
        None => line,
    });
    let text = lines.map(|line| format!("{line}\n")).collect();
    (text, versions)
}
