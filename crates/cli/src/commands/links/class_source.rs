//! The classes of a class path for the analysis, each with whose code it is.

use catchment_build::{SourceTree, location_of};
use catchment_classfile::ClassFile;
use catchment_exceptions::{ClassSource, Layer, ModuleServices, OwnClasses, services_file};
use catchment_lab::PairSelection;
use catchment_pairs::ClassLocation;
use catchment_program::{ClassPath, Entry, EntryId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use std::{fs, io};

/// A class path in layers.
#[derive(Debug)]
pub(crate) struct LayeredClasses {
    class_path: ClassPath,
    /// By entry of the class path.
    layers: Vec<Layer>,
    selection: PairSelection,
    /// Read at the first request for a service.
    module_services: OnceLock<ModuleServices>,
}

impl LayeredClasses {
    /// `layer_of` tells whose code an element of the class path is.
    pub(crate) fn new(
        class_path: ClassPath,
        selection: PairSelection,
        layer_of: impl Fn(&Entry) -> Layer,
    ) -> Self {
        let layers = class_path.entries().map(|(_, entry)| layer_of(entry)).collect();
        Self { class_path, layers, selection, module_services: OnceLock::new() }
    }

    pub(crate) fn jdk(&self) -> JdkClasses<'_> {
        JdkClasses { classes: self }
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

    /// The locations of these classes, but for those of the JDK.
    pub(crate) fn locations(
        &self,
        classes: BTreeSet<&str>,
        sources: Option<&SourceTree>,
    ) -> BTreeMap<String, ClassLocation> {
        let located = |name: &str| Some((name.to_owned(), self.location_of(name, sources)?));
        classes.into_iter().filter_map(located).collect()
    }

    fn location_of(&self, class: &str, sources: Option<&SourceTree>) -> Option<ClassLocation> {
        let found = self.class_path.find(class.replace('.', "/").as_bytes())?;
        let entry = self.class_path.entry(found.entry())?;
        if self.layers.get(found.entry().0 as usize) == Some(&Layer::Jdk) {
            return None;
        }
        let container = fs::canonicalize(entry.origin.container()).ok()?;
        let parsed = ClassFile::parse(found.bytes().ok()?).ok()?;
        let file = parsed.source_file().map(|name| name.to_string());
        Some(location_of(sources, class, file.as_deref(), &container))
    }

    /// Hands on all that classes and services of the program are read from, whose they are, and in which order. An
    /// error if some of it cannot be read, and may be there another time.
    pub(crate) fn for_each_content(&self, with: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        for (entry, element) in self.class_path.entries() {
            let layer = self.layers[entry.0 as usize];
            if layer == Layer::Jdk {
                continue;
            }
            with(format!("{layer:?} {}", element.origin.inside()).as_bytes());
            match self.class_path.bytes(entry) {
                Some(bytes) => with(bytes),
                None => self.for_each_file(entry, with)?,
            }
        }
        Ok(())
    }

    /// The classes of a folder and the files that name its services.
    fn for_each_file(&self, entry: EntryId, with: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        let classes = self.class_path.classes(entry);
        with(&classes.len().to_le_bytes());
        for class in classes {
            with(class.name());
            with(class.bytes().map_err(io::Error::other)?);
        }
        let Some(services) = self.class_path.folder(entry).map(|folder| folder.join("META-INF/services"))
        else {
            return Ok(());
        };
        let Ok(files) = fs::read_dir(services) else { return Ok(()) };
        let mut files = files.map(|file| Ok(file?.path())).collect::<io::Result<Vec<_>>>()?;
        files.retain(|file| file.is_file());
        files.sort_unstable();
        with(&files.len().to_le_bytes());
        for file in files {
            with(file.file_name().unwrap_or_default().as_encoded_bytes());
            with(&fs::read(file)?);
        }
        Ok(())
    }

    /// Providers of the JDK's modules, and those that files of these entries name.
    fn providers(&self, service: &[u8], is_asked: impl Fn(EntryId) -> bool) -> Vec<Vec<u8>> {
        let by_modules = self.module_services.get_or_init(|| {
            ModuleServices::read(self.class_path.modules().filter_map(|(_, module)| module.bytes().ok()))
        });
        let files = self.class_path.resources(&services_file(service)).into_iter();
        by_modules.providers(service, files.filter_map(|(entry, file)| file.ok().filter(|_| is_asked(entry))))
    }

    /// Included classes are the application, wherever but in the JDK they lie; excluded ones are a library.
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

/// The JDK of a class path alone, as if there were no program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JdkClasses<'c> {
    classes: &'c LayeredClasses,
}

impl JdkClasses<'_> {
    fn has(&self, entry: EntryId) -> bool {
        self.classes.layers.get(entry.0 as usize) == Some(&Layer::Jdk)
    }

    /// All that its classes are read from, with how many are; nothing if some of it lies in a folder.
    pub(crate) fn content(&self) -> Option<Vec<(&[u8], usize)>> {
        let class_path = &self.classes.class_path;
        let entries = class_path.entries().map(|(entry, _)| entry).filter(|entry| self.has(*entry));
        entries.map(|entry| Some((class_path.bytes(entry)?, class_path.classes(entry).len()))).collect()
    }
}

impl ClassSource for JdkClasses<'_> {
    fn find(&self, internal_name: &[u8]) -> Option<(&[u8], Layer)> {
        let found = self.classes.class_path.find_within(internal_name, |entry| self.has(entry))?;
        Some((found.bytes().ok()?, Layer::Jdk))
    }

    fn for_each_name(&self, with: &mut dyn FnMut(&[u8])) {
        let class_path = &self.classes.class_path;
        for (entry, _) in class_path.entries().filter(|(entry, _)| self.has(*entry)) {
            class_path.classes(entry).for_each(|class| with(class.name()));
        }
    }

    fn services(&self, service: &[u8]) -> Vec<Vec<u8>> {
        self.classes.providers(service, |entry| self.has(entry))
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
        self.providers(service, |_| true)
    }
}
