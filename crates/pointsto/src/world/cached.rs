//! The classes of a solved analysis, written and read. Class files are not written: the source still has them.

use super::class::{Element, Layer, Shape};
use super::{Class, ClassSource, World};
use crate::cache_format::{Cached, Reader, Writer, cached};
use crate::ids::{ClassId, SelectorId};
use catchment_classfile::ClassFile;
use std::sync::Arc;

/// A class without its file.
enum CachedShape {
    Read,
    Array(Element),
    Missing,
    Hidden,
}

cached! { enum CachedShape { 0 => Read, 1 => Array(element), 2 => Missing, 3 => Hidden } }
cached! { enum Element { 0 => Number, 1 => Class(class) } }
cached! { enum Layer { 0 => Application, 1 => Tests, 2 => Library, 3 => Jdk } }

impl<'a> World<'a> {
    pub(crate) fn write(&self, to: &mut Writer) {
        let Self { classes, methods, fields, selectors, dispatched, problems, asked, object, .. } = self;
        let Self { source: _, by_name: _, by_selector: _, loading: _, scratch: _, .. } = self;
        to.len(classes.len());
        classes.iter().for_each(|class| class.write(to));
        methods.write(to);
        fields.write(to);
        selectors.write(to);
        dispatched.write(to);
        problems.write(to);
        asked.write(to);
        object.write(to);
    }

    pub(crate) fn read(from: &mut Reader<'_>, source: &'a dyn ClassSource) -> Option<Self> {
        let count = from.len()?;
        let classes = (0..count).map(|_| Class::read(from, source)).collect::<Option<Vec<_>>>()?;
        let by_name = (0..).map(ClassId).zip(&classes).map(|(id, class)| (Arc::clone(&class.name), id));
        let by_name = by_name.collect();
        let (methods, fields) = Cached::read(from)?;
        let selectors: Vec<Arc<[u8]>> = Cached::read(from)?;
        let by_selector = (0..).map(SelectorId).zip(&selectors).map(|(id, name)| (Arc::clone(name), id));
        let by_selector = by_selector.collect();
        Some(Self {
            source,
            classes,
            by_name,
            methods,
            fields,
            selectors,
            by_selector,
            dispatched: Cached::read(from)?,
            problems: Cached::read(from)?,
            asked: Cached::read(from)?,
            loading: Vec::new(),
            scratch: Vec::new(),
            object: Cached::read(from)?,
        })
    }
}

impl<'a> Class<'a> {
    fn write(&self, to: &mut Writer) {
        let Self { name, shape, layer, superclass, interfaces, supertypes, methods, fields, refs } = self;
        name.write(to);
        let shape = match shape {
            Shape::Read(_) => CachedShape::Read,
            Shape::Array(element) => CachedShape::Array(*element),
            Shape::Missing => CachedShape::Missing,
            Shape::Hidden => CachedShape::Hidden,
        };
        shape.write(to);
        layer.write(to);
        superclass.write(to);
        interfaces.write(to);
        supertypes.write(to);
        methods.write(to);
        fields.write(to);
        refs.write(to);
    }

    fn read(from: &mut Reader<'_>, source: &'a dyn ClassSource) -> Option<Self> {
        let name: Arc<[u8]> = Cached::read(from)?;
        let shape = match Cached::read(from)? {
            CachedShape::Read => Shape::Read(Arc::new(ClassFile::parse(source.find(&name)?.0).ok()?)),
            CachedShape::Array(element) => Shape::Array(element),
            CachedShape::Missing => Shape::Missing,
            CachedShape::Hidden => Shape::Hidden,
        };
        Some(Self {
            name,
            shape,
            layer: Cached::read(from)?,
            superclass: Cached::read(from)?,
            interfaces: Cached::read(from)?,
            supertypes: Cached::read(from)?,
            methods: Cached::read(from)?,
            fields: Cached::read(from)?,
            refs: Cached::read(from)?,
        })
    }
}
