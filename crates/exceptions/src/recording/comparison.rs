//! Links that runs have gone through beside those that the analysis finds possible: values for reports.

use crate::analysis::DataFilter;
use crate::answer::{LinkedPair, LinksAnswer, PointDescription, Site};
use crate::selection::LinkSelection;
use catchment_pointsto::BlindSpot;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::fmt;

/// The cause why a link that a recording went through is not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// Something that is known not to be seen.
    Blind(BlindSpot),
    /// Native code raised it, and no operation of the catalogue is about that.
    RaisedInNative,
    /// Native code called something, and no model says so.
    CalledByNative,
    /// The JVM called something by itself: a class loader, say.
    CalledByJvm,
    /// The JVM raised it for reasons that no instruction shows: memory, stack, monitors.
    RaisedAnyTime,
    /// A class that was made in the run.
    GeneratedClass,
    /// A class that is not among those that were analysed.
    UnknownClass,
    /// Nothing leads to the method of the clause.
    ClauseNotReached,
    /// A call on an object that nothing is known to make.
    NotMade,
    /// A call does not lead to what it really called.
    CallNotFound,
    /// A call leads there, but not when it is reached in this way.
    ContextNotFound,
    /// A model stands for the code that raised it.
    ModelledCode,
    /// A `throw` is not known to throw objects of this class.
    TypeNotThrown,
    /// The catalogue does not say that the operation throws this class.
    TypeNotCatalogued,
    /// The instruction is taken to be one that cannot fail.
    RuledOut,
    /// A filter by data reachability has dropped the link.
    Filtered(DataFilter),
    /// No cause is known.
    Unexplained,
}

impl Cause {
    /// For programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blind(BlindSpot::Dynamic) => "blind_dynamic",
            Self::Blind(BlindSpot::Native) => "blind_native",
            Self::Blind(BlindSpot::Missing) => "blind_missing",
            Self::Blind(BlindSpot::Unreadable) => "blind_unreadable",
            Self::Blind(BlindSpot::Reflection) => "blind_reflection",
            Self::Blind(BlindSpot::Parameter) => "blind_parameter",
            Self::RaisedInNative => "raised_in_native",
            Self::CalledByNative => "called_by_native",
            Self::CalledByJvm => "called_by_jvm",
            Self::RaisedAnyTime => "raised_any_time",
            Self::GeneratedClass => "generated_class",
            Self::UnknownClass => "unknown_class",
            Self::ClauseNotReached => "clause_not_reached",
            Self::NotMade => "not_made",
            Self::CallNotFound => "call_not_found",
            Self::ContextNotFound => "context_not_found",
            Self::ModelledCode => "modelled_code",
            Self::TypeNotThrown => "type_not_thrown",
            Self::TypeNotCatalogued => "type_not_catalogued",
            Self::RuledOut => "ruled_out",
            Self::Filtered(_) => "filtered",
            Self::Unexplained => "unexplained",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Blind(BlindSpot::Dynamic) => "dynamic call that is not modelled",
            Self::Blind(BlindSpot::Native) => "native code without a model",
            Self::Blind(BlindSpot::Missing) => "class, method or field that is not there",
            Self::Blind(BlindSpot::Unreadable) => "code that cannot be read",
            Self::Blind(BlindSpot::Parameter) => "parameter of an entry point that no object fits",
            Self::Blind(BlindSpot::Reflection) => "reflective call whose target is not a constant",
            Self::RaisedInNative => "raised in native code",
            Self::CalledByNative => "called by native code without a model",
            Self::CalledByJvm => "called by the JVM itself",
            Self::RaisedAnyTime => "raised by the JVM for reasons that no instruction shows",
            Self::GeneratedClass => "class made at run time",
            Self::UnknownClass => "class that was not analysed",
            Self::ClauseNotReached => "clause in a method that is not reached",
            Self::NotMade => "call on an object that nothing is known to make",
            Self::CallNotFound => "call that is not found",
            Self::ContextNotFound => "call that is found in other contexts only",
            Self::ModelledCode => "raised in code that a model stands for",
            Self::TypeNotThrown => "throw not known to throw this type",
            Self::TypeNotCatalogued => "type that the catalogue does not name for the operation",
            Self::RuledOut => "instruction taken to be one that cannot fail",
            Self::Filtered(DataFilter::Dr) => "dropped by dr",
            Self::Filtered(DataFilter::Cdr) => "dropped by cdr",
            Self::Filtered(DataFilter::Mdr) => "dropped by mdr",
            Self::Filtered(DataFilter::Vdr) => "dropped by vdr",
            Self::Unexplained => "unexplained",
        })
    }
}

