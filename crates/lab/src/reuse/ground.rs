//! The ground: what results depend on as a whole, because nobody can tell which test has seen what of it.

use catchment_build::{Project, ProjectRequest, RunConfiguration, environment_key, module_path};
use catchment_protocol::hash::hash64;
use catchment_watch::embedded_content;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// One part of the ground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GroundPart {
    /// For people, as the subject of "... have changed".
    pub(crate) name: &'static str,
    pub(crate) hash: u64,
}

/// Variables that differ from one terminal to the next.
const OF_TERMINALS: &[&str] = &[
    "_",
    "SHLVL",
    "PWD",
    "OLDPWD",
    "TERM",
    "COLUMNS",
    "LINES",
    "WINDOWID",
    "SSH_CLIENT",
    "SSH_CONNECTION",
    "SSH_TTY",
    "SSH_AUTH_SOCK",
    "XDG_SESSION_ID",
    "MAVEN_CMD_LINE_ARGS",
];

/// Extensions of files that a compiler reads: what becomes of them is in the class folders.
const SOURCES: &[&str] = &["java", "kt", "kts", "groovy", "scala"];

pub(super) fn ground(project: &Project, request: &ProjectRequest) -> Vec<GroundPart> {
    let configurations = &project.configurations;
    let part = |name, hash: io::Result<u64>| GroundPart { name, hash: hash.unwrap_or_else(|_| moment()) };
    vec![
        part("parts of Catchment", Ok(tool())),
        part("the JDK, the build tool or their variables", Ok(java(configurations))),
        part("the arguments of the build", arguments(request)),
        part("the ways in which tests are started", Ok(commands(configurations))),
        part("libraries", libraries(configurations)),
        part("resources in class folders", resources(configurations)),
        part("files below src that are no sources", test_data(project)),
    ]
}

/// What cannot be read differs from everything.
fn moment() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    hash64(&since.as_nanos().to_le_bytes())
}

fn tool() -> u64 {
    let mut parts = Parts::default();
    parts.add(env!("CARGO_PKG_VERSION"));
    parts.add(embedded_content().to_le_bytes());
    parts.value()
}

fn java(configurations: &[RunConfiguration]) -> u64 {
    let mut parts = Parts::default();
    parts.add(environment_key().to_le_bytes());
    for java in configurations.iter().map(|configuration| &configuration.java).collect::<BTreeSet<_>>() {
        let real = fs::canonicalize(java).unwrap_or_else(|_| java.clone());
        parts.add(real.as_os_str().as_bytes());
        let release = real.parent().and_then(Path::parent).map(|home| home.join("release"));
        parts.add(release.and_then(|release| fs::read(release).ok()).unwrap_or_default());
    }
    parts.value()
}

fn arguments(request: &ProjectRequest) -> io::Result<u64> {
    Ok(hash64(&serde_json::to_vec(&(&request.build_arguments, &request.class_paths))?))
}

fn commands(configurations: &[RunConfiguration]) -> u64 {
    let mut parts = Parts::default();
    for configuration in configurations {
        let RunConfiguration {
            name, java, jvm_arguments, class_path, system_properties, environment, ..
        } = configuration;
        let RunConfiguration { working_folder, framework, filters, test_classes, application, tests, .. } =
            configuration;
        parts.add(name);
        parts.add(java.as_os_str().as_bytes());
        parts.add_all(jvm_arguments.iter().map(|argument| argument.as_bytes()));
        parts.add_all(class_path.iter().map(|path| path.as_os_str().as_bytes()));
        parts.add_all(system_properties.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]));
        let mut variables: Vec<_> = environment
            .iter()
            .filter(|(name, _)| !OF_TERMINALS.iter().any(|theirs| name == OsStr::new(theirs)))
            .collect();
        variables.sort();
        parts.add_all(variables.into_iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]));
        parts.add(working_folder.as_os_str().as_bytes());
        parts.add(format!("{framework:?} {filters:?}"));
        // Build tools list them as the disk does.
        let classes: BTreeSet<_> = test_classes.iter().collect();
        parts.add_all(classes.into_iter().map(String::as_bytes));
        parts.add_all(application.iter().chain(tests).map(|path| path.as_os_str().as_bytes()));
    }
    parts.value()
}

