//! The fixtures under `fixtures/links`: small programs and, beside each, the exception-catch links worked out by hand.
//!
//! Throws and clauses are marked in the source by a comment on their line, `// @name`. `expected.toml` lists the links by
//! the names of their marks, each with the configurations that report it (all, if it does not say):
//!
//! ```text
//! links = "own"                       # judge only throws of the fixture, `kinds` and what is named; else every link
//! kinds = ["DSK_READ"]                # fault kinds to judge
//! [[link]]
//! from = "some"                       # a mark, a fault kind, or class.method of a throw in the JDK
//! to = "read1"
//! in = ["cha", "rta", "pta*"]         # or not_in; a * stands for anything
//! maybe = ["inpta"]                   # reported or not, nobody can say
//! doubt = "why this may be argued"    # shown when it fails
//! ```

mod expected;
mod run;

pub use expected::CONFIGURATIONS;
pub use run::{answer_of, experienced};

use crate::compilers::{Compiler, Job};
use crate::workspace::{files_below, root};
use anyhow::{Context, Result, bail};
use expected::{ExpectedFile, ExpectedLink, Scope, fits_any};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// From where to which clause, in the words of the expected files.
pub type Link = (String, String);

#[derive(Debug)]
pub struct Fixture {
    pub name: String,
    folder: PathBuf,
    expected: ExpectedFile,
    /// The name of the mark on a line of `Main.java`.
    marks: BTreeMap<u32, String>,
    /// The marks of clauses; the others are of throws.
    clauses: BTreeSet<String>,
}

/// A fixture as the analysis gets it.
#[derive(Debug)]
pub struct Compiled {
    /// The classes, and the resources beside them if there are any.
    pub class_path: Vec<PathBuf>,
    /// Binary names.
    classes: BTreeSet<String>,
}

impl Fixture {
    /// Reads `fixtures/links/<name>`.
    pub fn read(name: &str) -> Result<Self> {
        let folder = folder().join(name);
        let source = read(&folder.join("Main.java"))?;
        let file = folder.join("expected.toml");
        let expected =
            toml::from_str(&read(&file)?).with_context(|| format!("cannot read {}", file.display()))?;
        let (marks, clauses) = (marks_of(&source), clauses_of(&source));
        let fixture = Self { name: name.to_owned(), folder, expected, marks, clauses };
        fixture.check().with_context(|| format!("in {}", file.display()))?;
        Ok(fixture)
    }

