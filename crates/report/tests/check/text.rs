//! The terminal.

use crate::golden::compare;
use crate::sample::{fine_untold, in_lambda, lost_in, project, routine, suppressions};
use catchment_report::{CheckDetail, CheckReport, write_check_text, write_plan_text, write_stats_text};
use catchment_verdicts::{
    CheckedPair, CheckedProject, CheckedTest, ColourCounts, ExecutingTest, Failure, FindingPolicy,
    FineGrained, NotRun, Outcome, SetAside, TestId, Unfinished,
};

const SHORT: CheckDetail = CheckDetail { all: false };
const ALL: CheckDetail = CheckDetail { all: true };

fn text(project: &CheckedProject, detail: CheckDetail) -> String {
    rendered(project, detail, false)
}

fn strict_text(project: &CheckedProject) -> String {
    rendered(project, SHORT, true)
}

fn rendered(project: &CheckedProject, detail: CheckDetail, strict: bool) -> String {
    let policy = FindingPolicy { suppressions: &suppressions(), strict };
    let mut out = Vec::new();
    write_check_text(&mut out, &CheckReport::new(project, policy), detail).expect("memory takes it");
    String::from_utf8(out).expect("text")
}

#[test]
fn the_short_report() {
    compare("short.txt", text(&project(), SHORT).as_bytes());
}

#[test]
fn the_report_of_everything() {
    compare("all.txt", text(&project(), ALL).as_bytes());
}

#[test]
fn what_it_took() {
    let mut out = Vec::new();
    write_stats_text(&mut out, &project().stats).unwrap();
    compare("stats.txt", &out);
}

#[test]
fn what_would_be_done() {
    let mut out = Vec::new();
    write_plan_text(&mut out, &project()).unwrap();
    compare("plan.txt", &out);
}

fn with_id(id: &str, mut pair: CheckedPair) -> CheckedPair {
    pair.clause.id = id.to_owned();
    pair
}

#[test]
fn only_the_first_findings_are_shown_unless_all_are_asked_for() {
    let mut project = project();
    let many: Vec<_> = (0..30).map(|number| with_id(&number.to_string(), project.pairs[0].clone())).collect();
    project.pairs = many;
    let short = text(&project, SHORT);
    assert!(short.starts_with("The first 10 of 30 findings; --all shows the others\n"), "{short}");
    assert!(short.contains("\n10. ") && !short.contains("\n11. "));
    assert!(text(&project, ALL).contains("\n30. "));
}

#[test]
fn nothing_found_is_said() {
    let project = CheckedProject { pairs: Vec::new(), ..project() };
    assert!(text(&project, SHORT).starts_with("No findings.\n"));
}

#[test]
fn a_failure_is_one_line_of_bounded_length() {
    let mut project = project();
    let text_of_failure = format!("ä{}\nsecond line", "x".repeat(5000));
    let Outcome::Fail(failure) = &mut project.pairs[0].experiments[4].outcome else { unreachable!() };
    *failure = Failure { text: text_of_failure, ..failure.clone() };
    let short = text(&project, SHORT);
    assert!(!short.contains("second line"));
    assert!(short.lines().all(|line| line.chars().count() < 250), "{short}");
    assert!(short.contains("xxx ... xxx"), "{short}");
}

#[test]
fn what_was_expected_and_what_came_instead_can_be_read_of_any_failure() {
    let mut project = project();
    let Outcome::Fail(failure) = &mut project.pairs[0].experiments[4].outcome else { unreachable!() };
    failure.text =
        format!("a.E: expected: <{}> but was: <0> at com.acme.CacheTest.corrupt:41", "x".repeat(5000));
    let short = text(&project, SHORT);
    assert!(short.contains(" a.E: expected: <xxx"), "{short}");
    assert!(short.contains("xxx> but was: <0> at com.acme.CacheTest.corrupt:41\n"), "{short}");
}

#[test]
fn the_commonest_reason_of_what_stays_unknown_call_by_call_is_given_once() {
    let mut project = project();
    let warm = TestId(1);
    let many = with_id("many", fine_untold(20, TestId(0)));
    project.pairs = vec![many, fine_untold(21, TestId(0)), fine_untold(22, warm)];
    project.pairs[0].fine_grained = project.pairs[0].fine_grained.take().map(|fine| FineGrained {
        unavailable: Vec::new(),
        left: 7,
        ..fine
    });
    let short = text(&project, SHORT);
    let name = &project.tests[0].name;
    let expected = format!(
        "call by call: 0 independent, 0 dependent, 3 unknown\n    why unknown (2 of 3): what test {name} does in this try cannot \
         be taken apart: several threads execute the try; a test that executes it once would decide; --all has the \
         reasons of each\n"
    );
    assert!(short.contains(&expected), "{short}");
    assert!(!text(&project, ALL).contains("why unknown ("));
}

#[test]
fn a_clause_of_several_types_says_that_it_is_tried_with_each() {
    let all = text(&project(), ALL);
    assert!(
        all.contains("    every test is tried with each of its 2 types, and must pass with all\n"),
        "{all}"
    );
}

/// The sample, with clauses that are not purely resilient because a test says so, as most tests would.
fn with_routine(count: u32) -> CheckedProject {
    let mut project = project();
    project.pairs.extend((0..count).map(routine));
    project
}

