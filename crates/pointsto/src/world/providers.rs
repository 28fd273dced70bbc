//! Providers of services, as `ServiceLoader` finds them: in files of the class path and in module descriptors.
//!
//! No file system here: whoever has the class path hands over the contents.

use catchment_classfile::ClassFile;
use rustc_hash::{FxHashMap, FxHashSet};

/// The file of a class path entry that lists the providers of a service, an internal name.
pub fn services_file(service: &[u8]) -> String {
    format!("META-INF/services/{}", String::from_utf8_lossy(service).replace('/', "."))
}

/// What modules provide: by service, internal names of classes.
#[derive(Debug, Default)]
pub struct ModuleServices {
    providers: FxHashMap<Vec<u8>, Vec<Vec<u8>>>,
}

impl ModuleServices {
    /// Reads module descriptors. Those that cannot be read are passed over.
    pub fn read<'b>(modules: impl IntoIterator<Item = &'b [u8]>) -> Self {
        let mut services = Self::default();
        for file in modules.into_iter().filter_map(|bytes| ClassFile::parse(bytes).ok()) {
            for (service, provider) in provided_by_module(&file).unwrap_or_default() {
                services.providers.entry(service).or_default().push(provider);
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

/// The `provides` table of a module descriptor (JVMS §4.7.25) as services and providers. Nothing if it is cut off.
fn provided_by_module(file: &ClassFile<'_>) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
    let attribute = file.attributes.find(&file.pool, "Module")?;
    // Name, flags and version of the module come first, then its tables.
    let mut table = Table { data: attribute.data.get(6..)? };
    for _ in 0..table.next()? {
        table.skip(3)?;
    }
    for _ in 0..2 {
        for _ in 0..table.next()? {
            table.skip(2)?;
            let targets = table.next()?;
            table.skip(targets)?;
        }
    }
    let uses = table.next()?;
    table.skip(uses)?;
    let mut providers = Vec::new();
    for _ in 0..table.next()? {
        let service = file.pool.class_name(table.next()?).ok()?;
        for _ in 0..table.next()? {
            let provider = file.pool.class_name(table.next()?).ok()?;
            providers.push((service.as_bytes().to_vec(), provider.as_bytes().to_vec()));
        }
    }
    Some(providers)
}

/// Two-byte numbers in a row.
struct Table<'a> {
    data: &'a [u8],
}

impl Table<'_> {
    fn next(&mut self) -> Option<u16> {
        let (first, rest) = self.data.split_first_chunk::<2>()?;
        self.data = rest;
        Some(u16::from_be_bytes(*first))
    }

    fn skip(&mut self, count: u16) -> Option<()> {
        self.data = self.data.get(2 * usize::from(count)..)?;
        Some(())
    }
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