/// Why a link is not found, and where the analysis loses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfound {
    pub cause: Cause,
    /// The last place on the way from the clause to the raising point that is still known.
    pub at: Site,
    /// The method that was called there in the run.
    pub called: Option<Site>,
}

/// A link that runs have gone through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedLink {
    pub from: PointDescription,
    pub to: LinkedPair,
    /// Classes of what came, binary names, sorted.
    pub exceptions: Vec<String>,
    /// The number of the link that was found, or why there is none.
    pub found: Result<usize, Unfound>,
}

/// Reasons for which a caught exception is set aside and not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SetAside {
    /// By a handler that nobody wrote: it is compared where it came to in the end.
    CompilerMade,
    /// By a clause that nobody asked about.
    OtherClause,
    /// Raised by the JVM, and that was not asked for.
    Implicit,
    /// Thrown, and only operations were asked for.
    Throw,
    /// Replaced by another exception on its way: the JVM wraps an exception that leaves an initialiser, reflection one
    /// that leaves the target of a call.
    Wrapped,
    /// Passed on by code that was not seen to receive it.
    NoOrigin,
    /// Its stack was too deep to be recorded as a whole.
    FramesLeftOut,
    /// In classes that are not those that were analysed: no such method, handler or instruction.
    OtherClasses,
}

impl SetAside {
    /// For programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::CompilerMade => "compiler_made",
            Self::OtherClause => "other_clause",
            Self::Implicit => "implicit",
            Self::Throw => "throw",
            Self::Wrapped => "wrapped",
            Self::NoOrigin => "no_origin",
            Self::FramesLeftOut => "frames_left_out",
            Self::OtherClasses => "other_classes",
        }
    }
}

/// The links of runs, each with what has become of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// By clause, then by raising point.
    pub links: Vec<RecordedLink>,
    /// The number of recorded exceptions that are no links to compare.
    pub set_aside: BTreeMap<SetAside, usize>,
}

impl Comparison {
    /// The number of those that are found.
    pub fn found(&self) -> usize {
        self.links.iter().filter(|link| link.found.is_ok()).count()
    }

    /// Recorded links that are not among those found, with the reason.
    pub fn unfound(&self) -> impl Iterator<Item = (&RecordedLink, &Unfound)> {
        self.links.iter().filter_map(|link| Some((link, link.found.as_ref().err()?)))
    }

    /// The number of those that are not found, by cause.
    pub fn causes(&self) -> BTreeMap<Cause, usize> {
        let mut causes = BTreeMap::new();
        for (_, unfound) in self.unfound() {
            *causes.entry(unfound.cause).or_default() += 1;
        }
        causes
    }
}

impl LinksAnswer {
    /// Keeps what runs have shown, and marks the links that they have gone through.
    pub fn compare_with(&mut self, comparison: Comparison) {
        let numbers: FxHashSet<usize> =
            comparison.links.iter().filter_map(|it| it.found.as_ref().ok().copied()).collect();
        for link in &mut self.links {
            link.is_seen = numbers.contains(&link.number);
        }
        self.comparison = Some(comparison);
    }

    /// Leaves those links of runs that are found among the links that are left, or that are wanted themselves.
    pub(crate) fn select_comparison(&mut self, wanted: &LinkSelection) {
        let left: FxHashSet<usize> = self.links.iter().map(|link| link.number).collect();
        let Some(comparison) = &mut self.comparison else { return };
        comparison.links.retain(|link| match &link.found {
            Ok(number) => left.contains(number),
            Err(_) => {
                wanted.has_class(&link.to.pair.class)
                    && wanted.has_point(&link.from.by)
                    && link.exceptions.iter().any(|name| wanted.has_type(name))
            }
        });
    }
}
