//! What `fixtures/links` expects agrees with the definitions and with the JVM, before any analysis is asked.

use catchment_testkit::links::{self, CONFIGURATIONS, Fixture, Link};
use std::collections::BTreeSet;

fn fixtures() -> Vec<Fixture> {
    Fixture::read_all().expect("fixtures/links")
}

/// Configurations from coarse to fine, in each row.
const CHAINS: [&[&str]; 3] = [
    &["cha", "rta", "pta", "pta+dr", "pta+cdr", "pta+mdr", "pta+vdr"],
    &["pta", "inpta", "inpta+dr", "inpta+cdr", "inpta+mdr", "inpta+vdr"],
    &["inpta", "2obj", "2obj+dr", "2obj+cdr", "2obj+mdr", "2obj+vdr"],
];

#[test]
fn what_is_expected_shrinks_from_coarse_to_fine() {
    for fixture in fixtures() {
        for step in CHAINS.iter().flat_map(|chain| chain.windows(2)) {
            let coarse: BTreeSet<Link> =
                fixture.expected(step[0]).union(&fixture.unjudged(step[0])).cloned().collect();
            let fine = fixture.expected(step[1]);
            let lost: Vec<&Link> = fine.difference(&coarse).collect();
            assert!(lost.is_empty(), "{}: {} has more than {}: {lost:?}", fixture.name, step[1], step[0]);
        }
        for filter in ["", "+dr", "+cdr", "+mdr", "+vdr"] {
            let [pta, inpta, objects] =
                ["pta", "inpta", "2obj"].map(|it| fixture.expected(&format!("{it}{filter}")));
            assert!(inpta.is_subset(&pta), "{}: inpta{filter} is not within pta{filter}", fixture.name);
            assert!(objects.is_subset(&inpta), "{}: 2obj{filter} is not within inpta{filter}", fixture.name);
        }
    }
}

#[test]
fn every_link_that_a_jvm_goes_through_is_expected_of_every_configuration() {
    let mut seen = 0;
    for fixture in fixtures() {
        let compiled = fixture.compile().expect("the fixture compiles");
        let recorded = links::recorded_links(&fixture, &compiled).expect("the fixture runs");
        for link in &recorded {
            seen += 1;
            for configuration in CONFIGURATIONS {
                let expected = fixture.expected(configuration);
                assert!(expected.contains(link), "{}, {configuration}: {link:?} was seen", fixture.name);
            }
        }
    }
    assert!(seen > 50, "only {seen} links were seen");
}
