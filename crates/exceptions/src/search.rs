//! From classes and entry points to links: the analyses in their order, and the answer in names and lines.

use crate::analysis::{Analysis, DataFilter, JdkBase, implicit_kinds, reach};
use crate::answer::{
    BlindSite, CataloguedOperation, ClassProblem, FoundLink, LinkedPair, LinksAnswer, MemoryUse,
    PointDescription, Site,
};
use crate::catalogue::Catalogue;
use crate::catalogue::operations::{FaultProblem, FaultSelection, Match, match_operations};
use crate::describe::{common_class, describe_point, exception_type, site_of};
use crate::entry_points::{EntryError, EntryPoints, OwnClasses, entry_methods};
use crate::exception_flow::raising_points::{RaisingKind, RaisingPoint};
use crate::exception_flow::scope::Scope;
use crate::exception_flow::{ExceptionFlow, ExceptionFlowOptions, exception_flow};
use crate::link_id::{link_id, point_of};
use crate::links::{Clause, ClauseScope, Link, MergedLink, links, merge};
use crate::reachability::filter;
use catchment_classfile::ClassFile;
use catchment_pairs::{ClassPairs, pairs_of};
use catchment_pointsto::{Ceiling, Coarsened, Reached, ReflectiveTarget, Refusal};
use catchment_pointsto::{ClassId, InstanceId, MethodId};
use catchment_pointsto::{ClassSource, Typed, World};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A request for the links of a program.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    pub analysis: Analysis,
    pub entries: EntryPoints,
    pub own: OwnClasses,
    pub catalogue: Catalogue,
    pub faults: FaultSelection,
    /// Every `throw` raises.
    pub throws: bool,
    /// Implicit exceptions that the JVM raises at instructions: null, casts, indices, divisions, links.
    pub implicit: bool,
    pub handlers: ClauseScope,
    /// [`LinkSearch::escapes`] will be asked for.
    pub escapes: bool,
    /// The feature release of the JDK at hand, if known.
    pub release: Option<u32>,
    /// Targets of reflective calls that were seen in runs.
    pub reflective_targets: Vec<ReflectiveTarget>,
    /// The limit on memory, if it may not take all there is.
    pub ceiling: Option<Ceiling>,
}

/// The progress of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    CallGraph { entries: usize },
    Flow { methods: usize, calls: usize },
    Links { raised: usize },
    Filter { links: usize },
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SearchError {
    #[error(transparent)]
    Entry(#[from] EntryError),
}

/// A finished search, which can be asked for more.
#[derive(Debug)]
pub struct LinkSearch<'a> {
    pub(crate) reached: Reached<'a>,
    pub(crate) flow: ExceptionFlow,
    pub(crate) catalogue: Catalogue,
    pub(crate) flow_options: ExceptionFlowOptions,
    pub(crate) handlers: ClauseScope,
    analysis: Analysis,
    /// Links without a filter.
    pub(crate) unfiltered: Vec<Link>,
    /// By the number of the answer's links, which counts from 1.
    pub(crate) links: Vec<MergedLink>,
    own: OwnClasses,
    matches: Vec<Match>,
    fault_problems: Vec<FaultProblem>,
    missing_classes: Vec<String>,
    memory: Option<MemoryUse>,
}

/// A cache of analyses: results that earlier searches wrote.
pub trait AnalysisCache<'a> {
    /// The base: what the JVM itself reaches.
    fn base(&self) -> Option<JdkBase<'a>>;

    /// The bytes that [`Self::write_reached`] was given by a search with the same classes, entry points, analysis and
    /// recorded targets.
    fn reached(&self) -> Option<Vec<u8>> {
        None
    }

    /// Caches what the program reaches, for such a search; nothing if that has no bytes.
    fn write_reached(&self, _reached: impl FnOnce() -> Option<Vec<u8>>) {}
}

impl<'a, F: Fn() -> Option<JdkBase<'a>>> AnalysisCache<'a> for F {
    fn base(&self) -> Option<JdkBase<'a>> {
        self()
    }
}

/// Finds the links of a program.
pub fn search<'a>(
    source: &'a dyn ClassSource,
    request: &SearchRequest,
    stage: &mut dyn FnMut(Stage),
) -> Result<LinkSearch<'a>, SearchError> {
    search_from(&|| None::<JdkBase<'a>>, source, request, stage)
}

