//! Puts it together: handlers of each method, filtered, grouped, copies joined, numbered.

use crate::body::{Body, Segments};
use crate::clauses::{Handler, Try, handlers_of, parents_of, tries_of};
use crate::filters::{self, ClassFacts};
use crate::{ClassPairs, ClauseSite, Filtered, Pair, PcRange, Problem, TrySite, coroutine, normalise};
use catchment_classfile::{ClassError, ClassFile, Code, Member};
use std::fmt::Write as _;

/// Instruction visits spent on finding the extent of one method's handlers. Beyond it (machine-made methods with
/// thousands of handlers) a handler counts as its first straight line, which only weakens the hash in its id.
const MAX_VISITS: usize = 30_000_000;

pub(crate) fn assemble(class: &ClassFile<'_>) -> ClassPairs {
    let mut result = ClassPairs {
        class: class.name.to_binary_name(),
        source_file: class.source_file().map(|name| name.to_string()),
        ..ClassPairs::default()
    };
    let mut facts = None;
    for (index, method) in class.methods.iter().enumerate() {
        let code = class.code(method);
        if matches!(&code, Ok(Some((_, code))) if code.has_exceptions()) || code.is_err() {
            let facts = facts.get_or_insert_with(|| ClassFacts::of(class));
            let outcome = code.and_then(|code| match code {
                Some((_, code)) => MethodPairs { class, facts, index, method }.add_to(code, &mut result),
                None => Ok(()),
            });
            if let Err(error) = outcome {
                let (method, descriptor) = (method.name.to_string(), method.descriptor.to_string());
                result.problems.push(Problem { method, descriptor, what: error.to_string() });
            }
        }
    }
    result
}

struct MethodPairs<'c, 'a> {
    class: &'c ClassFile<'a>,
    facts: &'c ClassFacts,
    index: usize,
    method: &'c Member<'a>,
}

/// A try with all that makes it recognisable.
struct Described {
    it: Try,
    try_line: Option<SourcePosition>,
    clauses: Vec<DescribedClause>,
    /// Hash of the body's code; `None` for inlined functions, whose bodies hold other people's lambdas.
    body_hash: Option<u64>,
}

struct DescribedClause {
    types: Vec<String>,
    line: Option<SourcePosition>,
    hash: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SourcePosition {
    line: u32,
    /// Set when it is not the class's own file.
    file: Option<String>,
}

impl<'a> MethodPairs<'_, 'a> {
    fn add_to(&self, code: Code<'a>, result: &mut ClassPairs) -> Result<(), ClassError> {
        let body = Body::open(self.class, self.method, code)?;
        let handlers = handlers_of(&body);
        let mut written = Vec::new();
        for handler in &handlers {
            match filters::reason(self.facts, &body, handler, &handlers) {
                Some(reason) => result.filtered.push(Filtered {
                    method: self.method.name.to_string(),
                    descriptor: self.method.descriptor.to_string(),
                    line: self.position(&body, handler.pc).map(|position| position.line),
                    reason,
                }),
                None => written.push(handler.clone()),
            }
        }
        if !written.is_empty() {
            self.add_tries(&body, tries_of(written), result)?;
        }
        Ok(())
    }

    fn add_tries(&self, body: &Body<'a>, tries: Vec<Try>, result: &mut ClassPairs) -> Result<(), ClassError> {
        let parents = parents_of(&tries);
        let suspensions = coroutine::suspensions(body);
        let segments = Segments::of(body);
        let handlers: usize = tries.iter().map(|it| it.clauses.len()).sum();
        let exact = handlers.saturating_mul(body.insns.len()) < MAX_VISITS;
        let tries = tries.into_iter().map(|it| self.describe(body, it, exact.then_some(&segments)));
        let tries = tries.collect::<Result<Vec<_>, _>>()?;

        let mut first_pairs: Vec<usize> = Vec::with_capacity(tries.len());
        let mut ordinal = 0;
        for (index, described) in tries.iter().enumerate() {
            let copied = (0..index).find(|earlier| is_copy(&tries[*earlier], described));
            let first_pair = match copied {
                Some(earlier) => first_pairs[earlier],
                None => {
                    let parent = parents[index].map(|parent| first_pairs[parent]);
                    self.add_pairs(body, described, ordinal, parent, result);
                    ordinal += 1;
                    result.pairs.len() - described.clauses.len()
                }
            };
            first_pairs.push(first_pair);
            result.tries.push(site(self.index, &described.it, first_pair, &suspensions));
        }
        Ok(())
    }

