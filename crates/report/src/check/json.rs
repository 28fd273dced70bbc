//! `catchment.check/1`: tests, pairs, verdicts and experiments. `docs/schema/catchment.check.1.json` is its schema.
//!
//! PAIR is that of `catchment.handlers/1`. An experiment without an outcome says why; one that is not listed was not
//! run.

use crate::check::{CheckReport, finding_word};
use crate::json::{JsonFinding, JsonLocation, JsonPair, JsonProblem, write_line};
use catchment_verdicts::{
    CheckFinding, CheckedConfiguration, CheckedPair, CheckedProject, CheckedTest, ColourCounts, DecidedPairs,
    ExperimentResult, Findings, Judgement, Mode, NearestTest, NoOutcome, Outcome, Reliance, Rule,
    SourceIndependence, Stats, TestTable, Timed, Unfinished, Verdicts, advice, explain, nearest_test,
};
use serde::Serialize;
use std::collections::HashMap;
use std::io::{self, Write};

#[derive(Serialize)]
struct JsonCheck<'a> {
    schema: &'static str,
    configurations: Vec<JsonConfiguration<'a>>,
    tests: JsonTests,
    set_aside: Vec<JsonSetAside<'a>>,
    test_list: Vec<JsonTest<'a>>,
    pairs: Vec<JsonCheckedPair<'a>>,
    /// Open findings, most rewarding first, then accepted ones.
    findings: Vec<JsonFinding<'a, JsonCheckEvidence<'a>>>,
    stale_suppressions: Vec<JsonStale<'a>>,
    stats: JsonStats,
    problems: Vec<JsonProblem<'a>>,
    /// Null unless the check was cut short.
    unfinished: Option<JsonUnfinished>,
}

#[derive(Serialize)]
struct JsonUnfinished {
    why: &'static str,
    /// Clauses that tests execute.
    executed: usize,
    /// Of these, clauses about which nothing is left to ask.
    decided: usize,
    /// Experiments that are left, at most.
    experiments: usize,
    /// Tests that have not run.
    unseen_tests: usize,
    /// What the rest would take, or null where that cannot be told.
    seconds: Option<f64>,
}

#[derive(Serialize)]
struct JsonConfiguration<'a> {
    name: &'a str,
    framework: &'a str,
    java: &'a str,
    notes: &'a [String],
}

/// total = red + flaky + skipped + pink + white + blue + unseen.
#[derive(Serialize)]
struct JsonTests {
    total: usize,
    red: usize,
    flaky: usize,
    skipped: usize,
    pink: usize,
    white: usize,
    blue: usize,
    unseen: usize,
    expected_exceptions: Option<u64>,
    internal_exceptions: u64,
}

#[derive(Serialize)]
struct JsonSetAside<'a> {
    test: &'a str,
    why: &'static str,
    detail: String,
}

#[derive(Serialize)]
struct JsonTest<'a> {
    name: &'a str,
    #[serde(flatten)]
    location: JsonLocation<'a>,
    configuration: Option<&'a str>,
    colour: Option<&'static str>,
    shared_context: bool,
    suite_millis: u64,
    solo_millis: Option<u64>,
}

#[derive(Serialize)]
struct JsonCheckedPair<'a> {
    #[serde(flatten)]
    pair: JsonPair<'a>,
    usages: JsonUsages,
    source_independence: &'static str,
    pure_resilience: &'static str,
    /// `place`, `object` or `undecided` of a dependent clause, else null.
    dependence: Option<&'static str>,
    /// Resilient, and no test could have noticed.
    unnoticed: bool,
    decided_by: &'static str,
    advice: Option<String>,
    /// The first reason of each contract.
    why_unknown: JsonWhyUnknown,
    /// All of them.
    reasons_unknown: JsonReasonsUnknown,
    /// An existing test to start from where only another test could tell more, or null.
    nearest_test: Option<JsonNearest<'a>>,
    /// Execution by execution, or null where that was not asked.
    selective: Option<JsonOtherRule<'a>>,
    /// Values that a dependent clause reads and its try has written.
    relies_on: Vec<JsonReliance<'a>>,
    /// Call by call, or null where that was not asked.
    fine: Option<JsonOtherRule<'a>>,
    /// Positions in `experiments`.
    evidence: JsonEvidence<'a>,
    only_timeouts: bool,
    unstable: bool,
    /// The word for the pair's finding, or null.
    finding: Option<&'static str>,
    /// The reason in the configuration, or null.
    suppressed: Option<&'a str>,
    not_injectable: Option<&'a str>,
    not_observed: Option<&'a str>,
    left_out: bool,
    executions: Vec<JsonExecution<'a>>,
    experiments: Vec<JsonExperiment<'a>>,
}

