//! A check as SARIF 2.1.0: its findings at the lines they are about, for GitHub and other viewers.
//!
//! The identity of a result is the id of its finding, which does not change when lines move. The fingerprint that GitHub
//! goes by needs the source; its own upload computes it.

use super::sentences::unfinished;
use crate::check::CheckReport;
use crate::failure_text::shortened;
use crate::json::write_line;
use crate::plain_text::escaped;
use crate::sarif::{
    AutomationDetails, CodeFlow, Configuration, DescriptorReference, Driver, Help, Invocation, Location, Log,
    LogicalLocation, Notification, NotificationDescriptor, PhysicalLocation, Result, ResultProperties,
    RuleDescriptor, RuleProperties, Run, Suppression, Text, ThreadFlow, ThreadFlowLocation, Tool,
    source_root,
};
use crate::text::capitalised;
use catchment_verdicts::{
    CheckFinding, CheckedTest, ExperimentResult, Level, RelatedSite, Rule, SiteRole, SourceSite,
};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// GitHub keeps no more results of one run.
const MOST_RESULTS: usize = 5_000;
/// Notifications of one kind; one more says how many there are.
const MOST_NOTIFICATIONS: usize = 100;
const FINGERPRINT: &str = "catchmentFinding/v1";

const SET_ASIDE: &str = "set-aside";
const PROBLEM: &str = "problem";
const UNFINISHED: &str = "unfinished";

/// The user's wishes about the file.
#[derive(Debug, Clone, Copy, Default)]
pub struct SarifOptions<'a> {
    /// Told apart from other runs on the same commit by this: `core`; empty for the project as a whole.
    pub module: &'a str,
    /// Suppressed findings are results as well, marked as such. GitHub shows them as open.
    pub suppressed: bool,
}

pub fn write_check_sarif(
    out: &mut dyn Write,
    report: &CheckReport<'_>,
    options: SarifOptions<'_>,
) -> io::Result<()> {
    let module = options.module.trim_matches('/');
    let category = if module.is_empty() { "catchment/".to_owned() } else { format!("catchment/{module}/") };
    let results = listed(report, options).take(MOST_RESULTS);
    let run = Run {
        tool: Tool { driver: driver() },
        automation_details: AutomationDetails { id: &category },
        column_kind: "utf16CodeUnits",
        original_uri_base_ids: source_root(),
        invocations: [Invocation {
            execution_successful: true,
            tool_execution_notifications: notifications(report),
        }],
        results: results.map(|finding| result(report, finding)).collect(),
    };
    write_line(out, &Log::of(run))
}

/// Number of findings beyond those that the file has room for.
pub fn left_out_of_sarif(report: &CheckReport<'_>, options: SarifOptions<'_>) -> usize {
    listed(report, options).count().saturating_sub(MOST_RESULTS)
}

fn listed<'a>(
    report: &'a CheckReport<'_>,
    options: SarifOptions<'_>,
) -> impl Iterator<Item = &'a CheckFinding> {
    let accepted = report.findings.accepted.iter().filter(move |_| options.suppressed);
    report.findings.open.iter().chain(accepted)
}

fn driver() -> Driver {
    let notification = |id, text| NotificationDescriptor { id, short_description: Text::of(text) };
    Driver {
        name: "Catchment",
        semantic_version: env!("CARGO_PKG_VERSION"),
        rules: Rule::ALL.into_iter().map(descriptor).collect(),
        notifications: vec![
            notification(SET_ASIDE, "A test that is no evidence"),
            notification(PROBLEM, "Something that kept Catchment from seeing everything"),
            notification(UNFINISHED, "A check that was cut short"),
        ],
    }
}

fn descriptor(rule: Rule) -> RuleDescriptor {
    let help = rule.help();
    RuleDescriptor {
        id: rule.id(),
        name: rule.id().split('-').map(capitalised).collect(),
        short_description: Text::of(rule.title()),
        full_description: Text::of(rule.meaning()),
        help: Help {
            text: format!("{} {}", rule.meaning(), help.replace('`', "")),
            markdown: format!("{}\n\n{help}", rule.meaning()),
        },
        default_configuration: Configuration { level: rule.level().as_str() },
        properties: RuleProperties {
            precision: if rule == Rule::Unstable { "medium" } else { "very-high" },
            severity: severity(rule.level()),
            tags: ["exception-handling", "tests"],
        },
    }
}

/// GitHub's word for a level.
fn severity(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "recommendation",
    }
}

fn notifications(report: &CheckReport<'_>) -> Vec<Notification> {
    let set_aside = report.project.tests.iter().filter_map(|test| {
        let why = test.set_aside.as_ref()?;
        let detail = Some(shortened(&why.detail())).filter(|detail| !detail.is_empty());
        let detail = detail.map(|detail| format!(": {detail}")).unwrap_or_default();
        Some(format!("{} is no evidence, {}{detail}", test.name, why.as_str()))
    });
    let problems =
        report.project.problems.iter().map(|problem| format!("{}: {}", problem.place, problem.what));
    let mut all = limited(SET_ASIDE, "note", set_aside.collect());
    all.extend(limited(PROBLEM, "warning", problems.collect()));
    let unfinished = Some(unfinished(report).join(" ")).filter(|sentences| !sentences.is_empty());
    all.extend(limited(UNFINISHED, "warning", unfinished.into_iter().collect()));
    all
}

