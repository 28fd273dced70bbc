//! Findings in their order, and those that the user has suppressed.

use crate::universe::{MIXED, Member, PINK, Truth, WHITE, failure, full_matrix, member};
use catchment_verdicts::{
    CheckFinding, CheckedPair, CheckedProject, CheckedTest, Dependence, ExperimentResult, FailureKind,
    FieldRead, FindingPolicy, Findings, Level, Mode, NoOutcome, Outcome, Reliance, Rule, SetAside, SiteRole,
    Suppression, TestId, advice, findings_of, judge, judge_all,
};

/// A project in which every pair is executed by the same tests, each with its own outcome.
fn project(pairs: &[(&str, Member, FailureKind)]) -> CheckedProject {
    let mut project = CheckedProject::default();
    for (id, member, kind) in pairs {
        let (tests, mut pair) = full_matrix(std::slice::from_ref(member));
        pair.clause.id = (*id).to_owned();
        for experiment in &mut pair.experiments {
            if matches!(experiment.outcome, Outcome::Fail(_)) {
                experiment.outcome = failure(*kind);
            }
        }
        project.tests = tests;
        project.pairs.push(at_the_place(pair));
    }
    project
}

/// Each failure is repeated with a copy at the start, and not with one at the catch.
fn at_the_place(mut pair: CheckedPair) -> CheckedPair {
    let fails = |experiment: &&ExperimentResult| experiment.is_confirmed_failure();
    let failures: Vec<_> = pair.experiments.iter().filter(fails).cloned().collect();
    for failure in failures {
        let passed = ExperimentResult { mode: Mode::CopyAtCatch, outcome: Outcome::Pass, ..failure.clone() };
        pair.experiments.extend([passed, ExperimentResult { mode: Mode::CopyAtStart, ..failure }]);
    }
    pair
}

fn findings(project: &CheckedProject, suppressions: &[Suppression]) -> Findings {
    let policy = FindingPolicy { suppressions, strict: true };
    findings_of(project, &judge_all(project), policy)
}

fn suppress(pair: &str) -> Suppression {
    Suppression { pair: pair.into(), reason: "known".into() }
}

fn ids<'a>(project: &'a CheckedProject, findings: &Findings) -> Vec<&'a str> {
    findings.open.iter().map(|finding| project.pairs[finding.evidence.pair].clause.id.as_str()).collect()
}

#[test]
fn the_most_rewarding_come_first() {
    let mut project = project(&[
        ("fails", member(PINK, &[Truth::Fail]), FailureKind::Assertion),
        ("unstable", member(PINK, &[Truth::Unstable]), FailureKind::Assertion),
        ("fine", member(MIXED, &[Truth::Pass]), FailureKind::Assertion),
        ("unreachable", member(PINK, &[Truth::None]), FailureKind::Assertion),
        ("hangs", member(MIXED, &[Truth::Fail]), FailureKind::Timeout),
        ("exits", member(PINK, &[Truth::Fail]), FailureKind::Exit),
        ("dependent", member(WHITE, &[Truth::Fail]), FailureKind::Assertion),
        ("dependent and crashes", member(WHITE, &[Truth::Fail]), FailureKind::Crash),
    ]);
    project.pairs[3].not_injectable = Some("an earlier clause".into());
    let findings = findings(&project, &[]);
    let expected =
        ["dependent and crashes", "dependent", "exits", "hangs", "unreachable", "fails", "unstable"];
    assert_eq!(ids(&project, &findings), expected);
    assert_eq!(findings.open[0].rule, Rule::FailsAtOnce);
    assert_eq!((findings.open[0].evidence.shown_by, findings.open[0].evidence.tests), (Some(2), 1));
}

