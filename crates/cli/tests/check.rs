//! `catchment check` on the fixtures: every verdict, every experiment and every set-aside test as worked out by hand.
//!
//! Around each run: nothing of the user's is touched, no process is left behind, every experiment is accounted for.

use catchment_testkit::check::{self, Answer, CheckProject, Facts, Framework, Snapshot, differences};
use catchment_testkit::fixtures;
use std::fs;
use std::path::PathBuf;

fixtures! {
    matches_expectations:
    listings_junit4: "listings", Framework::JUnit4, &["--matrix"];
    listings_junit5: "listings", Framework::JUnit5, &["--matrix"];
    listings_testng: "listings", Framework::TestNg, &["--matrix"];
    shapes: "shapes", Framework::JUnit5, &["--matrix"];
    suites_junit4: "suites-junit4", Framework::JUnit4, &["--matrix"];
    suites_junit5: "suites-junit5", Framework::JUnit5, &["--matrix"];
    hostile: "hostile", Framework::JUnit4, &["--matrix"];
    hostile_baseline: "hostile-baseline", Framework::JUnit4, &["--matrix"];
    lost_worker: "lost-worker", Framework::JUnit5, &["--matrix"];
    contexts: "contexts", Framework::JUnit5, &["--matrix"];
    fine: "fine", Framework::JUnit5, &["--matrix", "--fine"];
    first_time: "first-time", Framework::JUnit5, &["--matrix"];
    litter: "litter", Framework::JUnit5, &["--matrix"];
    mixed: "mixed", Framework::JUnit5, &["--matrix", "--selective"];
    objects: "objects", Framework::JUnit5, &["--matrix"];
    ports: "ports", Framework::JUnit5, &["--matrix"];
    stray: "stray", Framework::JUnit5, &["--matrix"];
    unruly: "unruly", Framework::JUnit4, &["--matrix"];
    wiping: "wiping", Framework::JUnit4, &["--matrix"];
}

#[test]
fn every_fixture_in_the_folder_has_its_test() {
    for fixture in fs::read_dir(check::folder()).expect("fixtures") {
        let name = fixture.expect("fixture").file_name().into_string().expect("a plain name");
        assert!(LISTED.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn one_worker_or_two_and_a_second_run_from_the_start_give_the_same_verdicts() {
    for (name, framework) in [("shapes", Framework::JUnit5), ("suites-junit4", Framework::JUnit4)] {
        let project = CheckProject::new(name, framework).expect("fixture compiles");
        let alone = project.check(&["--jobs", "1"]).expect("check by one worker").verdicts();
        for arguments in [["--fresh", "--jobs=1"], ["--fresh", "--jobs=2"]] {
            let again = project.check(&arguments).expect("check").verdicts();
            assert_none(&differences(&alone, &again), &format!("{name} with {arguments:?}"));
        }
    }
}

#[test]
fn tests_that_cannot_run_side_by_side_are_no_failures() {
    let project = CheckProject::new("ports", Framework::JUnit5).expect("fixture compiles");
    let answer = project.check(&["--matrix", "--jobs=2"]).expect("check by two workers");
    let expected = check::expected("ports").expect("expected file");
    assert_none(&differences(&expected, &answer.facts()), "ports by two workers");
}

#[test]
fn a_thread_left_behind_is_told_and_costs_no_jvm_for_each_test() {
    let project = CheckProject::new("stray", Framework::JUnit5).expect("fixture compiles");
    let answer = project.check(&["--jobs=1"]).expect("check");
    let problems = answer.json()["problems"].as_array().expect("problems");
    let told =
        problems.iter().find(|problem| problem["where"].as_str().is_some_and(|id| id.contains("Pump.work")));
    let what = told.expect("the pair is named")["what"].as_str().expect("what");
    assert!(what.contains("while 25 tests ran in the suite, and by none of 10 of them alone"), "{what}");
    // 27 tests alone in workers, 10 of them in JVMs of their own as well.
    assert_eq!(answer.json()["stats"]["solo"]["count"], 37);
}

#[test]
fn a_run_that_stops_early_gives_the_verdicts_of_one_that_does_not() {
    for name in ["listings", "objects"] {
        let project = CheckProject::new(name, Framework::JUnit5).expect("fixture compiles");
        let expected = verdicts_of(check::expected(name).expect("expected file"));
        let found = verdicts_of(project.check(&[]).expect("check").facts());
        assert_none(&differences(&expected, &found), &format!("{name} without --matrix"));
    }
}

#[test]
fn a_try_in_a_method_too_long_for_probes_is_not_called_unused() {
    let project = CheckProject::new("lost-worker", Framework::JUnit5).expect("fixture compiles");
    // 3 bytes each: there is room for the method, but not for more.
    let statements = "x++; ".repeat(21_840);
    let source = format!(
        "package lost; public final class Mood {{ public static void leave() {{}}
         public static void upset() {{ try {{ leave(); }} catch (IllegalStateException failed) {{ leave(); }} }}
         public static int answer() {{
             int x = 0;
             try {{ {statements} return x / x; }} catch (IllegalStateException failed) {{ return 2; }}
         }} }}"
    );
    project.rewrite_class("lost/Mood.java", &source).expect("compiled");
    // The second time what is known comes from the store.
    for check in ["the first", "the second"] {
        let answer = project.check(&[]).expect("check");
        let pairs = answer.json()["pairs"].as_array().expect("pairs");
        let reasons: Vec<_> = pairs.iter().map(|pair| (&pair["method"], &pair["not_observed"])).collect();
        let reason = |method: &str| reasons.iter().find(|(name, _)| *name == method).expect("pair").1;
        assert!(reason("upset").is_null(), "{check} check: {reasons:?}");
        assert_eq!(reason("answer"), "it would pass the limit of 65,535 bytes", "{check} check");
    }
}

#[test]
fn a_pass_owed_to_another_experiment_does_not_survive_a_jvm_of_its_own() {
    let project = CheckProject::new("lost-worker", Framework::JUnit5).expect("fixture compiles");
    // `upset` leaves behind what makes `answer` right in spite of the exception; with nothing armed all is well.
    let source = "package lost; public final class Mood {
        private static boolean isCalm = true;
        public static void leave() {}
        public static void upset() { try { leave(); } catch (IllegalStateException failed) { isCalm = false; } }
        public static int answer() {
            try { leave(); return 1; } catch (IllegalStateException failed) { return isCalm ? 2 : 1; }
        }
    }";
    project.rewrite_class("lost/Mood.java", source).expect("compiled");
    let answers = |arguments: &[&str]| {
        let answer = project.check(arguments).expect("check");
        let pairs = answer.json()["pairs"].as_array().expect("pairs").clone();
        let pair = pairs.into_iter().find(|pair| pair["method"] == "answer").expect("pair");
        (pair["pure_resilience"].clone(), answer.json()["stats"]["both_ways_different"].clone())
    };
    assert_eq!(answers(&["--jobs=1"]), ("resilient".into(), 0.into()));
    assert_eq!(answers(&["--jobs=1", "--confirm-passes"]), ("not_resilient".into(), 1.into()));
    assert_eq!(answers(&["--jobs=1"]).0, "not_resilient", "what was found out stays");
}

