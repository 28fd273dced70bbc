//! The links of a program, in names and lines: values for whoever shows them.

use crate::analysis::Analysis;
use crate::catalogue::Operation;
use crate::catalogue::operations::{FaultProblem, Match};
use crate::recording::comparison::Comparison;
use catchment_pairs::ClauseDescription;
use catchment_pointsto::Layer;
use catchment_pointsto::{BlindSpot, Coarsened, Stats};

/// An instruction of a method, or the method as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// First, so that sites are sorted by whose code they are in.
    pub layer: Layer,
    /// Binary name with dots.
    pub class: String,
    pub method: String,
    pub descriptor: String,
    /// Name of the source file, as the class file has it.
    pub file: Option<String>,
    pub line: Option<u32>,
    /// Offset of the instruction; none for the method as a whole.
    pub pc: Option<u16>,
}

impl Site {
    /// The instruction, as experiments name it; none for the method as a whole.
    pub fn instruction(&self) -> Option<catchment_protocol::experiment::Site> {
        let Self { class, method, descriptor, .. } = self.clone();
        Some(catchment_protocol::experiment::Site { class, method, descriptor, pc: self.pc? })
    }

    /// The same line without the instruction: several instructions of one line look alike to people.
    #[must_use]
    pub(crate) fn as_line(&self) -> Self {
        Self { pc: None, ..self.clone() }
    }
}

/// A class of exceptions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExceptionType {
    /// Binary name with dots.
    pub name: String,
    /// This class itself, and none below it.
    pub is_exact: bool,
}

/// Kind of a raising point.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RaisedBy {
    /// A method of the catalogue, by its number there, with the kind of its fault.
    Operation { kind: String, number: usize },
    /// A `throw`.
    Throw,
    /// The JVM at this instruction.
    Implicit,
    /// Native code. Only runs show it.
    Native,
}

/// A raising point.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PointDescription {
    pub by: RaisedBy,
    /// Of an operation the method that its catalogue entry names, without a descriptor if the entry means all
    /// overloads.
    pub site: Site,
}

/// A pair that links lead to, or might: the description of its clause, and where its class belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedPair {
    pub pair: ClauseDescription,
    pub layer: Layer,
    /// The method is in the call graph.
    pub is_reached: bool,
}

/// A raising point whose exceptions can come to a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLink {
    /// Hash of the catalogue entry, or of the throw's method and its ordinal there, and of the pair id: the same under
    /// every analysis and view, and while neither method nor clause changes ([`crate::link_id`]).
    pub id: String,
    /// Counts from 1; the same for the same input.
    pub number: usize,
    /// Index into [`LinksAnswer::points`].
    pub from: usize,
    /// Index into [`LinksAnswer::pairs`].
    pub to: usize,
    /// All that come, by name.
    pub exceptions: Vec<ExceptionType>,
    /// The nearest class that all of them are.
    pub exception: String,
    /// A run has gone through it.
    pub is_seen: bool,
    /// Instructions of the try, as indices into [`LinksAnswer::sites`], that the exceptions come out of: calls, or the
    /// raising point itself. Empty until [`crate::LinkSearch::add_sites`].
    pub sites: Vec<usize>,
}

/// An entry of the catalogue and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CataloguedOperation {
    pub operation: Operation,
    pub found: Match,
}

/// Something that was not seen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlindSite {
    pub spot: BlindSpot,
    pub site: Site,
}

/// A class that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClassProblem {
    pub class: String,
    pub what: String,
}

/// Everything about the links of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinksAnswer {
    /// The one that was used. A ceiling on memory may have made it another one than was asked for.
    pub analysis: Analysis,
    /// The entry points.
    pub entries: Vec<Site>,
    /// All clauses that were asked about, by class and place.
    pub pairs: Vec<LinkedPair>,
    /// Raising points with links: operations, then throws by whose code they are in.
    pub points: Vec<PointDescription>,
    /// By raising point: the nearest class that all exceptions of its links are, a binary name.
    pub point_exceptions: Vec<String>,
    /// By clause, then by raising point.
    pub links: Vec<FoundLink>,
    /// Sites that links name.
    pub sites: Vec<Site>,
    pub catalogue: Vec<CataloguedOperation>,
    pub blind_spots: Vec<BlindSite>,
    pub problems: Vec<ClassProblem>,
    /// Entries of the project's own that do not mean anything.
    pub fault_problems: Vec<FaultProblem>,
    /// Binary names of classes that the program's own code speaks of and that are nowhere.
    pub missing_classes: Vec<String>,
    pub stats: Stats,
    /// If a ceiling was given.
    pub memory: Option<MemoryUse>,
    /// The comparison with recordings, if any were given.
    pub comparison: Option<Comparison>,
}

/// The precision that a ceiling on memory has cost, if it was met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryUse {
    /// In bytes.
    pub ceiling: usize,
    /// The analysis that would have been used without it.
    pub asked: Analysis,
    pub coarsened: Coarsened,
    /// More was held in the end all the same.
    pub is_exceeded: bool,
}

/// One way from a try to a raising point: calls in their order, the raising point last.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WitnessPath {
    pub frames: Vec<Frame>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Frame {
    pub site: Site,
    /// The method can come to itself again on the way.
    pub is_recursive: bool,
}

/// The stations that a link can come by. The try is not its method, which may be called again on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StationKind {
    Try,
    Method,
    /// The hidden class of a lambda, which calls the method.
    Lambda,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Station {
    pub kind: StationKind,
    /// Without a line.
    pub method: Site,
    /// The method can reach itself again on the way.
    pub is_recursive: bool,
}

/// A way from a station to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Passage {
    /// Index into [`LinkGraph::stations`].
    pub from: usize,
    /// To this station; nothing where the exception is raised.
    pub to: Option<usize>,
    pub line: Option<u32>,
}

/// The part of the call graph by which a link comes: every witness path is a path of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkGraph {
    pub stations: Vec<Station>,
    pub passages: Vec<Passage>,
}

/// Exceptions that can leave a public method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Escapes {
    pub method: Site,
    /// By name.
    pub exceptions: Vec<EscapingException>,
}

/// An exception that can leave a method, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EscapingException {
    pub exception: ExceptionType,
    pub is_checked: bool,
    /// The raising points: operations first, then the throws nearest to the application.
    pub points: Vec<PointDescription>,
}
