//! Who links an `invokedynamic`: the `BootstrapMethods` attribute of a class (JVMS §4.7.23).

use crate::bytes::{Reader, u2_at};
use crate::{ClassFile, MemberRef};

const METHOD_HANDLE: u8 = 15;

impl<'a> ClassFile<'a> {
    /// The method that links the dynamic constant or call site `index`, if the class says so in due form.
    pub fn bootstrap_of(&self, index: u16) -> Option<MemberRef<'a>> {
        let (17 | 18, dynamic) = self.pool.raw(index)? else { return None };
        let table = self.attributes.find(&self.pool, "BootstrapMethods")?;
        let mut reader = Reader::new(table.data);
        if u2_at(dynamic, 0) >= reader.u2().ok()? {
            return None;
        }
        for _ in 0..u2_at(dynamic, 0) {
            reader.skip(2).ok()?;
            let arguments = usize::from(reader.u2().ok()?);
            reader.skip(2 * arguments).ok()?;
        }
        let (METHOD_HANDLE, handle) = self.pool.raw(reader.u2().ok()?)? else { return None };
        self.pool.member_ref(u2_at(handle, 1)).ok()
    }
}
