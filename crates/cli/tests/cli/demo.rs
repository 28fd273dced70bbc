//! `catchment demo`, compared as a whole.

use crate::support::catchment;

#[test]
fn the_demo_shows_pairs_a_run_and_its_colours() {
    let output = catchment().arg("demo").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text, include_str!("demo.txt"));
    assert_eq!(output.status.code(), Some(0));
}
