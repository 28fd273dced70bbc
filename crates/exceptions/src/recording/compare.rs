//! Links of runs (E) beside the links that a search has found (F).

use super::journey::journey;
use super::raising::{Finder, Raiser, Raising};
use super::resolved::{Resolved, Resolver, site_in};
use super::walk::{Instances, instances_of};
use super::{RecordedCatch, RecordedFrame, Recording};
use crate::analysis::{Analysis, JdkBase};
use crate::answer::{PointDescription, RaisedBy, Site};
use crate::describe::{describe_point, site_of};
use crate::exception_flow::raising_points::{RaisingKind, RaisingPoint};
use crate::links::{Clause, ClauseScope, Link, MergedLink};
use crate::recording::comparison::{Comparison, RecordedLink, SetAside};
use crate::search::{LinkSearch, SearchError, SearchRequest, Stage, linked_pair, search_unfiltered};
use catchment_pointsto::BlindSpot;
use catchment_pointsto::MethodId;
use catchment_pointsto::{ClassSource, Layer};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// A raising point of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Point {
    RaisingPoint(RaisingPoint),
    /// The instruction that called native code, or at which the JVM raised.
    Native(MethodId, u16),
    AnyTime(MethodId, u16),
    /// Index of a recorded method, and the place in it.
    Elsewhere(usize, Option<u16>),
}

/// A link of runs, as far as one record tells.
struct Taken {
    point: Point,
    clause: Clause,
    frames: Vec<RecordedFrame>,
    raising: Raising,
    number: Option<usize>,
}

pub(super) struct Comparing<'s, 'a> {
    pub(super) search: &'s mut LinkSearch<'a>,
    pub(super) recording: &'s Recording,
    pub(super) resolver: Resolver,
    pub(super) instances: Instances,
    pub(super) blind: FxHashMap<(MethodId, u16), BlindSpot>,
    /// Links without a filter.
    pub(super) unfiltered: FxHashSet<(RaisingPoint, Clause)>,
    /// Numbers of the links that there are.
    numbers: FxHashMap<(RaisingPoint, Clause), usize>,
    /// By catalogue entry: the point that stands for all methods of the entry.
    entries: FxHashMap<u32, RaisingPoint>,
}

impl LinkSearch<'_> {
    /// The links that runs have gone through, each with the link that was found or the reason why there is none.
    pub fn compare(&mut self, recording: &Recording) -> Comparison {
        let key = |link: &Link| (link.point, link.clause);
        let blind = self.reached.blind_spots.iter().map(|blind| ((blind.method, blind.pc), blind.spot));
        let mut comparing = Comparing {
            recording,
            resolver: Resolver::default(),
            instances: instances_of(&self.reached),
            blind: blind.collect(),
            unfiltered: self.unfiltered.iter().map(key).collect(),
            numbers: numbers_of(&self.links),
            entries: FxHashMap::default(),
            search: self,
        };
        comparing.run()
    }

    /// The links that the recording went through.
    fn went_through(&mut self, recording: &Recording) -> FxHashSet<(RaisingPoint, Clause)> {
        let numbers = self.compare(recording).links.into_iter().filter_map(|link| link.found.ok());
        let links = numbers.filter_map(|number| self.links.get(number - 1));
        links.flat_map(|link| &link.parts).map(|part| (part.point, part.clause)).collect()
    }
}

