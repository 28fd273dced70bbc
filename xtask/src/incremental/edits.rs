//! Scripted edits that compile nearly always.

use super::short;
use anyhow::{Context, Result};
use catchment_classfile::{ClassFile, LineTable, access};
use catchment_testkit::random::Random;
use catchment_testkit::workspace::files_below;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A statement that compiles anywhere and does nothing.
const STATEMENT: &str = "if (System.nanoTime() == 0) { throw new IllegalStateException(); }";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A statement in a method whose clauses tests execute.
    ExecutedBody,
    Comment,
    /// A statement in any method.
    Body,
    TestBody,
    Subclass,
    Service,
    Resource,
}

impl Kind {
    pub(super) const ALL: [Self; 10] = [
        Self::ExecutedBody,
        Self::Comment,
        Self::Body,
        Self::TestBody,
        Self::ExecutedBody,
        Self::Subclass,
        Self::Body,
        Self::Service,
        Self::ExecutedBody,
        Self::Resource,
    ];
}

/// A file with its new content.
pub(super) struct Edit {
    pub(super) name: String,
    file: PathBuf,
    content: String,
}

/// A file as it was.
pub(super) struct Before {
    file: PathBuf,
    content: Option<Vec<u8>>,
}

impl Before {
    pub(super) fn restore(&self) -> Result<()> {
        match &self.content {
            Some(content) => fs::write(&self.file, content)?,
            None => fs::remove_file(&self.file)?,
        }
        Ok(())
    }
}

impl Edit {
    pub(super) fn new(
        kind: Kind,
        project: &Path,
        answer: &Value,
        number: usize,
        random: &mut Random,
    ) -> Result<Self> {
        match kind {
            Kind::ExecutedBody => executed_body(project, answer, random),
            Kind::Body => any_body(project, "src/main/java", "classes", random),
            Kind::TestBody => any_body(project, "src/test/java", "test-classes", random),
            Kind::Comment => {
                let file = source(project, "src/main/java", random)?;
                let content = format!("// A line more.\n{}", fs::read_to_string(&file)?);
                Ok(Self { name: format!("comment in {}", short(&file)), file, content })
            }
            Kind::Subclass => {
                let name = format!("EditedMore{number}");
                let source = source(project, "src/main/java", random)?;
                let package = package_of(&fs::read_to_string(&source)?);
                let content = format!("{package}\nclass {name} extends IllegalStateException {{}}\n");
                Ok(Self {
                    name: format!("class {name}"),
                    file: source.with_file_name(format!("{name}.java")),
                    content,
                })
            }
            Kind::Service => {
                let file = project.join("src/main/resources/META-INF/services/java.lang.EditedService");
                Ok(Self { name: "service file".to_owned(), file, content: format!("# {number}\n") })
            }
            Kind::Resource => {
                let file = project.join("src/test/resources/edited.txt");
                Ok(Self { name: "resource of tests".to_owned(), file, content: number.to_string() })
            }
        }
    }

    pub(super) fn apply(&self) -> Result<Before> {
        let before = Before { file: self.file.clone(), content: fs::read(&self.file).ok() };
        fs::create_dir_all(self.file.parent().context("a file is in a folder")?)?;
        fs::write(&self.file, &self.content)?;
        Ok(before)
    }
}

fn package_of(source: &str) -> String {
    source.lines().find(|line| line.starts_with("package ")).unwrap_or_default().to_owned()
}

fn source(project: &Path, folder: &str, random: &mut Random) -> Result<PathBuf> {
    let mut files = files_below(&project.join(folder))?;
    let is_class = |file: &PathBuf| {
        let name = short(file);
        name.ends_with(".java") && !["package-info.java", "module-info.java"].contains(&name.as_str())
    };
    files.retain(is_class);
    files.sort();
    anyhow::ensure!(!files.is_empty(), "there are no sources in {folder}");
    Ok(files.swap_remove(random.below(files.len())))
}

