//! What was reached, written and read. Class files are not written: the source still has them.

use super::{Call, Reached, Stats, Thrown};
use crate::stored::{Reader, Stored, Writer, stored};
use crate::world::{ClassSource, World};

stored! { struct Call { caller, pc, kind, targets } }
stored! { struct Thrown { instance, pc, types } }
stored! { struct Stats { classes, reachable_methods, call_edges, nodes, objects } }

impl<'a> Reached<'a> {
    /// For another run, which reads them with [`Self::read`]. Nothing if the objects are there as well, which nobody keeps.
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

    /// What [`Self::to_bytes`] has written, on the same classes and by the same code: nobody but the caller can know that it is so.
    /// Nothing if it surely is something else.
    pub fn read(bytes: &[u8], source: &'a dyn ClassSource) -> Option<Self> {
        let mut from = Reader::new(bytes);
        let reached = Self {
            world: World::read(&mut from, source)?,
            instances: Stored::read(&mut from)?,
            entries: Stored::read(&mut from)?,
            calls: Stored::read(&mut from)?,
            targets: Stored::read(&mut from)?,
            throws: Stored::read(&mut from)?,
            implicit: Stored::read(&mut from)?,
            blind_spots: Stored::read(&mut from)?,
            stats: Stored::read(&mut from)?,
            heap: None,
        };
        from.is_at_end().then_some(reached)
    }
}
