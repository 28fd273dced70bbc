//! Models of methods without bytecode, read from `data/models.txt`.

use crate::ids::MethodId;
use crate::world::World;
use rustc_hash::FxHashMap;

/// Something a model speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) root: TermRoot,
    pub(crate) part: Option<TermPart>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TermRoot {
    /// 0 is the receiver of a method that has one, or else the first parameter.
    Parameter {
        index: usize,
        counts_receiver: bool,
    },
    New(&'static str),
    /// An object of this class for each call, of methods that are declared to return it.
    Made(&'static str),
    /// Every thread that is started.
    Threads,
    Static {
        class: &'static str,
        field: &'static str,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TermPart {
    Elements,
    Anything,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The effects of its own code, for each call by itself.
    Code,
    Return(Term),
    Throw(Term),
    Flow {
        to: Term,
        from: Term,
    },
    Call {
        receiver: Term,
        method: &'static str,
        descriptor: &'static str,
        how: How,
    },
}

/// The use of a call's result and exceptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// The result is dropped.
    Called,
    /// The result is returned.
    Returned,
    /// In another thread, which keeps its exceptions.
    Started,
}

/// Effects by class and method.
#[derive(Debug, Clone)]
pub(crate) struct Models {
    by_name: FxHashMap<&'static [u8], FxHashMap<&'static [u8], Vec<Effect>>>,
}

impl Models {
    pub(crate) fn new() -> Self {
        let lines = include_str!("../data/models.txt").lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut by_name: FxHashMap<_, FxHashMap<_, _>> = FxHashMap::default();
        for ((class, method), effects) in lines.filter_map(parse_line) {
            by_name.entry(class).or_default().insert(method, effects);
        }
        Self { by_name }
    }

    /// The model of a method, which counts instead of its code.
    pub(crate) fn of(&self, world: &World<'_>, method: MethodId) -> Option<&[Effect]> {
        let class = &world.class_of(world.method(method).class).name;
        self.find(class, world.name_of(method)).filter(|effects| *effects != [Effect::Code])
    }

    /// Every class with its methods, in the order of the names.
    pub(crate) fn all(&self) -> Vec<(&'static [u8], Vec<&'static [u8]>)> {
        let methods = |of: &FxHashMap<&'static [u8], Vec<Effect>>| of.keys().copied().collect();
        let mut all: Vec<_> = self.by_name.iter().map(|(class, of)| (*class, methods(of))).collect();
        all.sort_unstable();
        all
    }

    fn find(&self, class: &[u8], method: &[u8]) -> Option<&[Effect]> {
        self.by_name.get(class)?.get(method).map(Vec::as_slice)
    }
}

type Line = ((&'static [u8], &'static [u8]), Vec<Effect>);

fn parse_line(line: &'static str) -> Option<Line> {
    let (name, effects) = line.split_once('=')?;
    let (class, method) = name.trim().rsplit_once('.')?;
    let effects = effects.split(" | ").map(str::trim).filter(|effect| *effect != "nothing");
    let effects = effects.map(parse_effect).collect::<Option<Vec<_>>>()?;
    Some(((class.as_bytes(), method.as_bytes()), effects))
}

fn parse_effect(text: &'static str) -> Option<Effect> {
    if text == "code" {
        return Some(Effect::Code);
    }
    if let Some(term) = text.strip_prefix("return ") {
        return Some(Effect::Return(parse_term(term)?));
    }
    if let Some(term) = text.strip_prefix("throw ") {
        return Some(Effect::Throw(parse_term(term)?));
    }
    if let Some((to, from)) = text.split_once("<-") {
        return Some(Effect::Flow { to: parse_term(to.trim())?, from: parse_term(from.trim())? });
    }
    let (call, how) = if let Some(call) = text.strip_prefix("start ") {
        (call, How::Started)
    } else if let Some(call) = text.strip_suffix(" -> return") {
        (call, How::Returned)
    } else {
        (text, How::Called)
    };
    let (before, _) = call.split_once('(')?;
    let (receiver, method) = before.rsplit_once('.')?;
    let descriptor = &call[before.len()..];
    Some(Effect::Call { receiver: parse_term(receiver)?, method, descriptor, how })
}

fn parse_term(text: &'static str) -> Option<Term> {
    let (root, part) = if let Some(root) = text.strip_suffix("[]") {
        (root, Some(TermPart::Elements))
    } else if let Some(root) = text.strip_suffix(".*") {
        (root, Some(TermPart::Anything))
    } else {
        (text, None)
    };
    Some(Term { root: parse_root(root)?, part })
}

fn parse_root(text: &'static str) -> Option<TermRoot> {
    if text == "threads" {
        return Some(TermRoot::Threads);
    }
    if text == "this" {
        return Some(TermRoot::Parameter { index: 0, counts_receiver: true });
    }
    if let Some(index) = text.strip_prefix('$') {
        return Some(TermRoot::Parameter { index: index.parse().ok()?, counts_receiver: false });
    }
    if let Some(class) = text.strip_prefix("new ") {
        return Some(TermRoot::New(class));
    }
    if let Some(class) = text.strip_prefix("made ") {
        return Some(TermRoot::Made(class));
    }
    let (class, field) = text.strip_prefix('@')?.rsplit_once('.')?;
    Some(TermRoot::Static { class, field })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_models_can_be_read() {
        let lines = include_str!("../data/models.txt").lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            assert!(parse_line(line).is_some(), "{line}");
        }
    }

    #[test]
    fn effects_are_told_apart() {
        let parameter = |index| TermRoot::Parameter { index, counts_receiver: false };
        let elements = |index| Term { root: parameter(index), part: Some(TermPart::Elements) };
        let flow = Effect::Flow { to: elements(2), from: elements(0) };
        assert_eq!(parse_effect("$2[] <- $0[]"), Some(flow));
        let receiver = Term { root: parameter(0), part: None };
        let descriptor = "()Ljava/lang/Object;";
        let call = Effect::Call { receiver, method: "run", descriptor, how: How::Returned };
        assert_eq!(parse_effect("$0.run()Ljava/lang/Object; -> return"), Some(call));
        assert_eq!(parse_effect("who knows"), None);
    }
}