#[test]
fn more_tests_weigh_more_and_the_worst_experiment_is_shown() {
    let few = [member(WHITE, &[Truth::Fail]), member(WHITE, &[Truth::Pass])];
    let many = [member(WHITE, &[Truth::Fail]), member(WHITE, &[Truth::Fail])];
    let (tests, few) = full_matrix(&few);
    let (_, mut many) = full_matrix(&many);
    let project = CheckedProject {
        tests: tests.clone(),
        pairs: vec![at_the_place(few.clone()), at_the_place(many.clone())],
        ..CheckedProject::default()
    };
    let order: Vec<_> = findings(&project, &[]).open.into_iter().map(|finding| finding.evidence).collect();
    let order: Vec<_> = order.iter().map(|shown| (shown.pair, shown.tests, shown.shown_by)).collect();
    assert_eq!(order, [(1, 2, Some(3)), (0, 1, Some(3))]);
    many.experiments[1].outcome = failure(FailureKind::Exit);
    let project = CheckedProject { tests, pairs: vec![few, at_the_place(many)], ..CheckedProject::default() };
    assert_eq!(findings(&project, &[]).open[0].evidence.shown_by, Some(5));
}

#[test]
fn suppressed_findings_are_kept_apart_and_stale_suppressions_named() {
    let mut project = project(&[
        ("known", member(WHITE, &[Truth::Fail]), FailureKind::Assertion),
        ("new", member(WHITE, &[Truth::Fail]), FailureKind::Assertion),
        ("repaired", member(MIXED, &[Truth::Pass]), FailureKind::Assertion),
        ("not seen today", member(WHITE, &[Truth::None]), FailureKind::Assertion),
        ("not asked about", member(WHITE, &[Truth::None]), FailureKind::Assertion),
    ]);
    project.pairs[4].left_out = true;
    let suppressions = ["known", "repaired", "not seen today", "not asked about", "gone"].map(suppress);
    let findings = findings(&project, &suppressions);
    assert_eq!(ids(&project, &findings), ["new"]);
    assert_eq!(findings.accepted.len(), 1);
    let stale: Vec<_> = findings.stale.iter().map(|stale| (stale.pair.as_str(), stale.why)).collect();
    let expected = [("repaired", "there is nothing to suppress any more"), ("gone", "there is no such pair")];
    assert_eq!(stale, expected);
}

#[test]
fn a_test_that_merely_notices_a_failure_is_routine_unless_the_user_is_strict() {
    let project = project(&[
        ("notices", member(PINK, &[Truth::Fail]), FailureKind::Assertion),
        ("hangs", member(PINK, &[Truth::Fail]), FailureKind::Timeout),
    ]);
    let policy = |strict| FindingPolicy { suppressions: &[], strict };
    let rules = |findings: &[CheckFinding]| findings.iter().map(|finding| finding.rule).collect::<Vec<_>>();
    let usual = findings_of(&project, &judge_all(&project), policy(false));
    assert_eq!(rules(&usual.open), [Rule::BreaksTheJvm]);
    assert_eq!(rules(&usual.routine), [Rule::NotResilient]);
    let strict = findings_of(&project, &judge_all(&project), policy(true));
    assert_eq!(rules(&strict.open), [Rule::BreaksTheJvm, Rule::NotResilient]);
    assert!(strict.routine.is_empty());
}

#[test]
fn a_test_that_wants_the_very_object_is_routine() {
    let mut project = project(&[("p", member(WHITE, &[Truth::Fail]), FailureKind::Assertion)]);
    let policy = FindingPolicy::default();
    let rule_of = |project: &CheckedProject| {
        let findings = findings_of(project, &judge_all(project), policy);
        findings.open.first().map(|finding| finding.rule)
    };
    let advice = |project: &CheckedProject| advice_on(&project.pairs[0], &project.tests).unwrap();
    let on = |project: &CheckedProject| judge_all(project)[0].dependence.as_ref().map(|judged| judged.on);
    assert_eq!((on(&project), rule_of(&project)), (Some(Dependence::Place), Some(Rule::FailsAtOnce)));
    project.pairs[0].experiments[2].outcome = Outcome::Pass;
    assert_eq!((on(&project), rule_of(&project)), (Some(Dependence::Object), None));
    assert!(advice(&project).contains("asserts on the exception object"));
    project.pairs[0].experiments.truncate(1);
    project.pairs[0].without_copies = vec![(TestId(0), "they hold more than simple values".into())];
    assert_eq!((on(&project), rule_of(&project)), (Some(Dependence::Undecided), None));
    assert!(advice(&project).ends_with("cannot be copied, they hold more than simple values"));
}

