//! Providers of services, as `ServiceLoader` finds them: in files of the class path and in module descriptors.
//!
//! No file system here: whoever has the class path hands over the contents.

use catchment_classfile::ClassFile;
use rustc_hash::{FxHashMap, FxHashSet};

/// The file of a class path entry that lists the providers of a service, an internal name.
pub fn services_file(service: &[u8]) -> String {
    format!("META-INF/services/{}", String::from_utf8_lossy(service).replace('/', "."))
}

/// Service providers of modules: by service, internal names of classes.
#[derive(Debug, Default)]
pub struct ModuleServices {
    providers: FxHashMap<Vec<u8>, Vec<Vec<u8>>>,
}

impl ModuleServices {
    /// Reads module descriptors. Those that cannot be read are passed over.
    pub fn read<'b>(modules: impl IntoIterator<Item = &'b [u8]>) -> Self {
        let mut services = Self::default();
        for file in modules.into_iter().filter_map(|bytes| ClassFile::parse(bytes).ok()) {
            for (service, provider) in file.provided_services().unwrap_or_default() {
                let providers = services.providers.entry(service.as_bytes().to_vec()).or_default();
                providers.push(provider.as_bytes().to_vec());
            }
        }
        services
    }

    /// Internal names of the classes that provide a service, each once. `files` are what the class path has under
    /// [`services_file`].
    pub fn providers(&self, service: &[u8], files: impl IntoIterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
        let by_modules = self.providers.get(service).into_iter().flatten().cloned();
        let by_files = files.into_iter().flat_map(|text| provided_by_file(&text));
        let mut seen = FxHashSet::default();
        by_modules.chain(by_files).filter(|provider| seen.insert(provider.clone())).collect()
    }
}

/// One binary name per line, comments behind `#`.
fn provided_by_file(text: &[u8]) -> Vec<Vec<u8>> {
    let text = String::from_utf8_lossy(text);
    let names = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    names.filter(|name| !name.is_empty()).map(|name| name.replace('.', "/").into_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_service_file_are_names_without_their_comments() {
        let text = b"# all of them\n com.acme.First \n\ncom.acme.Second # the other\n";
        assert_eq!(provided_by_file(text), [b"com/acme/First".to_vec(), b"com/acme/Second".to_vec()]);
    }
}
