//! Puts it together: the tries of each method, described, copies joined, numbered.

use crate::blocks::Blocks;
use crate::body::Body;
use crate::clauses::{parents_of, types_of};
use crate::extent_lines::ExtentLines;
use crate::find::{FilteredHandler, TryFinder};
use crate::indexed::IndexedBody;
use crate::smap::SourceMap;
use crate::{ClassPairs, CompiledClause, CompiledTry, Filtered, Pair, PcRange, Problem, filters, normalise};
use catchment_classfile::{ClassError, ClassFile, Member, MethodCode, Outlines};
use std::cell::Cell;
use std::fmt::Write as _;

/// Steps spent on finding the extent of one method's handlers. Beyond it (machine-made methods with thousands of
/// handlers) a handler counts as its first straight line, which only weakens the hash in its id.
const MAX_STEPS: usize = 30_000_000;

pub(crate) fn assemble(class: &ClassFile<'_>) -> ClassPairs {
    let mut result = ClassPairs {
        class: class.name.to_binary_name(),
        source_file: class.source_file().map(|name| name.to_string()),
        ..ClassPairs::default()
    };
    let finder = TryFinder::new(class);
    let mut outlines = Outlines::default();
    let mut methods = Vec::new();
    for (index, method) in class.methods.iter().enumerate() {
        outlines.clear();
        let reader = MethodReader { finder: &finder, class, index, method };
        match reader.read(&mut outlines, &mut result.filtered) {
            Ok(tries) => methods.extend(tries),
            Err(error) => result.problems.push(Problem::new(method, &error)),
        }
    }
    number(class, methods, &mut result);
    result
}

/// The tries of one method.
struct MethodTries {
    /// Index of the method in the class file.
    method: usize,
    tries: Vec<Described>,
    /// Per try the nearest one around it.
    parents: Vec<Option<usize>>,
}

/// A try with all that makes it recognisable.
struct Described {
    it: CompiledTry,
    try_line: Option<SourcePosition>,
    end_line: Option<u32>,
    clauses: Vec<DescribedClause>,
    /// Only where another try of the method catches the same: nobody else is compared.
    body_hash: Option<u64>,
    /// The source map says that it was written in another function.
    inlined: bool,
    /// The line in the class file, before the source map; each inlining of a function has lines of its own.
    raw_line: Option<u16>,
    /// Number of tries with the same raw line and types before it in the method.
    rank: usize,
}

