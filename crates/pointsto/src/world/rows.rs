//! Rows of an exception table that are asked in turn (JVMS §2.10).

use super::World;
use crate::ids::ClassId;
use catchment_ir::PoolIndex;
use rustc_hash::FxHashSet;

impl World<'_> {
    /// The rows of a method of `class` that anything is left for, each with the class that it catches, or nothing if it takes
    /// everything. Of what surely is taken by a row, those behind it see nothing.
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
