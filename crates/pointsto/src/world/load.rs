//! Reads a class when it is first spoken of, and with it all that are above it.

use super::{Class, Element, Field, Layer, Method, Shape, World};
use crate::ids::{ClassId, FieldId, MethodId};
use catchment_classfile::{ClassFile, JvmStr, access};
use std::ops::Range;
use std::sync::Arc;

/// Deeper hierarchies are the work of somebody who wants to see the stack overflow.
const MAX_DEPTH: usize = 500;

/// Arrays have no more (JVMS §4.4.1).
const MAX_DIMENSIONS: usize = 255;

impl<'a> World<'a> {
    /// The class of this internal name, or array type of this descriptor.
    pub fn class(&mut self, name: &[u8]) -> ClassId {
        self.class_at_depth(name, 0)
    }

    /// The class of this internal name, if there is one.
    pub fn class_that_is_there(&mut self, name: &[u8]) -> Option<ClassId> {
        if !self.by_name.contains_key(name) && self.is_absent(name) {
            return None;
        }
        Some(self.class(name)).filter(|class| !self.class_of(*class).is_missing())
    }

    /// The classes that provide a service.
    pub(crate) fn providers_of(&mut self, service: ClassId) -> Vec<ClassId> {
        let providers = self.ask_for_providers(service);
        providers.iter().filter_map(|name| self.class_that_is_there(name)).collect()
    }

    fn class_at_depth(&mut self, name: &[u8], depth: usize) -> ClassId {
        if let Some(id) = self.by_name.get(name) {
            return *id;
        }
        let id = self.reserve(name);
        if depth > MAX_DEPTH {
            self.problems.push((id, "its hierarchy is too deep".to_owned()));
        } else if has_too_many_dimensions(name) {
            self.problems.push((id, format!("it has more than {MAX_DIMENSIONS} dimensions")));
        } else if let [b'[', element @ ..] = name {
            self.load_array(id, element);
        } else {
            self.load_file(id, depth);
        }
        id
    }

    /// A missing class, to be filled.
    fn reserve(&mut self, name: &[u8]) -> ClassId {
        let id = ClassId::new(self.classes.len());
        let name: Arc<[u8]> = name.into();
        self.by_name.insert(Arc::clone(&name), id);
        self.classes.push(Class {
            name,
            shape: Shape::Missing,
            layer: Layer::Library,
            superclass: None,
            interfaces: Vec::new(),
            supertypes: vec![id],
            methods: 0..0,
            fields: 0..0,
            refs: Vec::new(),
        });
        id
    }

    fn load_array(&mut self, id: ClassId, element: &[u8]) {
        let element = match element {
            [b'L', name @ .., b';'] => Element::Class(self.class(name)),
            [b'[', ..] => Element::Class(self.class(element)),
            _ => Element::Number,
        };
        let above = [b"java/lang/Object".as_slice(), b"java/lang/Cloneable", b"java/io/Serializable"];
        let above = above.map(|name| self.class(name));
        let layer = match element {
            Element::Number => Layer::Jdk,
            Element::Class(class) => self.class_of(class).layer,
        };
        let class = &mut self.classes[id.index()];
        class.shape = Shape::Array(element);
        class.layer = layer;
        class.superclass = Some(above[0]);
        class.interfaces = above[1..].to_vec();
        self.collect_supertypes(id);
    }

    /// The class of lambdas that implement these. There is one for each list, of which the name is no name of a class.
    pub(super) fn hidden_class(&mut self, interfaces: &[ClassId]) -> ClassId {
        let names: Vec<&[u8]> = interfaces.iter().map(|it| &*self.class_of(*it).name).collect();
        let name = names.join(&b';');
        if let Some(id) = self.by_name.get(name.as_slice()) {
            return *id;
        }
        let layer = interfaces.first().map_or(Layer::Library, |it| self.class_of(*it).layer);
        let id = self.reserve(&name);
        let object = self.object;
        let class = &mut self.classes[id.index()];
        class.shape = Shape::Hidden;
        class.layer = layer;
        class.superclass = Some(object);
        class.interfaces = interfaces.to_vec();
        self.collect_supertypes(id);
        id
    }