struct DescribedClause {
    types: Vec<String>,
    line: Option<SourcePosition>,
    end_line: Option<u32>,
    hash: u64,
    maybe_generated: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SourcePosition {
    line: u32,
    /// Set when it is not the class's own file.
    file: Option<String>,
}

/// The pairs of a try.
struct Numbered {
    /// Index into the methods with tries, and into the tries of that method.
    method: usize,
    index: usize,
    first_pair: usize,
    /// `None` for a copy.
    ordinal: Option<usize>,
}

/// Joins copies and gives ids. Tries that stand where they were written come first, so that the copies of an
/// inline function count as the function's own try where the class has it.
fn number(class: &ClassFile<'_>, methods: Vec<MethodTries>, result: &mut ClassPairs) {
    let mut numbered: Vec<Numbered> = Vec::new();
    for inlined in [false, true] {
        for (method, tries) in methods.iter().enumerate() {
            for (index, described) in tries.tries.iter().enumerate().filter(|(_, it)| it.inlined == inlined) {
                let copied = numbered.iter().find(|earlier| {
                    let original = &methods[earlier.method].tries[earlier.index];
                    is_copy(original, described, earlier.method == method)
                });
                let (first_pair, ordinal) = match copied {
                    Some(earlier) => (earlier.first_pair, None),
                    None => {
                        let own = numbered.iter().filter(|it| it.method == method && it.ordinal.is_some());
                        let ordinal = own.count();
                        let maybe_copy = tries.tries[..index].iter().any(|it| may_be_copy(it, described));
                        let first_pair = result.pairs.len();
                        add_pairs(&class.methods[tries.method], described, (ordinal, maybe_copy), result);
                        (first_pair, Some(ordinal))
                    }
                };
                numbered.push(Numbered { method, index, first_pair, ordinal });
            }
        }
    }
    numbered.sort_by_key(|it| (it.method, it.index));
    set_parents(&methods, &numbered, result);
    result.first_pairs.extend(numbered.iter().map(|it| it.first_pair));
    let described = methods.into_iter().flat_map(|method| method.tries);
    result.tries.extend(described.map(|described| described.it));
}

/// True if the compiler made `later` and `earlier` from one source try: a try inside a `finally`, an inline
/// function used twice. Without lines nothing tells, and they stay apart.
fn is_copy(earlier: &Described, later: &Described, same_method: bool) -> bool {
    let clauses = || earlier.clauses.iter().zip(&later.clauses);
    let same_place = earlier.clauses.len() == later.clauses.len()
        && clauses().all(|(a, b)| a.line.is_some() && a.line == b.line && a.types == b.types);
    let same_code = || same_method && earlier.try_line == later.try_line && is_same_code(earlier, later);
    // For inlined code the source map names the place exactly, while parameters, results and lambdas differ. Several
    // tries on one line keep their order.
    let same_function = || later.rank == earlier.rank && !(same_method && later.raw_line == earlier.raw_line);
    same_place && if later.inlined { same_function() } else { same_code() }
}

fn rank(tries: &mut [Described]) {
    for index in 0..tries.len() {
        let (before, rest) = tries.split_at_mut(index);
        if rest[0].raw_line.is_some() {
            let alike = |it: &&Described| it.raw_line == rest[0].raw_line && catch_the_same(it, &rest[0]);
            rest[0].rank = before.iter().filter(alike).count();
        }
    }
}

fn catch_the_same(a: &Described, b: &Described) -> bool {
    a.clauses.iter().map(|clause| &clause.types).eq(b.clauses.iter().map(|clause| &clause.types))
}

fn hash_bodies(body: &IndexedBody<'_, '_>, tries: &mut [Described]) {
    for index in 0..tries.len() {
        let it = &tries[index];
        let mut others = tries.iter().enumerate().filter(|(other, _)| *other != index);
        if others.any(|(_, other)| catch_the_same(it, other)) {
            tries[index].body_hash = Some(normalise::hash_of(body, &indices(body, &it.it.ranges)));
        }
    }
}

/// True if only missing lines keep `later` from being a copy of `earlier`.
fn may_be_copy(earlier: &Described, later: &Described) -> bool {
    later.clauses.iter().all(|clause| clause.line.is_none()) && is_same_code(earlier, later)
}

fn is_same_code(a: &Described, b: &Described) -> bool {
    let same_clause = |(a, b): (&DescribedClause, &DescribedClause)| a.hash == b.hash && a.types == b.types;
    a.body_hash == b.body_hash
        && a.clauses.len() == b.clauses.len()
        && a.clauses.iter().zip(&b.clauses).all(same_clause)
}

fn set_parents(methods: &[MethodTries], numbered: &[Numbered], result: &mut ClassPairs) {
    for it in numbered.iter().filter(|it| it.ordinal.is_some()) {
        let tries = &methods[it.method];
        let Some(parent) = tries.parents[it.index] else { continue };
        let outer = numbered.iter().find(|outer| outer.method == it.method && outer.index == parent);
        for pair in it.first_pair..it.first_pair + tries.tries[it.index].clauses.len() {
            result.pairs[pair].parent = outer.map(|outer| outer.first_pair);
        }
    }
}

fn add_pairs(
    method: &Member<'_>,
    described: &Described,
    (ordinal, maybe_copy): (usize, bool),
    result: &mut ClassPairs,
) {
    for (number, clause) in described.clauses.iter().enumerate() {
        let id = id(&result.class, method, (ordinal, number), clause);
        result.pairs.push(Pair {
            id,
            method: method.name.to_string(),
            descriptor: method.descriptor.to_string(),
            types: clause.types.clone(),
            try_line: described.try_line.as_ref().map(|position| position.line),
            try_end_line: described.end_line,
            catch_line: clause.line.as_ref().map(|position| position.line),
            catch_end_line: clause.end_line,
            parent: None,
            source: clause.line.as_ref().and_then(|position| position.file.clone()),
            maybe_generated: clause.maybe_generated,
            maybe_copy,
        });
    }
}

/// `com.acme.Cache.load(I)V#0.1:java.io.IOException@1f2e3d4c`
fn id(
    class: &str,
    method: &Member<'_>,
    (ordinal, number): (usize, usize),
    clause: &DescribedClause,
) -> String {
    let mut id = String::with_capacity(class.len() + method.descriptor.as_bytes().len() + 100);
    let _ = write!(id, "{class}.{}{}#{ordinal}.{number}:", method.name, method.descriptor);
    id.push_str(&clause.types.join("|"));
    // Folded to eight digits: it tells versions of one clause apart, not all clauses of the world.
    let _ = write!(id, "@{:08x}", (clause.hash ^ clause.hash >> 32) & 0xffff_ffff);
    id
}

/// Reads the tries of one method.
struct MethodReader<'c, 'a> {
    finder: &'c TryFinder<'c, 'a>,
    class: &'c ClassFile<'a>,
    index: usize,
    method: &'c Member<'a>,
}

impl MethodReader<'_, '_> {
    fn read(
        &self,
        outlines: &mut Outlines,
        filtered: &mut Vec<Filtered>,
    ) -> Result<Option<MethodTries>, ClassError> {
        let Some((attribute, code)) = self.class.code(self.method)? else { return Ok(None) };
        if !code.has_exceptions() {
            return Ok(None);
        }
        let span = outlines.add(code.bytes)?;
        let outline = outlines.get(&span);
        let source = MethodCode { class: self.class, method: self.method, attribute, code, outline };
        let body = Body::open(&source)?;
        let mut handlers = Vec::new();
        let tries = self.finder.find_in(self.index, &body, &mut handlers);
        filtered.extend(handlers.iter().map(|handler| self.filtered(&body, *handler)));
        let tries = tries?;
        if tries.is_empty() { Ok(None) } else { self.describe_all(&body, tries, &handlers).map(Some) }
    }

