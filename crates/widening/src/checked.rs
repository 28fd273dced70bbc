//! Checked exceptions as the compiler sees them if a clause caught more: is there anything left for the clauses around
//! it, and does what it rethrows have to be declared?
//!
//! Follows what javac does, on bytecode. Where that does not tell what the compiler sees (type parameters behind
//! `throws`, classes that are missing), the widening is let pass: the compiler itself is asked last.

use crate::escapes::{Types, View, WidenedSites};
use crate::hierarchy::Hierarchy;
use crate::illegal::Illegal;
use crate::throws_clauses::{ThrowsClause, throws_clause};
use catchment_classfile::{ClassFile, ExceptionRow, Member, access, annotation_types};
use catchment_flow::{FlowError, ThrowSite, Thrown, throw_sites};
use catchment_pairs::{ClassPairs, Pair};
use std::collections::BTreeSet;

/// Every class file of Java 7 and later, which look into what is rethrown.
const PRECISE_RETHROW: u16 = 51;
/// Compilers let these be caught wherever they like.
const ALWAYS_CATCHABLE: [&str; 2] = ["java.lang.Exception", "java.lang.Throwable"];

/// Tells whether sources of this class have to declare exceptions.
pub(crate) fn is_java(class: &ClassFile<'_>) -> bool {
    let is_kotlin = annotation_types(&class.attributes, &class.pool)
        .iter()
        .any(|annotation| *annotation == "Lkotlin/Metadata;");
    !is_kotlin && class.source_file().is_none_or(|file| file.ends_with(".java"))
}

/// The refusal of the compiler if clauses, by their tries and numbers, caught these types.
pub(crate) fn refused_by_checks(
    class: &ClassFile<'_>,
    pairs: &ClassPairs,
    widened: &WidenedSites<'_>,
    hierarchy: &Hierarchy<'_>,
) -> Result<Option<Illegal>, FlowError> {
    if !is_java(class) {
        return Ok(None);
    }
    let methods: BTreeSet<usize> = widened.iter().map(|((index, _), _)| pairs.tries[*index].method).collect();
    for method in methods {
        let Some(checks) = Checks::of(class, pairs, method, hierarchy)? else { continue };
        let before = View { checks: &checks, widened: &[] };
        let after = View { checks: &checks, widened };
        let illegal = checks.unreachable(&before, &after).or_else(|| checks.undeclared(&before, &after));
        if illegal.is_some() {
            return Ok(illegal);
        }
    }
    Ok(None)
}

/// A method with all its tries.
pub(crate) struct Checks<'c, 'w> {
    pairs: &'c ClassPairs,
    pub(crate) hierarchy: &'c Hierarchy<'w>,
    /// Exceptions that may be thrown, each with the clauses around it, by try and number, innermost first.
    pub(crate) sites: Vec<(ThrowSite, Vec<(usize, usize)>)>,
    /// Indices of the tries of the method.
    tries: Vec<usize>,
    /// Exceptions that the method may throw; `None` if anything.
    pub(crate) declared: Option<ThrowsClause>,
    pub(crate) is_precise: bool,
}

impl<'c, 'w> Checks<'c, 'w> {
    pub(crate) fn of(
        class: &ClassFile<'_>,
        pairs: &'c ClassPairs,
        number: usize,
        hierarchy: &'c Hierarchy<'w>,
    ) -> Result<Option<Self>, FlowError> {
        let Some(method) = class.methods.get(number) else { return Ok(None) };
        let Some((_, code)) = class.code(method)? else { return Ok(None) };
        let tries: Vec<usize> =
            (0..pairs.tries.len()).filter(|index| pairs.tries[*index].method == number).collect();
        let rows = owned_rows(code.exceptions().collect(), pairs, &tries);
        let around = |pc: usize| {
            let holds = |row: &ExceptionRow| (usize::from(row.start)..usize::from(row.end)).contains(&pc);
            rows.iter().filter(|(row, _)| holds(row)).map(|(_, owner)| *owner).collect()
        };
        let sites = throw_sites(class, number)?.into_iter().map(|site| (around(site.pc), site));
        Ok(Some(Self {
            pairs,
            hierarchy,
            sites: sites.map(|(around, site)| (site, around)).collect(),
            tries,
            declared: (!is_open(class, method)).then(|| throws_clause(class, method)),
            is_precise: class.major >= PRECISE_RETHROW,
        }))
    }