/// Compares the same runs under several analyses. Each call graph is built once, whatever the number of its filters;
/// links and numbers are those of `found`'s search. Filters are asked about the links that runs went through and no
/// others: all links of a large program would take them long.
pub fn compare_under(
    source: &dyn ClassSource,
    request: &SearchRequest,
    recording: &Recording,
    analyses: &[Analysis],
    stage: &mut dyn FnMut(Stage),
    found: &mut dyn FnMut(Analysis, &mut LinkSearch<'_>, Comparison),
) -> Result<(), SearchError> {
    let mut graphs = Vec::new();
    for analysis in analyses {
        if !graphs.contains(&analysis.call_graph()) {
            graphs.push(analysis.call_graph());
        }
    }
    for graph in graphs {
        let of_graph = analyses.iter().filter(|analysis| analysis.call_graph() == graph);
        let of_graph: Vec<Analysis> = of_graph.copied().collect();
        // With a filter the objects are kept, which all of them need.
        let Some(first) = of_graph.iter().find(|it| it.filter().is_some()).or(of_graph.first()) else {
            continue;
        };
        let reflective_targets =
            [request.reflective_targets.clone(), recording.reflective_targets()].concat();
        let request = SearchRequest { analysis: *first, reflective_targets, ..request.clone() };
        let mut search = search_unfiltered(&|| None::<JdkBase<'_>>, source, &request, stage)?;
        let asked = search.went_through(recording);
        for analysis in of_graph {
            match analysis.filter() {
                Some(filter) => search.narrow_among(filter, &asked),
                None if search.filter().is_some() => search.narrow(None),
                None => {}
            }
            let comparison = search.compare(recording);
            found(analysis, &mut search, comparison);
        }
    }
    Ok(())
}

impl Comparing<'_, '_> {
    fn run(&mut self) -> Comparison {
        let mut links: BTreeMap<(Clause, Point), RecordedLink> = BTreeMap::new();
        let mut set_aside = BTreeMap::new();
        for (index, caught) in self.recording.caught.iter().enumerate() {
            match self.taken(index, caught) {
                Ok(taken) => self.add(&mut links, caught, taken),
                Err(why) => *set_aside.entry(why).or_default() += 1,
            }
        }
        let mut links: Vec<_> = links.into_iter().collect();
        links.sort_by(|(key, one), (other_key, other)| {
            let clauses = one.to.pair.class.cmp(&other.to.pair.class).then(key.0.cmp(&other_key.0));
            clauses.then_with(|| one.from.cmp(&other.from)).then(key.1.cmp(&other_key.1))
        });
        Comparison { links: links.into_iter().map(|(_, link)| link).collect(), set_aside }
    }

    fn add(
        &mut self,
        links: &mut BTreeMap<(Clause, Point), RecordedLink>,
        caught: &RecordedCatch,
        taken: Taken,
    ) {
        match links.entry((taken.clause, taken.point)) {
            Entry::Occupied(known) => {
                let exceptions = &mut known.into_mut().exceptions;
                if let Err(at) = exceptions.binary_search(&caught.exception) {
                    exceptions.insert(at, caught.exception.clone());
                }
            }
            Entry::Vacant(new) => {
                // A clause that its class does not have is nothing to compare.
                if let Some(link) = self.link(caught, &taken) {
                    new.insert(link);
                }
            }
        }
    }

    fn link(&mut self, caught: &RecordedCatch, taken: &Taken) -> Option<RecordedLink> {
        let world = &self.search.reached.world;
        let class = taken.clause.class;
        let position = taken.clause.pair;
        let handlers = self.resolver.class_handlers(world, class);
        let reached = |class, selector: &[u8]| {
            let mut methods = world.class_of(class).methods();
            methods.any(|it| {
                world.selector_name(world.method(it).selector) == selector && self.instances.contains_key(&it)
            })
        };
        let handlers = handlers.filter(|handlers| position < handlers.pairs.pairs.len())?;
        let to = linked_pair(world, class, &handlers.pairs, position, reached);
        Some(RecordedLink {
            from: self.describe_point(taken),
            to,
            exceptions: vec![caught.exception.clone()],
            found: taken.number.ok_or_else(|| self.why(caught, &taken.frames, &taken.raising, taken.clause)),
        })
    }

    /// The link of a record, or why the record is set aside.
    fn taken(&mut self, index: usize, caught: &RecordedCatch) -> Result<Taken, SetAside> {
        let clause = self.clause(caught)?;
        let journey = journey(&mut self.resolver, &mut self.search.reached.world, self.recording, index);
        let frames = journey.frames;
        // The operation that raised, or what wrapped it, may be among those that are missing.
        if !journey.is_whole {
            return Err(SetAside::FramesLeftOut);
        }
        if self.is_wrapped(caught, &frames) {
            return Err(SetAside::Wrapped);
        }
        let mut finder = Finder {
            resolver: &mut self.resolver,
            world: &mut self.search.reached.world,
            recording: self.recording,
            options: &self.search.flow_options,
            exception: &caught.exception,
            frames: &frames,
        };
        let raising = finder.find();
        let number = self.number(&raising.by, clause);
        let point = number.map_or_else(|| point(&raising, &frames), |(point, _)| Point::RaisingPoint(point));
        let point = self.of_entry(point);
        if journey.is_cut
            && !matches!(point, Point::RaisingPoint(RaisingPoint { kind: RaisingKind::Operation(_), .. }))
        {
            return Err(SetAside::NoOrigin);
        }
        if number.is_none() {
            self.require_asked(point)?;
        }
        Ok(Taken { point, clause, raising, number: number.map(|(_, number)| number), frames })
    }

    /// The JVM foretells from the stack where an exception is caught. But what leaves an initialiser and is no error,
    /// or the target of a reflective call, is wrapped in another before it comes there.
    fn is_wrapped(&mut self, caught: &RecordedCatch, frames: &[RecordedFrame]) -> bool {
        const INVOKERS: [&str; 2] = ["invoke0", "newInstance0"];
        const PACKAGES: [&str; 2] = ["jdk.internal.reflect.", "sun.reflect."];
        let inner = frames.split_last().map(|(_, inner)| inner).unwrap_or_default();
        // What raises the wrapper is the first of them.
        let passed = inner.iter().filter_map(|frame| self.recording.methods.get(frame.method));
        let is_invoker = |it: &super::RecordedMethod| {
            INVOKERS.contains(&it.method.as_str())
                && PACKAGES.iter().any(|package| it.class.starts_with(package))
        };
        if passed.clone().skip(1).any(is_invoker) {
            return true;
        }
        let is_initialiser = passed.into_iter().any(|it| it.method == "<clinit>");
        let world = &mut self.search.reached.world;
        let (error, exception) =
            (world.class(b"java/lang/Error"), world.class(&super::internal_name(&caught.exception)));
        is_initialiser && !world.is_subtype(exception, error)
    }

    /// The clause that caught, if it is one that is asked about.
    fn clause(&mut self, caught: &RecordedCatch) -> Result<Clause, SetAside> {
        let frame = *caught.frames.last().ok_or(SetAside::OtherClasses)?;
        let method = match self.resolved(frame) {
            Resolved::Method(method) => method,
            Resolved::Generated(_) | Resolved::NoClass => return Err(SetAside::OtherClause),
            Resolved::NoMethod => return Err(SetAside::OtherClasses),
        };
        let world = &self.search.reached.world;
        let class = world.method(method).class;
        let is_asked =
            self.search.handlers == ClauseScope::All || world.class_of(class).layer == Layer::Application;
        if !is_asked {
            return Err(SetAside::OtherClause);
        }
        // Nothing inside an operation is looked at.
        if self.search.flow_options.operations.contains_key(&method) {
            return Err(SetAside::OtherClause);
        }
        let pair = self.resolver.pair_at(world, method, caught.handler_pc);
        let handlers = self.resolver.handlers_of(world, method);
        let is_handler = handlers.rows().iter().any(|row| row.handler == caught.handler_pc);
        match pair {
            Some(pair) => Ok(Clause { class, pair }),
            None if is_handler => Err(SetAside::CompilerMade),
            None => Err(SetAside::OtherClasses),
        }
    }

    /// The same point for all methods of one catalogue entry.
    fn of_entry(&mut self, point: Point) -> Point {
        match point {
            Point::RaisingPoint(point @ RaisingPoint { kind: RaisingKind::Operation(entry), .. }) => {
                Point::RaisingPoint(*self.entries.entry(entry).or_insert(point))
            }
            _ => point,
        }
    }

    fn number(&self, raiser: &Raiser, clause: Clause) -> Option<(RaisingPoint, usize)> {
        let Raiser::Points(points) = raiser else { return None };
        points.iter().find_map(|point| Some((*point, *self.numbers.get(&(*point, clause))?)))
    }

    /// Only what the search was asked for can be found.
    fn require_asked(&self, point: Point) -> Result<(), SetAside> {
        let options = &self.search.flow_options;
        match point {
            Point::RaisingPoint(RaisingPoint { kind: RaisingKind::Operation(_), .. }) => Ok(()),
            Point::RaisingPoint(RaisingPoint {
                kind: RaisingKind::Implicit(_) | RaisingKind::Initialiser,
                ..
            })
            | Point::AnyTime(..) => {
                if options.implicit.is_empty() {
                    Err(SetAside::Implicit)
                } else {
                    Ok(())
                }
            }
            Point::RaisingPoint(RaisingPoint { kind: RaisingKind::Throw, .. })
            | Point::Native(..)
            | Point::Elsewhere(..) => {
                if options.throws {
                    Ok(())
                } else {
                    Err(SetAside::Throw)
                }
            }
        }
    }

    fn describe_point(&mut self, taken: &Taken) -> PointDescription {
        let frame = taken.frames[taken.raising.frame];
        let at = |by, site| PointDescription { by, site };
        match (taken.point, &taken.raising.by) {
            (Point::RaisingPoint(point), _) => {
                describe_point(&self.search.reached.world, &self.search.catalogue, point)
            }
            (_, Raiser::Native { native: Some(native), .. }) => {
                at(RaisedBy::Native, site_of(&self.search.reached.world, *native, None))
            }
            (Point::Native(..), _) => at(RaisedBy::Native, self.site(frame)),
            (Point::AnyTime(..), _) => at(RaisedBy::Implicit, self.site(frame)),
            (Point::Elsewhere(..), _) => at(RaisedBy::Throw, self.site(frame)),
        }
    }

    pub(super) fn resolved(&mut self, frame: RecordedFrame) -> Resolved {
        self.resolver.method(&mut self.search.reached.world, self.recording, frame.method)
    }

    pub(super) fn site(&mut self, frame: RecordedFrame) -> Site {
        let found = self.resolved(frame);
        let unknown =
            super::RecordedMethod { class: String::new(), method: String::new(), descriptor: String::new() };
        let method = self.recording.methods.get(frame.method).unwrap_or(&unknown);
        site_in(&self.search.reached.world, method, found, frame.pc)
    }
}

/// Numbers of links, by each of the methods that raise.
fn numbers_of(links: &[MergedLink]) -> FxHashMap<(RaisingPoint, Clause), usize> {
    let numbered =
        (1..).zip(links).flat_map(|(number, link)| link.parts.iter().map(move |part| (part, number)));
    numbered.map(|(part, number)| ((part.point, part.clause), number)).collect()
}

fn point(raising: &Raising, frames: &[RecordedFrame]) -> Point {
    let frame = frames[raising.frame];
    let elsewhere = Point::Elsewhere(frame.method, frame.pc);
    match &raising.by {
        Raiser::Points(points) => points.first().map_or(elsewhere, |point| Point::RaisingPoint(*point)),
        Raiser::Native { caller: Some((method, pc)), .. } => Point::Native(*method, *pc),
        Raiser::AnyTime(method, pc) => Point::AnyTime(*method, *pc),
        Raiser::Native { caller: None, .. } | Raiser::Elsewhere => elsewhere,
    }
}
