//! The classes of a suite as the analysis asks for them.

use catchment_exceptions::{ClassSource, Layer, ModuleServices, OwnClasses, services_file};
use catchment_program::{ClassPath, EntryId, LoadOptions};
use std::path::{Path, PathBuf};

/// A class path that begins with the library and its tests, and ends with a JDK.
pub(super) struct SuiteClasses {
    classes: ClassPath,
    /// By entry of the class path.
    layers: Vec<Layer>,
    module_services: ModuleServices,
}

impl SuiteClasses {
    pub(super) fn open(class_path: &[PathBuf], jdk: &Path) -> Self {
        let classes = ClassPath::open(class_path, Some(jdk), &LoadOptions::default());
        let layer = |given: Option<usize>| match given {
            Some(0) => Layer::Application,
            Some(1) => Layer::Tests,
            Some(_) => Layer::Library,
            None => Layer::Jdk,
        };
        let layers = classes.entries().map(|(_, entry)| layer(entry.given)).collect();
        let modules = classes.modules().filter_map(|(_, module)| module.bytes().ok());
        let module_services = ModuleServices::read(modules);
        Self { classes, layers, module_services }
    }

    pub(super) fn own(&self) -> OwnClasses {
        OwnClasses { application: self.names(Layer::Application), tests: self.names(Layer::Tests) }
    }

    fn names(&self, layer: Layer) -> Vec<Vec<u8>> {
        let entries = self.classes.entries().filter(|(entry, _)| self.layer(*entry) == layer);
        entries
            .flat_map(|(entry, _)| self.classes.classes(entry))
            .map(|class| class.name().to_vec())
            .collect()
    }

    fn layer(&self, entry: EntryId) -> Layer {
        self.layers.get(entry.0 as usize).copied().unwrap_or(Layer::Library)
    }
}

impl ClassSource for SuiteClasses {
    fn find(&self, internal_name: &[u8]) -> Option<(&[u8], Layer)> {
        let found = self.classes.find(internal_name)?;
        Some((found.bytes().ok()?, self.layer(found.entry())))
    }

    fn for_each_name(&self, with: &mut dyn FnMut(&[u8])) {
        for (entry, _) in self.classes.entries() {
            self.classes.classes(entry).for_each(|class| with(class.name()));
        }
    }

    fn services(&self, service: &[u8]) -> Vec<Vec<u8>> {
        let files = self.classes.resources(&services_file(service)).into_iter();
        self.module_services.providers(service, files.filter_map(|(_, file)| file.ok()))
    }
}
