//! Handlers that nobody in the application wrote, each with the reason.
//!
//! Rules match code instruction by instruction, or rest on marks that only compilers make (synthetic methods and
//! classes, annotations, source maps). Debug information that betrays a programmer's hand overrules the shape of the
//! code: a user's catch that merely does the same stays a pair.

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
use rustc_hash::FxHashMap;
use try_with_resources::Resources;

pub(crate) use lombok::looks_generated;

/// Facts about the class that filters share, found once.
#[derive(Debug)]
pub(crate) struct ClassFacts {
    pub(crate) source_map: SourceMap,
    generated_by_lombok: bool,
    holds_switch_map: bool,
}

impl ClassFacts {
    pub(crate) fn of(class: &ClassFile<'_>) -> Self {
        let map = class.source_debug_extension().map(String::from_utf8_lossy);
        Self {
            source_map: map.map(|text| SourceMap::parse(&text)).unwrap_or_default(),
            generated_by_lombok: lombok::is_marked(&class.attributes, &class.pool),
            holds_switch_map: switches::is_switch_map_holder(class),
        }
    }
}

/// Tells the handlers of one method apart.
#[derive(Debug)]
pub(crate) struct Classifier<'m, 'a> {
    facts: &'m ClassFacts,
    body: &'m Body<'a>,
    generated_by_lombok: bool,
    resources: Resources,
    /// Per catch-all, by pc: why it is there, if it is the `finally` of a generated handler.
    generated_finallys: FxHashMap<u16, Reason>,
}

impl<'m, 'a> Classifier<'m, 'a> {
    pub(crate) fn new(facts: &'m ClassFacts, body: &'m Body<'a>, handlers: &[Handler]) -> Self {
        let mut it = Self {
            facts,
            body,
            generated_by_lombok: facts.generated_by_lombok
                || lombok::is_marked(&body.method.attributes, body.pool),
            resources: Resources::of(body, handlers),
            generated_finallys: FxHashMap::default(),
        };
        it.generated_finallys = it.find_generated_finallys(handlers);
        it
    }

    /// The reason to leave `handler` out, or `None` if it is a catch clause of the application.
    pub(crate) fn reason(&self, handler: &Handler) -> Option<Reason> {
        let body = self.body;
        if handler.catches_everything {
            Some(self.reason_of_catch_all(handler))
        } else if self.generated_by_lombok {
            Some(Reason::LombokGenerated)
        } else if self.comes_from_library(handler) || kotlin::is_inline_only(body, handler) {
            Some(Reason::LibraryInline)
        } else if switches::is_enum_switch_map(self.facts.holds_switch_map, body, handler) {
            Some(Reason::EnumSwitchMap)
        } else if switches::is_pattern_switch(body, handler) {
            Some(Reason::PatternSwitch)
        } else if class_literal::is_class_literal(body, handler) {
            Some(Reason::ClassLiteral)
        } else {
            self.resources.made(body, handler).then_some(Reason::TryWithResources)
        }
    }

    /// `finally`, `synchronized` and ecj's try-with-resources catch everything; no source language lets a programmer
    /// write that type.
    fn reason_of_catch_all(&self, handler: &Handler) -> Reason {
        if monitor::releases_monitor(self.body, handler) {
            Reason::Synchronized
        } else if self.resources.made_by_ecj(self.body, handler) {
            Reason::TryWithResources
        } else {
            self.generated_finallys.get(&handler.pc).copied().unwrap_or(Reason::Finally)
        }
    }

    /// A generated handler that stores and rethrows comes with a `finally` of its own: the first catch-all that
    /// protects it.
    fn find_generated_finallys(&self, handlers: &[Handler]) -> FxHashMap<u16, Reason> {
        let typed = handlers.iter().filter(|it| !it.catches_everything);
        let owners = typed.filter(|it| try_with_resources::stores_and_rethrows(self.body, it).is_some());
        let mut reasons = FxHashMap::default();
        for owner in owners {
            let pc = usize::from(owner.pc);
            let protects = |it: &&Handler| it.ranges.iter().any(|range| range.contains(pc));
            let own = handlers.iter().filter(|it| it.catches_everything).find(protects);
            if let (Some(own), Some(reason)) = (own, self.reason(owner)) {
                reasons.insert(own.pc, reason);
            }
        }
        reasons
    }

    /// Inline functions of the Kotlin libraries (`use`, `runCatching`, ...). Inline functions of anybody else may be
    /// the application's own, so their handlers stay.
    fn comes_from_library(&self, handler: &Handler) -> bool {
        let map = &self.facts.source_map;
        let line = if map.is_empty() { None } else { self.body.line(handler.pc) };
        let line = line.and_then(|line| map.lookup(u32::from(line)));
        line.is_some_and(|line| {
            !line.own && (line.path.starts_with("kotlin/") || line.path.starts_with("kotlinx/"))
        })
    }
}
