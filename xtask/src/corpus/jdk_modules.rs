//! The modules of a JDK: woven one by one, then all linked together by that JDK itself.
//!
//! A JDK starts with its modules patched by their woven classes. What it loads before it can call a probe stays as it
//! was at first and is redefined by the woven form later; both ways the verifier sees every woven class.

use super::class_checks::check_class;
use super::judges::Judges;
use super::results::{Check, Results};
use super::shard::{Jar, Shard, ShardWriter};
use super::{Corpus, content_hash};
use anyhow::{Context, Result};
use catchment_program::{ClassBytes, LoadOptions, visit};
use catchment_testkit::jdk::{self, Jdk};
use catchment_testkit::oracle::{self, Difference, JdkLinkReport, JdkPatches};
use rustc_hash::FxHashSet;
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
    let jdk = jdk::installed(feature)?;
    let before = oracle::link_jdk(&jdk, &JdkPatches::default()).context("cannot link the JDK as it is")?;
    let mut modules = Modules::new(&before, corpus)?;
    let mut failure = None;
    let report = visit(image, &LoadOptions::default(), &mut |class| {
        let wanted = only.is_none_or(|only| class.origin.inside() == only);
        if failure.is_none() && wanted && class.expected_name() != "module-info" {
            failure = modules.add(&class, corpus).err();
        }
    })?;
    corpus.results.add_load_problems(report.problems.iter().map(ToString::to_string));
    match failure {
        Some(error) => Err(error),
        None => modules.finish(judges)?.link(&jdk, &before, &corpus.results),
    }
}

/// One module's classes.
struct Module {
    /// Everything, for ASM.
    all: ShardWriter,
    /// Modules that the JDK can be started with.
    patch: Jar,
}

struct Modules {
    loaded_at_start: FxHashSet<String>,
    /// The woven forms of these, whatever their module.
    redefined: Jar,
    modules: BTreeMap<String, Module>,
}

impl Modules {
    fn new(before: &JdkLinkReport, corpus: &Corpus) -> Result<Self> {
        let loaded_at_start = before.loaded_at_start.iter().map(|name| name.replace('.', "/")).collect();
        Ok(Self { loaded_at_start, redefined: Jar::create(&corpus.work)?, modules: BTreeMap::new() })
    }

    fn add(&mut self, class: &ClassBytes<'_>, corpus: &mut Corpus) -> Result<()> {
        let hash = content_hash(class.bytes);
        if !corpus.admit(hash) {
            return Ok(());
        }
        let judged = check_class(&class.place(), class.bytes, hash, &corpus.results);
        let Some(judged) = judged else { return Ok(()) };
        let name = class.origin.inside();
        if !self.modules.contains_key(name) {
            let module =
                Module { all: ShardWriter::create(&corpus.work)?, patch: Jar::create(&corpus.work)? };
            self.modules.insert(name.to_owned(), module);
        }
        let Some(module) = self.modules.get_mut(name) else { return Ok(()) };
        let jar =
            if self.loaded_at_start.contains(&judged.name) { &mut self.redefined } else { &mut module.patch };
        jar.add(&judged.name, &judged.woven)?;
        module.all.add(judged.name, class.bytes, &judged.woven)
    }

    fn finish(self, judges: &mut Judges) -> Result<WovenJdk> {
        let mut woven = WovenJdk { shards: Vec::new(), patches: JdkPatches::default() };
        woven.patches.redefined = Some(self.redefined.finish()?);
        for (name, module) in self.modules {
            let shard = Arc::new(module.all.finish()?);
            judges.compare(&shard)?;
            woven.shards.push(shard);
            woven.patches.modules.push((name, module.patch.finish()?));
        }
        Ok(woven)
    }
}

struct WovenJdk {
    shards: Vec<Arc<Shard>>,
    patches: JdkPatches,
}

impl WovenJdk {
    /// Links the woven JDK and tells which classes fail only when woven.
    fn link(self, jdk: &Jdk, before: &JdkLinkReport, results: &Results) -> Result<()> {
        match oracle::link_jdk(jdk, &self.patches) {
            Ok(after) => self.compare(before, &after, results),
            Err(error) => {
                results.class_differs(Check::Link, "the woven JDK", &format!("{error:#}"), &[], &[]);
            }
        }
        self.patches.modules.iter().map(|(_, jar)| jar).chain(&self.patches.redefined).for_each(|jar| {
            // Only disk space is lost if a file cannot be removed.
            let _ = std::fs::remove_file(jar);
        });
        Ok(())
    }

    fn compare(&self, before: &JdkLinkReport, after: &JdkLinkReport, results: &Results) {
        let failed_before: FxHashSet<&str> = before.failures.iter().map(|it| it.class.as_str()).collect();
        let (both, only_woven): (Vec<&Difference>, Vec<&Difference>) =
            after.failures.iter().partition(|it| failed_before.contains(it.class.as_str()));
        results.add_linked(after.linked, both.len() as u64);
        for it in only_woven {
            let entry = format!("{}.class", it.class.replace('.', "/"));
            let forms = self.shards.iter().map(|shard| shard.class(&entry));
            let (original, woven) = forms.into_iter().find(|(it, _)| !it.is_empty()).unwrap_or_default();
            results.class_differs(Check::Link, &it.class, &it.what, &original, &woven);
        }
    }
}
