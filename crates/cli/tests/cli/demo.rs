//! `catchment demo`, compared as a whole.

use crate::support::catchment;

#[test]
fn the_demo_checks_the_example() {
    let output = catchment().arg("demo").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text, include_str!("demo.txt"), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0));
}
