//! Numbers the probes of a class: a pure function of its bytes and the kinds asked for.

use crate::ProbeKinds;
use catchment_classfile::{ClassFile, Flow, opcodes};
use catchment_pairs::ClassPairs;
use std::ops::Range;

/// What one probe of a class observes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeSite {
    /// `try_site` indexes [`ClassPairs::tries`].
    TryEnter {
        try_site: usize,
    },
    TryExit {
        try_site: usize,
    },
    TryEscape {
        try_site: usize,
    },
    /// `clause` indexes the clauses of the try.
    Caught {
        try_site: usize,
        clause: usize,
    },
    Throwing {
        method: usize,
        pc: u16,
    },
    Call {
        method: usize,
        pc: u16,
    },
    MethodEnter {
        method: usize,
    },
    MethodExit {
        method: usize,
    },
    MethodEscape {
        method: usize,
    },
}

/// The probes of one method: a run of consecutive local ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MethodSites {
    pub(crate) method: usize,
    pub(crate) ids: Range<usize>,
}

pub(crate) fn number_sites(
    class: &ClassFile<'_>,
    pairs: &ClassPairs,
    kinds: ProbeKinds,
) -> (Vec<ProbeSite>, Vec<MethodSites>) {
    let mut sites = Vec::new();
    let mut methods = Vec::new();
    let mut tries = pairs.tries.iter().enumerate().peekable();
    for method in 0..class.methods.len() {
        let first = sites.len();
        // Tries come method by method.
        while let Some((try_site, it)) = tries.next_if(|(_, it)| it.method == method) {
            number_try(try_site, it.clauses.len(), kinds, &mut sites);
        }
        if kinds.beyond_tries() {
            number_instructions(class, method, kinds, &mut sites);
        }
        if sites.len() > first {
            methods.push(MethodSites { method, ids: first..sites.len() });
        }
    }
    (sites, methods)
}

fn number_try(try_site: usize, clauses: usize, kinds: ProbeKinds, sites: &mut Vec<ProbeSite>) {
    let mut add = |kind, site| {
        if kinds.contains(kind) {
            sites.push(site);
        }
    };
    add(ProbeKinds::TRY_ENTER, ProbeSite::TryEnter { try_site });
    add(ProbeKinds::TRY_EXIT, ProbeSite::TryExit { try_site });
    add(ProbeKinds::TRY_ESCAPE, ProbeSite::TryEscape { try_site });
    for clause in 0..clauses {
        add(ProbeKinds::CAUGHT, ProbeSite::Caught { try_site, clause });
    }
}

/// Methods whose code cannot be read get no probes; the JVM refuses such a class by itself.
fn number_instructions(class: &ClassFile<'_>, method: usize, kinds: ProbeKinds, sites: &mut Vec<ProbeSite>) {
    let Ok(Some((_, code))) = class.code(&class.methods[method]) else { return };
    let first = sites.len();
    let mut returns = false;
    for insn in code.insns() {
        let Ok(insn) = insn else { return sites.truncate(first) };
        let pc = u16::try_from(insn.pc).unwrap_or(u16::MAX);
        if insn.is_call() && kinds.contains(ProbeKinds::CALL) {
            sites.push(ProbeSite::Call { method, pc });
        } else if insn.opcode == opcodes::ATHROW && kinds.contains(ProbeKinds::THROWING) {
            sites.push(ProbeSite::Throwing { method, pc });
        }
        returns |= insn.flow() == Flow::Return;
    }
    let mut add = |kind, site| {
        if kinds.contains(kind) {
            sites.push(site);
        }
    };
    add(ProbeKinds::METHOD_ENTER, ProbeSite::MethodEnter { method });
    if returns {
        add(ProbeKinds::METHOD_EXIT, ProbeSite::MethodExit { method });
    }
    add(ProbeKinds::METHOD_ESCAPE, ProbeSite::MethodEscape { method });
}