#[derive(Serialize)]
struct JsonNearest<'a> {
    test: &'a str,
    /// The test's relation to the pair.
    why: &'static str,
}

#[derive(Serialize)]
struct JsonReliance<'a> {
    what: &'a str,
    read_line: Option<u32>,
    read_after: bool,
    set_lines: &'a [u32],
    may_be_older: bool,
}

#[derive(Serialize)]
struct JsonOtherRule<'a> {
    source_independence: &'static str,
    why_unknown: Option<String>,
    reasons_unknown: Vec<String>,
    /// Positions in `experiments`.
    evidence: &'a [usize],
    only_timeouts: bool,
}

#[derive(Serialize)]
struct JsonUsages {
    pink: u64,
    white: u64,
    blue: u64,
    open: u64,
}

#[derive(Serialize)]
struct JsonWhyUnknown {
    source_independence: Option<String>,
    pure_resilience: Option<String>,
}

#[derive(Serialize)]
struct JsonReasonsUnknown {
    source_independence: Vec<String>,
    pure_resilience: Vec<String>,
}

#[derive(Serialize)]
struct JsonEvidence<'a> {
    source_independence: &'a [usize],
    pure_resilience: &'a [usize],
}

/// A test of A_x, alone in a worker with nothing armed.
#[derive(Serialize)]
struct JsonExecution<'a> {
    test: &'a str,
    usages: JsonUsages,
    once_per_jvm: bool,
}

#[derive(Serialize)]
struct JsonExperiment<'a> {
    test: &'a str,
    #[serde(rename = "type")]
    exception: &'a str,
    mode: &'static str,
    /// The execution of the try that was hit, counted from 1, or null for all.
    occurrence: Option<u64>,
    /// The site of the throw, or null for the beginning of the try.
    place: Option<JsonFineSite<'a>>,
    outcome: &'static str,
    fired: u64,
    /// Why the outcome is `none`, or null.
    why: Option<&'static str>,
    /// The failure, or more about why there is no outcome.
    detail: Option<&'a str>,
    confirmed_fresh: bool,
    unstable: bool,
    reached: u64,
    caught_here: u64,
    caught_elsewhere: Vec<JsonCaught<'a>>,
    made: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonFineSite<'a> {
    method: String,
    source_file: Option<&'a str>,
    line: Option<u32>,
    /// The method that is called there, or null for a throw.
    callee: Option<&'a str>,
    in_body: bool,
}

#[derive(Serialize)]
struct JsonCaught<'a> {
    place: &'a str,
    count: u64,
}

#[derive(Serialize)]
struct JsonCheckEvidence<'a> {
    /// Position in `experiments` of the pair, or null.
    experiment: Option<usize>,
    test: Option<&'a str>,
    #[serde(rename = "type")]
    exception: Option<&'a str>,
    /// Number of tests that show the finding.
    tests: usize,
    only_timeouts: bool,
}

#[derive(Serialize)]
struct JsonStale<'a> {
    pair: &'a str,
    why: &'static str,
}

