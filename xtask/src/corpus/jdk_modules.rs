//! The modules of a JDK: woven one by one, then all linked together by that JDK itself.

use super::class_checks::check_class;
use super::judges::{Judges, link_jdk};
use super::shard::{Shard, ShardWriter};
use super::{Corpus, content_hash};
use anyhow::Result;
use catchment_program::{ClassBytes, LoadOptions, visit};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Checks the modules of a JDK image, or one of them.
pub(super) fn feed_jdk(
    feature: u32,
    image: &Path,
    only: Option<&str>,
    corpus: &mut Corpus,
    judges: &mut Judges,
) -> Result<()> {
    let mut writers: BTreeMap<String, ShardWriter> = BTreeMap::new();
    let mut failure = None;
    let report = visit(image, &LoadOptions::default(), &mut |class| {
        let wanted = only.is_none_or(|only| class.origin.inside() == only);
        if failure.is_none() && wanted && class.expected_name() != "module-info" {
            failure = add_class(&class, corpus, &mut writers).err();
        }
    })?;
    corpus.results.add_load_problems(report.problems.iter().map(ToString::to_string));
    if let Some(error) = failure {
        return Err(error);
    }
    let mut modules: Vec<(String, Arc<Shard>)> = Vec::new();
    for (module, writer) in writers {
        let shard = Arc::new(writer.finish()?);
        judges.compare(&shard)?;
        modules.push((module, shard));
    }
    link_jdk(feature, &modules, &corpus.results)
}

fn add_class(
    class: &ClassBytes<'_>,
    corpus: &mut Corpus,
    writers: &mut BTreeMap<String, ShardWriter>,
) -> Result<()> {
    let hash = content_hash(class.bytes);
    if !corpus.admit(hash) {
        return Ok(());
    }
    let Some(judged) = check_class(&class.place(), class.bytes, hash, &corpus.results) else { return Ok(()) };
    let module = class.origin.inside();
    if !writers.contains_key(module) {
        writers.insert(module.to_owned(), ShardWriter::create(&corpus.work)?);
    }
    match writers.get_mut(module) {
        Some(writer) => writer.add(judged.name, class.bytes, &judged.woven),
        None => Ok(()),
    }
}
