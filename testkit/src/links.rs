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
//! [[known]]                           # the tool is known to say the opposite here; it fails as soon as it does not
//! from = "some"
//! to = "read2"
//! in = ["pta+dr"]
//! cause = "why"
//! ```

mod expected;
mod run;

pub use expected::CONFIGURATIONS;
pub use run::recorded_links;

use crate::compilers::{Compiler, Job};
use crate::workspace::{files_below, root};
use anyhow::{Context, Result, bail};
use expected::{ExpectedFile, ExpectedLink, Scope, fits_any};
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

    /// All of them, by name.
    pub fn read_all() -> Result<Vec<Self>> {
        let entries = fs::read_dir(folder())?.collect::<std::io::Result<Vec<_>>>()?;
        let folders = entries.iter().map(fs::DirEntry::path).filter(|path| path.is_dir());
        let names = folders.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
        let names: BTreeSet<String> = names.collect();
        names.iter().map(|name| Self::read(name)).collect()
    }

    /// Whether exceptions of instructions are asked for.
    pub fn is_implicit(&self) -> bool {
        self.expected.implicit
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

    /// Links that the configuration may report or not.
    pub fn unjudged(&self, configuration: &str) -> BTreeSet<Link> {
        self.links_where(|link| fits_any(&link.maybe, configuration))
    }

    /// What is wrong with the links that a configuration reports, a line each.
    pub fn differences(&self, configuration: &str, reported: &BTreeSet<Link>) -> Vec<String> {
        let expected = self.expected(configuration);
        let unjudged = self.unjudged(configuration);
        let known = self.known(configuration);
        let missing = expected.difference(reported);
        let surplus = reported.difference(&expected).filter(|link| !unjudged.contains(link));
        let surplus = surplus.filter(|(from, _)| self.judges(from));
        let wrong: BTreeSet<&Link> = missing.clone().chain(surplus.clone()).collect();
        let mended = known.iter().filter(|link| !wrong.contains(link));
        let line = |what: &'static str| move |link: &Link| self.line(what, configuration, link);
        let is_new = |link: &&Link| !known.contains(*link);
        let missing = missing.filter(is_new).map(line("missing"));
        let surplus = surplus.filter(is_new).map(line("not expected"));
        missing.chain(surplus).chain(mended.map(line("no known difference any more"))).collect()
    }

    /// The links of which a configuration is known to say the opposite.
    pub fn known(&self, configuration: &str) -> BTreeSet<Link> {
        let known = self.expected.known.iter().filter(|known| known.is_in(configuration));
        known.map(|known| (known.from.clone(), known.to.clone())).collect()
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

    /// Whether a link from there is compared at all.
    pub fn looks_at(&self, from: &str) -> bool {
        self.judges(from) || self.expected.link.iter().any(|link| link.from == from)
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
        for known in &self.expected.known {
            known.check()?;
            if known.cause.is_empty() || !self.is_clause(&known.to) {
                bail!("the known difference {} -> {} has no cause or no clause", known.from, known.to);
            }
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
