//! Numbers the probes of a class: a pure function of its bytes and the kinds asked for.

use crate::ProbeKinds;
use crate::probes::Probe;
use catchment_classfile::{
    Attribute, ClassError, ClassFile, Code, ControlKind, MethodCode, OutlineSpan, Outlines,
};
use catchment_pairs::{CompiledTry, Problem, TryFinder};
use std::ops::Range;

/// The event that one probe of a class observes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbePoint {
    /// `try_site` indexes the tries of the class: [`ClassPairs::tries`](catchment_pairs::ClassPairs::tries).
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

/// The ids of the probes that a method has one of.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct MethodIds {
    pub(crate) enter: Option<usize>,
    pub(crate) exit: Option<usize>,
    pub(crate) escape: Option<usize>,
    /// The mark of the method, counted from 0 within the class, if entering it is to be marked.
    pub(crate) mark: Option<u32>,
    /// Its entry and exits are those of a class initialiser, which are told.
    pub(crate) is_initialiser: bool,
    /// Exceptions that leave it are told, and not only that it ends.
    pub(crate) tells_escapes: bool,
}

impl MethodIds {
    pub(crate) fn enter_probe(self) -> Probe {
        if self.is_initialiser { Probe::InitialiserEnter } else { Probe::MethodEnter }
    }

    pub(crate) fn exit_probe(self) -> Probe {
        if self.is_initialiser { Probe::InitialiserExit } else { Probe::MethodExit }
    }

    pub(crate) fn escape_probe(self) -> Probe {
        match (self.is_initialiser, self.tells_escapes) {
            (true, true) => Probe::InitialiserEscape,
            (true, false) => Probe::InitialiserFail,
            (false, _) => Probe::MethodEscape,
        }
    }
}

/// The probe ids of one try.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct TryIds {
    pub(crate) enter: Option<usize>,
    pub(crate) exit: Option<usize>,
    pub(crate) escape: Option<usize>,
    /// Of the first clause; those of the others follow.
    pub(crate) first_caught: Option<usize>,
}

/// A method with probes and what is known of it by now. Its probes are numbered in this order: those of its tries,
/// those at single instructions, those of the method.
#[derive(Debug)]
pub(crate) struct MethodProbePoints<'a> {
    pub(crate) method: usize,
    /// The local id of its first probe.
    pub(crate) first_id: usize,
    /// Its tries, as a run of [`ClassProbePoints::tries`].
    pub(crate) tries: Range<usize>,
    pub(crate) first_in_place: usize,
    pub(crate) ids: MethodIds,
    pub(crate) attribute: Attribute<'a>,
    pub(crate) code: Code<'a>,
    pub(crate) outline: OutlineSpan,
}

/// All probes of a class.
#[derive(Debug)]
pub(crate) struct ClassProbePoints<'a> {
    pub(crate) kinds: ProbeKinds,
    /// Number of probes.
    pub(crate) count: usize,
    /// The methods with probes, in file order.
    pub(crate) methods: Vec<MethodProbePoints<'a>>,
    pub(crate) outlines: Outlines,
    /// The tries of all methods, in file order.
    pub(crate) tries: Vec<CompiledTry>,
    /// Methods whose tries could not be found.
    pub(crate) problems: Vec<Problem>,
}

/// The memory of [`ClassProbePoints`] that are done with, for those of the next class.
#[derive(Debug, Default)]
pub(crate) struct ProbePointsMemory {
    methods: Vec<MethodProbePoints<'static>>,
    outlines: Outlines,
    tries: Vec<CompiledTry>,
}

pub(crate) fn number_probes<'a>(
    class: &ClassFile<'a>,
    kinds: ProbeKinds,
    memory: ProbePointsMemory,
) -> ClassProbePoints<'a> {
    let mut points = ClassProbePoints::new(kinds, memory);
    let finder = TryFinder::new(class);
    for (index, method) in class.methods.iter().enumerate() {
        if let Err(error) = points.number_method(class, &finder, index) {
            points.problems.push(Problem::new(method, &error));
        }
    }
    points
}

impl<'a> ClassProbePoints<'a> {
    fn new(kinds: ProbeKinds, memory: ProbePointsMemory) -> Self {
        let ProbePointsMemory { methods, outlines, tries } = memory;
        Self { kinds, count: 0, methods: emptied(methods), outlines, tries, problems: Vec::new() }
    }

    pub(crate) fn into_memory(self) -> ProbePointsMemory {
        let Self { methods, mut outlines, mut tries, .. } = self;
        outlines.clear();
        tries.clear();
        ProbePointsMemory { methods: emptied(methods), outlines, tries }
    }