    pub(crate) fn pair(&self, index: usize, clause: usize) -> Option<&'c Pair> {
        self.pairs.pairs.get(self.pairs.pair_of(index, clause))
    }

    /// The clause that catches at this pc.
    pub(crate) fn clause_at(&self, handler: usize) -> Option<(usize, usize)> {
        let clauses = self.tries.iter().flat_map(|index| {
            self.pairs.tries[*index]
                .clauses
                .iter()
                .enumerate()
                .map(move |(clause, site)| ((*index, clause), site))
        });
        clauses.filter(|(_, site)| usize::from(site.handler) == handler).map(|(clause, _)| clause).next()
    }

    /// A clause around a widened one with nothing left to catch.
    fn unreachable(&self, before: &View<'_, 'w>, after: &View<'_, 'w>) -> Option<Illegal> {
        let own = after.widened.iter().map(|((index, _), _)| *index);
        let own: Vec<usize> = own.filter(|index| self.tries.contains(index)).collect();
        let start = |index: usize| usize::from(self.pairs.tries[index].start());
        let is_around = |index: usize| {
            own.iter().any(|inner| *inner != index && self.pairs.tries[index].holds(start(*inner)))
        };
        self.tries.iter().filter(|index| is_around(**index)).find_map(|index| {
            let [had, has] = [before, after].map(|view| view.thrown_in(*index, &mut Vec::new()));
            let is_left_out = |exception: &&str| {
                self.has_to_be_thrown(exception)
                    && self.meets(exception, &had)
                    && !self.meets(exception, &has)
            };
            let clauses = 0..self.pairs.tries[*index].clauses.len();
            clauses.into_iter().find_map(|clause| {
                let exception = after.caught((*index, clause)).into_iter().find(is_left_out)?.to_owned();
                let line = self.pair(*index, clause).and_then(|pair| pair.catch_line);
                Some(Illegal::UnreachableClause { exception, line })
            })
        })
    }

    /// Something rethrown that nothing takes.
    fn undeclared(&self, before: &View<'_, 'w>, after: &View<'_, 'w>) -> Option<Illegal> {
        self.sites.iter().find_map(|(site, around)| {
            let Thrown::Rethrown { .. } = site.thrown else { return None };
            let exception = after.untaken(site, around)?;
            // What was not taken before says that something is seen here that the compiler does not see.
            let is_news = before.untaken(site, around).is_none();
            is_news.then_some(Illegal::Undeclared { exception, line: site.line })
        })
    }

    fn has_to_be_thrown(&self, exception: &str) -> bool {
        !ALWAYS_CATCHABLE.contains(&exception) && self.hierarchy.is_checked(exception) == Some(true)
    }

    /// Tells whether one of the types may be an exception of this one.
    fn meets(&self, exception: &str, types: &Types) -> bool {
        types.iter().any(|thrown| thrown.as_deref().is_none_or(|thrown| self.are_related(exception, thrown)))
    }

    pub(crate) fn are_related(&self, one: &str, other: &str) -> bool {
        self.hierarchy.is_subclass(one, other) || self.hierarchy.is_subclass(other, one)
    }
}

/// The rows of clauses that somebody wrote, with try and number; what the compiler made lets everything pass in the
/// end.
fn owned_rows(
    rows: Vec<ExceptionRow>,
    pairs: &ClassPairs,
    tries: &[usize],
) -> Vec<(ExceptionRow, (usize, usize))> {
    let owner = |row: u16| {
        tries.iter().find_map(|index| {
            let clauses = &pairs.tries[*index].clauses;
            Some((*index, clauses.iter().position(|clause| clause.rows.contains(&row))?))
        })
    };
    (0..).zip(rows).filter_map(|(number, row)| Some((row, owner(number)?))).collect()
}

/// Tells whether the class leaves open what the method may throw: lambdas follow their interface, anonymous classes
/// their code.
fn is_open(class: &ClassFile<'_>, method: &Member<'_>) -> bool {
    let is_lambda = method.access & access::SYNTHETIC != 0 && method.name.starts_with("lambda$");
    let name = class.name.to_binary_name();
    let is_anonymous =
        name.rsplit('$').next().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    is_lambda || (is_anonymous && method.name == "<init>")
}