    /// What the command is to be asked for beside the analysis.
    pub fn options(&self) -> &'static [&'static str] {
        if self.expected.implicit { &["--implicit"] } else { &[] }
    }

    pub fn compile(&self) -> Result<Compiled> {
        let job = Job::of([self.folder.join("Main.java")]);
        let classes = Compiler::Javac { jdk: 17, release: self.expected.level }.compile(&job)?;
        let names = files_below(&classes)?.iter().filter_map(|file| binary_name(&classes, file)).collect();
        let resources = Some(self.folder.join("resources")).filter(|folder| folder.is_dir());
        Ok(Compiled { class_path: [classes].into_iter().chain(resources).collect(), classes: names })
    }

    /// The links that a configuration must report.
    pub fn expected(&self, configuration: &str) -> BTreeSet<Link> {
        self.links_where(|link| link.is_in(configuration))
    }

    /// Those that it may report or not.
    pub fn unjudged(&self, configuration: &str) -> BTreeSet<Link> {
        self.links_where(|link| fits_any(&link.maybe, configuration))
    }

    /// What is wrong with the answer of `catchment links --json`, a line each.
    pub fn differences(
        &self,
        configuration: &str,
        compiled: &Compiled,
        answer: &Value,
    ) -> Result<Vec<String>> {
        let reported = self.reported(compiled, answer)?;
        let expected = self.expected(configuration);
        let unjudged = self.unjudged(configuration);
        let missing = expected.difference(&reported).map(|link| self.line("missing", configuration, link));
        let surplus = reported.iter().filter(|link| !expected.contains(link) && !unjudged.contains(link));
        let surplus = surplus.filter(|(from, _)| self.judges(from));
        Ok(missing.chain(surplus.map(|link| self.line("not expected", configuration, link))).collect())
    }

    /// The name of a throw or clause in the expected file, by its class and line.
    pub fn name_of(&self, compiled: &Compiled, class: &str, method: &str, line: Option<u32>) -> String {
        if !compiled.classes.contains(class) {
            return format!("{class}.{method}");
        }
        match line {
            Some(line) => self.marks.get(&line).cloned().unwrap_or_else(|| format!("line {line}")),
            None => format!("{class}.{method} without line"),
        }
    }

    pub fn is_clause(&self, name: &str) -> bool {
        self.clauses.contains(name)
    }

    /// Whether what comes from there is compared in full, and not only where a link names it.
    pub fn judges(&self, from: &str) -> bool {
        let is_own = from.starts_with("line ") || self.is_throw(from);
        self.expected.links == Scope::All || is_own || self.expected.kinds.iter().any(|kind| kind == from)
    }

    fn reported(&self, compiled: &Compiled, answer: &Value) -> Result<BTreeSet<Link>> {
        let pairs = answer["pairs"].as_array().context("the answer has no `pairs`")?;
        let clauses: BTreeMap<&str, String> = pairs
            .iter()
            .filter_map(|pair| Some((pair["id"].as_str()?, self.clause(compiled, pair))))
            .collect();
        let links = answer["links"].as_array().context("the answer has no `links`")?;
        let named = links.iter().map(|link| {
            let id = link["to"].as_str().context("a link without `to`")?;
            let to = clauses.get(id).with_context(|| format!("no pair has the id {id}"))?;
            Ok((self.origin(compiled, &link["from"]), to.clone()))
        });
        named.collect()
    }

    fn clause(&self, compiled: &Compiled, pair: &Value) -> String {
        let text = |key: &str| pair[key].as_str().unwrap_or_default();
        self.name_of(compiled, text("class"), text("method"), line_in(pair, "catch_line"))
    }

    fn origin(&self, compiled: &Compiled, from: &Value) -> String {
        let text = |key: &str| from[key].as_str().unwrap_or_default();
        match text("kind") {
            "operation" => text("operation").to_owned(),
            _ => self.name_of(compiled, text("class"), text("method"), line_in(from, "line")),
        }
    }

    fn links_where(&self, is_wanted: impl Fn(&ExpectedLink) -> bool) -> BTreeSet<Link> {
        let wanted = self.expected.link.iter().filter(|link| is_wanted(link));
        wanted.map(|link| (link.from.clone(), link.to.clone())).collect()
    }

    fn line(&self, what: &str, configuration: &str, (from, to): &Link) -> String {
        let same = self.expected.link.iter().find(|link| link.from == *from && link.to == *to);
        let doubt = same.and_then(|link| link.doubt.as_deref());
        let doubt = doubt.map_or_else(String::new, |doubt| format!(" (doubtful: {doubt})"));
        format!("{configuration}: {what}: {from} -> {to}{doubt}")
    }

    /// Marks stand where they must, and what is named exists.
    fn check(&self) -> Result<()> {
        if self.marks.len() != self.marks.values().collect::<BTreeSet<_>>().len() {
            bail!("a mark stands on two lines");
        }
        let mut seen = BTreeSet::new();
        for link in &self.expected.link {
            if !self.is_clause(&link.to) {
                bail!("@{} marks no clause", link.to);
            }
            if !self.is_throw(&link.from) && !link.from.contains('.') && !is_kind(&link.from) {
                bail!("@{} marks no throw", link.from);
            }
            if !seen.insert((&link.from, &link.to)) {
                bail!("{} -> {} is listed twice", link.from, link.to);
            }
            link.check()?;
        }
        Ok(())
    }

    fn is_throw(&self, name: &str) -> bool {
        !self.is_clause(name) && self.marks.values().any(|mark| mark == name)
    }
}

/// The folder of these fixtures.
pub fn folder() -> PathBuf {
    root().join("fixtures/links")
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

fn marks_of(source: &str) -> BTreeMap<u32, String> {
    (1..).zip(source.lines()).filter_map(|(number, line)| Some((number, mark_in(line)?))).collect()
}

fn clauses_of(source: &str) -> BTreeSet<String> {
    source.lines().filter(|line| line.contains("catch (")).filter_map(mark_in).collect()
}

fn mark_in(line: &str) -> Option<String> {
    line.split_once("// @").map(|(_, mark)| mark.trim().to_owned())
}

fn is_kind(name: &str) -> bool {
    name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
}

fn binary_name(folder: &Path, file: &Path) -> Option<String> {
    let name = file.strip_prefix(folder).ok()?.to_str()?.strip_suffix(".class")?;
    Some(name.replace('/', "."))
}

fn line_in(value: &Value, key: &str) -> Option<u32> {
    value[key].as_u64().and_then(|line| u32::try_from(line).ok())
}
