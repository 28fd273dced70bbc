//! Artifacts from Maven Central, by coordinates, through the ordinary `mvn` client.
//!
//! The artifacts are copied into `target/artifacts/` in repository layout; a file that is there is never fetched again.
//! Starting Maven costs seconds, so everything missing is fetched by one invocation.

use crate::workspace::{cache_key, exclusively, files_below, target_folder};
use anyhow::{Context, Result, anyhow, bail};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Pinned, so that Maven looks no version up and behaves the same next year.
const DEPENDENCY_PLUGIN: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1";

/// `group:artifact:version[:type[:classifier]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coordinate {
    group: String,
    artifact: String,
    version: String,
    kind: String,
    classifier: Option<String>,
}

impl Coordinate {
    pub fn parse(text: &str) -> Result<Self> {
        let parts: Vec<&str> = text.split(':').collect();
        if !(3..=5).contains(&parts.len()) || parts.iter().any(|part| !is_plain(part)) {
            bail!("cannot read coordinate {text}: expected group:artifact:version[:type[:classifier]]");
        }
        let part = |index: usize| parts.get(index).map(|part| (*part).to_owned());
        Ok(Self {
            group: part(0).unwrap_or_default(),
            artifact: part(1).unwrap_or_default(),
            version: part(2).unwrap_or_default(),
            kind: part(3).unwrap_or_else(|| "jar".into()),
            classifier: part(4),
        })
    }

    /// The path Maven's repository layout gives this artifact.
    fn repository_path(&self) -> PathBuf {
        let Self { group, artifact, version, kind, classifier } = self;
        let classifier = classifier.as_ref().map(|name| format!("-{name}")).unwrap_or_default();
        let folder: PathBuf = group.split('.').collect();
        folder.join(artifact).join(version).join(format!("{artifact}-{version}{classifier}.{kind}"))
    }

    /// The elements that name this artifact in a POM.
    fn to_xml(&self) -> String {
        let Self { group, artifact, version, kind, classifier } = self;
        let mut xml = format!(
            "<groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version><type>{kind}</type>"
        );
        if let Some(classifier) = classifier {
            let _ = write!(xml, "<classifier>{classifier}</classifier>");
        }
        xml
    }
}

/// No character that means something to XML or to a path.
fn is_plain(part: &str) -> bool {
    !part.is_empty()
        && !part.contains("..")
        && part.chars().all(|c| c.is_ascii_alphanumeric() || ".-_+".contains(c))
}

/// The files of `coordinates`, in their order, without what they depend on.
pub fn resolve(coordinates: &[&str]) -> Result<Vec<PathBuf>> {
    let artifacts = target_folder("artifacts")?;
    let wanted: Vec<Coordinate> =
        coordinates.iter().map(|text| Coordinate::parse(text)).collect::<Result<_>>()?;
    if !missing(&artifacts, &wanted).is_empty() {
        exclusively(&artifacts.join(".lock"), || {
            // Another process may have fetched some of them while this one waited for the lock.
            let missing = missing(&artifacts, &wanted);
            if missing.is_empty() { Ok(()) } else { fetch_exactly(&artifacts, &missing) }
        })?;
    }
    Ok(wanted.iter().map(|coordinate| artifacts.join(coordinate.repository_path())).collect())
}

/// The files of `coordinates` and of everything they need at run time, as one class path.
pub fn resolve_with_dependencies(coordinates: &[&str]) -> Result<Vec<PathBuf>> {
    let artifacts = target_folder("artifacts")?;
    let wanted: Vec<Coordinate> =
        coordinates.iter().map(|text| Coordinate::parse(text)).collect::<Result<_>>()?;
    let list =
        artifacts.join(format!(".closure-{}", cache_key(coordinates.iter().map(|text| text.as_bytes()))));
    if let Some(known) = read_closure(&artifacts, &list) {
        return Ok(known);
    }
    exclusively(&artifacts.join(".lock"), || match read_closure(&artifacts, &list) {
        Some(known) => Ok(known),
        None => fetch_closure(&artifacts, &wanted, &list),
    })
}

fn missing<'a>(artifacts: &Path, wanted: &'a [Coordinate]) -> Vec<&'a Coordinate> {
    wanted.iter().filter(|coordinate| !artifacts.join(coordinate.repository_path()).is_file()).collect()
}

/// The class path written by an earlier [`fetch_closure`], if all of its files are still there.
fn read_closure(artifacts: &Path, list: &Path) -> Option<Vec<PathBuf>> {
    let text = fs::read_to_string(list).ok()?;
    let files: Vec<PathBuf> = text.lines().map(|line| artifacts.join(line)).collect();
    files.iter().all(|file| file.is_file()).then_some(files)
}

fn fetch_exactly(artifacts: &Path, missing: &[&Coordinate]) -> Result<()> {
    let mut items = String::new();
    for coordinate in missing {
        let path = coordinate.repository_path();
        let folder = path.parent().unwrap_or(&path).display();
        let file = path.file_name().unwrap_or_default().display();
        // `copy` has no repository layout of its own; file names alone would collide between groups.
        let _ = writeln!(
            items,
            "<artifactItem>{}<outputDirectory>${{delivered}}/{folder}</outputDirectory>\
             <destFileName>{file}</destFileName></artifactItem>",
            coordinate.to_xml()
        );
    }
    let pom = Pom {
        configuration: format!("<artifactItems>\n{items}</artifactItems>"),
        dependencies: String::new(),
    };
    run_maven(artifacts, "copy", &pom)?;
    match missing.iter().find(|coordinate| !artifacts.join(coordinate.repository_path()).is_file()) {
        Some(absent) => bail!("mvn did not deliver {}", absent.repository_path().display()),
        None => Ok(()),
    }
}