fn limited(id: &'static str, level: &'static str, mut texts: Vec<String>) -> Vec<Notification> {
    let more = texts.len().saturating_sub(MOST_NOTIFICATIONS);
    texts.truncate(MOST_NOTIFICATIONS);
    texts.extend((more > 0).then(|| format!("and {more} more")));
    let notification = |text: String| Notification {
        descriptor: DescriptorReference { id },
        level,
        message: Text::of(&text),
    };
    texts.into_iter().map(notification).collect()
}

fn result<'a>(report: &'a CheckReport<'_>, finding: &'a CheckFinding) -> Result<'a> {
    let (pair, _) = report.pair_of(finding);
    let related = finding.related.iter().zip(1..);
    Result {
        rule_id: finding.rule.id(),
        rule_index: Rule::ALL.iter().position(|rule| *rule == finding.rule).unwrap_or_default(),
        kind: "fail",
        level: finding.level.as_str(),
        message: Text::of(&message(finding)),
        locations: [located(&finding.site, pair.clause.catch_end_line)],
        related_locations: related.map(|(related, id)| related_location(related, id)).collect(),
        code_flows: code_flow(report, finding).into_iter().collect(),
        partial_fingerprints: BTreeMap::from([(FINGERPRINT, finding.id.as_str())]),
        suppressions: finding.accepted.iter().map(|reason| accepted(reason)).collect(),
        properties: ResultProperties { pair: finding.pair.as_deref(), tests: finding.evidence.tests },
    }
}

/// Everything in one line, with a failure of bounded length.
fn message(finding: &CheckFinding) -> String {
    let failure = finding.message.failure.as_deref().map(shortened);
    format!("{}.", finding.message.with_failure(failure.as_deref()))
}

fn accepted(reason: &str) -> Suppression<'_> {
    Suppression { kind: "external", status: "accepted", justification: reason }
}

/// The line of a site, or the lines up to `last_line`.
fn located(site: &SourceSite, last_line: Option<u32>) -> Location {
    let file = site.file.as_deref();
    Location {
        physical_location: file.map(|file| PhysicalLocation::of(file, site.line, last_line)),
        logical_locations: vec![LogicalLocation {
            fully_qualified_name: escaped(&format!("{}.{}", site.class, site.method)).into_owned(),
            kind: "function",
        }],
        ..Location::default()
    }
}

fn with_message(location: Location, words: &str) -> Location {
    Location { message: Some(Text::of(words)), ..location }
}

fn related_location(related: &RelatedSite, id: usize) -> Location {
    Location { id: Some(id), ..with_message(located(&related.site, None), &related.words) }
}

/// The experiment that shows the finding: the test runs, the exception is thrown, caught, and what fails then.
fn code_flow(report: &CheckReport<'_>, finding: &CheckFinding) -> Option<CodeFlow> {
    let (pair, _) = report.pair_of(finding);
    let experiment = pair.experiments.get(finding.evidence.shown_by?)?;
    let site = |role| finding.related.iter().find(|related| related.role == role);
    let throws = site(SiteRole::Throws)?;
    let fails = site(SiteRole::Fails);
    let test = report.project.test(experiment.test)?;
    let mut steps = vec![
        step(located_test(test), &format!("{} runs", test.name), 0),
        step(located(&throws.site, None), &throws.words, 1),
        step(located(&finding.site, None), caught(experiment), 1),
    ];
    let depth = u32::from(fails.is_some_and(|fails| fails.site.class == finding.site.class));
    steps.extend(fails.map(|fails| step(located(&fails.site, None), &fails.words, depth)));
    Some(CodeFlow {
        message: Text::of("the experiment that shows it"),
        thread_flows: [ThreadFlow { locations: steps }],
    })
}

/// A JVM that ended cannot be asked who caught the exception.
fn caught(experiment: &ExperimentResult) -> &'static str {
    if experiment.caught_here > 0 { "it is caught here" } else { "the catch that is asked about" }
}

/// The file of a test; its line is not known.
fn located_test(test: &CheckedTest) -> Location {
    let file = test.location.source.as_deref();
    Location {
        physical_location: file.map(|file| PhysicalLocation::of(file, None, None)),
        logical_locations: vec![LogicalLocation {
            fully_qualified_name: escaped(&test.name).into_owned(),
            kind: "function",
        }],
        ..Location::default()
    }
}

fn step(location: Location, words: &str, nesting_level: u32) -> ThreadFlowLocation {
    ThreadFlowLocation { location: with_message(location, words), nesting_level, importance: "essential" }
}
