//! Names that woven classes call: the probe methods of the Java runtime in `jvm/runtime`.
//!
//! `weave` writes these names into class files, `jvm/runtime` defines them, `agent` links them.

/// Internal name of the class that holds every probe method.
pub const PROBES_CLASS: &str = "catchment/runtime/Probes";

/// A static method of [`PROBES_CLASS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeMethod {
    pub name: &'static str,
    pub descriptor: &'static str,
}

impl ProbeMethod {
    /// The probe is given the exception at hand before its id.
    pub fn takes_throwable(self) -> bool {
        [THROWABLE_AND_ID, EXCHANGE_THROWABLE].contains(&self.descriptor)
    }
}

/// The static field of [`PROBES_CLASS`] with one byte for each method, which is 1 once the method has been entered.
pub const ENTERED: (&str, &str) = ("ENTERED", "[B");

const ID: &str = "(I)V";
const THROWABLE_AND_ID: &str = "(Ljava/lang/Throwable;I)V";
const EXCHANGE_THROWABLE: &str = "(Ljava/lang/Throwable;I)Ljava/lang/Throwable;";

pub const TRY_ENTER: ProbeMethod = ProbeMethod { name: "tryEnter", descriptor: ID };
pub const TRY_EXIT: ProbeMethod = ProbeMethod { name: "tryExit", descriptor: ID };
pub const TRY_ESCAPE: ProbeMethod = ProbeMethod { name: "tryEscape", descriptor: THROWABLE_AND_ID };
pub const CAUGHT: ProbeMethod = ProbeMethod { name: "caught", descriptor: THROWABLE_AND_ID };
/// As [`CAUGHT`], and gives the object that the clause goes on with.
pub const EXCHANGE: ProbeMethod = ProbeMethod { name: "exchange", descriptor: EXCHANGE_THROWABLE };
pub const THROWING: ProbeMethod = ProbeMethod { name: "throwing", descriptor: THROWABLE_AND_ID };
pub const CALL: ProbeMethod = ProbeMethod { name: "call", descriptor: ID };
pub const METHOD_ENTER: ProbeMethod = ProbeMethod { name: "methodEnter", descriptor: ID };
pub const METHOD_EXIT: ProbeMethod = ProbeMethod { name: "methodExit", descriptor: ID };
/// A class initialiser begins, and its ends: normal, and by an exception that is told as one that leaves a method or is
/// not.
pub const INITIALISER_ENTER: ProbeMethod = ProbeMethod { name: "initialiserEnter", descriptor: ID };
pub const INITIALISER_EXIT: ProbeMethod = ProbeMethod { name: "initialiserExit", descriptor: ID };
pub const INITIALISER_ESCAPE: ProbeMethod =
    ProbeMethod { name: "initialiserEscape", descriptor: THROWABLE_AND_ID };
pub const INITIALISER_FAIL: ProbeMethod =
    ProbeMethod { name: "initialiserFail", descriptor: THROWABLE_AND_ID };
pub const METHOD_ESCAPE: ProbeMethod = ProbeMethod { name: "methodEscape", descriptor: THROWABLE_AND_ID };