#[derive(Serialize)]
struct JsonStats {
    experiments: u64,
    test_seconds: f64,
    wall_seconds: f64,
    fresh_jvm_experiments: u64,
    planned: u64,
    resumed: u64,
    not_needed: u64,
    build: JsonTimed,
    suite: JsonTimed,
    suite_tests: u64,
    solo: JsonTimed,
    warm: JsonTimed,
    warm_unarmed_seconds: f64,
    both_ways: JsonTimed,
    both_ways_fresh_seconds: f64,
    both_ways_different: u64,
    single: JsonTimed,
    fine: JsonTimed,
    copies: JsonTimed,
    no_outcome: JsonTimed,
    timeouts: JsonTimed,
    fresh: JsonTimed,
    sentinels: JsonTimed,
    workers: JsonTimed,
    workers_replaced: u64,
}

#[derive(Serialize)]
struct JsonTimed {
    count: u64,
    seconds: f64,
}

pub fn write_check_json(out: &mut dyn Write, report: &CheckReport<'_>) -> io::Result<()> {
    let project = report.project;
    let rules = rules_by_pair(&report.findings);
    let pairs = report.judged().enumerate();
    let value = JsonCheck {
        schema: "catchment.check/1",
        configurations: project.configurations.iter().map(configuration).collect(),
        tests: tests(&TestTable::of(&project.tests)),
        set_aside: project.tests.iter().filter_map(set_aside).collect(),
        test_list: project.tests.iter().map(|it| test(it, &project.configurations)).collect(),
        pairs: pairs
            .map(|(number, (pair, verdicts))| {
                checked_pair(report, pair, verdicts, rules.get(&number).copied())
            })
            .collect(),
        findings: report.findings.listed().map(|finding| json_finding(report, finding)).collect(),
        stale_suppressions: report
            .findings
            .stale
            .iter()
            .map(|it| JsonStale { pair: &it.pair, why: it.why })
            .collect(),
        stats: stats(&project.stats),
        unfinished: project.unfinished.map(|it| unfinished(project, it)),
        problems: project
            .problems
            .iter()
            .map(|problem| JsonProblem { place: &problem.place, what: &problem.what })
            .collect(),
    };
    write_line(out, &value)
}

/// The rule that each pair breaks, by the position of the pair; routine ones included.
fn rules_by_pair(findings: &Findings) -> HashMap<usize, Rule> {
    let all = findings.listed().chain(&findings.routine);
    all.map(|finding| (finding.evidence.pair, finding.rule)).collect()
}

fn json_finding<'a>(
    report: &'a CheckReport<'_>,
    finding: &'a CheckFinding,
) -> JsonFinding<'a, JsonCheckEvidence<'a>> {
    let (pair, _) = report.pair_of(finding);
    let evidence = &finding.evidence;
    let shown_by = evidence.shown_by.and_then(|number| pair.experiments.get(number));
    let evidence = JsonCheckEvidence {
        experiment: evidence.shown_by,
        test: shown_by.map(|experiment| report.test_name(experiment)),
        exception: shown_by.map(|experiment| experiment.exception.as_str()),
        tests: evidence.tests,
        only_timeouts: evidence.only_timeouts,
    };
    JsonFinding::of(finding, evidence)
}

fn configuration(configuration: &CheckedConfiguration) -> JsonConfiguration<'_> {
    JsonConfiguration {
        name: &configuration.name,
        framework: &configuration.framework,
        java: &configuration.java_version,
        notes: &configuration.notes,
    }
}

fn tests(table: &TestTable) -> JsonTests {
    JsonTests {
        total: table.total,
        red: table.red,
        flaky: table.flaky,
        skipped: table.skipped,
        pink: table.pink,
        white: table.white,
        blue: table.blue,
        unseen: table.unseen,
        expected_exceptions: table.expected_exceptions,
        internal_exceptions: table.internal_exceptions,
    }
}

fn set_aside(test: &CheckedTest) -> Option<JsonSetAside<'_>> {
    let why = test.set_aside.as_ref()?;
    Some(JsonSetAside { test: &test.name, why: why.as_str(), detail: why.detail() })
}