/// Like [`search`], going on from a cache, which is asked once the entry points are known.
pub fn search_from<'a>(
    cache: &impl AnalysisCache<'a>,
    source: &'a dyn ClassSource,
    request: &SearchRequest,
    stage: &mut dyn FnMut(Stage),
) -> Result<LinkSearch<'a>, SearchError> {
    begin(source, request, stage)?;
    let analysis = request.analysis;
    // Filters ask for the objects, which are not cached.
    let cached = || Reached::read(&cache.reached()?, source);
    let (reached, coarsened) = match analysis.filter().map_or_else(cached, |_| None) {
        Some(reached) => (reached, Coarsened::default()),
        None => {
            let (reached, coarsened) = reach_from(cache.base(), source, request);
            if coarsened == Coarsened::default() {
                cache.write_reached(|| reached.to_bytes());
            }
            (reached, coarsened)
        }
    };
    let used = if coarsened.by_classes { Analysis::BY_CLASSES } else { analysis };
    let mut search = find_links(reached, source, request, used, stage);
    search.narrow_in_stage(used.filter(), stage);
    let memory = request.ceiling.map(|ceiling| MemoryUse {
        ceiling: ceiling.bytes,
        asked: analysis,
        coarsened,
        is_exceeded: ceiling.is_exceeded(),
    });
    search.memory = memory.filter(|it| it.is_exceeded || it.coarsened != Coarsened::default());
    Ok(search)
}

/// A program that cannot go on from a base is looked at anew, as it is where memory is short: coarse packages may be
/// among those of the base.
fn reach_from<'a>(
    base: Option<JdkBase<'a>>,
    source: &'a dyn ClassSource,
    request: &SearchRequest,
) -> (Reached<'a>, Coarsened) {
    let implicit = implicit_kinds(request.implicit);
    let SearchRequest { analysis, ceiling, reflective_targets, .. } = request;
    let reached = base.and_then(|base| {
        base.into_reached(source, *analysis, implicit, *ceiling, reflective_targets, find_entries(request))
    });
    let anew = |too_large| {
        reach(source, *analysis, implicit, *ceiling, too_large, reflective_targets, find_entries(request))
    };
    match reached {
        Some(Ok(reached)) => (reached, Coarsened::default()),
        Some(Err(Refusal::TooLarge(packages))) => anew(packages),
        Some(Err(_)) | None => anew(Vec::new()),
    }
}

/// Like [`search_from`], with the links that there are without the filter, for whoever narrows them later.
pub fn search_unfiltered<'a>(
    cache: &impl AnalysisCache<'a>,
    source: &'a dyn ClassSource,
    request: &SearchRequest,
    stage: &mut dyn FnMut(Stage),
) -> Result<LinkSearch<'a>, SearchError> {
    begin(source, request, stage)?;
    let (reached, _) = reach_from(cache.base(), source, request);
    let mut search = find_links(reached, source, request, request.analysis, stage);
    search.narrow(None);
    Ok(search)
}

/// Looks for the entry points before anything costs time.
fn begin(
    source: &dyn ClassSource,
    request: &SearchRequest,
    stage: &mut dyn FnMut(Stage),
) -> Result<(), SearchError> {
    let SearchRequest { entries, own, release, .. } = request;
    let entries = entry_methods(&mut World::new(source), entries, own, *release)?;
    stage(Stage::CallGraph { entries: entries.len() });
    Ok(())
}

/// The entry points once more, among the classes of the analysis.
fn find_entries<'r, 'w>(
    request: &'r SearchRequest,
) -> impl Fn(&mut World<'w>) -> Vec<MethodId> + use<'r, 'w> {
    let SearchRequest { entries, own, release, .. } = request;
    move |world| entry_methods(world, entries, own, *release).unwrap_or_default()
}

/// `analysis` is the one that was used. There is nothing in `links` yet.
fn find_links<'a>(
    mut reached: Reached<'a>,
    source: &dyn ClassSource,
    request: &SearchRequest,
    analysis: Analysis,
    stage: &mut dyn FnMut(Stage),
) -> LinkSearch<'a> {
    let implicit = implicit_kinds(request.implicit);
    let stats = reached.stats;
    stage(Stage::Flow { methods: stats.reachable_methods, calls: stats.call_edges });
    let matched = match_operations(&mut reached, &request.catalogue, &request.faults, request.release);
    let flow_options = ExceptionFlowOptions { throws: request.throws, operations: matched.throws, implicit };
    let scope = match (request.escapes, request.handlers) {
        (false, ClauseScope::Application) => Scope::ApplicationClauses,
        _ => Scope::Everything,
    };
    let flow = exception_flow(&mut reached, &flow_options, scope);
    stage(Stage::Links { raised: flow.raised.all().len() });
    let unfiltered = links(&reached, &flow, request.handlers);
    LinkSearch {
        reached,
        flow,
        catalogue: request.catalogue.clone(),
        flow_options,
        handlers: request.handlers,
        analysis,
        unfiltered,
        links: Vec::new(),
        own: request.own.clone(),
        matches: matched.matches,
        fault_problems: matched.problems,
        missing_classes: missing_classes(source, &request.own),
        memory: None,
    }
}

