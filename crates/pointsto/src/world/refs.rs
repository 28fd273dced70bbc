//! Constants of a class, each resolved once.

use super::World;
use crate::ids::{ClassId, FieldId, MethodId};
use catchment_classfile::MemberRef;
use catchment_ir::PoolIndex;

/// Not resolved yet.
const UNKNOWN: u32 = u32::MAX;
/// Resolved to nothing.
const NOTHING: u32 = u32::MAX - 1;

impl<'a> World<'a> {
    /// The class constant `index` of `class`.
    pub fn class_ref(&mut self, class: ClassId, index: PoolIndex) -> Option<ClassId> {
        self.resolved(class, index, |world| {
            let name = world.class_of(class).file()?.pool.class_name(index).ok()?;
            Some(world.class(name.as_bytes()).0)
        })
        .map(ClassId)
    }

    /// The method that constant `index` of `class` means; nothing if it cannot be found.
    pub fn method_ref(&mut self, class: ClassId, index: PoolIndex) -> Option<MethodId> {
        self.resolved(class, index, |world| {
            let member = world.member_ref(class, index)?;
            world.method_named(member).map(|method| method.0)
        })
        .map(MethodId)
    }

    /// The method that a handle constant of `class` means.
    pub(crate) fn handle_ref(&mut self, class: ClassId, index: PoolIndex) -> Option<MethodId> {
        let handle = self.class_of(class).file()?.pool.method_handle(index)?;
        self.method_named(handle.member)
    }

    /// The field that constant `index` of `class` means; nothing if it cannot be found.
    pub(crate) fn field_ref(&mut self, class: ClassId, index: PoolIndex) -> Option<FieldId> {
        self.resolved(class, index, |world| {
            let member = world.member_ref(class, index)?;
            world.field_named(member).map(|field| field.0)
        })
        .map(FieldId)
    }

    /// Owner, name and descriptor of a field or method constant.
    pub(crate) fn member_ref(&self, class: ClassId, index: PoolIndex) -> Option<MemberRef<'a>> {
        self.class_of(class).file()?.pool.member_ref(index).ok()
    }

    /// The method that these names mean, if it can be found.
    pub(crate) fn method_named(&mut self, member: MemberRef<'_>) -> Option<MethodId> {
        let owner = self.class(member.owner.as_bytes());
        let selector = self.selector(member.name.as_bytes(), member.descriptor.as_bytes());
        self.resolve_method(owner, selector)
    }

    /// The field that these names mean, if it can be found.
    pub(crate) fn field_named(&mut self, member: MemberRef<'_>) -> Option<FieldId> {
        let owner = self.class(member.owner.as_bytes());
        let is_meant = |field: &FieldId| {
            let field = self.field(*field);
            let file = self.class_of(field.class).file();
            let declared = file.and_then(|file| file.fields.get(usize::from(field.position)));
            declared.is_some_and(|it| it.name == member.name && it.descriptor == member.descriptor)
        };
        // The class itself, then those above it: a field that hides another has to be found first (JVMS §5.4.3.2).
        let in_classes = self.lineage(owner).find_map(|class| self.class_of(class).fields().find(is_meant));
        in_classes.or_else(|| {
            let supertypes = self.class_of(owner).supertypes.iter();
            supertypes.flat_map(|class| self.class_of(*class).fields()).find(is_meant)
        })
    }

    /// The number behind a constant, found once.
    fn resolved(
        &mut self,
        class: ClassId,
        index: PoolIndex,
        find: impl FnOnce(&mut Self) -> Option<u32>,
    ) -> Option<u32> {
        let refs = &mut self.classes[class.index()].refs;
        let at = usize::from(index);
        if refs.len() <= at {
            refs.resize(at + 1, UNKNOWN);
        }
        if refs[at] == UNKNOWN {
            let found = find(self).unwrap_or(NOTHING);
            self.classes[class.index()].refs[at] = found;
        }
        Some(self.classes[class.index()].refs[at]).filter(|found| *found != NOTHING)
    }
}
