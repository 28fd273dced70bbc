//! Classes on their way to the judges: two jars with the same entries, original and woven.

use super::class_checks::check_class;
use super::judges::Judges;
use super::{Corpus, content_hash};
use anyhow::{Context, Result};
use catchment_program::{LoadOptions, visit};
use rustc_hash::FxHashSet;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Judges hold a whole shard in memory.
const LARGEST: usize = 8_000;

/// A finished shard. Its files live as long as it does.
#[derive(Debug)]
pub(super) struct Shard {
    pub(super) original: PathBuf,
    pub(super) woven: PathBuf,
}

impl Shard {
    /// The original and woven bytes of an entry, for a failure report.
    pub(super) fn class(&self, entry: &str) -> (Vec<u8>, Vec<u8>) {
        (
            read_entry(&self.original, entry).unwrap_or_default(),
            read_entry(&self.woven, entry).unwrap_or_default(),
        )
    }
}

impl Drop for Shard {
    fn drop(&mut self) {
        // Only disk space is lost if a file cannot be removed.
        let _ = fs::remove_file(&self.original);
        let _ = fs::remove_file(&self.woven);
    }
}

fn read_entry(jar: &Path, entry: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    ZipArchive::new(File::open(jar)?)?.by_name(entry)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A jar being written.
pub(super) struct Jar {
    path: PathBuf,
    zip: ZipWriter<File>,
}

impl Jar {
    pub(super) fn create(folder: &Path) -> Result<Self> {
        let file = tempfile::Builder::new().prefix("classes-").suffix(".jar").tempfile_in(folder);
        let (file, path) =
            file.and_then(|file| Ok(file.keep()?)).context("cannot create a jar for the judges")?;
        Ok(Self { path, zip: ZipWriter::new(file) })
    }

    pub(super) fn add(&mut self, class_name: &str, bytes: &[u8]) -> Result<()> {
        // Judges read it once: compressing costs more than it saves.
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let added = self.zip.start_file(format!("{class_name}.class"), options);
        added.and_then(|()| Ok(self.zip.write_all(bytes)?)).context("cannot write a jar for the judges")
    }

    pub(super) fn finish(self) -> Result<PathBuf> {
        self.zip.finish().context("cannot finish a jar for the judges")?;
        Ok(self.path)
    }
}

/// A shard being written.
pub(super) struct ShardWriter {
    original: Jar,
    woven: Jar,
    names: FxHashSet<String>,
}

impl ShardWriter {
    pub(super) fn create(folder: &Path) -> Result<Self> {
        Ok(Self { original: Jar::create(folder)?, woven: Jar::create(folder)?, names: FxHashSet::default() })
    }

    fn holds(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    fn is_full(&self) -> bool {
        self.names.len() >= LARGEST
    }

    pub(super) fn add(&mut self, name: String, original: &[u8], woven: &[u8]) -> Result<()> {
        self.original.add(&name, original)?;
        self.woven.add(&name, woven)?;
        self.names.insert(name);
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Shard> {
        Ok(Shard { original: self.original.finish()?, woven: self.woven.finish()? })
    }
}

/// Checks every class of a jar, all versions of multi-release jars and nested jars included.
pub(super) fn feed_jar(path: &Path, corpus: &mut Corpus, judges: &mut Judges) -> Result<()> {
    let mut shards = Shards { writers: Vec::new() };
    let mut failure = None;
    let options = LoadOptions { all_versions: true, ..LoadOptions::default() };
    let report = visit(path, &options, &mut |class| {
        let hash = content_hash(class.bytes);
        if failure.is_some() || !corpus.admit(hash) {
            return;
        }
        if let Some(judged) = check_class(&class.place(), class.bytes, hash, &corpus.results) {
            failure = shards.add(judged.name, class.bytes, &judged.woven, corpus, judges).err();
        }
    })?;
    corpus.results.add_load_problems(report.problems.iter().map(ToString::to_string));
    match failure {
        Some(error) => Err(error),
        None => shards.finish(judges),
    }
}

/// Open shards; several only when a jar has several classes of one name.
struct Shards {
    writers: Vec<ShardWriter>,
}

impl Shards {
    fn add(
        &mut self,
        name: String,
        original: &[u8],
        woven: &[u8],
        corpus: &Corpus,
        judges: &mut Judges,
    ) -> Result<()> {
        let index = match self.writers.iter().position(|shard| !shard.holds(&name)) {
            Some(index) => index,
            None => {
                self.writers.push(ShardWriter::create(&corpus.work)?);
                self.writers.len() - 1
            }
        };
        self.writers[index].add(name, original, woven)?;
        if self.writers[index].is_full() {
            judges.judge(self.writers.swap_remove(index).finish()?)?;
        }
        Ok(())
    }

    fn finish(self, judges: &mut Judges) -> Result<()> {
        self.writers.into_iter().try_for_each(|shard| judges.judge(shard.finish()?))
    }
}
