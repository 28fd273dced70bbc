//! One class's bytes to the try-catch pairs a programmer wrote in it.
//!
//! Pure: no files, no other classes. The controller and the agent run this same code, so a pair has the
//! same id on both sides.

mod assemble;
mod blocks;
mod body;
mod clause_extent;
mod clauses;
mod coroutine;
mod description;
mod digest;
mod extent_lines;
mod filters;
mod find;
mod indexed;
mod instructions;
mod location;
mod normalise;
mod smap;

pub use blocks::Blocks;
pub use clause_extent::clause_extent;
pub use description::ClauseDescription;
pub use digest::{ClassDigest, MethodDigest, digest_of};
pub use find::TryFinder;
pub use instructions::Instructions;
pub use location::ClassLocation;

use catchment_classfile::{ClassError, ClassFile, Member};
use smallvec::SmallVec;

/// Everything this crate knows about one class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassPairs {
    /// Binary name with dots, `com.acme.Foo$Bar`.
    pub class: String,
    pub source_file: Option<String>,
    /// By method and try; those of inlined functions last. Ids are unique within the class.
    pub pairs: Vec<Pair>,
    /// The compiled tries. A pair that the compiler copied has a clause in several of them.
    pub tries: Vec<CompiledTry>,
    /// Per try the pair of its first clause; those of the others follow it.
    pub first_pairs: Vec<usize>,
    pub filtered: Vec<Filtered>,
    pub problems: Vec<Problem>,
}

impl ClassPairs {
    /// The index in [`Self::pairs`] of a clause of a compiled try.
    pub fn pair_of(&self, try_site: usize, clause: usize) -> usize {
        self.first_pairs[try_site] + clause
    }

    /// The compiled copies of the clause of the pair with this id: indices of the tries and of the clause in each.
    pub fn sites_of(&self, id: &str) -> Vec<(usize, usize)> {
        let tries = self.tries.iter().enumerate();
        let clauses =
            tries.flat_map(|(index, site)| (0..site.clauses.len()).map(move |clause| (index, clause)));
        let is_own = |&(index, clause): &(usize, usize)| {
            self.pairs.get(self.pair_of(index, clause)).is_some_and(|pair| pair.id == id)
        };
        clauses.filter(is_own).collect()
    }
}

/// One source-level `try` with one of its `catch` clauses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// Stable under line moves: class, method, ordinals, caught types, hash of the handler code.
    pub id: String,
    pub method: String,
    pub descriptor: String,
    /// Binary names with dots, in the order of the exception table.
    pub types: Vec<String>,
    /// Line of the first instruction of the try's body.
    pub try_line: Option<u32>,
    /// Last line that an instruction of the try's body has, in the same file. The brace behind it and bodies of lambdas
    /// have none.
    pub try_end_line: Option<u32>,
    /// Line of the handler's first instruction: that of `catch` for javac, ecj and kotlinc.
    pub catch_line: Option<u32>,
    /// Last line that an instruction of the clause has, in the same file. Where debug information does not name the
    /// exception's variable, code behind the try that only the clause leads to counts as well.
    pub catch_end_line: Option<u32>,
    /// Index into [`ClassPairs::pairs`] of the nearest enclosing pair.
    pub parent: Option<usize>,
    /// The file the lines belong to, when it is not the class's own (a Kotlin inline function).
    pub source: Option<String>,
    /// Looks like Lombok's, but carries no mark that says so.
    pub maybe_generated: bool,
    /// Looks like a compiler's copy of an earlier pair of the method, but there are no lines to tell.
    pub maybe_copy: bool,
}

/// One compiled `try`: what an execution enters and leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledTry {
    /// Index of the method in the class file.
    pub method: usize,
    /// Unmerged, sorted by start; the gaps between them are outside the try.
    pub ranges: SmallVec<[PcRange; 4]>,
    /// In the order the JVM tries them.
    pub clauses: SmallVec<[CompiledClause; 1]>,
    /// Code that parks the try rather than leaving it: where a coroutine asks whether it was suspended.
    pub suspensions: Vec<PcRange>,
}

impl CompiledTry {
    /// The pc at which an execution of the try begins.
    #[inline]
    pub fn start(&self) -> u16 {
        self.ranges.first().map_or(0, |range| range.start)
    }

    /// True if an execution of the try that comes to the instruction at `pc` goes on.
    #[inline]
    pub fn holds(&self, pc: usize) -> bool {
        self.ranges.iter().any(|range| range.contains(pc)) || self.suspends_at(pc)
    }

    /// True if the instruction at `pc` belongs to a suspension.
    #[inline]
    pub fn suspends_at(&self, pc: usize) -> bool {
        self.suspensions.iter().any(|range| range.contains(pc))
    }
}

/// One compiled `catch` clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledClause {
    pub handler: u16,
    /// Indices into the method's exception table.
    pub rows: SmallVec<[u16; 8]>,
}

/// Byte offsets `start..end` in the code of one method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PcRange {
    pub start: u16,
    pub end: u16,
}

impl PcRange {
    #[inline]
    pub fn contains(&self, pc: usize) -> bool {
        (usize::from(self.start)..usize::from(self.end)).contains(&pc)
    }
}

/// A handler nobody in the application wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filtered {
    pub method: String,
    pub descriptor: String,
    pub line: Option<u32>,
    pub reason: Reason,
}

/// Why a handler is not a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    Finally,
    Synchronized,
    TryWithResources,
    EnumSwitchMap,
    PatternSwitch,
    ClassLiteral,
    LibraryInline,
    LombokGenerated,
}

impl Reason {
    /// The word used in reports and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Finally => "finally",
            Self::Synchronized => "synchronized",
            Self::TryWithResources => "try-with-resources",
            Self::EnumSwitchMap => "enum switch map",
            Self::PatternSwitch => "pattern switch",
            Self::ClassLiteral => "class literal",
            Self::LibraryInline => "library inline function",
            Self::LombokGenerated => "lombok.Generated",
        }
    }
}

/// A method whose handlers could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub method: String,
    pub descriptor: String,
    pub what: String,
}

impl Problem {
    pub fn new(method: &Member<'_>, error: &ClassError) -> Self {
        Self {
            method: method.name.to_string(),
            descriptor: method.descriptor.to_string(),
            what: error.to_string(),
        }
    }
}

/// The pairs of one parsed class.
pub fn pairs_of(class: &ClassFile<'_>) -> ClassPairs {
    assemble::assemble(class)
}
