//! Random Java programs full of tries, to find the shapes nobody thought of.
//!
//! A program is deterministic: its choices come from a generator of its own, and it ends, because every loop burns fuel. It
//! is made of what the language offers to enter and leave a try: nested tries with several clauses and finally, resources,
//! monitors, loops that start a try and tries that start a loop, switches, labelled jumps, returns and throws at every place.

use std::fmt::Write as _;

const METHODS: usize = 6;
const MAX_DEPTH: usize = 5;
/// Statements that hold others, per method: `finally` multiplies, and a method must stay below 64 KB.
const COMPOUND_STATEMENTS: usize = 10;

/// The source of a class `name` with a method `static long run()`. Equal seeds give equal programs.
pub fn random_program(name: &str, seed: u64) -> String {
    let mut program = Program {
        random: Random(seed),
        text: String::new(),
        indent: 1,
        loops: Vec::new(),
        labels: 0,
        compounds: 0,
    };
    program.line(&HEADER.replace("NAME", name).replace("SEED", &format!("{}", seed % 1_000_003 + 1)));
    for method in 0..METHODS {
        program.method(method);
    }
    format!("{}}}\n", program.text)
}

/// Everything the generated methods call. The exceptions are cheap: no stack traces.
const HEADER: &str = r#"/** Generated. */
final class NAME {
    static class A extends RuntimeException {
        A() {
            super(null, null, false, false);
        }
    }

    static class B extends A {
    }

    static class C extends RuntimeException {
        C() {
            super(null, null, false, false);
        }
    }

    static class Res implements AutoCloseable {
        Res() {
            maybe(40);
        }

        public void close() {
            maybe(30);
        }
    }

    static final Object LOCK = new Object();
    static long state = SEED;
    static long sum;
    static int fuel;

    static int next(int bound) {
        state = (state * 1103515245L + 12345L) & 0x7fffffffL;
        return (int) ((state >> 8) % bound);
    }

    static void maybe(int rarely) {
        sum = sum * 31 + 7;
        switch (next(rarely)) {
            case 0:
                throw new A();
            case 1:
                throw new B();
            case 2:
                throw new C();
            default:
        }
    }

    static boolean go() {
        return fuel-- > 0;
    }

    static long run() {
        for (int round = 0; round < 60; round++) {
            fuel = 60;
            try {
                sum += m0(round);
            } catch (RuntimeException e) {
                sum += 3;
            }
        }
        return sum;
    }
"#;

struct Random(u64);

impl Random {
    /// SplitMix64.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

struct Program {
    random: Random,
    text: String,
    indent: usize,
    /// Labels of the loops around the current place.
    loops: Vec<String>,
    labels: usize,
    /// The number of statements that hold others and may still come in this method.
    compounds: usize,
}

impl Program {
    fn line(&mut self, text: &str) {
        let _ = writeln!(
            self.text,
            "{}{text}",
            "    ".repeat(if text.starts_with("/**") { 0 } else { self.indent })
        );
    }

    /// `head {` ... `}`.
    fn block(&mut self, head: &str, body: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        body(self);
        self.indent -= 1;
        self.line("}");
    }

    /// Methods call only later ones, so that calls end.
    fn method(&mut self, number: usize) {
        self.compounds = COMPOUND_STATEMENTS;
        self.block(&format!("static int m{number}(int x)"), |it| {
            it.statements(0, number);
            it.line("return x;");
        });
    }

    fn statements(&mut self, depth: usize, method: usize) {
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth, method);
        }
    }

    fn statement(&mut self, depth: usize, method: usize) {
        if depth >= MAX_DEPTH || self.compounds == 0 {
            return self.simple(method);
        }
        self.compounds -= 1;
        match self.random.below(14) {
            0..=4 => self.try_statement(depth, method),
            5 => self.tested_loop(depth, method),
            6 => self.do_loop(depth, method),
            7 => self.endless_loop(depth, method),
            8 => self.condition(depth, method),
            9 => self.switch(depth, method),
            10 => self.block("synchronized (LOCK)", |it| it.statements(depth + 1, method)),
            _ => self.simple(method),
        }
    }

