//! Java installations on this machine, and where their classes lie.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::walk::sorted_entries;

/// One Java installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaHome {
    /// With all links resolved.
    pub path: PathBuf,
    /// 8, 17, 25 ...
    pub feature_version: u32,
}

impl JavaHome {
    /// The installation in this folder, if it is one.
    pub fn at(folder: &Path) -> Option<Self> {
        java_home_at(folder)
    }

    /// A program of this installation, such as `java` or `jlink`, if it has it.
    pub fn tool(&self, name: &str) -> Option<PathBuf> {
        Some(self.path.join("bin").join(executable(name))).filter(|tool| tool.is_file())
    }
}

/// The file with the platform's classes: `lib/modules` since Java 9, `rt.jar` before.
pub fn jdk_image(java_home: &Path) -> Option<PathBuf> {
    ["lib/modules", "jre/lib/rt.jar", "lib/rt.jar"]
        .iter()
        .map(|place| java_home.join(place))
        .find(|image| image.is_file())
}

/// The archives that a JVM of this home boots with. `place` may also be the image or `rt.jar` itself.
pub(crate) fn platform_archives(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_owned()];
    }
    let Some(image) = jdk_image(place) else { return vec![place.join("lib/modules")] };
    // Up to Java 8 cryptography, TLS and rarer character sets are apart.
    let is_old = image.ends_with("rt.jar");
    let others = ["jsse.jar", "jce.jar", "charsets.jar"].iter().filter(|_| is_old);
    let others = others.filter_map(|name| Some(image.parent()?.join(name))).filter(|jar| jar.is_file());
    std::iter::once(image.clone()).chain(others).collect()
}

/// The installations of this machine, each once: that of `JAVA_HOME`, that of `java` on the `PATH`, then those in
/// the folders where systems and tools put them.
pub fn find_java_homes() -> Vec<JavaHome> {
    let named = env::var_os("JAVA_HOME").map(PathBuf::from);
    let on_path = env::var_os("PATH").and_then(|path| java_on_path(env::split_paths(&path)));
    let installed =
        standard_folders(env::home_dir().as_deref()).into_iter().flat_map(|folder| homes_in(&folder));
    distinct_homes(named.into_iter().chain(on_path).chain(installed))
}

/// The candidates that are installations, in their order, each real path once.
fn distinct_homes(candidates: impl Iterator<Item = PathBuf>) -> Vec<JavaHome> {
    let mut homes: Vec<JavaHome> = Vec::new();
    for home in candidates.filter_map(|candidate| java_home_at(&candidate)) {
        if !homes.iter().any(|known| known.path == home.path) {
            homes.push(home);
        }
    }
    homes
}

fn java_home_at(candidate: &Path) -> Option<JavaHome> {
    let path = without_jre(fs::canonicalize(candidate).ok()?);
    jdk_image(&path)?;
    let release = fs::read_to_string(path.join("release")).ok()?;
    Some(JavaHome { feature_version: feature_version(&release)?, path })
}

/// Up to Java 8 a JDK holds its run time in a folder `jre` that looks like an installation of its own.
fn without_jre(home: PathBuf) -> PathBuf {
    match home.parent() {
        Some(jdk) if home.ends_with("jre") && jdk.join("release").is_file() => jdk.to_owned(),
        _ => home,
    }
}

/// 17 from `JAVA_VERSION="17.0.15"` and 8 from `JAVA_VERSION="1.8.0_392"` in the text of a `release` file.
fn feature_version(release: &str) -> Option<u32> {
    let version =
        release.lines().find_map(|line| line.trim().strip_prefix("JAVA_VERSION="))?.trim_matches('"');
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().ok());
    match numbers.next()?? {
        1 => numbers.next()?,
        feature => Some(feature),
    }
}

/// The installation behind the first `java` of a search path, through all links (`/usr/bin/java` is one).
fn java_on_path(mut folders: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    let java = folders.find_map(|folder| {
        fs::canonicalize(folder.join(executable("java"))).ok().filter(|java| java.is_file())
    })?;
    Some(java.parent()?.parent()?.to_owned())
}