/// Jars, folders of classes that are not the project's, and agents.
fn libraries(configurations: &[RunConfiguration]) -> io::Result<u64> {
    let mut own = BTreeSet::new();
    let mut entries = BTreeSet::new();
    for configuration in configurations {
        own.extend(configuration.application.iter().chain(&configuration.tests).filter(|path| path.is_dir()));
        entries.extend(configuration.class_path.iter().cloned());
        entries.extend(module_path(&configuration.jvm_arguments));
        entries.extend(configuration.jvm_arguments.iter().filter_map(|argument| agent(argument)));
    }
    let mut parts = Parts::default();
    for entry in entries.iter().filter(|entry| !own.contains(entry)) {
        parts.add(entry.as_os_str().as_bytes());
        if entry.is_dir() {
            parts.add_folder(entry, &|_| true)?;
        } else if entry.is_file() {
            parts.add(fs::read(entry)?);
        }
    }
    Ok(parts.value())
}

/// The file of a Java or native agent.
fn agent(argument: &OsStr) -> Option<PathBuf> {
    let argument = argument.to_str()?;
    let agents = ["-javaagent:", "-agentpath:"];
    let file = agents.iter().find_map(|agent| argument.strip_prefix(agent))?;
    Some(PathBuf::from(file.split('=').next().unwrap_or(file)))
}

fn resources(configurations: &[RunConfiguration]) -> io::Result<u64> {
    let folders = configurations.iter().flat_map(|each| each.application.iter().chain(&each.tests));
    let folders: BTreeSet<_> = folders.filter(|folder| folder.is_dir()).collect();
    let mut parts = Parts::default();
    for folder in folders {
        parts.add(folder.as_os_str().as_bytes());
        parts.add_folder(folder, &|file| file.extension().is_none_or(|extension| extension != "class"))?;
    }
    Ok(parts.value())
}

/// Tests read files beside their sources by path.
fn test_data(project: &Project) -> io::Result<u64> {
    let mut parts = Parts::default();
    for file in project.workspace.source_files() {
        let is_source =
            file.extension().is_some_and(|extension| SOURCES.iter().any(|source| extension == *source));
        if !is_source && file.components().any(|part| part.as_os_str() == "src") {
            parts.add(file.as_os_str().as_bytes());
            parts.add(fs::read(project.workspace.root.join(&file))?);
        }
    }
    Ok(parts.value())
}

/// Hashes of the parts; they are hashed again at the end.
#[derive(Default)]
struct Parts(Vec<u8>);

impl Parts {
    fn add(&mut self, part: impl AsRef<[u8]>) {
        self.0.extend_from_slice(&hash64(part.as_ref()).to_le_bytes());
    }

    fn add_all(&mut self, all: impl IntoIterator<Item = impl AsRef<[u8]>>) {
        let mut inner = Self::default();
        all.into_iter().for_each(|part| inner.add(part));
        self.add(inner.0);
    }

    fn add_folder(&mut self, folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> io::Result<()> {
        let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                self.add_folder(&path, wanted)?;
            } else if path.is_file() && wanted(&path) {
                self.add(path.as_os_str().as_bytes());
                self.add(fs::read(&path)?);
            }
        }
        Ok(())
    }

    fn value(&self) -> u64 {
        hash64(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_told_from_other_arguments() {
        assert_eq!(agent(OsStr::new("-javaagent:/a/b.jar=c=d")), Some(PathBuf::from("/a/b.jar")));
        assert_eq!(agent(OsStr::new("-Dx=/a/b.jar")), None);
    }

    #[test]
    fn only_wanted_files_of_a_folder_count_and_their_names_do() {
        let folder = tempfile::tempdir().unwrap();
        let value = || {
            let mut parts = Parts::default();
            parts.add_folder(folder.path(), &|file| file.extension().is_none_or(|it| it != "class")).unwrap();
            parts.value()
        };
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/x.txt"), "1").unwrap();
        fs::write(folder.path().join("a/X.class"), "1").unwrap();
        let first = value();
        fs::write(folder.path().join("a/X.class"), "2").unwrap();
        fs::write(folder.path().join("a/X$1.class"), "2").unwrap();
        assert_eq!(value(), first);
        fs::write(folder.path().join("a/x.txt"), "2").unwrap();
        assert_ne!(value(), first);
    }
}
