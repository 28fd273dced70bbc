//! An oracle for usages that never sees a class file: counters written into Java source.
//!
//! ```text
//! try { BODY } catch (E e) { HANDLER }
//! ```
//!
//! becomes, on the same lines,
//!
//! ```text
//! try { hit(entered); try { BODY } catch (final Throwable t) { hit(threw); throw t; } } catch (E e) { hit(caught); HANDLER }
//! ```
//!
//! The inner clause rethrows precisely (JLS §11.2.2), so the program compiles as before. A try with resources and clauses is,
//! by JLS §14.20.3.2, a try around one without clauses, and is counted there.

use crate::java_lexer::tokens;
use crate::java_tries::TryStatement;
use crate::workspace::{files_below, root};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

const HIT: &str = "catchment.counters.SourceCounter.hit";

/// A try whose usages the source counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedTry {
    /// The source file, relative to the root of the sources.
    pub file: PathBuf,
    /// Line of the keyword.
    pub line: u32,
    pub clauses: Vec<CountedClause>,
    entered: usize,
    threw: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedClause {
    /// Line of the keyword.
    pub line: u32,
    /// As written, in the order written.
    pub types: Vec<String>,
    caught: usize,
}

/// What the source counted for one clause. Usages that never ended are among the pink: source cannot tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CountedUsages {
    pub entries: u64,
    pub pink_or_open: u64,
    pub white: u64,
    pub sibling: u64,
    pub escaped: u64,
}

impl CountedTry {
    /// The usages of its clauses, in their order.
    pub fn usages(&self, counters: &Counters) -> Result<Vec<CountedUsages>> {
        let (entries, threw) = (counters.get(self.entered)?, counters.get(self.threw)?);
        let caught: Vec<u64> =
            self.clauses.iter().map(|clause| counters.get(clause.caught)).collect::<Result<_>>()?;
        let all_caught: u64 = caught.iter().sum();
        if entries < threw || threw < all_caught {
            bail!(
                "counters of {}:{} contradict each other: {entries} entries, {threw} thrown, {all_caught} caught",
                self.file.display(),
                self.line
            );
        }
        let usages = caught.iter().map(|&white| CountedUsages {
            entries,
            pink_or_open: entries - threw,
            white,
            sibling: all_caught - white,
            escaped: threw - all_caught,
        });
        Ok(usages.collect())
    }
}

/// The counters of one run.
#[derive(Debug)]
pub struct Counters(Vec<u8>);

impl Counters {
    fn get(&self, index: usize) -> Result<u64> {
        let bytes = self.0.get(index * 8..index * 8 + 8).context("the file of counters is too short")?;
        Ok(u64::from_le_bytes(bytes.try_into()?))
    }
}

/// Makes the file that a run counts into; give it to the JVM as `-Dcatchment.counters=FILE`.
pub fn create_counters(file: &Path, tries: &[CountedTry]) -> Result<()> {
    let last = tries.iter().flat_map(|it| it.clauses.iter().map(|clause| clause.caught)).max().unwrap_or(0);
    fs::write(file, vec![0; (last + 1) * 8]).with_context(|| format!("cannot write {}", file.display()))
}

/// What a run has counted.
pub fn read_counts(file: &Path) -> Result<Counters> {
    Ok(Counters(fs::read(file).with_context(|| format!("cannot read {}", file.display()))?))
}

/// The source of the class that instrumented code calls; needs Java 9.
pub fn counter_class() -> PathBuf {
    root().join("testkit/java/counters/catchment/counters/SourceCounter.java")
}

/// Which tries to count: about one in `one_in`, always the same ones for the same seed.
#[derive(Debug, Clone)]
pub struct Sample {
    state: u64,
    one_in: u64,
}

impl Sample {
    pub fn new(seed: u64, one_in: u64) -> Self {
        Self { state: seed, one_in: one_in.max(1) }
    }

    pub fn all() -> Self {
        Self::new(0, 1)
    }

    /// SplitMix64: small, good and the same everywhere.
    fn chooses_next(&mut self) -> bool {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)).is_multiple_of(self.one_in)
    }
}

/// Writes an instrumented copy of all Java sources below `sources` to `target` and returns the tries it counts.
pub fn instrument_folder(sources: &Path, target: &Path, sample: &mut Sample) -> Result<Vec<CountedTry>> {
    let mut instrumenter = Instrumenter { sample, tries: Vec::new(), next_counter: 0 };
    for file in files_below(sources)?.iter().filter(|file| file.extension().is_some_and(|it| it == "java")) {
        let relative = file.strip_prefix(sources).context("a file outside its folder")?;
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let copy = target.join(relative);
        if let Some(folder) = copy.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        let instrumented = instrumenter.instrument(relative, &text)?;
        fs::write(&copy, instrumented).with_context(|| format!("cannot write {}", copy.display()))?;
    }
    Ok(instrumenter.tries)
}

/// An instrumented copy of one source text and the tries it counts.
pub fn instrument(file: &Path, text: &str, sample: &mut Sample) -> Result<(String, Vec<CountedTry>)> {
    let mut instrumenter = Instrumenter { sample, tries: Vec::new(), next_counter: 0 };
    let instrumented = instrumenter.instrument(file, text)?;
    Ok((instrumented, instrumenter.tries))
}

struct Instrumenter<'i> {
    sample: &'i mut Sample,
    tries: Vec<CountedTry>,
    next_counter: usize,
}