#[test]
fn a_finding_says_by_itself_what_it_is_about() {
    let mut project = project(&[("p", member(WHITE, &[Truth::Fail]), FailureKind::Timeout)]);
    project.tests[0].name = "com.acme.CacheTest.corrupt".into();
    project.pairs[0].clause.class = "com.acme.Cache".into();
    project.pairs[0].clause.catch_line = Some(83);
    let suppressions = [suppress("p")];
    let accepted = &findings(&project, &suppressions).accepted[0];
    let expected = [
        "The catch, or the code after it, relies on what the try did before the exception came",
        "com.acme.CacheTest.corrupt passes when Failure0 comes from where the try throws it, and never ends when a copy of \
         it comes at once",
    ];
    assert_eq!(accepted.message.sentences, expected);
    let message = accepted.message.to_string();
    assert!(message.starts_with(&format!("{}: ", expected.join(". "))), "{message}");
    assert!(
        message.contains(". The only evidence is a timeout. To do: find out what the calls in the try do"),
        "{message}"
    );
    assert_eq!((accepted.site.class.as_str(), accepted.site.line), ("com.acme.Cache", Some(83)));
    assert_eq!((accepted.pair.as_deref(), accepted.accepted.as_deref()), (Some("p"), Some("known")));
    // A timeout alone is weaker evidence than a failed assertion.
    assert_eq!((accepted.rule.level(), accepted.level), (Level::Error, Level::Warning));
    let again = findings(&project, &[]);
    assert_eq!(again.open[0].id, accepted.id);
}

/// `UPDATE_GOLDEN` writes the page anew.
#[test]
fn the_page_of_rules_is_the_table() {
    let row = |rule: &Rule| {
        format!("| [`{0}`](#{0}) | {1} | {2} |\n", rule.id(), rule.level().as_str(), rule.meaning())
    };
    let section = |rule: &Rule| {
        format!("\n## {}\n\n**{}.** {}\n\n{}\n", rule.id(), rule.title(), rule.meaning(), rule.help())
    };
    let rows: String = Rule::ALL.iter().map(row).collect();
    let sections: String = Rule::ALL.iter().map(section).collect();
    let page = format!(
        "# Rules\n\nEvery finding names the rule it breaks.\n\n| rule | level | meaning |\n| --- | --- | --- |\n{rows}{sections}"
    );
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules.md");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), page);
}

fn advice_on(pair: &CheckedPair, tests: &[CheckedTest]) -> Option<String> {
    advice(pair, &judge(pair, tests), tests)
}

#[test]
fn advice_names_the_test_and_the_next_step() {
    let (mut tests, mut pair) = full_matrix(&[member(MIXED, &[Truth::Fail])]);
    tests[0].name = "com.acme.CacheTest.corrupt".into();
    let text = advice_on(&pair, &tests).unwrap();
    assert!(text.contains("CacheTest.corrupt executes this try in other ways too"), "{text}");
    pair.experiments[0].outcome = Outcome::None(NoOutcome::NotConstructible("it is sealed".into()));
    let advice =
        "no com.acme.Failure0 could be made: it is sealed; add a test in which the try throws a real one";
    assert_eq!(advice_on(&pair, &tests).unwrap(), advice);
    tests[0].set_aside = Some(SetAside::External(vec!["example.org:443".into()]));
    assert!(advice_on(&pair, &tests).unwrap().contains("--allow-external"));
    tests[0].set_aside = Some(SetAside::Flaky(String::new()));
    assert!(advice_on(&pair, &tests).unwrap().ends_with("is flaky: repair it"));
}

