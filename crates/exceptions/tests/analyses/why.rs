//! Every link can be explained.

use crate::program::Program;
use catchment_exceptions::LinkSearch;

/// Exceptions that come out of initialisers, lambdas, containers and handlers of the compiler.
const PROGRAMS: [&str; 9] = [
    "class-initialiser",
    "containers",
    "finally",
    "lambdas",
    "nesting",
    "recursion",
    "reflection",
    "resources",
    "thrown-values",
];

/// The links without a path, or without calls by which they come.
fn unexplained(search: &mut LinkSearch<'_>) -> Vec<usize> {
    let mut unexplained = Vec::new();
    for number in 1..=search.count() {
        let paths = search.paths(number, 1).expect("a link");
        let graph = search.graph(number).expect("a link");
        if paths.is_empty() || graph.stations.is_empty() || graph.passages.is_empty() {
            unexplained.push(number);
        }
    }
    unexplained
}

fn check(analyses: &[&str]) {
    for name in PROGRAMS {
        let program = Program::fixture(name);
        for analysis in analyses {
            let mut search = program.search(&program.request(analysis, &[])).expect("a program");
            assert!(search.count() > 0, "{name} {analysis}");
            assert_eq!(unexplained(&mut search), Vec::<usize>::new(), "{name} {analysis}");
        }
    }
}

#[test]
fn every_link_has_a_path_and_calls_by_which_it_comes() {
    check(&["pta"]);
}

#[test]
fn so_it_has_with_constructors_apart_and_with_a_filter() {
    check(&["inpta", "inpta+mdr"]);
}

#[test]
fn so_it_has_in_contexts() {
    check(&["2obj"]);
}
