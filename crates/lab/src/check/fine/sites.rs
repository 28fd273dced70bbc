//! Sites of calls and throws, described with their source line and the method that they call.

use catchment_build::Project;
use catchment_build::class_file;
use catchment_classfile::{ClassFile, Code, Insn, LineTable};
use catchment_pairs::{CompiledTry, pairs_of};
use catchment_protocol::experiment::Site;
use catchment_verdicts::{CheckedPair, FineSite, SourceSite};
use std::collections::HashMap;

/// Reads the classes of sites, each once.
pub(crate) struct SiteReader<'a> {
    project: &'a Project,
    class: String,
    /// The compiled copies of the pair's try.
    tries: Vec<CompiledTry>,
    classes: HashMap<String, Option<Vec<u8>>>,
}

impl<'a> SiteReader<'a> {
    pub(crate) fn new(project: &'a Project, pair: &CheckedPair) -> Self {
        let bytes = class_file(project, &pair.clause.class).map(|(_, bytes)| bytes);
        let tries = bytes.as_deref().map(|bytes| tries_of(bytes, &pair.clause.id)).unwrap_or_default();
        Self {
            project,
            class: pair.clause.class.clone(),
            tries,
            classes: HashMap::from([(pair.clause.class.clone(), bytes)]),
        }
    }

    /// Tells whether the site stands in the body of the try.
    pub(crate) fn is_in_body(&self, site: &Site) -> bool {
        if site.class != self.class {
            return false;
        }
        let bytes = self.classes.get(&self.class).and_then(|bytes| bytes.as_deref());
        let class = bytes.and_then(|bytes| ClassFile::parse(bytes).ok());
        let Some(method) = class.and_then(|class| method_of(&class, site)) else { return false };
        self.tries.iter().any(|compiled| compiled.method == method && compiled.holds(site.pc.into()))
    }

    pub(crate) fn describe(&mut self, site: &Site) -> FineSite {
        let is_in_body = self.is_in_body(site);
        let project = self.project;
        let bytes = self.classes.entry(site.class.clone());
        let bytes = bytes.or_insert_with(|| class_file(project, &site.class).map(|(_, bytes)| bytes));
        let described = bytes.as_deref().and_then(|bytes| described(bytes, site));
        let (line, file, callee) = described.unwrap_or_default();
        let Site { class, method, descriptor, pc } = site.clone();
        let site = SourceSite { class, method, descriptor, pc: Some(pc), line, file };
        FineSite { site, callee, is_in_body }
    }
}

fn tries_of(bytes: &[u8], id: &str) -> Vec<CompiledTry> {
    let Ok(class) = ClassFile::parse(bytes) else { return Vec::new() };
    let pairs = pairs_of(&class);
    pairs.sites_of(id).into_iter().map(|(index, _)| pairs.tries[index].clone()).collect()
}

/// Index of the site's method in its class file.
fn method_of(class: &ClassFile<'_>, site: &Site) -> Option<usize> {
    let is_method = |name: String, descriptor: String| name == site.method && descriptor == site.descriptor;
    class.methods.iter().position(|method| is_method(method.name.to_string(), method.descriptor.to_string()))
}

/// The line, the source file and the called method, as far as the class file tells.
type Described = (Option<u32>, Option<String>, Option<String>);

fn described(bytes: &[u8], site: &Site) -> Option<Described> {
    let class = ClassFile::parse(bytes).ok()?;
    let method = class.methods.get(method_of(&class, site)?)?;
    let (_, code) = class.code(method).ok()??;
    let line = LineTable::read(&code, &class.pool).line_at(site.pc).map(u32::from);
    let file = class.source_file().map(|name| name.to_string());
    Some((line, file, callee(&class, &code, site.pc)))
}

/// `java.io.InputStream.read`.
fn callee(class: &ClassFile<'_>, code: &Code<'_>, pc: u16) -> Option<String> {
    let insn = Insn::at(code.bytes, pc.into()).ok().filter(Insn::is_call)?;
    match class.pool.member_ref(insn.u2()) {
        Ok(called) => Some(format!("{}.{}", called.owner.to_binary_name(), called.name)),
        // Linked at run time: a lambda, or text put together.
        Err(_) => class.pool.dynamic(insn.u2()).ok().map(|(name, _)| name.to_string()),
    }
}