    /// Methods whose code cannot be read get no probes; the JVM refuses such a class by itself.
    fn number_method(
        &mut self,
        class: &ClassFile<'a>,
        finder: &TryFinder<'_, 'a>,
        index: usize,
    ) -> Result<(), ClassError> {
        let method = &class.methods[index];
        let Some((attribute, code)) = class.code(method)? else { return Ok(()) };
        let kinds = self.kinds;
        if !kinds.beyond_tries() && !code.has_exceptions() {
            return Ok(());
        }
        let span = match self.outlines.add(code.bytes) {
            Ok(span) => span,
            // Without an exception table no probe is lost, so the error is not reported.
            Err(error) => return if code.has_exceptions() { Err(error) } else { Ok(()) },
        };
        let outline = self.outlines.get(&span);
        let first_try = self.tries.len();
        let found = if code.has_exceptions() && kinds.at_tries() {
            let source = MethodCode { class, method, attribute, code, outline };
            finder.find(index, &source, &mut self.tries)
        } else {
            Ok(())
        };
        let tries = first_try..self.tries.len();
        let mut numbering = Numbering { next: self.count };
        for it in &self.tries[tries.clone()] {
            numbering.of_try(kinds, it.clauses.len());
        }
        let first_in_place = numbering.next;
        let mut ids = MethodIds::default();
        if kinds.beyond_tries() {
            let landmarks = outline.calls_and_exits();
            let in_place = kinds.in_place();
            let (mut probes, mut returns) = (0, false);
            for landmark in landmarks {
                probes += usize::from(in_place.contains(landmark.control));
                returns |= landmark.control == ControlKind::Return;
            }
            numbering.next += probes;
            let marked = kinds.contains(ProbeKinds::ENTERED);
            ids = numbering.of_method(kinds, returns, marked && method.name == "<clinit>");
            ids.mark = marked.then_some(index as u32);
        }
        if numbering.next > self.count || ids.mark.is_some() {
            let first_id = std::mem::replace(&mut self.count, numbering.next);
            let (method, outline) = (index, span);
            let points =
                MethodProbePoints { method, first_id, tries, first_in_place, ids, attribute, code, outline };
            self.methods.push(points);
        }
        found
    }

    /// Probe points by local id.
    pub(crate) fn list(&self) -> Vec<ProbePoint> {
        let mut list = Vec::with_capacity(self.count);
        for points in &self.methods {
            for try_site in points.tries.clone() {
                list_try(try_site, self.tries[try_site].clauses.len(), self.kinds, &mut list);
            }
            self.list_in_place(points, &mut list);
            let method = points.method;
            list.extend(points.ids.enter.map(|_| ProbePoint::MethodEnter { method }));
            list.extend(points.ids.exit.map(|_| ProbePoint::MethodExit { method }));
            list.extend(points.ids.escape.map(|_| ProbePoint::MethodEscape { method }));
        }
        list
    }

    fn list_in_place(&self, points: &MethodProbePoints<'a>, list: &mut Vec<ProbePoint>) {
        let landmarks = self.outlines.get(&points.outline).calls_and_exits();
        let method = points.method;
        list.extend(landmarks.iter().filter(|it| self.kinds.stand_before(it.control)).map(|landmark| {
            let pc = u16::try_from(landmark.pc()).unwrap_or(u16::MAX);
            match landmark.control {
                ControlKind::Throw => ProbePoint::Throwing { method, pc },
                _ => ProbePoint::Call { method, pc },
            }
        }));
    }
}

/// An empty list with the same memory, which is not collected anew: both are of the same size.
fn emptied<'b>(mut methods: Vec<MethodProbePoints<'_>>) -> Vec<MethodProbePoints<'b>> {
    methods.clear();
    methods.into_iter().map_while(|_| None).collect()
}

impl MethodProbePoints<'_> {
    /// The ids of each of its tries.
    pub(crate) fn try_ids(&self, kinds: ProbeKinds, tries: &[CompiledTry]) -> impl Iterator<Item = TryIds> {
        let mut ids = Numbering { next: self.first_id };
        tries.iter().map(move |it| ids.of_try(kinds, it.clauses.len()))
    }
}

/// Gives out local ids. Lists of probes are in the same order.
struct Numbering {
    next: usize,
}

impl Numbering {
    fn take(&mut self, count: usize) -> Option<usize> {
        let first = self.next;
        self.next += count;
        (count > 0).then_some(first)
    }

    fn of_try(&mut self, kinds: ProbeKinds, clauses: usize) -> TryIds {
        let one = |kind| usize::from(kinds.contains(kind));
        TryIds {
            enter: self.take(one(ProbeKinds::TRY_ENTER)),
            exit: self.take(one(ProbeKinds::TRY_EXIT)),
            escape: self.take(one(ProbeKinds::TRY_ESCAPE)),
            first_caught: self.take(one(ProbeKinds::CAUGHT) * clauses),
        }
    }

    fn of_method(&mut self, kinds: ProbeKinds, returns: bool, is_initialiser: bool) -> MethodIds {
        let one = |kind| usize::from(kinds.contains(kind) || is_initialiser);
        MethodIds {
            enter: self.take(one(ProbeKinds::METHOD_ENTER)),
            exit: self.take(usize::from(returns) * one(ProbeKinds::METHOD_EXIT)),
            escape: self.take(one(ProbeKinds::METHOD_ESCAPE)),
            mark: None,
            is_initialiser,
            tells_escapes: kinds.contains(ProbeKinds::METHOD_ESCAPE),
        }
    }
}

fn list_try(try_site: usize, clauses: usize, kinds: ProbeKinds, list: &mut Vec<ProbePoint>) {
    let mut add = |kind, point| {
        if kinds.contains(kind) {
            list.push(point);
        }
    };
    add(ProbeKinds::TRY_ENTER, ProbePoint::TryEnter { try_site });
    add(ProbeKinds::TRY_EXIT, ProbePoint::TryExit { try_site });
    add(ProbeKinds::TRY_ESCAPE, ProbePoint::TryEscape { try_site });
    for clause in 0..clauses {
        add(ProbeKinds::CAUGHT, ProbePoint::Caught { try_site, clause });
    }
}
