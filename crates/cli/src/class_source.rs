//! The classes of a class path for the analysis, each with whose code it is.

use catchment_exceptions::{ClassSource, Layer, ModuleServices, OwnClasses, services_file};
use catchment_lab::PairSelection;
use catchment_program::{ClassPath, Entry};
use std::cell::OnceCell;

/// A class path in layers.
pub(crate) struct LayeredClasses {
    class_path: ClassPath,
    /// By entry of the class path.
    layers: Vec<Layer>,
    selection: PairSelection,
    /// Read when somebody asks for a service.
    module_services: OnceCell<ModuleServices>,
}

impl LayeredClasses {
    /// `layer_of` tells whose code an element of the class path is.
    pub(crate) fn new(
        class_path: ClassPath,
        selection: PairSelection,
        layer_of: impl Fn(&Entry) -> Layer,
    ) -> Self {
        let layers = class_path.entries().map(|(_, entry)| layer_of(entry)).collect();
        Self { class_path, layers, selection, module_services: OnceCell::new() }
    }

    pub(crate) fn class_path(&self) -> &ClassPath {
        &self.class_path
    }

    /// The names of the program's own classes, each once, in class path order.
    pub(crate) fn own(&self) -> OwnClasses {
        let mut own = OwnClasses::default();
        for (entry, _) in self.class_path.entries() {
            if self.layers[entry.0 as usize] == Layer::Jdk {
                continue;
            }
            for class in self.class_path.classes(entry) {
                let is_hidden = self.class_path.find(class.name()).is_none_or(|it| it.entry() != entry);
                match self.layer_of(class.name(), self.layers[entry.0 as usize]) {
                    _ if is_hidden => {}
                    Layer::Application => own.application.push(class.name().to_vec()),
                    Layer::Tests => own.tests.push(class.name().to_vec()),
                    Layer::Library | Layer::Jdk => {}
                }
            }
        }
        own
    }

    /// What is included is the application, wherever but in the JDK it lies; what is left out is a library.
    fn layer_of(&self, name: &[u8], layer: Layer) -> Layer {
        let is_plain = self.selection.include.is_empty() && self.selection.exclude.is_empty();
        if is_plain || layer == Layer::Jdk {
            return layer;
        }
        let is_left_out = self.selection.leaves_out(&String::from_utf8_lossy(name).replace('/', "."));
        match layer {
            Layer::Application if is_left_out => Layer::Library,
            Layer::Library if !is_left_out && !self.selection.include.is_empty() => Layer::Application,
            other => other,
        }
    }
}

impl ClassSource for LayeredClasses {
    /// A class that cannot be read counts as missing.
    fn find(&self, internal_name: &[u8]) -> Option<(&[u8], Layer)> {
        let found = self.class_path.find(internal_name)?;
        let layer = self.layers.get(found.entry().0 as usize).copied().unwrap_or(Layer::Library);
        Some((found.bytes().ok()?, self.layer_of(internal_name, layer)))
    }

    fn for_each_name(&self, with: &mut dyn FnMut(&[u8])) {
        for (entry, _) in self.class_path.entries() {
            self.class_path.classes(entry).for_each(|class| with(class.name()));
        }
    }

    fn services(&self, service: &[u8]) -> Vec<Vec<u8>> {
        let by_modules = self.module_services.get_or_init(|| {
            ModuleServices::read(self.class_path.modules().filter_map(|(_, module)| module.bytes().ok()))
        });
        let files = self.class_path.resources(&services_file(service));
        by_modules.providers(service, files.into_iter().filter_map(|(_, file)| file.ok()))
    }
}
