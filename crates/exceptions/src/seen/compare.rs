//! Links of runs (E) beside the links that a search has found (F).

use super::journey::journey;
use super::raising::{Finder, Raiser, Raising};
use super::resolved::{Resolved, Resolver, place_in};
use super::walk::{Instances, instances_of};
use super::{Seen, SeenCatch, SeenFrame};
use crate::analysis::Analysis;
use crate::answer::{Place, RaisePoint, RaisedBy};
use crate::describe::{place_of, raise_point};
use crate::experienced::{Experienced, ExperiencedLink, SetAside};
use crate::links::{Clause, Handlers, Link};
use crate::raises::{Raise, RaiseKind};
use crate::search::{LinkSearch, SearchError, SearchRequest, Stage, linked_pair, search_unfiltered};
use catchment_pointsto::BlindSpot;
use catchment_pointsto::ids::MethodId;
use catchment_pointsto::world::{ClassSource, Layer};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// What tells raising points of runs apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Point {
    Raise(Raise),
    /// Where native code was called, or where the JVM raised.
    Native(MethodId, u16),
    AnyTime(MethodId, u16),
    /// Index of a recorded method, and the place in it.
    Elsewhere(usize, Option<u16>),
}

/// A link of runs, as far as one record tells.
struct Taken {
    point: Point,
    clause: Clause,
    frames: Vec<SeenFrame>,
    raising: Raising,
    number: Option<usize>,
}

pub(super) struct Comparing<'s, 'a> {
    pub(super) search: &'s mut LinkSearch<'a>,
    pub(super) seen: &'s Seen,
    pub(super) resolver: Resolver,
    pub(super) instances: Instances,
    pub(super) blind: FxHashMap<(MethodId, u16), BlindSpot>,
    /// What there is without a filter.
    pub(super) unfiltered: FxHashSet<(Raise, Clause)>,
    /// Numbers of the links that there are.
    numbers: FxHashMap<(Raise, Clause), usize>,
}

impl LinkSearch<'_> {
    /// The links that runs have gone through, each with the link that was found or the reason why there is none.
    pub fn experienced(&mut self, seen: &Seen) -> Experienced {
        let key = |link: &Link| (link.raise, link.clause);
        let blind = self.reached.blind_spots.iter().map(|blind| ((blind.method, blind.pc), blind.spot));
        let mut comparing = Comparing {
            seen,
            resolver: Resolver::default(),
            instances: instances_of(&self.reached),
            blind: blind.collect(),
            unfiltered: self.unfiltered.iter().map(key).collect(),
            numbers: (1..).zip(&self.links).map(|(number, link)| (key(link), number)).collect(),
            search: self,
        };
        comparing.run()
    }

    /// Those of its links that runs have gone through.
    fn went_through(&mut self, seen: &Seen) -> FxHashSet<(Raise, Clause)> {
        let numbers = self.experienced(seen).links.into_iter().filter_map(|link| link.found.ok());
        let links = numbers.filter_map(|number| self.links.get(number - 1));
        links.map(|link| (link.raise, link.clause)).collect()
    }
}

/// Compares the same runs under several analyses. Each call graph is built once, whatever the number of its filters; links and
/// numbers are those of `found`'s search. Filters are asked about the links that runs went through and no others: all links of a
/// large program would take them long.
pub fn experienced_under(
    source: &dyn ClassSource,
    request: &SearchRequest,
    seen: &Seen,
    analyses: &[Analysis],
    stage: &mut dyn FnMut(Stage),
    found: &mut dyn FnMut(Analysis, &mut LinkSearch<'_>, Experienced),
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
        let recorded = [request.recorded.clone(), seen.recorded()].concat();
        let request = SearchRequest { analysis: *first, recorded, ..request.clone() };
        let mut search = search_unfiltered(source, &request, stage)?;
        let asked = search.went_through(seen);
        for analysis in of_graph {
            match analysis.filter() {
                Some(filter) => search.narrow_among(filter, &asked),
                None if search.filter().is_some() => search.narrow(None),
                None => {}
            }
            let experienced = search.experienced(seen);
            found(analysis, &mut search, experienced);
        }
    }
    Ok(())
}

impl Comparing<'_, '_> {
    fn run(&mut self) -> Experienced {
        let mut links: BTreeMap<(Clause, Point), ExperiencedLink> = BTreeMap::new();
        let mut set_aside = BTreeMap::new();
        for (index, caught) in self.seen.caught.iter().enumerate() {
            match self.taken(index, caught) {
                Ok(taken) => self.add(&mut links, caught, taken),
                Err(why) => *set_aside.entry(why).or_default() += 1,
            }
        }
        let mut links: Vec<_> = links.into_iter().collect();
        links.sort_by(|(key, one), (other_key, other)| {
            let clauses = one.to.class.cmp(&other.to.class).then(key.0.cmp(&other_key.0));
            clauses.then_with(|| one.from.cmp(&other.from)).then(key.1.cmp(&other_key.1))
        });
        Experienced { links: links.into_iter().map(|(_, link)| link).collect(), set_aside }
    }

