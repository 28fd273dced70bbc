//! The base: what the JVM itself reaches, solved once and continued for many programs.
//!
//! The solver only ever adds, so a program may be added to what is solved: its entry points are where the work list
//! goes on. That holds while everything that was found before stays true. The base has looked at classes, at names that
//! were those of no class, at who provides services and at reflective calls whose targets nobody knew; a program that
//! would have changed an answer is refused. More providers of a service are added.

use crate::cache_format::{Cached, Reader, Writer};
use crate::callgraph::Reached;
use crate::ceiling::Ceiling;
use crate::ids::MethodId;
use crate::options::{CallGraphKind, Options};
use crate::solver::Solver;
use crate::solver::reflection::ReflectiveTarget;
use crate::world::{ClassSource, Differs, World};
use std::fmt;

/// A solved analysis without a program.
#[derive(Debug, Clone)]
pub struct Base<'a> {
    options: Options,
    solver: Solver<'a>,
}

/// Why a program cannot begin where the base ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The program has other classes, or others that provide services, than the base has seen.
    Differs(Differs),
    /// A run has shown targets of reflective calls that the base has seen to without them.
    LateTargets,
    /// Memory does not suffice: the packages whose context sensitivity must be lowered, by internal name with a slash
    /// at the end.
    TooLarge(Vec<Box<[u8]>>),
}

impl<'a> Base<'a> {
    /// Follows what the JVM calls by itself. Nothing for analyses by classes, which have no base.
    pub fn solve(source: &'a dyn ClassSource, options: impl Into<Options>) -> Option<Self> {
        let options = options.into();
        let CallGraphKind::Objects(sensitivity) = options.analysis else { return None };
        let mut solver = Solver::begin(source, sensitivity, &options, &[]);
        solver.solve();
        Some(Self { options, solver })
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    /// For another run, which reads them with [`Self::read`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        self.options.keeps_heap.write(&mut writer);
        self.solver.write(&mut writer);
        writer.into_bytes()
    }

    /// Reads the bytes of [`Self::to_bytes`], on the same classes and by the same code: nobody but the caller can know
    /// that it is so. Nothing if it was solved with other options, or surely is something else.
    pub fn read(bytes: &[u8], source: &'a dyn ClassSource, options: impl Into<Options>) -> Option<Self> {
        let options = options.into();
        let mut reader = Reader::new(bytes);
        let keeps_heap = bool::read(&mut reader)?;
        let solver = Solver::read(&mut reader, source)?;
        let analysis = CallGraphKind::Objects(solver.contexts.sensitivity);
        let written = Options { analysis, implicit: solver.implicit_kinds, keeps_heap };
        (reader.is_at_end() && written == options).then_some(Self { options, solver })
    }

    /// The base of an analysis whose objects nobody looks at.
    #[must_use]
    pub fn without_heap(mut self) -> Self {
        self.options.keeps_heap = false;
        self.solver.forget_heap();
        self
    }

    /// Like [`Self::into_reached`], for one program of many.
    pub fn analyse<'b>(
        &self,
        source: &'b dyn ClassSource,
        recorded: &[ReflectiveTarget],
        entries: impl FnOnce(&mut World<'b>) -> Vec<MethodId>,
    ) -> Result<Reached<'b>, Refusal>
    where
        'a: 'b,
    {
        self.clone().into_reached(source, recorded, None, entries)
    }

    /// Like [`crate::analyse_with_targets`] with the options of the base. The source has the classes of the base, and
    /// those of the program.
    pub fn into_reached<'b>(
        self,
        source: &'b dyn ClassSource,
        recorded: &[ReflectiveTarget],
        ceiling: Option<Ceiling>,
        entries: impl FnOnce(&mut World<'b>) -> Vec<MethodId>,
    ) -> Result<Reached<'b>, Refusal>
    where
        'a: 'b,
    {
        let mut solver: Solver<'b> = self.solver;
        let providers = solver.world.continue_with(source).map_err(Refusal::Differs)?;
        solver.make_providers(&providers);
        solver.add_recorded(recorded).ok_or(Refusal::LateTargets)?;
        solver.finish_within(ceiling, entries).map_err(Refusal::TooLarge)
    }
}

impl<'a> Solver<'a> {
    /// With what the JVM calls by itself as work to do.
    pub(crate) fn begin(
        source: &'a dyn ClassSource,
        sensitivity: crate::Sensitivity,
        options: &Options,
        recorded: &[ReflectiveTarget],
    ) -> Self {
        let mut solver = Solver::new(source, sensitivity, options.implicit);
        solver.mark_models();
        solver.prepare_reflection(recorded);
        solver.graph.log = options.keeps_heap.then(Box::default);
        solver.start();
        solver
    }

    pub(crate) fn finish(mut self, entries: impl FnOnce(&mut World<'a>) -> Vec<MethodId>) -> Reached<'a> {
        let entries = entries(&mut self.world);
        self.add_entries(&entries);
        self.solve();
        self.into_found().into_reached()
    }

    /// The packages that have taken the most if it does not fit.
    pub(crate) fn finish_within(
        mut self,
        ceiling: Option<Ceiling>,
        entries: impl FnOnce(&mut World<'a>) -> Vec<MethodId>,
    ) -> Result<Reached<'a>, Vec<Box<[u8]>>> {
        let Some(ceiling) = ceiling else { return Ok(self.finish(entries)) };
        let entries = entries(&mut self.world);
        self.add_entries(&entries);
        if self.solve_while(|| !ceiling.is_exceeded()) {
            Ok(self.into_found().into_reached())
        } else {
            Err(self.heaviest_packages())
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Differs(Differs::Class(name)) => {
                write!(out, "the program has its own {}", String::from_utf8_lossy(name))
            }
            Self::Differs(Differs::Service(name)) => {
                write!(out, "the program has fewer providers of {}", String::from_utf8_lossy(name))
            }
            Self::TooLarge(_) => out.write_str("there is not enough memory"),
            Self::LateTargets => out.write_str("a run has shown more of what the JDK does by reflection"),
        }
    }
}

impl std::error::Error for Refusal {}
