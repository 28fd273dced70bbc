//! For tries of commons-lang3 under its own tests, what the agent counts equals what counters in the source count.
//!
//! All tries, and the quick packages of the suite, to keep it short.

use catchment_testkit::jdk;
use catchment_testkit::lang3::Lang3;
use catchment_testkit::source_counters::{CountedUsages, Sample, create_counters, read_counts};
use catchment_watch::{ChildEnd, WatchOptions, WatchedPair, watch_command};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;

const PACKAGES: &[&str] = &[
    "org.apache.commons.lang3.function",
    "org.apache.commons.lang3.math",
    "org.apache.commons.lang3.reflect",
];

/// Source file and line of the `catch`.
type Place = (String, u32);

#[test]
fn what_is_counted_in_the_source_is_what_the_agent_counts() {
    let lang3 = Lang3::fetch().expect("commons-lang3");
    let by_source = counted_in_source(&lang3);
    let by_agent = counted_by_agent(&lang3);
    let entered = by_source.iter().filter(|(_, usages)| usages.entries > 0);
    let mut compared = 0;
    for (place, usages) in entered {
        assert_eq!(by_agent.get(place), Some(usages), "{place:?}: left by the agent, right by the source");
        compared += 1;
    }
    assert!(compared >= 30, "only {compared} clauses were entered");
}

fn counted_in_source(lang3: &Lang3) -> BTreeMap<Place, CountedUsages> {
    let (classes, tries) = lang3.compile_counted(&mut Sample::all()).expect("instrumented sources compile");
    let folder = tempfile::tempdir().expect("temporary folder");
    let counters = folder.path().join("counters");
    create_counters(&counters, &tries).expect("counters");
    let jdk = jdk::installed(17).expect("JDK 17");
    let option = format!("-Dcatchment.counters={}", counters.display());
    let mut command = lang3.suite(&jdk, &classes, PACKAGES, &[&option]).expect("suite");
    let output = command.current_dir(folder.path()).output().expect("suite runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));

    let counts = read_counts(&counters).expect("counts");
    let mut usages = BTreeMap::new();
    for counted in &tries {
        for (clause, clause_usages) in counted.clauses.iter().zip(counted.usages(&counts).expect("usages")) {
            usages.insert((counted.file.display().to_string(), clause.line), clause_usages);
        }
    }
    usages
}

fn counted_by_agent(lang3: &Lang3) -> BTreeMap<Place, CountedUsages> {
    let classes = lang3.compile().expect("sources compile");
    let folder = tempfile::tempdir().expect("temporary folder");
    let jdk = jdk::installed(17).expect("JDK 17");
    let mut command = lang3.suite(&jdk, &classes, PACKAGES, &[]).expect("suite");
    command.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
    let watched = watch_command(&mut command, &WatchOptions::default()).expect("watched suite");
    assert_eq!(watched.end, ChildEnd::Exited(0));
    assert_eq!(watched.run.problems, []);
    let mut usages: BTreeMap<Place, CountedUsages> = BTreeMap::new();
    for pair in &watched.run.pairs {
        let counted = usages.entry(place_of(pair)).or_default();
        counted.entries += pair.usages.entries;
        // The suite has ended, and with it every try: a usage still open would be an exit that was missed.
        assert_eq!(pair.usages.open(), 0, "{}", pair.clause.id);
        counted.pink_or_open += pair.usages.pink;
        counted.white += pair.usages.white;
        counted.sibling += pair.usages.sibling;
        counted.escaped += pair.usages.escaped;
    }
    usages
}

/// The source file of a class lies in the folder of its package.
fn place_of(pair: &WatchedPair) -> Place {
    let package = pair.clause.class.rsplit_once('.').map_or("", |(package, _)| package).replace('.', "/");
    let file = Path::new(&package).join(pair.clause.source_file.as_deref().unwrap_or_default());
    (file.display().to_string(), pair.clause.catch_line.unwrap_or(0))
}
