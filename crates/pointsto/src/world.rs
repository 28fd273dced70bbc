//! All classes of a program as one model, loaded when they are first spoken of.
//!
//! Classes, methods, fields and selectors (name and descriptor of a method) are small numbers. A class that cannot be
//! found or read is there all the same, as a *missing* one: nothing is known of it, and who meets it has to be careful.

mod asked;
mod cached;
mod class;
mod dispatch;
mod dynamic;
mod load;
mod members;
mod providers;
mod refs;
mod rows;
mod subtypes;

pub use asked::Differs;
pub use class::{Class, Layer};
pub(crate) use class::{Element, Shape};
pub(crate) use dynamic::{Dynamic, Lambda};
pub use members::{Field, Method};
pub use providers::{ModuleServices, services_file};
pub use subtypes::{Fits, Typed};

use crate::ids::{ClassId, FieldId, MethodId, SelectorId};
use asked::Asked;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

/// The origin of the bytes of classes, which live as long as the source. Can be asked from several threads.
pub trait ClassSource: Sync {
    fn find(&self, internal_name: &[u8]) -> Option<(&[u8], Layer)>;

    /// Gives the internal names of all classes there are, in the same order in every run; a name may come twice.
    fn for_each_name(&self, with: &mut dyn FnMut(&[u8]));

    /// Internal names of the classes that provide a service, which is an internal name as well; see
    /// [`ModuleServices`].
    fn services(&self, _service: &[u8]) -> Vec<Vec<u8>> {
        Vec::new()
    }
}

/// Everything known about the program's classes so far.
#[derive(Clone)]
pub struct World<'a> {
    source: &'a dyn ClassSource,
    classes: Vec<Class<'a>>,
    by_name: FxHashMap<Arc<[u8]>, ClassId>,
    methods: Vec<Method>,
    fields: Vec<Field>,
    selectors: Vec<Arc<[u8]>>,
    by_selector: FxHashMap<Arc<[u8]>, SelectorId>,
    dispatched: FxHashMap<(ClassId, SelectorId), Option<MethodId>>,
    problems: Vec<(ClassId, String)>,
    asked: Asked,
    /// Classes whose hierarchy is being read: the outermost first.
    loading: Vec<ClassId>,
    /// Name and descriptor in one, while a selector is looked up.
    scratch: Vec<u8>,
    pub object: ClassId,
}

impl fmt::Debug for World<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "World({} classes, {} methods)", self.classes.len(), self.methods.len())
    }
}

impl<'a> World<'a> {
    pub fn new(source: &'a dyn ClassSource) -> Self {
        let mut world = Self {
            source,
            classes: Vec::new(),
            by_name: FxHashMap::default(),
            methods: Vec::new(),
            fields: Vec::new(),
            selectors: Vec::new(),
            by_selector: FxHashMap::default(),
            dispatched: FxHashMap::default(),
            problems: Vec::new(),
            asked: Asked::default(),
            loading: Vec::new(),
            scratch: Vec::new(),
            object: ClassId(0),
        };
        world.object = world.class(b"java/lang/Object");
        world
    }

    pub fn classes(&self) -> usize {
        self.classes.len()
    }

    pub fn class_of(&self, id: ClassId) -> &Class<'a> {
        &self.classes[id.index()]
    }

    pub fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.index()]
    }

    pub(crate) fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.index()]
    }

    /// Name and descriptor in one, `read([B)I`.
    pub fn selector_name(&self, id: SelectorId) -> &[u8] {
        &self.selectors[id.index()]
    }

    /// Classes that are there and cannot be read, with the reason.
    pub fn problems(&self) -> &[(ClassId, String)] {
        &self.problems
    }

    /// The selector of a method's name and descriptor.
    pub fn selector(&mut self, name: &[u8], descriptor: &[u8]) -> SelectorId {
        self.scratch.clear();
        self.scratch.extend_from_slice(name);
        self.scratch.extend_from_slice(descriptor);
        if let Some(id) = self.by_selector.get(self.scratch.as_slice()) {
            return *id;
        }
        let id = SelectorId::new(self.selectors.len());
        let name: Arc<[u8]> = self.scratch.as_slice().into();
        self.selectors.push(Arc::clone(&name));
        self.by_selector.insert(name, id);
        id
    }

    /// `class.method(descriptor)` with binary names, for people.
    pub fn describe(&self, method: MethodId) -> String {
        let method = self.method(method);
        let class = self.class_of(method.class).binary_name();
        format!("{class}.{}", String::from_utf8_lossy(self.selector_name(method.selector)))
    }
}