fn executed_body(project: &Path, answer: &Value, random: &mut Random) -> Result<Edit> {
    let pairs = answer["pairs"].as_array().context("an answer has pairs")?;
    let is_executed = |pair: &&Value| pair["executions"].as_array().is_some_and(|tests| !tests.is_empty());
    let executed: Vec<&Value> = pairs.iter().filter(is_executed).collect();
    anyhow::ensure!(!executed.is_empty(), "no test executes a try");
    for _ in 0..100 {
        let pair = executed[random.below(executed.len())];
        let (Some(class), Some(method)) = (pair["class"].as_str(), pair["method"].as_str()) else { continue };
        let file = class.split('$').next().unwrap_or(class).replace('.', "/") + ".java";
        let file = project.join("src/main/java").join(file);
        let built = built(project, "classes", class);
        if let Some(edit) = in_body(&file, &built, Some(method), random) {
            return Ok(edit);
        }
    }
    any_body(project, "src/main/java", "classes", random)
}

fn any_body(project: &Path, sources: &str, classes: &str, random: &mut Random) -> Result<Edit> {
    for _ in 0..1_000 {
        let file = source(project, sources, random)?;
        let class =
            file.strip_prefix(project.join(sources))?.with_extension("").to_string_lossy().replace('/', ".");
        if let Some(edit) = in_body(&file, &built(project, classes, &class), None, random) {
            return Ok(edit);
        }
    }
    anyhow::bail!("no method in {sources} can be edited")
}

fn built(project: &Path, folder: &str, class: &str) -> PathBuf {
    let file = class.replace('.', "/") + ".class";
    project.join(".catchment/build/target").join(folder).join(file)
}

/// The statement in front of the first one of a method; `None` where the source does not show where that is.
fn in_body(file: &Path, class: &Path, method: Option<&str>, random: &mut Random) -> Option<Edit> {
    let (source, bytes) = (fs::read_to_string(file).ok()?, fs::read(class).ok()?);
    let class = ClassFile::parse(&bytes).ok()?;
    let lines: Vec<&str> = source.lines().collect();
    let mut places = Vec::new();
    for member in &class.methods {
        let name = member.name.to_string();
        let is_wanted = method.is_none_or(|method| method == name);
        if !is_wanted || name.starts_with('<') || member.access & access::SYNTHETIC != 0 {
            continue;
        }
        let Some((_, code)) = class.code(member).ok()? else { continue };
        let first = LineTable::read(&code, &class.pool).rows().iter().map(|row| usize::from(row.line)).min();
        if let Some(first) = first.filter(|first| begins_a_body(&lines, *first)) {
            places.push((first, name));
        }
    }
    if places.is_empty() {
        return None;
    }
    let (line, name) = places.swap_remove(random.below(places.len()));
    let mut edited: Vec<&str> = lines;
    edited.insert(line - 1, STATEMENT);
    Some(Edit {
        name: format!("body of {}.{name}", short(file).trim_end_matches(".java")),
        file: file.to_owned(),
        content: edited.join("\n") + "\n",
    })
}

/// The line stands behind an opening brace and looks like a statement.
fn begins_a_body(lines: &[&str], line: usize) -> bool {
    let Some(text) = line.checked_sub(1).and_then(|line| lines.get(line)) else { return false };
    let text = text.trim();
    let before = lines[..line - 1].iter().rev().map(|line| line.trim()).find(|line| !line.is_empty());
    let opens = before.is_some_and(|before| before.ends_with(") {") || before.ends_with("Exception {"));
    let is_odd = ["case ", "default", "}", "@", "//", "/*", "*", "super(", "this("]
        .iter()
        .any(|odd| text.starts_with(odd));
    opens && !is_odd && !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_begins_behind_its_opening_brace() {
        let lines = [
            "int f() {",
            "",
            "return 1;",
            "}",
            "int g() { return 2; }",
            "int h() throws E",
            "{",
            "return 3;",
        ];
        let begins: Vec<usize> = (0..=9).filter(|line| begins_a_body(&lines, *line)).collect();
        assert_eq!(begins, [3]);
    }
}
