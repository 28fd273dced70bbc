//! `catchment links`: raising points whose exceptions can come to each clause.

pub(crate) mod args;
mod cache;
mod cache_files;
mod class_source;
mod memory;
mod request;

use crate::commands::links::args::{GroupBy, LinksArgs};
use crate::commands::links::cache::LinksCache;
use crate::commands::links::cache_files::CacheFiles;
use crate::commands::links::class_source::LayeredClasses;
use crate::config::Config;
use crate::exit::{BadInput, ExitCode};
use crate::output::{self, ReportFile};
use crate::progress;
use anyhow::{Context, Result};
use catchment_build::SourceTree;
use catchment_exceptions::{
    Comparison, Escapes, FaultProblem, FoundLink, LinkSearch, LinkSelection, LinksAnswer, SearchRequest,
    Stage, search_from,
};
use catchment_lab::Progress;
use catchment_report::{
    ExplainedLink, LinksBy, LinksReport, LinksView, ListedProblem, escaped, links_named,
    write_blind_spots_json, write_blind_spots_text, write_catalogue_json, write_catalogue_text,
    write_escapes_json, write_escapes_text, write_links_json, write_links_text, write_paths_json,
    write_paths_text,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// The view that is shown.
enum View {
    Links,
    Paths(Vec<ExplainedLink>),
    Escapes(Vec<Escapes>),
    BlindSpots,
    Catalogue,
}

impl View {
    /// Classes that the view locates.
    fn classes<'a>(&'a self, answer: &'a LinksAnswer) -> BTreeSet<&'a str> {
        match self {
            Self::Links => {
                let unfound = answer.comparison.iter().flat_map(Comparison::unfound);
                let (clauses, sites): (Vec<_>, Vec<_>) = unfound
                    .map(|(link, unfound)| {
                        (&link.to, [Some(&link.from.site), Some(&unfound.at), unfound.called.as_ref()])
                    })
                    .unzip();
                let clauses = answer.pairs.iter().chain(clauses).map(|linked| &linked.pair.class);
                let points = answer.points.iter().map(|point| &point.site);
                let sites = points.chain(sites.into_iter().flatten().flatten()).map(|site| &site.class);
                clauses.chain(sites).map(String::as_str).collect()
            }
            Self::Paths(links) => links.iter().flat_map(|link| link.classes(answer)).collect(),
            Self::Escapes(escapes) => {
                let points = escapes.iter().flat_map(|method| &method.exceptions);
                let points = points.flat_map(|exception| &exception.points).map(|point| &point.site);
                escapes
                    .iter()
                    .map(|method| &method.method)
                    .chain(points)
                    .map(|site| site.class.as_str())
                    .collect()
            }
            Self::BlindSpots => answer.blind_spots.iter().map(|blind| blind.site.class.as_str()).collect(),
            Self::Catalogue => BTreeSet::new(),
        }
    }

    fn show_paths(&mut self, report: &LinksReport) {
        match self {
            Self::Paths(links) => {
                let frames = links.iter_mut().flat_map(|link| &mut link.paths);
                report.show_paths_of(frames.flat_map(|path| &mut path.frames).map(|frame| &mut frame.site));
            }
            Self::Escapes(escapes) => {
                let points = escapes.iter_mut().flat_map(|method| &mut method.exceptions);
                let points = points.flat_map(|exception| &mut exception.points);
                report.show_paths_of(points.map(|point| &mut point.site));
            }
            Self::Links | Self::BlindSpots | Self::Catalogue => {}
        }
    }
}

/// More links than these that fit what was typed after `--why` are too many to be meant.
const MOST_EXPLAINED: usize = 10;

pub(crate) fn run(args: &LinksArgs) -> Result<ExitCode> {
    let file = ReportFile::open_if_given(args.output.as_deref())?;
    // A jar has no configuration of its own.
    let config = Config::of_project(if args.folder.is_file() { Path::new(".") } else { &args.folder })?;
    let jdk = args.java_home()?;
    let mut progress = progress::on_stderr();
    progress.phase("class path", None);
    let (classes, mut problems) = args.open(&config, &jdk, &mut *progress)?;
    // Waiting for a build tool is no part of the analysis.
    let started = Instant::now();
    problems.extend(problems_of(&classes));
    let own = classes.own();
    require_classes(args, &classes, own.application.len() + own.tests.len())?;
    let runs = args.runs()?;
    let mut request = args.request(&config, own, &jdk)?;
    request.reflective_targets =
        runs.as_ref().map(|runs| runs.recording.reflective_targets()).unwrap_or_default();
    let wanted = args.selection(&request.catalogue)?;
    let jdk_classes = classes.jdk();
    let cache_files = (!args.no_cache).then(CacheFiles::of_user);
    if cache_files.is_some() {
        output::tell_of_refused_cache();
    }
    // The precision that --max-memory costs must not depend on the cache.
    let programs = args.max_memory.is_none();
    let cache = LinksCache::new(&classes, &jdk_classes, &request, cache_files, programs);
    let mut search = search_from(&cache, &classes, &request, &mut |stage| tell(&mut *progress, stage))?;
    drop(progress);
    if let Some(path) = &args.methods {
        write_methods(path, &search)?;
    }
    let answer = search.answer();
    problems.extend(answer.fault_problems.iter().map(listed_fault));
    let mut report = LinksReport {
        answer,
        problems,
        locations: BTreeMap::new(),
        seconds: started.elapsed().as_secs_f64(),
        peak_mib: peak_mib(),
    };
    if let Some(runs) = runs {
        report.answer.compare_with(search.compare(&runs.recording));
        report.problems.extend(runs.problems);
    }
    let wanted = search.selection(wanted);
    let found = report.answer.links.len();
    report.answer.select(&wanted);
    if report.answer.links.is_empty() && found > 0 && !args.is_about_more_than_links() {
        output::tell(&format_args!(
            "none of the {found} links is what --package, --type and --fault ask for"
        ));
    }
    if args.json && !args.is_about_more_than_links() {
        search.add_sites(&mut report.answer);
    }
    let mut view = view(args, &mut search, &report, &wanted)?;
    let sources = SourceTree::of_project(&args.folder);
    report.locations = classes.locations(view.classes(&report.answer), sources.as_ref());
    if !args.json {
        report.show_paths();
        view.show_paths(&report);
    }
    let render = |out: &mut dyn Write| render(out, args, &report, &view);
    match file {
        Some(file) => file.write(render)?,
        None => output::to_stdout(render)?,
    }
    // Only this JSON has them.
    if !(args.json && matches!(view, View::Links)) {
        tell_of_problems(&request, &report);
    }
    Ok(ExitCode::CLEAN)
}

fn write_methods(path: &Path, search: &LinkSearch<'_>) -> Result<()> {
    let lines: String =
        search.methods().into_iter().map(|method| format!("{}\n", escaped(&method))).collect();
    fs::write(path, lines).with_context(|| format!("cannot write {}", path.display()))
}

fn view(
    args: &LinksArgs,
    search: &mut LinkSearch<'_>,
    report: &LinksReport,
    wanted: &LinkSelection,
) -> Result<View, BadInput> {
    if let Some(text) = &args.why {
        let links = links_named(&report.answer, text);
        return explained(args, search, text, links).map(View::Paths);
    }
    Ok(if args.escapes {
        let mut escapes = search.escapes();
        wanted.apply_to_escapes(&mut escapes);
        View::Escapes(escapes)
    } else if args.blind_spots {
        View::BlindSpots
    } else if args.catalogue {
        View::Catalogue
    } else {
        View::Links
    })
}

fn explained(
    args: &LinksArgs,
    search: &mut LinkSearch<'_>,
    text: &str,
    links: Vec<FoundLink>,
) -> Result<Vec<ExplainedLink>, BadInput> {
    if links.is_empty() {
        return Err(BadInput(format!(
            "no link is '{text}': give its number, or parts of what raises and of the clause, 'FileInputStream.read -> Cache.load'"
        )));
    }
    if links.len() > MOST_EXPLAINED {
        return Err(BadInput(format!("{} links fit '{text}': give the number of one", links.len())));
    }
    let explain = |link: FoundLink| {
        let paths = search.paths(link.number, args.paths)?;
        let graph = search.graph(link.number)?;
        Some(ExplainedLink { link, paths, graph })
    };
    Ok(links.into_iter().filter_map(explain).collect())
}

fn render(out: &mut dyn Write, args: &LinksArgs, report: &LinksReport, view: &View) -> io::Result<()> {
    let answer = &report.answer;
    match view {
        View::Links if args.json => write_links_json(out, report),
        View::Links => {
            let by = match args.by {
                GroupBy::Handler => LinksBy::Handler,
                GroupBy::Trigger => LinksBy::Trigger,
            };
            write_links_text(out, report, LinksView { by, all: args.all })
        }
        View::Paths(links) if args.json => write_paths_json(out, report, links),
        View::Paths(links) => links.iter().try_for_each(|link| write_paths_text(out, answer, link)),
        View::Escapes(escapes) if args.json => write_escapes_json(out, report, escapes),
        View::Escapes(escapes) => write_escapes_text(out, answer, escapes, args.all),
        View::BlindSpots if args.json => write_blind_spots_json(out, &answer.blind_spots),
        View::BlindSpots => write_blind_spots_text(out, &answer.blind_spots, args.all),
        View::Catalogue if args.json => write_catalogue_json(out, &answer.catalogue),
        View::Catalogue => write_catalogue_text(out, &answer.catalogue),
    }
}

fn tell(progress: &mut dyn Progress, stage: Stage) {
    match stage {
        Stage::CallGraph { entries } => {
            let points = if entries == 1 { "entry point" } else { "entry points" };
            progress.phase(&format!("call graph from {entries} {points}"), None);
        }
        Stage::Flow { methods, calls } => {
            progress.phase(&format!("exception flow through {methods} methods and {calls} calls"), None);
        }
        Stage::Links { raised } => progress.phase(&format!("links of {raised} raised exceptions"), None),
        Stage::Filter { links } => progress.phase(&format!("objects that lead to {links} links"), None),
    }
}

fn tell_of_problems(request: &SearchRequest, report: &LinksReport) {
    for problem in &report.problems {
        output::tell(&format_args!("{}: {}", problem.place, problem.what));
    }
    // The JDK has oddities of its own, which are in the JSON.
    let own = &request.own;
    let is_own = |class: &str| {
        let name = class.replace('.', "/").into_bytes();
        own.application.contains(&name) || own.tests.contains(&name)
    };
    for problem in report.answer.problems.iter().filter(|problem| is_own(&problem.class)) {
        output::tell(&format_args!("{}: {}", problem.class, problem.what));
    }
}

/// Nothing found because nothing was read must not look like a program without exceptions.
fn require_classes(args: &LinksArgs, classes: &LayeredClasses, count: usize) -> Result<(), BadInput> {
    if count > 0 {
        return Ok(());
    }
    let place = args.classpath.as_ref().map_or_else(
        || args.folder.display().to_string(),
        |class_path| class_path.to_string_lossy().into_owned(),
    );
    Err(BadInput(match classes.class_path().problems().first() {
        Some(problem) => format!("cannot read {}: {}", problem.place(), problem.what),
        None => format!("no classes of the application in {place}"),
    }))
}

fn problems_of(classes: &LayeredClasses) -> Vec<ListedProblem> {
    let problems = classes.class_path().problems().iter();
    problems.map(|each| ListedProblem { place: each.place(), what: each.what.clone() }).collect()
}

fn listed_fault(problem: &FaultProblem) -> ListedProblem {
    let FaultProblem { entry, what } = problem;
    ListedProblem { place: "catchment.toml".to_owned(), what: format!("{entry}: {what}") }
}

/// The most memory this process has had, where the system tells.
fn peak_mib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib.div_ceil(1024))
}