#[test]
fn the_numbers_of_one_report_agree() {
    let all_not_resilient = "not purely resilient                 9               6\n";
    let sentence = "\n9 clauses are not purely resilient: 3 are findings, 1 is suppressed; for 5 a test merely notices the \
                    failure, which is normal.\n";
    let short = text(&with_routine(2), SHORT);
    assert!(short.starts_with("5 findings\n") && !short.contains("Routine.run"), "{short}");
    assert!(short.contains(sentence) && short.contains(all_not_resilient), "{short}");
    // More is shown, but no other number.
    let all = text(&with_routine(2), ALL);
    assert!(all.starts_with("5 findings\n"), "{all}");
    assert!(all.contains(sentence) && all.contains(all_not_resilient), "{all}");
    assert_eq!(all.matches("\n-  com.acme.Routine.run").count(), 2, "{all}");
}

#[test]
fn clauses_that_are_all_as_expected_need_no_places() {
    let mut project = with_routine(1);
    project.pairs.retain(|pair| pair.clause.class.ends_with("Routine"));
    let short = text(&project, SHORT);
    assert!(
        short.contains("\n1 clause is not purely resilient: a test merely notices the failure"),
        "{short}"
    );
}

#[test]
fn whoever_wants_to_fail_on_them_sees_every_clause_that_is_not_purely_resilient() {
    let strict = strict_text(&with_routine(2));
    assert!(strict.starts_with("10 findings\n"), "{strict}");
    let finding = ". com.acme.Routine.run  core/src/main/java/com/acme/Routine.java:113  catch IOException\n   com.acme.CacheTest.warm fails when \
                   IOException comes at once:\n     java.lang.AssertionError: expected <1>\n   To do: let the catch give";
    assert!(strict.contains(finding) && !strict.contains("which is normal"), "{strict}");
    let many = strict_text(&with_routine(20));
    assert!(many.starts_with("The first 10 of 28 findings; --all shows the others\n"), "{many}");
}

#[test]
fn of_tests_of_which_the_same_is_to_be_said_a_few_are_named() {
    let mut project = project();
    let lost: Vec<TestId> = (0..8).map(|number| TestId(project.tests.len() as u32 + number)).collect();
    let test = |number| CheckedTest { name: format!("com.acme.LostTest.{number}"), ..CheckedTest::default() };
    project.tests.extend((0..8).map(test));
    project.pairs = vec![lost_in(&lost)];
    let all = text(&project, ALL);
    let expected = "
    pure resilience: the JVM of test com.acme.LostTest.0 was lost (killed): run again
      so too: com.acme.LostTest.1, com.acme.LostTest.2, com.acme.LostTest.3, com.acme.LostTest.4, com.acme.LostTest.5 and 2 more
";
    assert!(all.contains(expected), "{all}");
}

#[test]
fn lambdas_are_named_after_their_method_and_ids_stay_as_they_are() {
    let mut project = project();
    project.pairs = vec![in_lambda()];
    let red = SetAside::Red("java.lang.Error at com.acme.CacheTest.lambda$odd$0:9".into());
    let name = "com.acme.CacheTest.odd".into();
    project.tests.push(CheckedTest { name, set_aside: Some(red), ..CheckedTest::default() });
    let all = text(&project, ALL);
    assert!(
        all.contains(
            "\ncom.acme.Cache.load (lambda)  core/src/main/java/com/acme/Cache.java:13  catch IOException\n"
        ),
        "{all}"
    );
    assert!(
        all.contains("\n    id com.acme.Cache.lambda$load$0()V#0.0:java.io.IOException@0000000c\n"),
        "{all}"
    );
    assert!(all.contains(" at com.acme.CacheTest.corrupt (lambda):41\n"), "{all}");
    assert!(
        all.contains("\n    com.acme.CacheTest.odd: java.lang.Error at com.acme.CacheTest.odd (lambda):9\n"),
        "{all}"
    );
}

#[test]
fn a_check_that_was_cut_short_says_what_is_open_and_what_more_time_would_buy() {
    let end = |seconds: Option<f64>, unseen_tests: usize| {
        let mut project = project();
        project.unfinished = Some(Unfinished { why: NotRun::Budget, seconds });
        project.pairs.iter_mut().for_each(|pair| pair.unseen_tests = unseen_tests);
        let text = text(&project, SHORT);
        let begin = text.find("\nIncomplete: the budget was used up.\n").expect("it says so");
        text[begin..].lines().skip(2).take(3).collect::<Vec<_>>().join("\n")
    };
    assert!(end(Some(31.0), 0).contains("; about 40 more seconds would do for the rest."));
    assert!(end(Some(190.0), 0).contains("; about 4 more minutes would do for the rest."));
    assert!(end(None, 0).contains("left, and how long they take is not known yet."));
    assert!(end(None, 7).contains("; 7 tests have not run at all"));
}

#[test]
fn clauses_that_wait_for_order_dependent_tests_are_counted_with_the_way_out() {
    let mut project = project();
    let order_dependent = SetAside::OrderDependent("expected en but was null".into());
    let test = TestId(u32::try_from(project.tests.len()).expect("few"));
    project.tests.push(CheckedTest {
        name: "com.acme.LangTest.second".into(),
        set_aside: Some(order_dependent),
        ..CheckedTest::default()
    });
    let named = "\n    com.acme.LangTest.second: expected en but was null\n    They pass after other tests and fail alone";
    let before = text(&project, SHORT);
    assert!(before.contains(named) && !before.contains(" for them: "), "{before}");

    // The second pair was purely resilient; now one more test may fail.
    let usages = ColourCounts { pink: 1, ..ColourCounts::default() };
    project.pairs[1].executing_tests.push(ExecutingTest { test, usages, ..ExecutingTest::default() });
    let after = text(&project, SHORT);
    assert!(after.contains("\n    1 clause waits for them: let each test set up what it needs"), "{after}");
    let all = text(&project, ALL);
    assert!(all.contains("passes after other tests and fails alone: repair it"), "{all}");
}
