//! Weaves the methods of one class into one set of constants, with buffers that go from method to method.

use crate::constants::ProbeConstants;
use crate::inserts::Insert;
use crate::method::{MethodWeaver, max_stack};
use crate::plain::PlainProbes;
use crate::sites::{ClassSites, MethodSites};
use catchment_classfile::{
    ClassFile, CodeEdit, Inserter as _, MethodCode, RelocateError, Relocator, Replacements, replace_code,
};

pub(crate) struct ClassWeaver<'w, 'a> {
    class: &'w ClassFile<'a>,
    sites: &'w ClassSites<'a>,
    constants: ProbeConstants,
    replacements: Replacements<'a>,
    relocator: Relocator,
    edit: CodeEdit<'a>,
    inserts: Vec<Insert>,
}

impl<'w, 'a> ClassWeaver<'w, 'a> {
    pub(crate) fn new(class: &'w ClassFile<'a>, sites: &'w ClassSites<'a>, first_id: u32) -> Self {
        let longest = sites.methods.iter().map(|it| it.code.bytes.len()).max().unwrap_or(0);
        Self {
            class,
            sites,
            constants: ProbeConstants::new(&class.pool, first_id, sites.count),
            replacements: Replacements::with_room_for(class),
            relocator: Relocator::with_room_for(longest),
            edit: CodeEdit::default(),
            inserts: Vec::new(),
        }
    }

    /// Adds the method's new code, if there is anything to change.
    pub(crate) fn weave_method(&mut self, sites: &MethodSites<'a>) -> Result<(), RelocateError> {
        let source = MethodCode {
            class: self.class,
            method: &self.class.methods[sites.method],
            attribute: sites.attribute,
            code: sites.code,
            outline: self.sites.outlines.get(&sites.outline),
        };
        if Relocator::can_stream(&source, PlainProbes::MAX_INSERTED) {
            return self.weave_plain(source, sites);
        }
        let tries = &self.sites.tries[sites.tries.clone()];
        let weaver = MethodWeaver::new(source, tries, sites, self.sites.kinds);
        self.edit.clear();
        self.inserts.clear();
        weaver.fill(&mut self.edit, &mut self.inserts, &mut self.constants)?;
        if self.edit.is_empty() {
            return Ok(());
        }
        self.relocator.relocate(&source, &self.edit, &mut self.constants, &mut self.replacements)
    }

    fn weave_plain(
        &mut self,
        source: MethodCode<'_, 'a>,
        sites: &MethodSites<'a>,
    ) -> Result<(), RelocateError> {
        let mut probes = PlainProbes {
            source,
            kinds: self.sites.kinds,
            ids: sites.ids,
            next_in_place: sites.first_in_place,
            constants: &mut self.constants,
        };
        self.relocator.stream(&source, max_stack(&source)?, &mut probes, &mut self.replacements)
    }

    /// The new class; `None` if nothing has changed.
    pub(crate) fn finish(self) -> Option<Vec<u8>> {
        (!self.replacements.is_empty())
            .then(|| replace_code(self.class, self.constants.appended(), &self.replacements))
    }
}