    fn simple(&mut self, method: usize) {
        match self.random.below(9) {
            0 => self.line("if (next(4) == 0) { return x + 1; }"),
            1 => self.leave_loop("break"),
            2 => self.leave_loop("continue"),
            3 => self.line("if (next(9) == 0) { throw new C(); }"),
            4 if method + 1 < METHODS => self.line(&format!("x += m{}(x);", method + 1)),
            5 => self.line("x++;"),
            _ => self.line("maybe(12);"),
        }
    }

    /// Out of any of the loops around, not only the nearest.
    fn leave_loop(&mut self, how: &str) {
        if self.loops.is_empty() {
            return self.line("maybe(15);");
        }
        let index = self.random.below(self.loops.len() as u64) as usize;
        let label = self.loops[index].clone();
        self.line(&format!("if (next(3) == 0) {{ {how} {label}; }}"));
    }

    fn try_statement(&mut self, depth: usize, method: usize) {
        let resource = self.random.below(6) == 0;
        let head = if resource { "try (Res res = new Res())" } else { "try" };
        let head = if resource { head.replace("res =", &format!("res{depth} =")) } else { head.to_owned() };
        self.line(&format!("{head} {{"));
        self.indented(|it| it.statements(depth + 1, method));
        let clauses = self.clauses();
        for types in &clauses {
            self.line(&format!("}} catch ({types} e{depth}) {{"));
            self.indented(|it| it.clause_body(depth, method));
        }
        if self.random.below(3) == 0 || (clauses.is_empty() && !resource) {
            self.line("} finally {");
            self.indented(|it| it.statements(depth + 1, method));
        }
        self.line("}");
    }

    fn clauses(&mut self) -> Vec<&'static str> {
        match self.random.below(7) {
            0 => vec![],
            1 => vec!["B", "A"],
            2 => vec!["A | C"],
            3 => vec!["C", "A"],
            4 => vec!["B", "C", "RuntimeException"],
            5 => vec!["C"],
            _ => vec!["A"],
        }
    }

    fn clause_body(&mut self, depth: usize, method: usize) {
        match self.random.below(4) {
            0 => {}
            1 => self.line(&format!("if (next(3) == 0) {{ throw e{depth}; }}")),
            _ => self.statements(depth + 1, method),
        }
    }

    fn tested_loop(&mut self, depth: usize, method: usize) {
        self.looped(
            |label| format!("{label}: while (go() && next(5) != 0)"),
            |it| it.statements(depth + 1, method),
        );
    }

    fn endless_loop(&mut self, depth: usize, method: usize) {
        self.looped(
            |label| format!("{label}: for (;;)"),
            |it| {
                it.line("try {");
                it.indented(|it| {
                    it.line("if (!go()) { break; }");
                    it.statements(depth + 1, method);
                });
                it.line(&format!("}} catch (A e{depth}) {{"));
                it.indented(|it| it.clause_body(depth, method));
                it.line("}");
            },
        );
    }

    fn do_loop(&mut self, depth: usize, method: usize) {
        let label = self.new_label();
        self.loops.push(label.clone());
        self.line(&format!("{label}: do {{"));
        self.indented(|it| it.statements(depth + 1, method));
        self.line("} while (go() && next(4) != 0);");
        self.loops.pop();
    }

    fn looped(&mut self, head: impl FnOnce(&str) -> String, body: impl FnOnce(&mut Self)) {
        let label = self.new_label();
        self.loops.push(label.clone());
        self.block(&head(&label), body);
        self.loops.pop();
    }

    fn condition(&mut self, depth: usize, method: usize) {
        self.line("if (next(2) == 0) {");
        self.indented(|it| it.statements(depth + 1, method));
        if self.random.below(2) == 0 {
            self.line("} else {");
            self.indented(|it| it.statements(depth + 1, method));
        }
        self.line("}");
    }

    /// Cases that break, fall through, and a default.
    fn switch(&mut self, depth: usize, method: usize) {
        self.block("switch (next(4))", |it| {
            for case in ["case 0:", "case 1:", "default:"] {
                it.line(case);
                it.indented(|it| {
                    it.statements(depth + 1, method);
                    if it.random.below(2) == 0 {
                        it.line("break;");
                    }
                });
            }
        });
    }

    fn indented(&mut self, body: impl FnOnce(&mut Self)) {
        self.indent += 1;
        body(self);
        self.indent -= 1;
    }

    fn new_label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }
}
