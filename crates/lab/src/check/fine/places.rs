//! Where in the source an instruction stands, and what it does.

use catchment_build::Project;
use catchment_build::{class_file, sites_of};
use catchment_classfile::{ClassFile, Code, Insn, LineTable};
use catchment_pairs::{CompiledTry, pairs_of};
use catchment_protocol::experiment::Site;
use catchment_verdicts::{CheckedPair, FinePlace};
use std::collections::HashMap;

/// Reads the classes that places are in, each once.
pub(crate) struct PlaceReader<'a> {
    project: &'a Project,
    class: String,
    /// Where the try of the pair is compiled.
    sites: Vec<CompiledTry>,
    classes: HashMap<String, Option<Vec<u8>>>,
}

impl<'a> PlaceReader<'a> {
    pub(crate) fn new(project: &'a Project, pair: &CheckedPair) -> Self {
        let bytes = class_file(project, &pair.class).map(|(_, bytes)| bytes);
        let sites = bytes.as_deref().map(|bytes| tries_of(bytes, &pair.id)).unwrap_or_default();
        Self {
            project,
            class: pair.class.clone(),
            sites,
            classes: HashMap::from([(pair.class.clone(), bytes)]),
        }
    }

    /// Whether it stands in the body of the try.
    pub(crate) fn is_in_body(&self, place: &Site) -> bool {
        if place.class != self.class {
            return false;
        }
        let bytes = self.classes.get(&self.class).and_then(|bytes| bytes.as_deref());
        let class = bytes.and_then(|bytes| ClassFile::parse(bytes).ok());
        let Some(method) = class.and_then(|class| method_of(&class, place)) else { return false };
        self.sites.iter().any(|site| site.method == method && site.holds(place.pc.into()))
    }

    pub(crate) fn describe(&mut self, place: &Site) -> FinePlace {
        let is_in_body = self.is_in_body(place);
        let project = self.project;
        let bytes = self.classes.entry(place.class.clone());
        let bytes = bytes.or_insert_with(|| class_file(project, &place.class).map(|(_, bytes)| bytes));
        let described = bytes.as_deref().and_then(|bytes| described(bytes, place));
        let unknown = || FinePlace { method: place.class.clone(), pc: place.pc, ..FinePlace::default() };
        FinePlace { is_in_body, ..described.unwrap_or_else(unknown) }
    }
}

fn tries_of(bytes: &[u8], id: &str) -> Vec<CompiledTry> {
    let Ok(class) = ClassFile::parse(bytes) else { return Vec::new() };
    let pairs = pairs_of(&class);
    sites_of(&pairs, id).into_iter().map(|(index, _)| pairs.tries[index].clone()).collect()
}

/// Index of the site's method in its class file.
fn method_of(class: &ClassFile<'_>, site: &Site) -> Option<usize> {
    let is_method = |name: String, descriptor: String| name == site.method && descriptor == site.descriptor;
    class.methods.iter().position(|method| is_method(method.name.to_string(), method.descriptor.to_string()))
}

fn described(bytes: &[u8], place: &Site) -> Option<FinePlace> {
    let class = ClassFile::parse(bytes).ok()?;
    let method = class.methods.get(method_of(&class, place)?)?;
    let (_, code) = class.code(method).ok()??;
    Some(FinePlace {
        method: format!("{}.{}", place.class, method.name),
        source_file: class.source_file().map(|name| name.to_string()),
        line: LineTable::read(&code, &class.pool).line_at(place.pc).map(u32::from),
        pc: place.pc,
        callee: callee(&class, &code, place.pc),
        is_in_body: false,
    })
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