fn fetch_closure(artifacts: &Path, wanted: &[Coordinate], list: &Path) -> Result<Vec<PathBuf>> {
    let mut dependencies = String::new();
    for coordinate in wanted {
        let _ = writeln!(dependencies, "<dependency>{}</dependency>", coordinate.to_xml());
    }
    let configuration = "<includeScope>runtime</includeScope>".to_owned();
    let mut files = run_maven(artifacts, "copy-dependencies", &Pom { configuration, dependencies })?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jar"));
    let lines: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    fs::write(list, lines.join("\n")).with_context(|| format!("cannot write {}", list.display()))?;
    Ok(files.iter().map(|file| artifacts.join(file)).collect())
}

/// What a generated POM says beyond its fixed frame.
struct Pom {
    configuration: String,
    dependencies: String,
}

impl Pom {
    fn to_xml(&self, output: &Path) -> String {
        let mut plugin = DEPENDENCY_PLUGIN.splitn(3, ':');
        let mut next = || plugin.next().unwrap_or_default();
        format!(
            "<project><modelVersion>4.0.0</modelVersion>\n\
             <groupId>catchment</groupId><artifactId>artifacts</artifactId><version>1</version><packaging>pom</packaging>\n\
             <properties><delivered>{}</delivered></properties>\n\
             <dependencies>\n{}</dependencies>\n\
             <build><plugins><plugin><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>\n\
             <configuration><outputDirectory>${{delivered}}</outputDirectory><useRepositoryLayout>true</useRepositoryLayout>\n\
             {}</configuration></plugin></plugins></build></project>\n",
            output.display(),
            self.dependencies,
            next(),
            next(),
            next(),
            self.configuration,
        )
    }
}

/// Runs one goal into a staging folder and moves what it delivered into `artifacts`, so that a killed run
/// leaves no half-written file behind. Returns the paths relative to `artifacts`, sorted.
fn run_maven(artifacts: &Path, goal: &str, pom: &Pom) -> Result<Vec<PathBuf>> {
    let staging = tempfile::tempdir_in(artifacts).context("cannot create a staging folder for mvn")?;
    let delivered = staging.path().join("delivered");
    let pom_file = staging.path().join("pom.xml");
    fs::write(&pom_file, pom.to_xml(&delivered)).context("cannot write the POM for mvn")?;
    let output = Command::new("mvn")
        // -U: a file that was absent a minute ago may have been a network failure.
        .args(["--batch-mode", "--quiet", "-U", "--file"])
        .arg(&pom_file)
        .arg(format!("{DEPENDENCY_PLUGIN}:{goal}"))
        .output()
        .context("cannot start mvn, which fetches the jars that tests need")?;
    if !output.status.success() {
        return Err(anyhow!(
            "cannot fetch artifacts: {}",
            first_error(&String::from_utf8_lossy(&output.stdout))
        ));
    }
    let files = files_below(&delivered)?;
    let mut files: Vec<PathBuf> =
        files.iter().filter_map(|file| Some(file.strip_prefix(&delivered).ok()?.to_path_buf())).collect();
    for file in &files {
        move_into_place(&delivered.join(file), &artifacts.join(file))?;
    }
    files.sort();
    Ok(files)
}

fn move_into_place(from: &Path, to: &Path) -> Result<()> {
    let moved = to.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::rename(from, to));
    moved.with_context(|| format!("cannot store {}", to.display()))
}

/// Maven's first error line without its decoration: it names the artifact and the cause.
fn first_error(log: &str) -> String {
    let line = log
        .lines()
        .find_map(|line| line.split_once("[ERROR] "))
        .map_or("mvn failed without a message", |it| it.1);
    let line = line.split(" -> [Help").next().unwrap_or(line);
    match line.split_once("on project artifacts: ") {
        Some((_, cause)) => cause.to_owned(),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_classifier_becomes_part_of_the_file_name() {
        let coordinate = Coordinate::parse("org.acme:tool:1.2:jar:tests").unwrap();
        assert_eq!(coordinate.repository_path(), Path::new("org/acme/tool/1.2/tool-1.2-tests.jar"));
    }

    #[test]
    fn a_coordinate_that_could_leave_the_folder_is_refused() {
        for bad in ["org.acme:tool", "a:b:../../x", "a:b:<c>", "a::1", "a:b:1:jar:tests:more"] {
            assert!(Coordinate::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn mavens_error_is_cut_down_to_one_line_with_the_cause() {
        let log = "\u{1b}[0m[ERROR] Failed to execute goal g:a:1:copy (default-cli) on project artifacts: Could not \
                   find artifact x:y:jar:1 -> [Help 1]\n[ERROR] \n";
        assert_eq!(first_error(log), "Could not find artifact x:y:jar:1");
    }

    #[test]
    fn an_unknown_artifact_is_an_error_that_names_it() {
        let error = resolve(&["org.ow2.asm:asm:0.0-none"]).unwrap_err().to_string();
        assert!(error.contains("org.ow2.asm:asm:jar:0.0-none"), "{error}");
        assert_eq!(error.lines().count(), 1);
    }
}
