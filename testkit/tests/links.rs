//! `catchment links` on the fixtures: the exact set of links.
//!
//! Every run follows the program into the JDK, so that all configurations of all fixtures take most of an hour. Ordinary runs
//! ask those of `QUICK`; with `CATCHMENT_CONFIGURATIONS=all`, or some names with commas, others are asked.

use catchment_testkit::links::{self, CONFIGURATIONS, Fixture};
use std::collections::BTreeSet;
use std::fs;

/// One test per fixture, so that a failure has a name.
macro_rules! fixtures {
    ($($test:ident: $name:literal,)*) => {
        $(#[test]
        fn $test() {
            check($name);
        })*

        const LISTED: &[&str] = &[$($name),*];
    };
}

fixtures! {
    arrays: "arrays",
    caught_variable: "caught-variable",
    class_initialiser: "class-initialiser",
    class_sets: "class-sets",
    clones: "clone",
    concatenation_and_records: "concatenation-and-records",
    constructors: "constructors",
    containers_jdk: "containers-jdk",
    containers: "containers",
    default_methods: "default-methods",
    dispatch: "dispatch",
    executors: "executors",
    figure_2_1: "figure-2-1",
    figure_3_2: "figure-3-2",
    figure_3_3_own: "figure-3-3-own",
    figure_3_3: "figure-3-3",
    figure_3_5: "figure-3-5",
    figure_3_6_shared: "figure-3-6-shared",
    figure_3_6: "figure-3-6",
    figure_3_7: "figure-3-7",
    figure_4_3: "figure-4-3",
    figure_5_1: "figure-5-1",
    finally_blocks: "finally",
    implicit_exceptions: "implicit",
    lambdas: "lambdas",
    multi_catch: "multi-catch",
    nesting: "nesting",
    reached_objects: "reached-objects",
    recursion: "recursion",
    reflection: "reflection",
    resources: "resources",
    rethrow: "rethrow",
    serialisation: "serialisation",
    service_loader: "service-loader",
    synchronized_code: "synchronized",
    threads: "threads",
    thrown_values: "thrown-values",
    wrapped_cause: "wrapped-cause",
}

#[test]
fn every_fixture_in_the_folder_has_its_test() {
    let entries =
        fs::read_dir(links::folder()).expect("fixtures/links").map(|entry| entry.expect("readable").path());
    let folders = entries.filter(|path| path.is_dir());
    let present: BTreeSet<String> =
        folders.map(|path| path.file_name().expect("a name").to_string_lossy().into_owned()).collect();
    assert_eq!(LISTED.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>(), present);
}

/// Cheap, and no coarser than what `links` does unless told otherwise.
const QUICK: [&str; 3] = ["rta", "pta", "inpta"];

fn configurations() -> Vec<String> {
    match std::env::var("CATCHMENT_CONFIGURATIONS").as_deref() {
        Ok("all") => CONFIGURATIONS.map(str::to_owned).to_vec(),
        Ok(names) => names.split(',').map(str::to_owned).collect(),
        Err(_) => QUICK.map(str::to_owned).to_vec(),
    }
}

fn check(name: &str) {
    let fixture = Fixture::read(name).expect("a fixture");
    let compiled = fixture.compile().expect("the fixture compiles");
    let mut wrong = Vec::new();
    for configuration in &configurations() {
        let answer = links::answer_of(&fixture, &compiled, configuration).expect("an answer");
        wrong
            .extend(fixture.differences(configuration, &compiled, &answer).expect("an answer as documented"));
    }
    assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
}