/// `lost-worker` with this in place of the method that its test asks, which has to give 1.
fn answering(body: &str) -> CheckProject {
    let project = CheckProject::new("lost-worker", Framework::JUnit5).expect("fixture compiles");
    let source = format!(
        "package lost; public final class Mood {{
           public static void leave() {{}}
           public static void upset() {{}}
           public static int answer() throws Exception {{ {body} }} }}"
    );
    project.rewrite_class("lost/Mood.java", &source).expect("compiled");
    project
}

#[test]
fn a_test_that_uses_up_the_memory_on_purpose_is_not_red() {
    let project = answering(
        "java.util.List<long[]> hoard = new java.util.ArrayList<>();
         try { while (hoard.size() >= 0) hoard.add(new long[1 << 17]); }
         catch (OutOfMemoryError full) { hoard.clear(); }
         return 1;",
    );
    let mut command = project.command(&["--jobs=1"]).expect("command");
    let output = command.env("JAVA_TOOL_OPTIONS", "-Xmx48m").output().expect("started");
    let answer = Answer::parse(&String::from_utf8_lossy(&output.stdout)).expect("an answer");
    assert_eq!(answer.json()["set_aside"], serde_json::json!([]));
    assert_eq!(answer.json()["pairs"][0]["source_independence"], "independent", "{}", answer.json()["pairs"]);
}

#[test]
fn a_test_that_is_busy_in_silence_does_not_hang_and_one_that_waits_does() {
    let set_aside = |wait: &str| {
        let project = answering(&format!(
            "long end = System.nanoTime() + 9_000_000_000L;
             try {{ while (System.nanoTime() < end) {{ {wait} }} return 1; }}
             catch (IllegalStateException failed) {{ return 1; }}"
        ));
        fs::write(project.folder().join("catchment.toml"), "silence = \"4s\"").expect("settings");
        let output = project.command(&["--jobs=1"]).expect("command").output().expect("started");
        let answer = Answer::parse(&String::from_utf8_lossy(&output.stdout)).expect("an answer");
        answer.json()["set_aside"].as_array().expect("tests").len()
    };
    assert_eq!((set_aside("Math.sqrt(end);"), set_aside("Thread.sleep(100);")), (0, 1));
}