#[test]
fn there_is_no_advice_where_there_is_nothing_to_do() {
    let (tests, pair) = full_matrix(&[member(MIXED, &[Truth::Pass])]);
    assert_eq!(advice_on(&pair, &tests), None);
    let (tests, pair) = full_matrix(&[member(WHITE, &[Truth::Pass]), member(PINK, &[Truth::Fail])]);
    assert_eq!(advice_on(&pair, &tests), None, "most catches cannot be purely resilient");
    let left_out = CheckedPair { left_out: true, ..CheckedPair::default() };
    assert_eq!(advice_on(&left_out, &[]), None);
}

fn reliance(what: &str, read: u32, set: &[u32], may_be_older: bool) -> Reliance {
    Reliance {
        what: what.into(),
        read_line: Some(read),
        set_lines: set.to_vec(),
        may_be_older,
        ..Reliance::default()
    }
}

/// A finding about the place, whose pair is changed first.
fn finding_with(change: impl FnOnce(&mut CheckedProject)) -> CheckFinding {
    let mut project = project(&[("p", member(WHITE, &[Truth::Fail]), FailureKind::Assertion)]);
    let clause = &mut project.pairs[0].clause;
    clause.class = "com.acme.Cache".into();
    clause.method = "load".into();
    clause.source_file = Some("Cache.java".into());
    (clause.try_line, clause.try_end_line) = (Some(10), Some(12));
    (clause.catch_line, clause.catch_end_line) = (Some(13), Some(16));
    project.tests[0].name = "com.acme.CacheTest.corrupt".into();
    project.tests[0].location.source = Some("src/test/java/com/acme/CacheTest.java".into());
    change(&mut project);
    findings(&project, &[]).open.remove(0)
}

fn fails_with(project: &mut CheckedProject, text: &str) {
    for experiment in &mut project.pairs[0].experiments {
        if let Outcome::Fail(failure) = &mut experiment.outcome {
            failure.text = text.into();
        }
    }
}

#[test]
fn the_to_do_names_what_the_try_sets_and_the_catch_reads() {
    let relying_on = |relied: Vec<Reliance>| {
        let message = finding_with(|project| project.pairs[0].relies_on = relied).message;
        (message.reasons.join(". "), message.to_do.unwrap())
    };
    let (reasons, to_do) = relying_on(vec![reliance("variable total", 14, &[11], true)]);
    assert_eq!(reasons, "The catch reads variable total (line 14), which the try sets (line 11)");
    let expected = "decide what variable total is to be when the exception comes before line 11, and set it so before the \
                    try or in the catch";
    assert_eq!(to_do, expected);
    // What comes first anyway can be moved.
    let (_, to_do) = relying_on(vec![reliance("variable total", 14, &[11], false)]);
    assert_eq!(to_do, "move what sets variable total (line 11) before the try, or set it in the catch");
    let two = vec![reliance("variable total", 14, &[11, 12], true), reliance("field size", 15, &[12], false)];
    let (reasons, to_do) = relying_on(two);
    assert!(reasons.ends_with("which the try sets (line 12) before anything in it can throw"), "{reasons}");
    let expected = "decide what variable total and field size are to be when the exception comes before line 11, and set \
                    them so before the try or in the catch";
    assert_eq!(to_do, expected);
}

#[test]
fn where_nothing_is_known_the_to_do_asks() {
    let to_do = finding_with(|_| ()).message.to_do.unwrap();
    assert!(
        to_do.starts_with("find out what the calls in the try (lines 10 to 12) do that the test counts on."),
        "{to_do}"
    );
}

#[test]
fn fields_that_only_calls_can_set_are_asked_about_where_the_try_sets_nothing_itself() {
    let field = |what: &str, line| FieldRead { what: what.into(), line: Some(line) };
    let finding = finding_with(|project| {
        project.pairs[0].left_to_calls = vec![field("field running", 14), field("field port", 15)];
    });
    assert_eq!(
        finding.message.reasons[0],
        "The catch reads field running (line 14), which the try does not set itself: only its calls can"
    );
    let expected = "find out whether the calls in the try (lines 10 to 12) set field running and field port. If so, decide \
                    what field running and field port are to be when the exception comes before those calls, and set them so \
                    before the try or in the catch";
    assert_eq!(finding.message.to_do.as_deref(), Some(expected));
    assert_eq!(finding.related[1].role, SiteRole::Reads);
    let finding = finding_with(|project| {
        project.pairs[0].left_to_calls = vec![field("field running", 14)];
        project.pairs[0].relies_on = vec![reliance("variable total", 14, &[11], true)];
    });
    assert_eq!(finding.message.reasons.len(), 1, "what is known goes first");
}