    fn load_file(&mut self, id: ClassId, depth: usize) {
        let name = Arc::clone(&self.classes[id.index()].name);
        let Some((bytes, layer)) = self.source.find(&name) else { return };
        self.classes[id.index()].layer = layer;
        match ClassFile::parse(bytes) {
            Ok(file) if file.name.as_bytes() == &*name => self.fill(id, file, depth),
            Ok(file) => self.problems.push((id, format!("its file holds {}", file.name))),
            Err(error) => self.problems.push((id, error.to_string())),
        }
    }

    fn fill(&mut self, id: ClassId, file: ClassFile<'a>, depth: usize) {
        self.loading.push(id);
        let superclass = file.super_name.and_then(|name| self.above(id, name, depth));
        let interfaces: Vec<_> = file.interfaces().collect();
        let interfaces = interfaces.into_iter().filter_map(|name| self.above(id, name, depth)).collect();
        self.loading.pop();
        let methods = self.add_methods(id, &file);
        let fields = self.add_fields(id, &file);
        let class = &mut self.classes[id.index()];
        class.superclass = superclass;
        class.interfaces = interfaces;
        class.methods = methods;
        class.fields = fields;
        class.shape = Shape::Read(Arc::new(file));
        self.collect_supertypes(id);
    }

    /// A class above `id`; nothing if that leads back to a class whose hierarchy is being read.
    fn above(&mut self, id: ClassId, name: JvmStr<'a>, depth: usize) -> Option<ClassId> {
        if name.as_bytes().starts_with(b"[") {
            self.problems.push((id, "an array is above it".to_owned()));
            return None;
        }
        let above = self.class_at_depth(name.as_bytes(), depth + 1);
        if self.loading.contains(&above) {
            self.problems.push((id, format!("{name} is above and below it")));
            return None;
        }
        Some(above)
    }

    fn add_methods(&mut self, class: ClassId, file: &ClassFile<'a>) -> Range<u32> {
        let start = MethodId::new(self.methods.len()).0;
        for (position, member) in (0..).zip(&file.methods) {
            let selector = self.selector(member.name.as_bytes(), member.descriptor.as_bytes());
            self.methods.push(Method { class, position, access: member.access & 0x7fff, selector });
        }
        start..MethodId::new(self.methods.len()).0
    }

    fn add_fields(&mut self, class: ClassId, file: &ClassFile<'a>) -> Range<u32> {
        let start = FieldId::new(self.fields.len()).0;
        // Fields of interfaces are static whatever a broken class file says.
        let always_static = file.access & access::INTERFACE;
        for (position, member) in (0..).zip(&file.fields) {
            let is_static = (member.access & access::STATIC) | always_static != 0;
            let is_reference = matches!(member.descriptor.as_bytes().first(), Some(b'L' | b'['));
            self.fields.push(Field { class, position, is_static, is_reference });
        }
        start..FieldId::new(self.fields.len()).0
    }

    fn collect_supertypes(&mut self, id: ClassId) {
        let class = &self.classes[id.index()];
        let above = class.superclass.iter().chain(&class.interfaces);
        let mut all: Vec<ClassId> =
            above.flat_map(|id| &self.classes[id.index()].supertypes).copied().collect();
        all.push(id);
        if class.superclass.is_none() {
            all.push(self.object);
        }
        all.sort_unstable();
        all.dedup();
        self.classes[id.index()].supertypes = all;
    }
}

fn has_too_many_dimensions(name: &[u8]) -> bool {
    name.get(..=MAX_DIMENSIONS).is_some_and(|start| start.iter().all(|byte| *byte == b'['))
}