    fn add_pairs(
        &self,
        body: &Body<'a>,
        described: &Described,
        ordinal: usize,
        parent: Option<usize>,
        result: &mut ClassPairs,
    ) {
        for (number, clause) in described.clauses.iter().enumerate() {
            let handler = &described.it.clauses[number];
            let id = self.id(&result.class, ordinal, number, clause);
            result.pairs.push(Pair {
                id,
                method: self.method.name.to_string(),
                descriptor: self.method.descriptor.to_string(),
                types: clause.types.clone(),
                try_line: described.try_line.as_ref().map(|position| position.line),
                catch_line: clause.line.as_ref().map(|position| position.line),
                parent,
                source: clause.line.as_ref().and_then(|position| position.file.clone()),
                maybe_generated: filters::looks_generated(body, handler, described.it.start()),
            });
        }
    }

    /// `com.acme.Cache.load(I)V#0.1:java.io.IOException@1f2e3d4c`
    fn id(&self, class: &str, ordinal: usize, number: usize, clause: &DescribedClause) -> String {
        let mut id = format!("{class}.{}{}#{ordinal}.{number}:", self.method.name, self.method.descriptor);
        id.push_str(&clause.types.join("|"));
        // Folded to eight digits: it tells versions of one clause apart, not all clauses of the world.
        let _ = write!(id, "@{:08x}", (clause.hash ^ clause.hash >> 32) & 0xffff_ffff);
        id
    }

    fn describe(
        &self,
        body: &Body<'a>,
        it: Try,
        segments: Option<&Segments>,
    ) -> Result<Described, ClassError> {
        let clauses = it.clauses.iter().map(|handler| self.describe_clause(body, handler, segments));
        let clauses = clauses.collect::<Result<Vec<_>, _>>()?;
        let try_line = self.position(body, it.start());
        let inlined =
            clauses.iter().any(|clause| clause.line.as_ref().is_some_and(|line| line.file.is_some()));
        let body_hash = (!inlined).then(|| normalise::hash_of(body, &indices(body, &it.ranges)));
        Ok(Described { it, try_line, clauses, body_hash })
    }

    fn describe_clause(
        &self,
        body: &Body<'a>,
        handler: &Handler,
        segments: Option<&Segments>,
    ) -> Result<DescribedClause, ClassError> {
        let types =
            handler.types.iter().map(|index| body.pool.class_name(*index).map(|name| name.to_binary_name()));
        let types = types.collect::<Result<_, _>>()?;
        let start = body.index(handler.pc).ok_or(ClassError::NotAnInstruction(usize::from(handler.pc)))?;
        let extent = match segments {
            Some(segments) => body.only_through(start, segments),
            None => (start..body.insns.len())
                .take_while(|index| *index == start || !body.ends_line(index - 1))
                .collect(),
        };
        let hash = normalise::hash_of(body, &extent);
        Ok(DescribedClause { types, line: self.position(body, handler.pc), hash })
    }

    /// The source line of `pc`, seen through the source map.
    fn position(&self, body: &Body<'a>, pc: u16) -> Option<SourcePosition> {
        let line = u32::from(body.line(pc)?);
        match self.facts.source_map.lookup(line) {
            Some(mapped) => {
                let file = (!mapped.own).then(|| mapped.file.to_string());
                Some(SourcePosition { line: mapped.line, file })
            }
            None => Some(SourcePosition { line, file: None }),
        }
    }
}

fn indices(body: &Body<'_>, ranges: &[PcRange]) -> Vec<usize> {
    let mut indices: Vec<usize> = ranges
        .iter()
        .flat_map(|range| body.insns_in(*range))
        .filter_map(|insn| u16::try_from(insn.pc).ok().and_then(|pc| body.index(pc)))
        .collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}

/// Whether the compiler made `later` and `earlier` from one source try: a try inside a `finally`, an inline
/// function used twice. Without lines nothing tells, and they stay apart.
fn is_copy(earlier: &Described, later: &Described) -> bool {
    let same_clause = |(a, b): (&DescribedClause, &DescribedClause)| {
        a.line.is_some() && a.line == b.line && a.types == b.types && a.hash == b.hash
    };
    earlier.clauses.len() == later.clauses.len()
        && earlier.clauses.iter().zip(&later.clauses).all(same_clause)
        && earlier.body_hash == later.body_hash
        && (earlier.body_hash.is_none() || earlier.try_line == later.try_line)
}

fn site(method: usize, it: &Try, first_pair: usize, suspensions: &[PcRange]) -> TrySite {
    let clauses = it.clauses.iter().enumerate().map(|(number, handler)| ClauseSite {
        handler: handler.pc,
        pair: first_pair + number,
        entries: handler.entries.clone(),
    });
    // A suspension inside the try, or cut out of it, follows an instruction of the try.
    let touches = |at: u16| it.ranges.iter().any(|range| range.start < at && at <= range.end);
    TrySite {
        method,
        ranges: it.ranges.clone(),
        clauses: clauses.collect(),
        suspensions: suspensions.iter().filter(|it| touches(it.start)).copied().collect(),
    }
}
