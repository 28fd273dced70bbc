//! The call graph in the cache. Class files are not written: the source still has them.

use super::{Call, Reached, Stats, Thrown};
use crate::cache_format::{Cached, Reader, Writer, cached};
use crate::world::{ClassSource, World};

cached! { struct Call { caller, pc, kind, targets } }
cached! { struct Thrown { instance, pc, types } }
cached! { struct Stats { classes, reachable_methods, call_edges, nodes, objects } }

impl<'a> Reached<'a> {
    /// For another run, which reads them with [`Self::read`]. Nothing if the objects are there as well, which nobody
    /// keeps.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let Self { world, instances, entries, calls, targets, throws, implicit, blind_spots, stats, heap } =
            self;
        if heap.is_some() {
            return None;
        }
        let mut to = Writer::default();
        world.write(&mut to);
        instances.write(&mut to);
        entries.write(&mut to);
        calls.write(&mut to);
        targets.write(&mut to);
        throws.write(&mut to);
        implicit.write(&mut to);
        blind_spots.write(&mut to);
        stats.write(&mut to);
        Some(to.into_bytes())
    }

    /// Reads the bytes of [`Self::to_bytes`], on the same classes and by the same code: nobody but the caller can know
    /// that it is so. Nothing if it surely is something else.
    pub fn read(bytes: &[u8], source: &'a dyn ClassSource) -> Option<Self> {
        let mut from = Reader::new(bytes);
        let reached = Self {
            world: World::read(&mut from, source)?,
            instances: Cached::read(&mut from)?,
            entries: Cached::read(&mut from)?,
            calls: Cached::read(&mut from)?,
            targets: Cached::read(&mut from)?,
            throws: Cached::read(&mut from)?,
            implicit: Cached::read(&mut from)?,
            blind_spots: Cached::read(&mut from)?,
            stats: Cached::read(&mut from)?,
            heap: None,
        };
        from.is_at_end().then_some(reached)
    }
}