impl LinkSearch<'_> {
    /// Forgets links from other raising points: filters need not ask about them. Those that are left have other numbers
    /// then.
    pub fn keep_from(&mut self, is_wanted: impl Fn(&PointDescription) -> bool) {
        let (world, catalogue) = (&self.reached.world, &self.catalogue);
        let mut known: FxHashMap<RaisingPoint, bool> = FxHashMap::default();
        let mut is_kept = |link: &Link| {
            let wanted = || is_wanted(&describe_point(world, catalogue, link.point));
            *known.entry(link.point).or_insert_with(wanted)
        };
        self.unfiltered.retain(&mut is_kept);
        self.links.retain(|link| is_kept(&link.parts[0]));
    }

    /// The number of links.
    pub fn count(&self) -> usize {
        self.links.len()
    }

    /// The filter whose links it has.
    pub(crate) fn filter(&self) -> Option<DataFilter> {
        self.analysis.filter()
    }

    fn narrow_in_stage(&mut self, by: Option<DataFilter>, stage: &mut dyn FnMut(Stage)) {
        if by.is_some() {
            stage(Stage::Filter { links: self.unfiltered.len() });
        }
        self.narrow(by);
    }

    /// Has the links that this filter leaves, or all of them. There is no filter unless the objects are there, as they
    /// are after a search with any filter.
    pub fn narrow(&mut self, by: Option<DataFilter>) {
        let links = self.unfiltered.clone();
        self.narrow_to(by, links);
    }

    /// Like [`Self::narrow`], of some links only: what is not asked about is left out.
    pub(crate) fn narrow_among(&mut self, by: DataFilter, asked: &FxHashSet<(RaisingPoint, Clause)>) {
        let links = self.unfiltered.iter().filter(|link| asked.contains(&(link.point, link.clause)));
        self.narrow_to(Some(by), links.cloned().collect());
    }

    fn narrow_to(&mut self, by: Option<DataFilter>, links: Vec<Link>) {
        let by = by.filter(|_| self.reached.heap.is_some());
        self.analysis = self.analysis.with(by);
        self.links = merge(match by {
            Some(by) => filter(links, &mut self.reached, &self.flow, by),
            None => links,
        });
        self.sort_links();
    }

    /// The methods that can be reached, as class files name them, sorted: `java/lang/Object.wait:(JI)V`.
    pub fn methods(&self) -> Vec<String> {
        let world = &self.reached.world;
        let methods = (0..self.reached.instances.len())
            .filter_map(|index| self.reached.method_of(InstanceId::new(index)));
        let named = methods.map(|method| {
            let class = &world.class_of(world.method(method).class).name;
            let parts =
                [&**class, world.name_of(method), world.descriptor_of(method)].map(String::from_utf8_lossy);
            format!("{}.{}:{}", parts[0], parts[1], parts[2])
        });
        named.collect::<BTreeSet<_>>().into_iter().collect()
    }

    pub fn answer(&mut self) -> LinksAnswer {
        let (pairs, places) = self.pairs();
        let (points, numbers) = self.described_points();
        let world = &self.reached.world;
        let mut point_ids: FxHashMap<RaisingPoint, u64> = FxHashMap::default();
        let links = (1..).zip(&self.links).filter_map(|(number, link)| {
            let (point, types) = (link.point(), link.types());
            let mut exceptions: Vec<_> = types.iter().map(|typed| exception_type(world, *typed)).collect();
            exceptions.sort_unstable();
            let exception = common_class(world, &types).map(|class| world.class_of(class).binary_name());
            let to = *places.get(&link.clause)?;
            let point_id = point_ids.entry(point).or_insert_with(|| point_of(world, &self.catalogue, point));
            Some(FoundLink {
                id: link_id(*point_id, &pairs[to].pair.id),
                number,
                from: *numbers.get(&PointKey::of(point))?,
                to,
                exceptions,
                exception: exception.unwrap_or_default(),
                is_seen: false,
                sites: Vec::new(),
            })
        });
        let links = links.collect();
        LinksAnswer {
            analysis: self.analysis,
            entries: self.entries(),
            links,
            sites: Vec::new(),
            pairs,
            point_exceptions: self.point_exceptions(points.len(), &numbers),
            points,
            catalogue: self.catalogued(),
            blind_spots: self.blind_spots(),
            problems: self.problems(),
            fault_problems: self.fault_problems.clone(),
            missing_classes: self.missing_classes.clone(),
            stats: self.reached.stats,
            memory: self.memory.clone(),
            comparison: None,
        }
    }

    /// By names and lines, so that numbers do not depend on the order in which classes were met.
    fn sort_links(&mut self) {
        let (world, catalogue) = (&self.reached.world, &self.catalogue);
        let mut keys: FxHashMap<RaisingPoint, PointDescription> = FxHashMap::default();
        for point in self.links.iter().flat_map(|link| &link.parts).map(|part| part.point) {
            keys.entry(point).or_insert_with(|| describe_point(world, catalogue, point));
        }
        for link in &mut self.links {
            link.parts.sort_by(|one, other| keys[&one.point].cmp(&keys[&other.point]));
        }
        let class_name = |class: ClassId| &world.class_of(class).name;
        self.links.sort_by(|one, other| {
            let clauses = class_name(one.clause.class).cmp(class_name(other.clause.class));
            let clauses = clauses.then(one.clause.cmp(&other.clause));
            clauses.then_with(|| keys[&one.point()].cmp(&keys[&other.point()]))
        });
    }

    /// The clauses of the application's classes and those of other classes that have links.
    fn pairs(&mut self) -> (Vec<LinkedPair>, FxHashMap<Clause, usize>) {
        let mut classes: Vec<ClassId> =
            self.own.application.iter().map(|name| self.reached.world.class(name)).collect();
        classes.extend(self.links.iter().map(|link| link.clause.class));
        let world = &self.reached.world;
        classes.sort_by_key(|class| &world.class_of(*class).name);
        classes.dedup();
        let reached = self.reached_methods();
        let is_reached = |class: ClassId, selector: &[u8]| reached.contains(&(class, selector.to_vec()));
        let (mut pairs, mut places) = (Vec::new(), FxHashMap::default());
        for class in classes {
            let Some(file) = world.class_of(class).file() else { continue };
            let found = pairs_of(file);
            for position in 0..found.pairs.len() {
                places.insert(Clause { class, pair: position }, pairs.len());
                pairs.push(linked_pair(world, class, &found, position, is_reached));
            }
        }
        (pairs, places)
    }

    fn reached_methods(&self) -> FxHashSet<(ClassId, Vec<u8>)> {
        let world = &self.reached.world;
        let methods = (0..self.reached.instances.len() as u32).map(catchment_pointsto::InstanceId);
        let methods = methods.filter_map(|instance| self.reached.method_of(instance));
        let own = methods.map(|method| world.method(method));
        own.map(|method| (method.class, world.selector_name(method.selector).to_vec())).collect()
    }

    fn described_points(&self) -> (Vec<PointDescription>, FxHashMap<PointKey, usize>) {
        let world = &self.reached.world;
        let mut described: FxHashMap<RaisingPoint, PointDescription> = FxHashMap::default();
        for point in self.links.iter().flat_map(|link| &link.parts).map(|part| part.point) {
            described.entry(point).or_insert_with(|| describe_point(world, &self.catalogue, point));
        }
        let mut found: Vec<(PointDescription, PointKey)> =
            described.into_iter().map(|(point, description)| (description, PointKey::of(point))).collect();
        found.sort_unstable();
        let mut known = FxHashSet::default();
        found.retain(|(_, key)| known.insert(*key));
        let numbers = found.iter().enumerate().map(|(index, (_, key))| (*key, index)).collect();
        (found.into_iter().map(|(description, _)| description).collect(), numbers)
    }

    /// By raising point: the nearest class that all exceptions of its links are.
    fn point_exceptions(&self, points: usize, numbers: &FxHashMap<PointKey, usize>) -> Vec<String> {
        let world = &self.reached.world;
        let mut types: Vec<Vec<Typed>> = vec![Vec::new(); points];
        for link in &self.links {
            if let Some(number) = numbers.get(&PointKey::of(link.point())) {
                types[*number].extend(link.types());
            }
        }
        let nearest = types.iter_mut().map(|types| {
            types.sort_unstable();
            types.dedup();
            common_class(world, types).map(|class| world.class_of(class).binary_name()).unwrap_or_default()
        });
        nearest.collect()
    }

    fn entries(&self) -> Vec<Site> {
        let methods = self.reached.entries.iter().filter_map(|instance| self.reached.method_of(*instance));
        let mut methods: Vec<MethodId> = methods.collect();
        methods.sort_unstable();
        methods.dedup();
        methods.into_iter().map(|method| site_of(&self.reached.world, method, None)).collect()
    }

    fn catalogued(&self) -> Vec<CataloguedOperation> {
        let operations = self.catalogue.operations().iter().zip(&self.matches);
        let operations = operations
            .map(|(operation, found)| CataloguedOperation { operation: operation.clone(), found: *found });
        operations.collect()
    }

    fn blind_spots(&self) -> Vec<BlindSite> {
        let world = &self.reached.world;
        let places = self
            .reached
            .blind_spots
            .iter()
            .map(|blind| BlindSite { spot: blind.spot, site: site_of(world, blind.method, Some(blind.pc)) });
        let mut places: Vec<_> = places.collect();
        places.sort_unstable();
        places
    }

    fn problems(&self) -> Vec<ClassProblem> {
        let world = &self.reached.world;
        let problems = world.problems().iter().map(|(class, what)| ClassProblem {
            class: world.class_of(*class).binary_name(),
            what: what.clone(),
        });
        let mut problems: Vec<_> = problems.collect();
        problems.sort_unstable();
        problems
    }
}