fn executable(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

/// Folders whose subfolders are installations.
fn standard_folders(user: Option<&Path>) -> Vec<PathBuf> {
    let system: &[&str] = if cfg!(target_os = "macos") {
        &["/Library/Java/JavaVirtualMachines"]
    } else if cfg!(windows) {
        &[r"C:\Program Files\Java", r"C:\Program Files\Eclipse Adoptium"]
    } else {
        &["/usr/lib/jvm", "/usr/java", "/opt/java", "/opt"]
    };
    let users = [
        ".sdkman/candidates/java",
        ".jdks",
        ".gradle/jdks",
        ".asdf/installs/java",
        "Library/Java/JavaVirtualMachines",
    ];
    let of_user = user.into_iter().flat_map(|home| users.iter().map(|folder| home.join(folder)));
    system.iter().map(PathBuf::from).chain(of_user).collect()
}

fn homes_in(folder: &Path) -> Vec<PathBuf> {
    let entries = sorted_entries(folder).unwrap_or_default();
    // On macOS the installation is two levels down in its bundle.
    entries.iter().flat_map(|entry| [entry.path(), entry.path().join("Contents/Home")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn install(home: &Path, image: &str, version: &str) {
        fs::create_dir_all(home.join(image).parent().unwrap()).unwrap();
        fs::write(home.join(image), "").unwrap();
        fs::create_dir_all(home.join("bin")).unwrap();
        fs::write(home.join("bin").join(executable("java")), "").unwrap();
        fs::write(home.join("release"), format!("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"{version}\"\n")).unwrap();
    }

    #[test]
    fn feature_versions_of_all_times_are_read() {
        for (text, feature) in [
            ("JAVA_VERSION=\"17.0.15\"", Some(17)),
            ("OS=\"x\"\r\nJAVA_VERSION=\"25\"\r\n", Some(25)),
            ("JAVA_VERSION=\"26-ea\"", Some(26)),
            ("JAVA_VERSION=\"1.8.0_392\"", Some(8)),
            ("JAVA_VERSION=\"\"", None),
            ("JAVA_RUNTIME_VERSION=\"17\"", None),
        ] {
            assert_eq!(feature_version(text), feature, "{text}");
        }
    }

    #[test]
    fn an_image_is_found_in_old_and_new_layouts() {
        let root = tempfile::tempdir().unwrap();
        for place in ["lib/modules", "jre/lib/rt.jar", "lib/rt.jar"] {
            let home = root.path().join(place.replace('/', "-"));
            install(&home, place, "17");
            assert_eq!(jdk_image(&home), Some(home.join(place)));
        }
        assert_eq!(jdk_image(root.path()), None);
    }

    #[test]
    fn installations_are_listed_once_in_the_order_given() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        let (old, new) = (root.join("jdk8"), root.join("jdk25"));
        install(&old, "jre/lib/rt.jar", "1.8.0_392");
        install(&new, "lib/modules", "25.0.3");
        fs::create_dir(root.join("no-java")).unwrap();
        let candidates =
            [new.clone(), old.join("jre"), root.join("absent")].into_iter().chain(homes_in(&root));
        let homes = distinct_homes(candidates);
        let expected =
            [(new, 25), (old, 8)].map(|(path, feature_version)| JavaHome { path, feature_version });
        assert_eq!(homes, expected);
    }

    #[cfg(unix)]
    #[test]
    fn java_on_the_path_leads_to_its_home_through_links() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        let home = root.join("jdk");
        install(&home, "lib/modules", "17");
        fs::create_dir(root.join("bin")).unwrap();
        std::os::unix::fs::symlink(home.join("bin/java"), root.join("bin/java")).unwrap();
        let search_path = [root.join("empty"), root.join("bin")];
        assert_eq!(java_on_path(search_path.into_iter()), Some(home));
    }
}
