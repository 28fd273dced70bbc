//! Classes from the corpus that once came out wrong when woven, by the name of what was wrong.

use catchment_program::{LoadOptions, visit};
use catchment_testkit::{maven, oracle};
use catchment_weave::{ProbeKinds, prepare};
use std::fs;
use std::path::Path;

/// Weaves one class of an artifact with all probes; it must link, and equal itself without them.
fn check(coordinate: &str, class: &str) {
    for kinds in [ProbeKinds::ALL, ProbeKinds::ALL.union(ProbeKinds::EXCHANGE)] {
        check_with(coordinate, class, kinds);
    }
}

fn check_with(coordinate: &str, class: &str, kinds: ProbeKinds) {
    let jar = maven::resolve(&[coordinate]).expect("fixture").remove(0);
    let (original, woven) = (tempfile::tempdir().expect("fixture"), tempfile::tempdir().expect("fixture"));
    let mut met = 0;
    visit(&jar, &LoadOptions::default(), &mut |it| {
        if it.expected_name() == class {
            met += 1;
            let bytes = prepare(it.bytes, kinds).expect("fixture").weave(0).bytes.expect("fixture");
            store(original.path(), class, it.bytes);
            store(woven.path(), class, &bytes);
        }
    })
    .expect("fixture");
    assert_eq!(met, 1, "{class} in {coordinate}");
    let compared = oracle::strip_compare(original.path(), woven.path()).expect("fixture");
    assert_eq!((compared.differences, compared.unreadable), (vec![], vec![]));
    let linked = oracle::link_all(original.path(), woven.path(), &[jar]).expect("fixture");
    assert_eq!((linked.differences, linked.failed_both_ways), (vec![], 0));
}

fn store(root: &Path, class: &str, bytes: &[u8]) {
    let path = root.join(format!("{class}.class"));
    fs::create_dir_all(path.parent().expect("fixture")).expect("fixture");
    fs::write(path, bytes).expect("fixture");
}

#[test]
fn a_handler_that_normal_control_enters_too_may_have_a_frame_without_an_exception() {
    check("org.scala-lang:scala-library:2.10.7", "scala/testing/Show$class");
}