/// A raising point as it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum PointKey {
    /// All methods of a catalogue entry.
    Entry(u32),
    At(RaisingPoint),
}

impl PointKey {
    fn of(point: RaisingPoint) -> Self {
        match point.kind {
            RaisingKind::Operation(entry) => Self::Entry(entry),
            _ => Self::At(point),
        }
    }
}

/// A clause for people; `is_reached` tells whether a class's method, by name and descriptor, is reached.
pub(crate) fn linked_pair(
    world: &World<'_>,
    class: ClassId,
    found: &ClassPairs,
    position: usize,
    is_reached: impl Fn(ClassId, &[u8]) -> bool,
) -> LinkedPair {
    let pair = found.describe(position).unwrap_or_default();
    let selector = format!("{}{}", pair.method, pair.descriptor).into_bytes();
    LinkedPair { layer: world.class_of(class).layer, is_reached: is_reached(class, &selector), pair }
}

/// The tag of a class in a constant pool (JVMS §4.4).
const CLASS: u8 = 7;

/// Classes that the program's own code names and that are nowhere, as sorted binary names. Types that only signatures
/// mention need not be there for the code to run.
fn missing_classes(source: &dyn ClassSource, own: &OwnClasses) -> Vec<String> {
    let mut seen: BTreeSet<Vec<u8>> = BTreeSet::new();
    for name in own.application.iter().chain(&own.tests) {
        let file = source.find(name).and_then(|(bytes, _)| ClassFile::parse(bytes).ok());
        if let Some(file) = file {
            seen.extend(classes_named_by(&file));
        }
    }
    seen.retain(|name| source.find(name).is_none());
    seen.iter().map(|name| String::from_utf8_lossy(name).replace('/', ".")).collect()
}

fn classes_named_by(file: &ClassFile<'_>) -> Vec<Vec<u8>> {
    let indices = (1..u16::MAX).take(file.pool.count());
    let classes = indices.filter(|index| file.pool.tag(*index) == Some(CLASS));
    let names = classes.filter_map(|index| file.pool.class_name(index).ok());
    names.filter_map(|name| class_in(name.as_bytes()).map(<[u8]>::to_vec)).collect()
}

/// `a/B` of `a/B` and of `[[La/B;`; none of an array of numbers.
fn class_in(name: &[u8]) -> Option<&[u8]> {
    let element = name.iter().position(|byte| *byte != b'[')?;
    match &name[element..] {
        whole if element == 0 => Some(whole),
        [b'L', class @ .., b';'] => Some(class),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_speak_of_their_elements() {
        assert_eq!(class_in(b"a/B"), Some(&b"a/B"[..]));
        assert_eq!(class_in(b"[[La/B;"), Some(&b"a/B"[..]));
        assert_eq!(class_in(b"[I"), None);
        assert_eq!(class_in(b"Lens"), Some(&b"Lens"[..]));
    }
}