#[test]
fn what_a_clause_relies_on_explains_no_other_rule() {
    let mut project = project(&[("p", member(PINK, &[Truth::Fail]), FailureKind::Assertion)]);
    project.pairs[0].relies_on = vec![reliance("variable total", 14, &[11], true)];
    let strict = &findings(&project, &[]).open[0];
    assert_eq!((strict.rule, strict.message.reasons.len()), (Rule::NotResilient, 0));
    let usual = findings_of(&project, &judge_all(&project), FindingPolicy::default());
    assert!(
        strict.message.to_do.is_some() && usual.routine[0].message.to_do.is_none(),
        "routine ones stay short"
    );
}

#[test]
fn the_failing_assertion_and_the_catch_that_fails_are_told() {
    let sites = |text: &str| {
        let finding = finding_with(|project| fails_with(project, text));
        let fails = finding.related.iter().find(|related| related.role == SiteRole::Fails).cloned();
        (finding.message.reasons, fails.map(|related| (related.site.file, related.site.line)))
    };
    let (reasons, fails) = sites("a.E: expected 3 but was 0 at com.acme.CacheTest$Inner.lambda$corrupt$0:41");
    assert_eq!(reasons, [""; 0]);
    assert_eq!(fails, Some((Some("src/test/java/com/acme/CacheTest.java".into()), Some(41))));
    let (reasons, fails) = sites("java.lang.NullPointerException: no at com.acme.Cache.load:15");
    assert_eq!(reasons, ["The failure comes out of the catch itself, line 15"]);
    assert_eq!(fails, Some((Some("Cache.java".into()), Some(15))));
    let (reasons, _) = sites("java.lang.NullPointerException: no at com.acme.Cache.load:17");
    assert_eq!(reasons, [""; 0], "behind the catch");
    assert_eq!(sites("a.E at org.other.Helper.check:9").1, None, "nobody knows that file");
    let goes_on = ["The catch lets the exception go on: it is what the test ends with"];
    assert_eq!(sites("com.acme.Failure0: no at com.acme.Cache.load:10").0, goes_on);
    assert_eq!(sites("com.acme.Failure01: no at com.acme.Cache.load:10").0, [""; 0], "another exception");
    assert_eq!(sites("com.acme.Failure0: no at com.acme.Cache.load:11").0, [""; 0], "from another line");
}

#[test]
fn related_sites_begin_with_the_throw_and_have_every_line_that_matters() {
    let finding = finding_with(|project| {
        project.pairs[0].relies_on = vec![reliance("variable total", 14, &[11, 12], true)];
        fails_with(project, "a.E at com.acme.CacheTest.corrupt:41");
    });
    let sites: Vec<_> = finding.related.iter().map(|it| (it.role.as_str(), it.site.line.unwrap())).collect();
    assert_eq!(sites, [("throws", 10), ("sets", 11), ("sets", 12), ("reads", 14), ("fails", 41)]);
    assert_eq!(finding.related[0].words, "Failure0 is thrown here, as the try begins");
    assert_eq!(finding.related[3].words, "the catch reads variable total");
}

#[test]
fn an_unstable_finding_has_no_failure_of_its_own() {
    let project = project(&[("p", member(PINK, &[Truth::Unstable]), FailureKind::Assertion)]);
    let message = &findings(&project, &[]).open[0].message;
    assert_eq!(message.failure, None);
    assert!(message.sentences[0].starts_with("Undecided: ") && message.to_do.is_some(), "{message}");
}
