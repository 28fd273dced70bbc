//! Numbers the probes of a class: a pure function of its bytes and the kinds asked for.

use crate::ProbeKinds;
use catchment_classfile::{Attribute, ClassFile, Code, Landmark, OutlineSpan, Outlines, Role};
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

impl ProbeSite {
    pub(crate) fn is_of_try(&self) -> bool {
        self.try_site().is_some()
    }

    /// Whether the method has at most one of it.
    pub(crate) fn is_of_method(&self) -> bool {
        matches!(self, Self::MethodEnter { .. } | Self::MethodExit { .. } | Self::MethodEscape { .. })
    }

    pub(crate) fn try_site(&self) -> Option<usize> {
        match self {
            Self::TryEnter { try_site }
            | Self::TryExit { try_site }
            | Self::TryEscape { try_site }
            | Self::Caught { try_site, .. } => Some(*try_site),
            _ => None,
        }
    }

    /// The instruction it stands at, if that is a single one.
    #[inline]
    pub(crate) fn pc(&self) -> Option<u16> {
        match self {
            Self::Throwing { pc, .. } | Self::Call { pc, .. } => Some(*pc),
            _ => None,
        }
    }
}

/// The probes of one method and what is known of it by now.
#[derive(Debug)]
pub(crate) struct MethodSites<'a> {
    pub(crate) method: usize,
    /// A run of consecutive local ids.
    pub(crate) ids: Range<usize>,
    /// Its tries, as a run of [`ClassPairs::tries`].
    pub(crate) tries: Range<usize>,
    pub(crate) attribute: Attribute<'a>,
    pub(crate) code: Code<'a>,
    pub(crate) outline: OutlineSpan,
}

/// All probes of a class.
#[derive(Debug, Default)]
pub(crate) struct ClassSites<'a> {
    pub(crate) sites: Vec<ProbeSite>,
    /// The methods with probes, in file order.
    pub(crate) methods: Vec<MethodSites<'a>>,
    pub(crate) outlines: Outlines,
    pub(crate) kinds: ProbeKinds,
}

pub(crate) fn number_sites<'a>(
    class: &ClassFile<'a>,
    pairs: &ClassPairs,
    kinds: ProbeKinds,
) -> ClassSites<'a> {
    let mut result =
        if kinds.beyond_tries() { ClassSites::with_room_for(class) } else { ClassSites::default() };
    result.kinds = kinds;
    let mut next_try = 0;
    for method in 0..class.methods.len() {
        // Tries come method by method.
        let own = pairs.tries[next_try..].iter().take_while(|it| it.method == method).count();
        let tries = next_try..next_try + own;
        next_try = tries.end;
        if kinds.beyond_tries() || !tries.is_empty() {
            let first = result.sites.len();
            if result.number_method(class, pairs, (method, tries), kinds).is_none() {
                result.sites.truncate(first);
            }
        }
    }
    result
}

impl<'a> ClassSites<'a> {
    /// With room for probes in every method. About a fifth of a class file is code, every 15th byte of it a probe.
    fn with_room_for(class: &ClassFile<'a>) -> Self {
        Self {
            sites: Vec::with_capacity(class.bytes.len() / 64),
            methods: Vec::with_capacity(class.methods.len()),
            outlines: Outlines::with_room_for(class.bytes.len() / 4),
            kinds: ProbeKinds::default(),
        }
    }

    /// Methods whose code cannot be read get no probes (`None`); the JVM refuses such a class by itself.
    fn number_method(
        &mut self,
        class: &ClassFile<'a>,
        pairs: &ClassPairs,
        (method, tries): (usize, Range<usize>),
        kinds: ProbeKinds,
    ) -> Option<()> {
        let (attribute, code) = class.code(&class.methods[method]).ok()??;
        let outline = self.outlines.add(code.bytes).ok()?;
        let first = self.sites.len();
        for try_site in tries.clone() {
            number_try(try_site, pairs.tries[try_site].clauses.len(), kinds, &mut self.sites);
        }
        if kinds.beyond_tries() {
            let landmarks = self.outlines.get(&outline).landmarks();
            number_instructions(method, landmarks, kinds, &mut self.sites);
        }
        let ids = first..self.sites.len();
        if !ids.is_empty() {
            self.methods.push(MethodSites { method, ids, tries, attribute, code, outline });
        }
        Some(())
    }
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

fn number_instructions(method: usize, landmarks: &[Landmark], kinds: ProbeKinds, sites: &mut Vec<ProbeSite>) {
    let (calls, throws) = (kinds.contains(ProbeKinds::CALL), kinds.contains(ProbeKinds::THROWING));
    let mut returns = false;
    for landmark in landmarks {
        let pc = u16::try_from(landmark.pc()).unwrap_or(u16::MAX);
        match landmark.role {
            Role::Call if calls => sites.push(ProbeSite::Call { method, pc }),
            Role::Throw if throws => sites.push(ProbeSite::Throwing { method, pc }),
            Role::Return => returns = true,
            _ => {}
        }
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
