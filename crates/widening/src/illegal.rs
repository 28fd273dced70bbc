//! Illegal widenings, as class files tell.

use std::fmt::{Display, Formatter, Result};

/// The reason why a clause must not catch a wider type. As text one line for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Illegal {
    /// A later clause of the try could not be reached any more.
    LaterClause { exception: String, line: Option<u32> },
    /// A clause around the try, of a checked type, would have nothing left to catch: the compiler does not take that.
    UnreachableClause { exception: String, line: Option<u32> },
    /// The handler rethrows what it caught, and the method does not declare what that could be then.
    Undeclared { exception: String, line: Option<u32> },
    /// The handler does with the exception what only the narrow type allows.
    NeedsNarrowType { what: String, line: Option<u32> },
    /// The clause would swallow that its thread was interrupted: in this call, or where that is thrown itself.
    Interruptible { call: Option<String>, line: Option<u32> },
}

impl Illegal {
    /// The word used in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::LaterClause { .. } => "later_clause",
            Self::UnreachableClause { .. } => "unreachable_clause",
            Self::Undeclared { .. } => "undeclared",
            Self::NeedsNarrowType { .. } => "needs_narrow_type",
            Self::Interruptible { .. } => "interruptible",
        }
    }

    fn line(&self) -> Option<u32> {
        match self {
            Self::LaterClause { line, .. }
            | Self::UnreachableClause { line, .. }
            | Self::Undeclared { line, .. }
            | Self::NeedsNarrowType { line, .. }
            | Self::Interruptible { line, .. } => *line,
        }
    }
}

impl Display for Illegal {
    fn fmt(&self, text: &mut Formatter<'_>) -> Result {
        let at = self.line().map(|line| format!(" (line {line})")).unwrap_or_default();
        match self {
            Self::LaterClause { exception, .. } => {
                write!(text, "the later clause for {exception}{at} could not be reached any more")
            }
            Self::UnreachableClause { exception, .. } => {
                write!(text, "the clause around it for {exception}{at} would have nothing left to catch")
            }
            Self::Undeclared { exception, .. } => {
                write!(text, "it rethrows what it catches{at}, and {exception} is not declared")
            }
            Self::NeedsNarrowType { what, .. } => write!(text, "the handler needs {what}{at}"),
            Self::Interruptible { call: Some(call), .. } => {
                write!(text, "it would swallow the InterruptedException that {call} declares{at}")
            }
            Self::Interruptible { call: None, .. } => {
                write!(text, "it would swallow an InterruptedException that is thrown in its try{at}")
            }
        }
    }
}