    fn add(
        &mut self,
        links: &mut BTreeMap<(Clause, Point), ExperiencedLink>,
        caught: &SeenCatch,
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
                new.insert(self.link(caught, &taken));
            }
        }
    }

    fn link(&mut self, caught: &SeenCatch, taken: &Taken) -> ExperiencedLink {
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
        let to = handlers.map(|it| linked_pair(world, class, &it.pairs, position, reached));
        ExperiencedLink {
            from: self.raise_point(taken),
            to: to.expect("the clause is one of the class's pairs"),
            exceptions: vec![caught.exception.clone()],
            found: taken.number.ok_or_else(|| self.why(caught, &taken.frames, &taken.raising, taken.clause)),
        }
    }

    /// What a record says, or why it is not compared.
    fn taken(&mut self, index: usize, caught: &SeenCatch) -> Result<Taken, SetAside> {
        let clause = self.clause(caught)?;
        let journey = journey(&mut self.resolver, &mut self.search.reached.world, self.seen, index);
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
            seen: self.seen,
            raises: &self.search.raises,
            exception: &caught.exception,
            frames: &frames,
        };
        let raising = finder.find();
        let number = self.number(&raising.by, clause);
        let point = number.map_or_else(|| point(&raising, &frames), |(raise, _)| Point::Raise(raise));
        if journey.is_cut && !matches!(point, Point::Raise(Raise { kind: RaiseKind::Operation(_), .. })) {
            return Err(SetAside::NoOrigin);
        }
        if number.is_none() {
            self.require_asked(point)?;
        }
        Ok(Taken { point, clause, raising, number: number.map(|(_, number)| number), frames })
    }

    /// Where an exception is caught, the JVM foretells from the stack. But what leaves an initialiser and is no error, or the target
    /// of a reflective call, is wrapped in another before it comes there.
    fn is_wrapped(&mut self, caught: &SeenCatch, frames: &[SeenFrame]) -> bool {
        const INVOKERS: [&str; 2] = ["invoke0", "newInstance0"];
        const PACKAGES: [&str; 2] = ["jdk.internal.reflect.", "sun.reflect."];
        let inner = frames.split_last().map(|(_, inner)| inner).unwrap_or_default();
        // What raises the wrapper is the first of them.
        let passed = inner.iter().filter_map(|frame| self.seen.methods.get(frame.method));
        let is_invoker = |it: &super::SeenMethod| {
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
    fn clause(&mut self, caught: &SeenCatch) -> Result<Clause, SetAside> {
        let frame = *caught.frames.last().ok_or(SetAside::OtherClasses)?;
        let method = match self.resolved(frame) {
            Resolved::Method(method) => method,
            Resolved::Generated(_) | Resolved::NoClass => return Err(SetAside::OtherClause),
            Resolved::NoMethod => return Err(SetAside::OtherClasses),
        };
        let world = &self.search.reached.world;
        let class = world.method(method).class;
        let is_asked =
            self.search.handlers == Handlers::All || world.class_of(class).layer == Layer::Application;
        if !is_asked {
            return Err(SetAside::OtherClause);
        }
        // Nothing inside an operation is looked at.
        if self.search.raises.operations.contains_key(&method) {
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

    fn number(&self, raiser: &Raiser, clause: Clause) -> Option<(Raise, usize)> {
        let Raiser::Points(points) = raiser else { return None };
        points.iter().find_map(|raise| Some((*raise, *self.numbers.get(&(*raise, clause))?)))
    }

    /// Only what the search was asked for can be found.
    fn require_asked(&self, point: Point) -> Result<(), SetAside> {
        let raises = &self.search.raises;
        match point {
            Point::Raise(Raise { kind: RaiseKind::Operation(_), .. }) => Ok(()),
            Point::Raise(Raise { kind: RaiseKind::Implicit(_) | RaiseKind::Initialiser, .. })
            | Point::AnyTime(..) => {
                if raises.implicit.is_empty() {
                    Err(SetAside::Implicit)
                } else {
                    Ok(())
                }
            }
            Point::Raise(Raise { kind: RaiseKind::Throw, .. }) | Point::Native(..) | Point::Elsewhere(..) => {
                if raises.throws {
                    Ok(())
                } else {
                    Err(SetAside::Throw)
                }
            }
        }
    }

    fn raise_point(&mut self, taken: &Taken) -> RaisePoint {
        let frame = taken.frames[taken.raising.frame];
        let by_place = |by, place| RaisePoint { by, place };
        match (taken.point, &taken.raising.by) {
            (Point::Raise(raise), _) => {
                raise_point(&self.search.reached.world, &self.search.catalogue, raise)
            }
            (_, Raiser::Native { native: Some(native), .. }) => {
                by_place(RaisedBy::Native, place_of(&self.search.reached.world, *native, None))
            }
            (Point::Native(..), _) => by_place(RaisedBy::Native, self.place(frame)),
            (Point::AnyTime(..), _) => by_place(RaisedBy::Implicit, self.place(frame)),
            (Point::Elsewhere(..), _) => by_place(RaisedBy::Throw, self.place(frame)),
        }
    }

    pub(super) fn resolved(&mut self, frame: SeenFrame) -> Resolved {
        self.resolver.method(&mut self.search.reached.world, self.seen, frame.method)
    }

    pub(super) fn place(&mut self, frame: SeenFrame) -> Place {
        let found = self.resolved(frame);
        let unknown =
            super::SeenMethod { class: String::new(), method: String::new(), descriptor: String::new() };
        let method = self.seen.methods.get(frame.method).unwrap_or(&unknown);
        place_in(&self.search.reached.world, method, found, frame.pc)
    }
}

fn point(raising: &Raising, frames: &[SeenFrame]) -> Point {
    let frame = frames[raising.frame];
    let elsewhere = Point::Elsewhere(frame.method, frame.pc);
    match &raising.by {
        Raiser::Points(points) => points.first().map_or(elsewhere, |raise| Point::Raise(*raise)),
        Raiser::Native { caller: Some((method, pc)), .. } => Point::Native(*method, *pc),
        Raiser::AnyTime(method, pc) => Point::AnyTime(*method, *pc),
        Raiser::Native { caller: None, .. } | Raiser::Elsewhere => elsewhere,
    }
}
