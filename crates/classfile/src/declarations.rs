//! Attributes that repeat what a source declares: `throws`, generic signatures, nesting, services of a module.

use crate::bytes::{Reader, u2_at};
use crate::{Attributes, ClassError, ClassFile, ConstantPool, JvmStr, Member};

impl<'a> Attributes<'a> {
    /// The `Signature` of a class or member: its declaration with type parameters, if it has any.
    pub fn signature(&self, pool: &ConstantPool<'a>) -> Option<JvmStr<'a>> {
        let attribute = self.find(pool, "Signature")?;
        pool.utf8(Reader::new(attribute.data).u2().ok()?).ok()
    }
}

impl<'a> Member<'a> {
    /// Internal names of the classes behind a method's `throws` (JVMS §4.7.5), in the order of the source.
    pub fn declared_exceptions<'p>(
        &self,
        pool: &'p ConstantPool<'a>,
    ) -> impl Iterator<Item = Result<JvmStr<'a>, ClassError>> + use<'a, 'p> {
        let attribute = self.attributes.find(pool, "Exceptions");
        // The first word is how many there are.
        let words = attribute.map_or(&[][..], |attribute| attribute.data).chunks_exact(2).skip(1);
        words.map(|word| pool.class_name(u2_at(word, 0)))
    }
}

impl<'a> ClassFile<'a> {
    /// The modifiers in the source of a nested class, local and anonymous ones included; `None` for other classes.
    pub fn nested_access(&self) -> Option<u16> {
        let attribute = self.attributes.find(&self.pool, "InnerClasses")?;
        let mut rows = attribute.data.get(2..)?.chunks_exact(8);
        let is_own = |row: &&[u8]| self.pool.class_name(u2_at(row, 0)).is_ok_and(|name| name == self.name);
        rows.find(is_own).map(|row| u2_at(row, 6))
    }

    /// The text of the `SourceDebugExtension` attribute, in modified UTF-8.
    pub fn source_debug_extension(&self) -> Option<&'a [u8]> {
        self.attributes.find(&self.pool, "SourceDebugExtension").map(|attribute| attribute.data)
    }

    /// Services and their providers, internal names, in the `provides` table of a module descriptor (JVMS §4.7.25).
    /// `None` if there is no table, or one that is cut off.
    pub fn provided_services(&self) -> Option<Vec<(JvmStr<'a>, JvmStr<'a>)>> {
        let attribute = self.attributes.find(&self.pool, "Module")?;
        self.read_provided_services(Reader::new(attribute.data)).ok()
    }

    fn read_provided_services(
        &self,
        mut table: Reader<'a>,
    ) -> Result<Vec<(JvmStr<'a>, JvmStr<'a>)>, ClassError> {
        // Name, flags and version of the module come first, then what it requires, exports, opens and uses.
        table.skip(6)?;
        let requires = usize::from(table.u2()?);
        table.skip(6 * requires)?;
        for _ in 0..2 {
            for _ in 0..table.u2()? {
                table.skip(4)?;
                let targets = usize::from(table.u2()?);
                table.skip(2 * targets)?;
            }
        }
        let uses = usize::from(table.u2()?);
        table.skip(2 * uses)?;
        let mut provided = Vec::new();
        for _ in 0..table.u2()? {
            let service = self.pool.class_name(table.u2()?)?;
            for _ in 0..table.u2()? {
                provided.push((service, self.pool.class_name(table.u2()?)?));
            }
        }
        Ok(provided)
    }
}
