//! Rows of an exception table, tried in turn (JVMS §2.10).

use super::World;
use crate::ids::ClassId;
use catchment_ir::PoolIndex;
use rustc_hash::FxHashSet;

impl World<'_> {
    /// Rows of an exception table of `class` in order, each with the class that it catches, or nothing if it catches
    /// everything. Rows shadowed by an earlier row are dropped.
    pub fn unshadowed_rows<R>(
        &mut self,
        class: ClassId,
        rows: impl IntoIterator<Item = (R, Option<PoolIndex>)>,
    ) -> Vec<(R, Option<ClassId>)> {
        let mut taken = FxHashSet::default();
        let mut left = Vec::new();
        for (row, catch_type) in rows {
            let Some(caught) = catch_type.and_then(|index| self.class_ref(class, index)) else {
                left.push((row, None));
                break;
            };
            if !self.class_of(caught).supertypes.iter().any(|above| taken.contains(above)) {
                taken.insert(caught);
                left.push((row, Some(caught)));
            }
        }
        left
    }
}