#[test]
fn comparing_urls_is_no_talk_to_other_machines_and_looking_up_a_name_is() {
    let set_aside = |body: &str| {
        // With its one test set aside, a check has nothing to say, and ends with 3.
        let output = answering(body).command(&["--jobs=1"]).expect("command").output().expect("started");
        let answer = Answer::parse(&String::from_utf8_lossy(&output.stdout)).expect("an answer");
        answer.json()["set_aside"].clone()
    };
    let urls = "java.util.Set<java.net.URL> urls = new java.util.HashSet<>();
        urls.add(new java.net.URL(\"http://one.invalid/\"));
        try { return urls.contains(new java.net.URL(\"http://two.invalid/\")) ? 2 : 1; }
        catch (IllegalStateException failed) { return 3; }";
    assert_eq!(set_aside(urls), serde_json::json!([]));
    let name = "try { return java.net.InetAddress.getByName(\"one.invalid\") == null ? 2 : 3; }
        catch (java.net.UnknownHostException none) { return 1; }";
    assert_eq!(set_aside(name)[0]["detail"], "one.invalid");
}

#[test]
fn what_a_test_writes_into_the_tree_by_taking_dots_for_slashes_is_removed_and_told() {
    let project = answering(
        "java.nio.file.Path here = java.nio.file.Path.of(
           System.getProperty(\"user.dir\").replace('.', '/'), \"generated\");
         try {
           java.nio.file.Files.createDirectories(here);
           java.nio.file.Files.write(here.resolve(\"Model.java\"), new byte[0]);
           return 1;
         } catch (IllegalStateException failed) { return 3; }",
    );
    let answer = project.check(&["--jobs=1"]).expect("check");
    let folder = fs::canonicalize(project.folder()).expect("a folder");
    // The folder of the project has a dot in its name as well.
    let slashed = PathBuf::from(folder.to_string_lossy().replace('.', "/"));
    assert!(folder.to_string_lossy().contains('.') && !slashed.exists(), "{}", slashed.display());
    let problems = answer.json()["problems"].as_array().expect("problems");
    let told =
        problems.iter().any(|it| it["what"].as_str().is_some_and(|it| it.contains("dots for slashes")));
    assert!(told, "{problems:?}");
}

#[test]
fn a_budget_ends_a_suite_that_hangs_and_what_was_seen_by_then_counts() {
    let project = CheckProject::new("hostile-baseline", Framework::JUnit4).expect("fixture compiles");
    fs::write(project.folder().join("catchment.toml"), "silence = \"30m\"").expect("settings");
    let answer = project.check(&["--budget", "40s", "--jobs=1"]).expect("an answer with code 0");
    let json = answer.json();
    assert_eq!(json["unfinished"]["why"], "budget used up");
    assert!(json["unfinished"]["unseen_tests"].as_u64() > Some(0), "{}", json["unfinished"]);
    let pairs = json["pairs"].as_array().expect("pairs");
    let first = pairs.iter().find(|pair| pair["method"] == "first").expect("executed by the first test");
    assert_eq!((&first["usages"]["pink"], &first["pure_resilience"]), (&1.into(), &"unknown".into()));
    let reasons = first["reasons_unknown"]["pure_resilience"].to_string();
    assert!(reasons.contains("not run within the budget"), "{reasons}");
    assert_none(&project.marker.left_over(), "processes left behind");
}

#[test]
fn findings_are_told_as_soon_as_they_stand() {
    let project = CheckProject::new("listings", Framework::JUnit5).expect("fixture compiles");
    let output = project.command(&[]).expect("command").output().expect("started");
    let answer = Answer::parse(&String::from_utf8_lossy(&output.stdout)).expect("an answer");
    let findings = answer.json()["findings"].as_array().expect("findings");
    let stands = |finding: &&serde_json::Value| {
        ["fails-at-once", "breaks-the-jvm"].map(serde_json::Value::from).contains(&finding["rule"])
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    let told = |line: &&str| line.starts_with("catchment: finding: listings.");
    let told = errors.lines().filter(told).count();
    assert_eq!((told, told > 0), (findings.iter().filter(stands).count(), true), "{errors}");
}

/// The clause goes on waiting for what only its try can have started.
#[test]
fn what_is_told_while_a_check_runs_is_what_its_report_says() {
    let project = CheckProject::new("lost-worker", Framework::JUnit5).expect("fixture compiles");
    let mood = "package lost; public final class Mood {
        private static int started;
        public static void leave() {}
        public static void upset() {}
        public static int answer() {
            started = 0;
            try {
                started = 1;
                if (started == 1) throw new IllegalStateException(\"late\");
            } catch (IllegalStateException failed) {
                while (started == 0) {
                    try { Thread.sleep(50); } catch (InterruptedException stop) { return 3; }
                }
            }
            return 1;
        }
    }";
    project.rewrite_class("lost/Mood.java", mood).expect("compiled");
    let output = project.command(&["--fail-on=not-resilient"]).expect("command").output().expect("started");
    let answer = Answer::parse(&String::from_utf8_lossy(&output.stdout)).expect("an answer");
    let findings = answer.json()["findings"].as_array().expect("findings");
    let rules: Vec<_> = findings.iter().map(|finding| finding["rule"].as_str().expect("rule")).collect();
    let errors = String::from_utf8_lossy(&output.stderr);
    let told: Vec<_> = errors.lines().filter(|line| line.starts_with("catchment: finding: ")).collect();
    assert_eq!(rules, ["fails-at-once"], "{errors}");
    assert_eq!(told.len(), 1, "{errors}");
}

#[test]
fn names_that_one_test_has_looked_up_are_looked_up_again_by_the_next() {
    let project = CheckProject::new("lost-worker", Framework::JUnit5).expect("fixture compiles");
    // `answer` has to give 1, and does so only where the JDK remembers no addresses.
    let source = "package lost; public final class Mood {
        public static void leave() {}
        public static void upset() {}
        public static int answer() {
            try {
                String kept = java.security.Security.getProperty(\"networkaddress.cache.ttl\");
                String missing = java.security.Security.getProperty(\"networkaddress.cache.negative.ttl\");
                return \"00\".equals(kept + missing) ? 1 : 2;
            } catch (IllegalStateException failed) { return 3; }
        }
    }";
    project.rewrite_class("lost/Mood.java", source).expect("compiled");
    let answer = project.check(&["--jobs=1"]).expect("check");
    assert_eq!(answer.json()["set_aside"], serde_json::json!([]));
}

#[test]
fn patterns_that_match_no_class_are_wrong_arguments() {
    let project = CheckProject::new("first-time", Framework::JUnit5).expect("fixture compiles");
    project.check(&[]).expect("check");
    let mistyped = ["--fresh", "--include", "first.Hom"];
    let output = project.command(&mistyped).expect("command").output().expect("started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("--include and --exclude leave no try-catch pair"), "{errors}");
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "no report of nothing");
    let after = project.check(&[]).expect("check");
    let stats = &after.json()["stats"];
    assert_ne!(stats["resumed"], 0, "what was known is still there");
    assert_eq!(stats["resumed"], stats["experiments"]);
}

/// Without the outcomes of single experiments.
fn verdicts_of(facts: Facts) -> Facts {
    facts.into_iter().filter(|(about, _)| !about.contains(" under ")).collect()
}

fn matches_expectations(name: &str, framework: Framework, arguments: &[&str]) {
    let project = CheckProject::new(name, framework).expect("fixture compiles");
    let expected = check::expected(name).expect("expected file");
    let before = Snapshot::of(project.folder()).expect("snapshot");

    let answer = project.check(arguments).expect("check");

    let after = Snapshot::of(project.folder()).expect("snapshot");
    assert_none(&before.changes(&after), "files of the user");
    assert_none(&project.marker.left_over(), "processes left behind");
    assert_none(&project.left_in_temporary().expect("temporary folder"), "temporary files left behind");
    assert_none(&differences(&expected, &answer.facts()), name);
    assert_none(&answer.unaccounted(), "experiments not accounted for");
    assert_none(&answer.unadvised(), "unknown, without the test that would decide");
    assert_none(&answer.overdone(), "progress");
    let java = answer.json()["configurations"][0]["java"].as_str().unwrap_or_default();
    assert!(java.starts_with("17."), "the Java that ran the tests: {java}");
    assert_again(&project, &answer, arguments);
}

/// With everything in the store, the next run has nothing to do and says the same.
fn assert_again(project: &CheckProject, answer: &Answer, arguments: &[&str]) {
    let again = project.check(arguments).expect("second check");
    assert_none(&differences(&answer.facts(), &again.facts()), "a second run");
    let stats = &again.json()["stats"];
    assert_eq!(stats["experiments"], stats["resumed"], "a second run takes all from the store: {stats}");
    assert_eq!(stats["single"]["count"], 0, "single executions too");
}

fn assert_none(lines: &[String], what: &str) {
    assert!(lines.is_empty(), "{what}:\n  {}", lines.join("\n  "));
}
