//! Invariants of every body.

use catchment_classfile::{ClassFile, Code, ControlKind, Insn, Member};
use catchment_ir::{BlockId, Body, HandlerId, Op, Stmt, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Panics with the method's name if something does not hold.
pub(crate) fn check(class: &ClassFile<'_>, method: &Member<'_>, body: &Body) {
    let (_, code) = class.code(method).expect("code").expect("code");
    let what = format!("{}.{}{}", class.name, method.name, method.descriptor);
    let has_subroutines = code.insns().flatten().any(|insn| insn.control() == ControlKind::Subroutine);
    let definitions = definitions(body, &what);
    check_blocks(body, &code, &what);
    check_handlers(body, &code, &what);
    check_instructions(body, class, &code, &what);
    check_phis(body, &what);
    let dominators = Dominators::of(body);
    for (id, block) in (0..).zip(&body.blocks) {
        for index in block.statements.clone() {
            let op = &body.statements[index as usize].op;
            body.for_each_use(op, |variable| {
                let (at, place) = *definitions.get(&variable).expect("every variable is defined");
                let is_before =
                    at == id && place < i64::from(index) || at != id && dominators.dominates(at, id);
                // Ways through subroutines that are never gone lead past definitions.
                let is_fine = is_before || has_subroutines || matches!(op, Op::Phi { .. });
                assert!(is_fine, "{what}: {variable} is used where it is not defined\n{body}");
            });
        }
    }
}

/// The definition of each variable: block and statement, before all for parameters.
fn definitions(body: &Body, what: &str) -> BTreeMap<Var, (u32, i64)> {
    let mut definitions = BTreeMap::new();
    for parameter in body.parameters.iter().flatten() {
        assert_eq!(definitions.insert(*parameter, (0, -1)), None, "{what}");
    }
    for (id, block) in (0..).zip(&body.blocks) {
        for index in block.statements.clone() {
            if let Some(dst) = body.statements[index as usize].op.dst() {
                let known = definitions.insert(dst, (id, i64::from(index)));
                assert_eq!(known, None, "{what}: {dst} is defined twice");
            }
        }
    }
    let numbers: Vec<u32> = definitions.keys().map(|it| it.0).collect();
    assert!(numbers.into_iter().eq(0..body.variables), "{what}: numbers of variables are left out\n{body}");
    definitions
}

fn check_blocks(body: &Body, code: &Code<'_>, what: &str) {
    let mut next = 0;
    let mut last_pc = 0;
    for block in &body.blocks {
        assert_eq!(block.statements.start, next, "{what}");
        next = block.statements.end;
        let distinct: BTreeSet<_> = block.successors.iter().collect();
        assert_eq!(distinct.len(), block.successors.len(), "{what}: successors twice");
        assert!(block.successors.iter().all(|it| (it.0 as usize) < body.blocks.len()), "{what}");
        for (index, statement) in body.statements_of(block).iter().enumerate() {
            assert!(statement.pc >= last_pc && usize::from(statement.pc) < code.bytes.len(), "{what}");
            last_pc = statement.pc;
            let is_last = index + 1 == body.statements_of(block).len();
            match statement.op {
                Op::Throw { .. } | Op::Return { .. } => {
                    assert!(is_last && block.successors.is_empty(), "{what}");
                }
                Op::NullTest { if_null, otherwise, .. } => {
                    assert!(is_last && distinct == BTreeSet::from([&if_null, &otherwise]), "{what}");
                }
                _ => {}
            }
        }
    }
    assert_eq!(next as usize, body.statements.len(), "{what}");
}

fn check_handlers(body: &Body, code: &Code<'_>, what: &str) {
    let rows: Vec<_> = code.exceptions().collect();
    assert_eq!(rows.len(), body.handlers.len(), "{what}");
    for (row, handler) in rows.iter().zip(&body.handlers) {
        assert_eq!((row.start, row.end, row.handler), (handler.start, handler.end, handler.target), "{what}");
        assert_eq!(row.catch_type, handler.catch_type.unwrap_or(0), "{what}");
        if let Some(BlockId(block)) = handler.block {
            let statements = body.statements_of(&body.blocks[block as usize]);
            let first = statements.iter().find(|it| !matches!(it.op, Op::Phi { .. })).expect("a statement");
            assert!(matches!(first.op, Op::Catch { .. }) && first.pc == handler.target, "{what}\n{body}");
        }
    }
    for block in &body.blocks {
        let statements = body.statements_of(block);
        for statement in statements.iter().filter(|it| !matches!(it.op, Op::Phi { .. } | Op::Catch { .. })) {
            let mut around: Vec<HandlerId> = Vec::new();
            for (index, row) in (0..).zip(&rows) {
                if (row.start..row.end).contains(&statement.pc) {
                    around.push(HandlerId(index));
                    if row.catch_type == 0 {
                        break;
                    }
                }
            }
            assert_eq!(block.handlers.as_slice(), around, "{what}: rows around pc {}", statement.pc);
        }
    }
}

fn check_phis(body: &Body, what: &str) {
    let mut used = BTreeSet::new();
    for Stmt { op, .. } in &body.statements {
        body.for_each_use(op, |variable| {
            used.insert(variable);
        });
    }
    for block in &body.blocks {
        let mut is_front = true;
        for Stmt { op, .. } in body.statements_of(block) {
            let Op::Phi { dst, sources } = *op else {
                is_front = false;
                continue;
            };
            let distinct: BTreeSet<_> = body.operands(sources).iter().flatten().collect();
            let is_real = distinct.len() > 1 && distinct.len() == body.operands(sources).len();
            assert!(is_front && is_real && !distinct.contains(&dst), "{what}: phi {dst}\n{body}");
            assert!(used.contains(&dst), "{what}: nobody uses {dst}\n{body}");
        }
    }
}

/// Every instruction that can throw and is reached has its one statement, and no other has any. Divisions by a
/// constant may have none.
fn check_instructions(body: &Body, class: &ClassFile<'_>, code: &Code<'_>, what: &str) {
    let by_constants = divisions_by_constants(code);
    let mut expected = Vec::new();
    for pc in reached(class, code).into_iter().filter(|pc| !by_constants.contains(pc)) {
        if can_throw(class, &Insn::at(code.bytes, pc).expect("an instruction")) {
            expected.push(pc);
        }
    }
    let is_other =
        |op: &Op| matches!(op, Op::Phi { .. } | Op::Catch { .. } | Op::NullTest { .. } | Op::Return { .. });
    let found = body.statements.iter().filter(|it| !is_other(&it.op));
    let found = found.map(|it| usize::from(it.pc)).filter(|pc| !by_constants.contains(pc));
    let found: Vec<usize> = found.filter(|pc| throws_at(class, code, *pc)).collect();
    assert_eq!(found, expected, "{what}\n{body}");
}

fn divisions_by_constants(code: &Code<'_>) -> BTreeSet<usize> {
    let instructions: Vec<Insn<'_>> = code.insns().map(|it| it.expect("an instruction")).collect();
    let pairs = instructions.windows(2);
    let by_constants = pairs.filter(|pair| {
        // From iconst_m1 to ldc2_w; idiv, ldiv, irem and lrem.
        (2..=20).contains(&pair[0].opcode) && matches!(pair[1].opcode, 108 | 109 | 112 | 113)
    });
    by_constants.map(|pair| pair[1].pc).collect()
}

fn throws_at(class: &ClassFile<'_>, code: &Code<'_>, pc: usize) -> bool {
    can_throw(class, &Insn::at(code.bytes, pc).expect("an instruction"))
}

fn can_throw(class: &ClassFile<'_>, insn: &Insn<'_>) -> bool {
    match (insn.opcode, insn.bytes) {
        (18, [_, index]) => matches!(class.pool.tag(u16::from(*index)), Some(7 | 15..=17)),
        (19 | 20, _) => matches!(class.pool.tag(insn.u2()), Some(7 | 15..=17)),
        (46..=53 | 79..=86 | 108 | 109 | 112 | 113 | 178..=195 | 197, _) => true,
        _ => false,
    }
}

/// The pcs that control comes to, found instruction by instruction.
fn reached(class: &ClassFile<'_>, code: &Code<'_>) -> BTreeSet<usize> {
    let behind_calls: Vec<usize> = code
        .insns()
        .flatten()
        .filter(|it| it.control() == ControlKind::Subroutine)
        .map(|it| it.next_pc())
        .collect();
    let mut reached = BTreeSet::new();
    let mut work = vec![0];
    while let Some(pc) = work.pop() {
        if !reached.insert(pc) {
            continue;
        }
        let insn = Insn::at(code.bytes, pc).expect("an instruction");
        work.extend(insn.targets());
        if insn.falls_through() && insn.control() != ControlKind::Subroutine {
            work.push(insn.next_pc());
        }
        if insn.control() == ControlKind::Ret {
            work.extend(&behind_calls);
        }
        if can_throw(class, &insn) {
            for row in
                code.exceptions().filter(|row| (usize::from(row.start)..usize::from(row.end)).contains(&pc))
            {
                work.push(usize::from(row.handler));
                if row.catch_type == 0 {
                    break;
                }
            }
        }
    }
    reached
}

/// Dominators: blocks that control must have passed; by Cooper, Harvey and Kennedy.
struct Dominators {
    /// The place of each block in reverse postorder.
    place: Vec<usize>,
    order: Vec<u32>,
    /// By place.
    immediate: Vec<usize>,
}

impl Dominators {
    fn of(body: &Body) -> Self {
        let ways = |block: u32| {
            let block = &body.blocks[block as usize];
            let handlers = block.handlers.iter().filter_map(|it| body.handlers[usize::from(it.0)].block);
            block.successors.iter().copied().chain(handlers).map(|it| it.0).collect::<Vec<_>>()
        };
        let mut order = Vec::new();
        let mut seen = BTreeSet::from([0]);
        let mut path = vec![(0, ways(0))];
        while let Some((block, rest)) = path.last_mut() {
            match rest.pop() {
                Some(next) if seen.insert(next) => path.push((next, ways(next))),
                Some(_) => {}
                None => {
                    order.push(*block);
                    path.pop();
                }
            }
        }
        order.reverse();
        let mut it = Self {
            place: vec![usize::MAX; body.blocks.len()],
            immediate: vec![usize::MAX; order.len()],
            order,
        };
        for (place, block) in it.order.iter().enumerate() {
            it.place[*block as usize] = place;
        }
        it.immediate[0] = 0;
        let mut before = vec![Vec::new(); it.order.len()];
        for (place, block) in it.order.iter().enumerate() {
            for next in ways(*block) {
                before[it.place[next as usize]].push(place);
            }
        }
        while it.round(&before) {}
        it
    }

    fn round(&mut self, before: &[Vec<usize>]) -> bool {
        let mut changed = false;
        for (place, before) in before.iter().enumerate().skip(1) {
            let known = before.iter().copied().filter(|it| self.immediate[*it] != usize::MAX);
            let new = known.reduce(|one, other| self.common(one, other)).unwrap_or(0);
            changed |= std::mem::replace(&mut self.immediate[place], new) != new;
        }
        changed
    }

    fn common(&self, mut one: usize, mut other: usize) -> usize {
        while one != other {
            if one > other {
                one = self.immediate[one];
            } else {
                other = self.immediate[other];
            }
        }
        one
    }

    fn dominates(&self, block: u32, other: u32) -> bool {
        let (wanted, mut at) = (self.place[block as usize], self.place[other as usize]);
        while at > wanted {
            at = self.immediate[at];
        }
        at == wanted
    }
}
