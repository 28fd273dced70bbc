//! The fixtures under `fixtures/colours`: small programs and, beside each, the usages worked out by hand.
//!
//! A clause is marked in the source by a comment on its `catch` line, `// @name`. The expected file holds comments
//! (`#`), settings (`level 21`, `exit 3`, `warns words`), a header and one row per pair:
//!
//! ```text
//! pair    types                  entries  pink  white  sibling  escaped  open
//! parse   NumberFormatException        3     2      1        0        0     0
//! ```
//!
//! A row `ecj/parse ...` holds instead for compilers whose name starts with `ecj`: where the class file no longer
//! tells what the source said.

use crate::workspace::root;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The language level of a fixture that does not name one.
const DEFAULT_LEVEL: u32 = 8;

#[derive(Debug, Clone)]
pub struct Fixture {
    pub source: PathBuf,
    /// The lowest language level that compiles it.
    pub level: u32,
    pub exit_code: i32,
    /// What the watched run warns of, in these words.
    pub warnings: Vec<String>,
    /// By the name of their mark.
    rows: BTreeMap<String, Row>,
    /// By start of the compiler's name, then by the name of their mark.
    exceptions: Vec<(String, String, Row)>,
    /// The name of the mark on a line.
    marks: BTreeMap<u32, String>,
}

/// One pair's usages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Simple names, sorted, joined by `|`.
    pub types: String,
    pub usages: [u64; 6],
}

/// What the numbers of a row are.
pub const COLUMNS: [&str; 6] = ["entries", "pink", "white", "sibling", "escaped", "open"];

impl Fixture {
    /// Reads `fixtures/colours/<path>` (with extension) and the expected file beside it.
    pub fn read(path: &str) -> Result<Self> {
        let source = folder().join(path);
        let text = read(&source)?;
        let expected_file = source.with_extension("expected");
        let marks = marks_of(&text);
        let (level, exit_code, warnings) = (DEFAULT_LEVEL, 0, Vec::new());
        let (rows, exceptions) = (BTreeMap::new(), Vec::new());
        let mut fixture = Self { source, level, exit_code, warnings, rows, exceptions, marks };
        for line in read(&expected_file)?.lines() {
            fixture
                .read_line(line)
                .with_context(|| format!("cannot read {}: line '{line}'", expected_file.display()))?;
        }
        fixture.check_marks()?;
        Ok(fixture)
    }

    /// The class whose `main` runs it.
    pub fn main_class(&self) -> String {
        let stem = self.source.file_stem().unwrap_or_default().to_string_lossy();
        if self.is_kotlin() { format!("{stem}Kt") } else { stem.into_owned() }
    }

    pub fn is_kotlin(&self) -> bool {
        self.source.extension().is_some_and(|extension| extension == "kt")
    }

    /// What the program as compiled by `compiler` shall give.
    pub fn rows_for(&self, compiler: &str) -> BTreeMap<String, Row> {
        let mut rows = self.rows.clone();
        for (start, mark, row) in &self.exceptions {
            if compiler.starts_with(start) {
                rows.insert(mark.clone(), row.clone());
            }
        }
        rows
    }

    /// The name of the clause on a line; lines without a mark name themselves.
    pub fn mark_at(&self, line: Option<u32>) -> String {
        match line {
            Some(line) => self.marks.get(&line).cloned().unwrap_or_else(|| format!("line {line}")),
            None => "no line".to_owned(),
        }
    }

    /// The line of a clause.
    pub fn line_of(&self, mark: &str) -> Option<u32> {
        self.marks.iter().find(|(_, name)| *name == mark).map(|(line, _)| *line)
    }

    fn read_line(&mut self, line: &str) -> Result<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [first, ..] if first.starts_with('#') => {}
            ["level", level] => self.level = level.parse()?,
            ["exit", code] => self.exit_code = code.parse()?,
            ["warns", words @ ..] => self.warnings.push(words.join(" ")),
            ["pair", "types", columns @ ..] if columns == COLUMNS => {}
            [mark, types, numbers @ ..] => self.read_row(mark, types, numbers)?,
            [_] => bail!("unknown setting"),
        }
        Ok(())
    }

    /// The row must add up: entries = pink + white + sibling + escaped + open.
    fn read_row(&mut self, mark: &str, types: &str, numbers: &[&str]) -> Result<()> {
        let numbers: Vec<u64> = numbers.iter().map(|number| number.parse()).collect::<Result<_, _>>()?;
        let usages: [u64; 6] = numbers.try_into().ok().context("expected six numbers")?;
        if usages[0] != usages[1..].iter().sum::<u64>() {
            bail!("entries are not the sum of the colours");
        }
        let row = Row { types: simple_names(types.split('|')), usages };
        match mark.split_once('/') {
            Some((compiler, mark)) => self.exceptions.push((compiler.to_owned(), mark.to_owned(), row)),
            None => {
                if self.rows.insert(mark.to_owned(), row).is_some() {
                    bail!("the pair is listed twice");
                }
            }
        }
        Ok(())
    }

    /// Every mark has its row and every row its mark.
    fn check_marks(&self) -> Result<()> {
        let place = self.source.display();
        if let Some(mark) = self.marks.values().find(|mark| !self.rows.contains_key(*mark)) {
            bail!("{place} marks @{mark}, of which its expected file says nothing");
        }
        let named = self.rows.keys().chain(self.exceptions.iter().map(|(_, mark, _)| mark));
        if let Some(row) = named.into_iter().find(|row| self.line_of(row).is_none()) {
            bail!("{place} has no mark @{row}, which its expected file names");
        }
        Ok(())
    }
}

/// Rows as text, for comparing and for showing.
pub fn render(rows: &BTreeMap<String, Row>) -> String {
    let mut lines = vec![format!("pair types {}", COLUMNS.join(" "))];
    for (mark, row) in rows {
        let numbers: Vec<String> = row.usages.iter().map(u64::to_string).collect();
        lines.push(format!("{mark} {} {}", row.types, numbers.join(" ")));
    }
    lines.join("\n")
}

/// `java.io.IOException` and `Outer$Failure` as `Failure|IOException`.
pub fn simple_names<'a>(types: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = types.into_iter().filter_map(|name| name.rsplit(['.', '$']).next()).collect();
    names.sort_unstable();
    names.join("|")
}

/// The folder of these fixtures.
pub fn folder() -> PathBuf {
    root().join("fixtures/colours")
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

fn marks_of(source: &str) -> BTreeMap<u32, String> {
    let marked = |line: &str| line.split_once("// @").map(|(_, mark)| mark.trim().to_owned());
    (1..).zip(source.lines()).filter_map(|(number, line)| Some((number, marked(line)?))).collect()
}
