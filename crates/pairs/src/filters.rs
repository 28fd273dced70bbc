//! Which handlers nobody in the application wrote, and why we think so.
//!
//! Every rule matches the whole handler, instruction by instruction: a user's catch that merely contains the
//! same calls stays a pair.

mod class_literal;
mod kotlin;
mod lombok;
mod matcher;
mod monitor;
mod switches;
mod try_with_resources;
mod variables;

use crate::Reason;
use crate::body::Body;
use crate::clauses::Handler;
use crate::smap::SourceMap;
use catchment_classfile::ClassFile;

pub(crate) use lombok::looks_generated;

/// Facts about the class that filters share, found once.
#[derive(Debug)]
pub(crate) struct ClassFacts {
    pub(crate) source_map: SourceMap,
    generated_by_lombok: bool,
    has_switch_map: bool,
}

impl ClassFacts {
    pub(crate) fn of(class: &ClassFile<'_>) -> Self {
        let map = class.attributes.find(&class.pool, "SourceDebugExtension");
        let text = map.map(|attribute| String::from_utf8_lossy(attribute.data).into_owned());
        Self {
            source_map: text.map(|text| SourceMap::parse(&text)).unwrap_or_default(),
            generated_by_lombok: lombok::is_marked(&class.attributes, &class.pool),
            has_switch_map: switches::has_switch_map(class),
        }
    }
}

/// The reason to leave `handler` out, or `None` if it is a catch clause of the application.
pub(crate) fn reason(
    facts: &ClassFacts,
    body: &Body<'_>,
    handler: &Handler,
    all: &[Handler],
) -> Option<Reason> {
    if handler.catches_everything() {
        return Some(reason_of_catch_all(body, handler, all));
    }
    if facts.generated_by_lombok || lombok::is_marked(&body.method.attributes, body.pool) {
        return Some(Reason::LombokGenerated);
    }
    if comes_from_library(facts, body, handler) || kotlin::is_inline_only(body, handler) {
        return Some(Reason::LibraryInline);
    }
    if switches::is_enum_switch_map(facts.has_switch_map, body, handler) {
        return Some(Reason::EnumSwitchMap);
    }
    if switches::is_pattern_switch(body, handler) {
        return Some(Reason::PatternSwitch);
    }
    if class_literal::is_class_literal(body, handler) {
        return Some(Reason::ClassLiteral);
    }
    try_with_resources::is_generated(body, handler, all).then_some(Reason::TryWithResources)
}

/// `finally`, `synchronized` and ecj's try-with-resources catch everything; no source language lets a
/// programmer write that type.
fn reason_of_catch_all(body: &Body<'_>, handler: &Handler, all: &[Handler]) -> Reason {
    if monitor::releases_monitor(body, handler) {
        return Reason::Synchronized;
    }
    if try_with_resources::is_ecj(body, handler) {
        return Reason::TryWithResources;
    }
    match generated_owner(body, handler, all) {
        Some(owner) if kotlin::is_inline_only(body, owner) => Reason::LibraryInline,
        Some(_) => Reason::TryWithResources,
        None => Reason::Finally,
    }
}

/// The generated handler whose own `finally` is `catch_all`: the first of those that protect it.
fn generated_owner<'h>(body: &Body<'_>, catch_all: &Handler, all: &'h [Handler]) -> Option<&'h Handler> {
    let protects = |it: &Handler, pc: u16| it.ranges.iter().any(|range| range.contains(usize::from(pc)));
    all.iter().filter(|it| !it.catches_everything()).find(|it| {
        let own = all.iter().find(|outer| outer.catches_everything() && protects(outer, it.pc));
        own.is_some_and(|own| own.pc == catch_all.pc)
            && try_with_resources::stores_and_rethrows(body, it).is_some()
            && (kotlin::is_inline_only(body, it) || try_with_resources::is_generated(body, it, all))
    })
}

/// Inline functions of the Kotlin libraries (`use`, `runCatching`, ...). Inline functions of anybody else may
/// be the application's own, so their handlers stay.
fn comes_from_library(facts: &ClassFacts, body: &Body<'_>, handler: &Handler) -> bool {
    let line = body.line(handler.pc).and_then(|line| facts.source_map.lookup(u32::from(line)));
    line.is_some_and(|line| {
        !line.own && (line.path.starts_with("kotlin/") || line.path.starts_with("kotlinx/"))
    })
}
