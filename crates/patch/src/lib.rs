//! Source patches that let catch clauses catch a wider type, in Java and Kotlin.
//!
//! Text in, text out: what to change is said in the names and lines of class files, and only the caught types, the
//! imports they need or no longer need, and later clauses that say the same are touched. Where the source does not say
//! clearly which clause is meant or what a name in it means, the clause is refused. No files, no processes, no class
//! path: whether the result compiles is for the project's own compiler to say.

mod clauses;
mod diff;
mod find;
mod generated;
mod imports;
mod kotlin;
mod lines;
mod merge;
mod naming;
mod scope;
mod syntax;
mod uses;
mod widen;

pub use diff::{line_before, unified_diff};
pub use generated::looks_generated;
pub use widen::widen;

/// The language of a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    Java,
    Kotlin,
}

impl Language {
    /// Told by the extension.
    pub fn of_path(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "java" => Some(Self::Java),
            "kt" => Some(Self::Kotlin),
            _ => None,
        }
    }
}

/// A clause that is to catch a wider type, as bytecode knows it. Names are binary: `com.acme.Outer$Inner`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Widening {
    /// The line of the handler's first instruction.
    pub line: u32,
    /// The line of the first instruction of the try's body. Decides between clauses that `line` leaves open.
    pub try_line: Option<u32>,
    /// The types caught now, in any order.
    pub from: Vec<String>,
    /// The type to catch instead of them.
    pub to: String,
    /// The meaning that the simple name of `to` has already where the clause stands, by files that the source does not
    /// tell of.
    pub shadow: Shadow,
    /// Later clauses of the same try that do the same: with the wider type they have to go.
    pub merges: Vec<Merged>,
}

/// Another class of the same simple name, in a file of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shadow {
    #[default]
    None,
    /// In the package of the source. An import of the very class is stronger.
    Package,
    /// A member of a supertype. No import is stronger.
    Inherited,
}

/// A clause that another one takes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The line of the handler's first instruction.
    pub line: u32,
    /// The types caught, in any order.
    pub from: Vec<String>,
}

/// A source after its widenings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patched {
    /// The source as it was where every widening was refused.
    pub text: String,
    /// The result of each widening, in the order they were given.
    pub outcomes: Vec<Result<(), Refusal>>,
}

/// Why a clause was left as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the source does not parse at or before line {line}")]
    DoesNotParse { line: u32 },
    #[error("no catch clause at line {line}")]
    NotFound { line: u32 },
    #[error("more than one catch clause at line {line} could be meant")]
    Ambiguous { line: u32 },
    #[error("the catch clause at line {line} catches `{found}`, which need not be {expected}")]
    NotThatType { line: u32, found: String, expected: String },
    #[error("a comment or an annotation stands between the types caught at line {line}")]
    Interspersed { line: u32 },
    #[error("the catch clause at line {line} is to catch different types at once")]
    Contradiction { line: u32 },
    #[error("the catch clause at line {line} stands in one that goes")]
    InRemoved { line: u32 },
    #[error("{name} cannot be named in this source")]
    NotNameable { name: String },
    #[error(
        "the catch clause at line {line} would have to go, and not all of it stands in the one that stays"
    )]
    Differs { line: u32 },
}

impl Refusal {
    /// Tells whether the clause could perhaps be made to catch another type.
    pub fn depends_on_type(&self) -> bool {
        matches!(self, Self::NotNameable { .. } | Self::Differs { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_tells_the_language() {
        assert_eq!(Language::of_path("src/main/java/a/B.java"), Some(Language::Java));
        assert_eq!(Language::of_path("B.kt"), Some(Language::Kotlin));
        assert_eq!(Language::of_path("b.java/build.gradle.kts"), None);
        assert_eq!(Language::of_path("java"), None);
    }
}