fn test<'a>(test: &'a CheckedTest, configurations: &'a [CheckedConfiguration]) -> JsonTest<'a> {
    JsonTest {
        name: &test.name,
        location: JsonLocation::of_class(&test.location),
        configuration: configurations.get(test.configuration).map(|it| it.name.as_str()),
        colour: test.colour.map(|colour| colour.as_str()),
        shared_context: test.shared_context,
        suite_millis: test.suite_millis,
        solo_millis: test.solo_millis,
    }
}

fn checked_pair<'a>(
    report: &'a CheckReport<'_>,
    pair: &'a CheckedPair,
    verdicts: &'a Verdicts,
    broken: Option<Rule>,
) -> JsonCheckedPair<'a> {
    let (source, resilience) = (&verdicts.source_independence, &verdicts.pure_resilience);
    JsonCheckedPair {
        pair: JsonPair::of(&pair.clause, &pair.location),
        usages: usages(&pair.usages),
        source_independence: source.verdict.as_str(),
        pure_resilience: resilience.verdict.as_str(),
        dependence: verdicts.dependence.as_ref().map(|it| it.on.as_str()),
        unnoticed: verdicts.is_unnoticed(pair),
        // Other modes stand beside the verdicts, never in their place.
        decided_by: Mode::ShortCircuit.as_str(),
        advice: advice(pair, verdicts, &report.project.tests),
        why_unknown: JsonWhyUnknown {
            source_independence: why_unknown(report, pair, source),
            pure_resilience: why_unknown(report, pair, resilience),
        },
        reasons_unknown: JsonReasonsUnknown {
            source_independence: reasons_unknown(report, pair, source),
            pure_resilience: reasons_unknown(report, pair, resilience),
        },
        nearest_test: nearest_test(report.project, pair).and_then(|nearest| json_nearest(report, nearest)),
        relies_on: pair.relies_on.iter().map(json_reliance).collect(),
        selective: verdicts.selective.as_ref().map(|judgement| other_rule(report, pair, judgement)),
        fine: verdicts.fine.as_ref().map(|judgement| other_rule(report, pair, judgement)),
        evidence: JsonEvidence {
            source_independence: &source.evidence,
            pure_resilience: &resilience.evidence,
        },
        only_timeouts: source.only_timeouts || resilience.only_timeouts,
        unstable: verdicts.is_unstable(),
        finding: broken.map(finding_word),
        suppressed: report.suppression_of(pair).map(|it| it.reason.as_str()),
        not_injectable: pair.not_injectable.as_deref(),
        not_observed: pair.not_observed.as_deref(),
        left_out: pair.left_out,
        executions: pair
            .executing_tests
            .iter()
            .map(|executing| JsonExecution {
                test: report.project.test(executing.test).map_or("?", |test| test.name.as_str()),
                usages: usages(&executing.usages),
                once_per_jvm: executing.once_per_jvm,
            })
            .collect(),
        experiments: pair.experiments.iter().map(|it| experiment(report, pair, it)).collect(),
    }
}

fn usages(usages: &ColourCounts) -> JsonUsages {
    JsonUsages { pink: usages.pink, white: usages.white, blue: usages.blue, open: usages.open }
}

fn why_unknown<V>(report: &CheckReport<'_>, pair: &CheckedPair, judgement: &Judgement<V>) -> Option<String> {
    explain(judgement.unknown.first()?, pair, &report.project.tests)
}

/// Each once: a test of a multi-catch has several experiments.
fn reasons_unknown<V>(report: &CheckReport<'_>, pair: &CheckedPair, judgement: &Judgement<V>) -> Vec<String> {
    let mut reasons = Vec::new();
    for reason in judgement.unknown.iter().filter_map(|reason| explain(reason, pair, &report.project.tests)) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
}

fn json_nearest<'a>(report: &CheckReport<'a>, nearest: NearestTest) -> Option<JsonNearest<'a>> {
    let test = report.project.test(nearest.test)?;
    Some(JsonNearest { test: &test.name, why: nearest.nearness.as_str() })
}

