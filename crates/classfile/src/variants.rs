//! Constants that differ from an existing one in a single part.

use crate::bytes::u2_at;
use crate::tag::{DYNAMIC, FIELD_REF, INTERFACE_METHOD_REF, INVOKE_DYNAMIC, METHOD_REF, NAME_AND_TYPE};
use crate::{ConstantPool, PoolAppender};

impl PoolAppender {
    /// The field or method `member`, looked up in the class `owner` instead. `None` if the pool is full or `member` is
    /// neither.
    pub fn member_of(&mut self, pool: &ConstantPool<'_>, member: u16, owner: u16) -> Option<u16> {
        let (tag, parts) = pool.raw(member)?;
        if !matches!(tag, FIELD_REF | METHOD_REF | INTERFACE_METHOD_REF) {
            return None;
        }
        let index = self.next(tag)?;
        self.put2(owner);
        self.put2(u2_at(parts, 2));
        Some(index)
    }

    /// The dynamic call site `site`, linked in the same way, with another descriptor. `None` if the pool is full or
    /// `site` is none.
    pub fn dynamic_with(&mut self, pool: &ConstantPool<'_>, site: u16, descriptor: &[u8]) -> Option<u16> {
        let (tag @ (DYNAMIC | INVOKE_DYNAMIC), parts) = pool.raw(site)? else { return None };
        let (NAME_AND_TYPE, name_and_type) = pool.raw(u2_at(parts, 2))? else { return None };
        let descriptor = self.utf8(descriptor)?;
        let new_name_and_type = self.next(NAME_AND_TYPE)?;
        self.put2(u2_at(name_and_type, 0));
        self.put2(descriptor);
        let index = self.next(tag)?;
        self.put2(u2_at(parts, 0));
        self.put2(new_name_and_type);
        Some(index)
    }
}