    fn filtered(&self, body: &Body<'_>, (pc, reason): FilteredHandler) -> Filtered {
        Filtered {
            method: self.method.name.to_string(),
            descriptor: self.method.descriptor.to_string(),
            line: self.position(body, pc).map(|position| position.line),
            reason,
        }
    }

    fn describe_all(
        &self,
        body: &Body<'_>,
        tries: Vec<CompiledTry>,
        filtered: &[FilteredHandler],
    ) -> Result<MethodTries, ClassError> {
        let parents = parents_of(&tries);
        let handlers: usize = tries.iter().map(|it| it.clauses.len()).sum();
        let body = IndexedBody::new(body)?;
        let steps_of_one = Cell::new(0usize);
        let affords = |handlers: usize| steps_of_one.get().saturating_mul(handlers) < MAX_STEPS;
        let blocks = Blocks::of(&body.insns, &body.body.rows, |steps| {
            steps_of_one.set(steps);
            affords(handlers)
        });
        let finally_blocks = blocks.as_ref().filter(|_| affords(filtered.len()));
        let lines = ExtentLines::new(&body, filtered, self.source_map(), finally_blocks);
        let mut described = Vec::with_capacity(tries.len());
        for it in tries {
            described.push(self.describe(&body, it, &lines, blocks.as_ref())?);
        }
        rank(&mut described);
        hash_bodies(&body, &mut described);
        Ok(MethodTries { method: self.index, tries: described, parents })
    }

    fn describe(
        &self,
        body: &IndexedBody<'_, '_>,
        it: CompiledTry,
        lines: &ExtentLines<'_, '_, '_>,
        blocks: Option<&Blocks>,
    ) -> Result<Described, ClassError> {
        let start = it.start();
        let end_line = lines.last_line(start, indices(body, &it.ranges));
        let clauses = it.clauses.iter();
        let clauses = clauses
            .map(|clause| self.describe_clause(lines, clause, start, blocks))
            .collect::<Result<Vec<_>, _>>()?;
        let body = body.body;
        let inlined = it.clauses.iter().any(|clause| self.is_inlined(body, clause.handler));
        let raw_line = it.clauses.first().and_then(|clause| body.line(clause.handler));
        let try_line = self.position(body, start);
        Ok(Described { it, try_line, end_line, clauses, body_hash: None, inlined, raw_line, rank: 0 })
    }

    fn describe_clause(
        &self,
        lines: &ExtentLines<'_, '_, '_>,
        clause: &CompiledClause,
        try_start: u16,
        blocks: Option<&Blocks>,
    ) -> Result<DescribedClause, ClassError> {
        let indexed = lines.body;
        let body = indexed.body;
        let handler = clause.handler;
        let name = |index: &u16| body.pool.class_name(*index).map(|name| name.to_binary_name());
        let start = indexed.index(handler).ok_or(ClassError::NotAnInstruction(usize::from(handler)))?;
        let extent = indexed.extent(start, blocks);
        let types = types_of(&clause.rows, &body.rows);
        Ok(DescribedClause {
            types: types.iter().map(name).collect::<Result<_, _>>()?,
            line: self.position(body, handler),
            end_line: lines.last_line(handler, extent.iter().copied()),
            hash: normalise::hash_of(indexed, &extent),
            maybe_generated: filters::looks_generated(body, handler, try_start),
        })
    }

    fn source_map(&self) -> &SourceMap {
        &self.finder.facts().source_map
    }

    /// The source line of `pc`, seen through the source map.
    fn position(&self, body: &Body<'_>, pc: u16) -> Option<SourcePosition> {
        let line = u32::from(body.line(pc)?);
        match self.source_map().lookup(line) {
            Some(mapped) => {
                let file = (!mapped.own).then(|| mapped.file.to_string());
                Some(SourcePosition { line: mapped.line, file })
            }
            None => Some(SourcePosition { line, file: None }),
        }
    }

    fn is_inlined(&self, body: &Body<'_>, pc: u16) -> bool {
        let line = body.line(pc).map(u32::from);
        let mapped = line.and_then(|line| self.source_map().lookup(line));
        mapped.is_some_and(|mapped| !mapped.own || Some(mapped.line) != line)
    }
}

fn indices(body: &IndexedBody<'_, '_>, ranges: &[PcRange]) -> Vec<usize> {
    let mut indices: Vec<usize> = ranges.iter().flat_map(|range| body.insns.indices_in(*range)).collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}