fn json_reliance(reliance: &Reliance) -> JsonReliance<'_> {
    JsonReliance {
        what: &reliance.what,
        read_line: reliance.read_line,
        read_after: reliance.is_read_after,
        set_lines: &reliance.set_lines,
        may_be_older: reliance.may_be_older,
    }
}

fn other_rule<'a>(
    report: &CheckReport<'_>,
    pair: &CheckedPair,
    judgement: &'a Judgement<SourceIndependence>,
) -> JsonOtherRule<'a> {
    JsonOtherRule {
        source_independence: judgement.verdict.as_str(),
        why_unknown: why_unknown(report, pair, judgement),
        reasons_unknown: reasons_unknown(report, pair, judgement),
        evidence: &judgement.evidence,
        only_timeouts: judgement.only_timeouts,
    }
}

fn fine_site<'a>(pair: &'a CheckedPair, experiment: &ExperimentResult) -> Option<JsonFineSite<'a>> {
    let at = pair.fine_grained.as_ref()?.sites.get(experiment.mode.site()?)?;
    Some(JsonFineSite {
        method: at.method(),
        source_file: at.site.file.as_deref(),
        line: at.site.line,
        callee: at.callee.as_deref(),
        in_body: at.is_in_body,
    })
}

fn experiment<'a>(
    report: &'a CheckReport<'_>,
    pair: &'a CheckedPair,
    experiment: &'a ExperimentResult,
) -> JsonExperiment<'a> {
    let (outcome, why, detail) = match &experiment.outcome {
        Outcome::Pass => ("pass", None, None),
        Outcome::Fail(failure) => (failure.kind.as_str(), None, Some(failure.text.as_str())),
        Outcome::None(why) => ("none", Some(why.as_str()), Some(why.detail())),
    };
    JsonExperiment {
        test: report.test_name(experiment),
        exception: &experiment.exception,
        mode: experiment.mode.as_str(),
        occurrence: experiment.mode.occurrence(),
        place: fine_site(pair, experiment),
        outcome,
        fired: experiment.fired,
        why,
        detail: detail.filter(|text| !text.is_empty()),
        confirmed_fresh: experiment.confirmed_fresh,
        unstable: experiment.unstable,
        reached: experiment.reached,
        caught_here: experiment.caught_here,
        caught_elsewhere: experiment
            .caught_elsewhere
            .iter()
            .map(|it| JsonCaught { place: &it.place, count: it.count })
            .collect(),
        made: experiment.made.as_deref(),
    }
}

fn unfinished(project: &CheckedProject, unfinished: Unfinished) -> JsonUnfinished {
    let DecidedPairs { executed, decided, experiments, unseen_tests } = DecidedPairs::of(project);
    JsonUnfinished {
        why: NoOutcome::NotRun(unfinished.why).as_str(),
        executed,
        decided,
        experiments,
        unseen_tests,
        seconds: unfinished.seconds,
    }
}

fn stats(stats: &Stats) -> JsonStats {
    let timed = |timed: Timed| JsonTimed { count: timed.count, seconds: timed.seconds };
    JsonStats {
        experiments: stats.experiments,
        test_seconds: stats.test_seconds(),
        wall_seconds: stats.wall_seconds,
        fresh_jvm_experiments: stats.fresh.count,
        planned: stats.planned,
        resumed: stats.resumed,
        not_needed: stats.not_needed,
        build: timed(stats.build),
        suite: timed(stats.suite),
        suite_tests: stats.suite_tests,
        solo: timed(stats.solo),
        warm: timed(stats.warm),
        warm_unarmed_seconds: stats.warm_plain_seconds,
        both_ways: timed(stats.both_ways),
        both_ways_fresh_seconds: stats.both_ways_fresh_seconds,
        both_ways_different: stats.both_ways_different,
        single: timed(stats.single),
        fine: timed(stats.fine),
        copies: timed(stats.copies),
        no_outcome: timed(stats.no_outcome),
        timeouts: timed(stats.timeouts),
        fresh: timed(stats.fresh),
        sentinels: timed(stats.sentinels),
        workers: timed(stats.workers),
        workers_replaced: stats.replaced,
    }
}
