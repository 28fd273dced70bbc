//! A solved analysis, written and read.

use super::{Known, Solver};
use crate::cache_format::{Cached, Reader, Writer};
use crate::ceiling::Coarse;
use crate::models::Models;
use crate::solver::outside::FromOutside;
use crate::world::{ClassSource, World};
use catchment_ir::Translator;

impl<'a> Solver<'a> {
    /// Nothing may be left to do. What is not written is found again, or is empty by then.
    pub(crate) fn write(&self, to: &mut Writer) {
        let Self { world, graph, objects, instances, by_method, sites, call_kinds, entries, throws, .. } =
            self;
        let Self { uses, waiters, unread: _, translator: _, statics, parts, initialisers, problems, .. } =
            self;
        let Self { known: _, models: _, contexts, blind_spots, implicit_kinds, implicit, .. } = self;
        let Self { reflections, at_fixed_point, threads, coarse: _, .. } = self;
        world.write(to);
        graph.write(to);
        objects.write(to);
        instances.write(to);
        by_method.write(to);
        sites.write(to);
        call_kinds.write(to);
        entries.write(to);
        throws.write(to);
        uses.write(to);
        waiters.write(to);
        statics.write(to);
        parts.write(to);
        initialisers.write(to);
        problems.write(to);
        contexts.write(to);
        blind_spots.write(to);
        implicit_kinds.write(to);
        implicit.write(to);
        reflections.write(to);
        at_fixed_point.write(to);
        threads.write(to);
    }

    /// The classes are those of `source`, which has to be what it was.
    pub(crate) fn read(from: &mut Reader<'_>, source: &'a dyn ClassSource) -> Option<Self> {
        let mut world = World::read(from, source)?;
        let known = Known::of(&mut world);
        Some(Self {
            world,
            graph: Cached::read(from)?,
            objects: Cached::read(from)?,
            instances: Cached::read(from)?,
            by_method: Cached::read(from)?,
            sites: Cached::read(from)?,
            call_kinds: Cached::read(from)?,
            entries: Cached::read(from)?,
            throws: Cached::read(from)?,
            uses: Cached::read(from)?,
            waiters: Cached::read(from)?,
            unread: Vec::new(),
            translator: Translator::default(),
            statics: Cached::read(from)?,
            parts: Cached::read(from)?,
            initialisers: Cached::read(from)?,
            problems: Cached::read(from)?,
            known,
            models: Models::new(),
            contexts: Cached::read(from)?,
            blind_spots: Cached::read(from)?,
            implicit_kinds: Cached::read(from)?,
            implicit: Cached::read(from)?,
            reflections: Cached::read(from)?,
            at_fixed_point: Cached::read(from)?,
            threads: Cached::read(from)?,
            // Nobody has called an entry point from outside yet.
            from_outside: FromOutside::default(),
            coarse: Coarse::default(),
        })
    }
}