/// Text to put in at an offset.
type Insertion = (usize, String);

impl Instrumenter<'_> {
    fn instrument(&mut self, file: &Path, text: &str) -> Result<String> {
        let tokens = tokens(text);
        let mut insertions = Vec::new();
        for (index, token) in tokens.iter().enumerate().filter(|(_, token)| token.text == "try") {
            let found = TryStatement::parse(&tokens, index)
                .with_context(|| format!("cannot follow the try at {}:{}", file.display(), token.line))?;
            if !found.clauses.is_empty() && !found.is_empty && self.sample.chooses_next() {
                self.count(file, &found, &mut insertions);
            }
        }
        Ok(insert(text, insertions))
    }

    fn count(&mut self, file: &Path, found: &TryStatement<'_>, insertions: &mut Vec<Insertion>) {
        let (entered, threw) = (self.new_counter(), self.new_counter());
        let rethrow =
            format!(" }} catch (final Throwable thrown{threw}) {{ {HIT}({threw}); throw thrown{threw}; }} ");
        if found.has_resources {
            insertions.push((found.keyword.start, format!("try {{ {HIT}({entered}); try {{ ")));
            insertions.push((found.body_close.end(), format!("{rethrow}}}")));
        } else {
            insertions.push((found.body_open.end(), format!(" {HIT}({entered}); try {{")));
            insertions.push((found.body_close.start, rethrow));
        }
        let mut clauses = Vec::new();
        for clause in &found.clauses {
            let caught = self.new_counter();
            insertions.push((clause.body_open.end(), format!(" {HIT}({caught});")));
            clauses.push(CountedClause { line: clause.keyword.line, types: clause.types.clone(), caught });
        }
        self.tries.push(CountedTry {
            file: file.to_path_buf(),
            line: found.keyword.line,
            clauses,
            entered,
            threw,
        });
    }

    fn new_counter(&mut self) -> usize {
        self.next_counter += 1;
        self.next_counter - 1
    }
}

fn insert(text: &str, mut insertions: Vec<Insertion>) -> String {
    // Stable: what was asked for first at one offset comes first.
    insertions.sort_by_key(|(offset, _)| *offset);
    let mut result = String::with_capacity(text.len() * 2);
    let mut done = 0;
    for (offset, inserted) in insertions {
        result.push_str(&text[done..offset]);
        result.push_str(&inserted);
        done = offset;
    }
    result.push_str(&text[done..]);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instrumented(text: &str) -> (String, Vec<CountedTry>) {
        let (text, tries) = instrument(Path::new("T.java"), text, &mut Sample::all()).unwrap();
        (text.replace(HIT, "hit"), tries)
    }

    #[test]
    fn a_plain_try_is_counted_on_the_same_lines() {
        let source = "try {\n a(); }\ncatch (final java.io.IOException | B e) { b(); } finally { c(); }";
        let (text, tries) = instrumented(source);
        assert_eq!(
            text,
            "try { hit(0); try {\n a();  } catch (final Throwable thrown1) { hit(1); throw thrown1; } }\n\
             catch (final java.io.IOException | B e) { hit(2); b(); } finally { c(); }"
        );
        assert_eq!((tries[0].line, tries[0].clauses[0].line), (1, 3));
        assert_eq!(tries[0].clauses[0].types, ["java.io.IOException", "B"]);
    }

    #[test]
    fn a_try_with_resources_is_wrapped_whole() {
        let (text, _) = instrumented("try (R r = open(\")\")) { a(); } catch (E e) { }");
        assert_eq!(
            text,
            "try { hit(0); try { try (R r = open(\")\")) { a(); } } catch (final Throwable thrown1) { hit(1); throw \
             thrown1; } } catch (E e) { hit(2); }"
        );
    }

    #[test]
    fn what_makes_no_pair_is_left_alone() {
        let source = "try { a(); } finally { } try { } catch (E e) { } try (R r = x) { } // try {";
        assert_eq!(instrumented(source), (source.to_owned(), vec![]));
    }

    #[test]
    fn an_unclosed_try_is_an_error_with_its_place() {
        let error = instrument(Path::new("T.java"), "\ntry { a(;", &mut Sample::all()).unwrap_err();
        assert_eq!(format!("{error:#}"), "cannot follow the try at T.java:2: '{' is never closed");
    }

    #[test]
    fn the_same_seed_chooses_the_same_tries() {
        let chosen = |seed| {
            let mut sample = Sample::new(seed, 4);
            (0..1000).map(|_| sample.chooses_next()).collect::<Vec<_>>()
        };
        assert_eq!(chosen(1), chosen(1));
        assert_ne!(chosen(1), chosen(2));
        let count = chosen(1).iter().filter(|it| **it).count();
        assert!((150..350).contains(&count), "{count}");
    }

    #[test]
    fn counters_become_usages() {
        let (_, tries) = instrumented("try { a(); } catch (A e) { } catch (B e) { }");
        let numbers: Vec<u8> = [10u64, 6, 1, 3].iter().flat_map(|it| it.to_le_bytes()).collect();
        let usages = tries[0].usages(&Counters(numbers)).unwrap();
        let first = CountedUsages { entries: 10, pink_or_open: 4, white: 1, sibling: 3, escaped: 2 };
        assert_eq!(usages, [first, CountedUsages { white: 3, sibling: 1, ..first }]);
    }
}
