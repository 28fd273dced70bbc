//! Class files that no compiler writes: whoever reads them must come to an end.

use crate::program::Program;
use catchment_exceptions::{ExceptionFlowOptions, Scope, exception_flow};
use catchment_pointsto::{Blind, BlindSpot, CallGraphKind, Code, Sensitivity};
use std::fs;
use tempfile::TempDir;

/// Writes constants; each is named by its number.
#[derive(Default)]
struct Pool {
    bytes: Vec<u8>,
    last: u16,
}

impl Pool {
    fn add(&mut self, tag: u8, content: &[u8]) -> u16 {
        self.bytes.push(tag);
        self.bytes.extend_from_slice(content);
        self.last += 1;
        self.last
    }

    fn pair(&mut self, tag: u8, first: u16, second: u16) -> u16 {
        self.add(tag, &[first.to_be_bytes(), second.to_be_bytes()].concat())
    }

    fn text(&mut self, text: &str) -> u16 {
        let len = u16::try_from(text.len()).expect("a short text");
        self.add(1, &[&len.to_be_bytes(), text.as_bytes()].concat())
    }

    fn class(&mut self, name: &str) -> u16 {
        let name = self.text(name);
        self.add(7, &name.to_be_bytes())
    }

    fn method(&mut self, class: u16, name: &str, descriptor: &str) -> u16 {
        let (name, descriptor) = (self.text(name), self.text(descriptor));
        let named = self.pair(12, name, descriptor);
        self.pair(10, class, named)
    }
}

fn numbers(all: &[u16]) -> Vec<u8> {
    all.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// A public static method with this code and exception table.
fn method(pool: &mut Pool, named: (&str, &str), code: &[u8], rows: &[[u16; 4]]) -> Vec<u8> {
    member(pool, 9, named, code, rows)
}

fn member(
    pool: &mut Pool,
    access: u16,
    (name, descriptor): (&str, &str),
    code: &[u8],
    rows: &[[u16; 4]],
) -> Vec<u8> {
    let (name, descriptor, attribute) = (pool.text(name), pool.text(descriptor), pool.text("Code"));
    let rows_len = u16::try_from(rows.len()).expect("rows of a table");
    let len = |bytes: &[u8]| u32::try_from(bytes.len()).expect("short").to_be_bytes();
    let body = [
        &numbers(&[4, 3])[..],
        &len(code),
        code,
        &numbers(&[rows_len]),
        &numbers(rows.as_flattened()),
        &numbers(&[0]),
    ];
    let body = body.concat();
    [&numbers(&[access, name, descriptor, 1, attribute])[..], &len(&body), &body].concat()
}

/// A program of the class `T`, whose constant is the first, and the folder that it is in.
fn program(pool: &mut Pool, methods: &[Vec<u8>]) -> (Program, TempDir) {
    let object = pool.class("java/lang/Object");
    let count = u16::try_from(methods.len()).expect("few methods");
    let bytes = [
        &[0xca, 0xfe, 0xba, 0xbe][..],
        &numbers(&[0, 49, pool.last + 1]),
        &pool.bytes,
        &numbers(&[0x21, 2, object, 0, 0, count]),
        &methods.concat(),
        &numbers(&[0]),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("T.class"), bytes.concat()).expect("written");
    (Program::open(&[folder.path().to_owned()], "T"), folder)
}

const MAIN: (&str, &str) = ("main", "([Ljava/lang/String;)V");

/// A call of what throws an `IOException`, within rows for these classes; how many come to the handler.
fn caught_by_rows(classes: impl Fn(&mut Pool) -> Vec<u16>) -> usize {
    let pool = &mut Pool::default();
    let this = pool.class("T");
    let thrown = pool.class("java/io/IOException");
    let (made, called) = (pool.method(thrown, "<init>", "()V"), pool.method(this, "fail", "()V"));
    let rows: Vec<[u16; 4]> = classes(pool).into_iter().map(|class| [0, 3, 4, class]).collect();
    let [call, new, init] = [called, thrown, made].map(u16::to_be_bytes);
    // invokestatic, return; in the handler pop, return
    let main = method(pool, MAIN, &[0xb8, call[0], call[1], 0xb1, 0x57, 0xb1], &rows);
    // new, dup, invokespecial, athrow
    let fail = [0xbb, new[0], new[1], 0x59, 0xb7, init[0], init[1], 0xbf];
    let fail = method(pool, ("fail", "()V"), &fail, &[]);
    let (program, _folder) = program(pool, &[main, fail]);
    let mut reached = program.analyse(Sensitivity::default());
    let flow = exception_flow(
        &mut reached,
        &ExceptionFlowOptions { throws: true, ..ExceptionFlowOptions::default() },
        Scope::Everything,
    );
    let in_main = |instance| {
        let method = reached.method_of(instance).expect("a method");
        reached.world.describe(method).starts_with("T.main")
    };
    flow.caught()
        .filter(|(instance, ..)| in_main(*instance))
        .map(|(_, _, caught)| caught.iter().count())
        .sum()
}

#[test]
fn a_table_with_as_many_rows_as_there_can_be_is_asked_row_by_row() {
    assert_eq!(caught_by_rows(|pool| vec![pool.class("java/io/IOException"); 65_000]), 1);
}

#[test]
fn rows_for_many_classes_are_asked_until_one_takes_what_is_thrown() {
    let classes = |pool: &mut Pool| {
        let mut classes: Vec<u16> =
            (0..20_000).map(|number| pool.class(&format!("Missing{number}"))).collect();
        classes.push(pool.class("java/io/IOException"));
        classes
    };
    assert_eq!(caught_by_rows(classes), 1);
}

#[test]
fn an_array_of_more_dimensions_than_there_can_be_is_a_missing_class() {
    let pool = &mut Pool::default();
    pool.class("T");
    let array = pool.class(&format!("{}I", "[".repeat(60_000))).to_be_bytes();
    // aconst_null, checkcast, pop, return
    let main = method(pool, MAIN, &[0x01, 0xc0, array[0], array[1], 0x57, 0xb1], &[]);
    let (program, _folder) = program(pool, &[main]);
    let reached = program.analyse(Sensitivity::default());
    let problems: Vec<&str> = reached.world.problems().iter().map(|(_, problem)| problem.as_str()).collect();
    assert!(problems.contains(&"it has more than 255 dimensions"), "{problems:?}");
}

#[test]
fn constructors_that_hand_on_what_they_are_given_through_thousands_are_followed_to_some_depth() {
    const COUNT: u16 = 9_000;
    let pool = &mut Pool::default();
    let this = pool.class("T");
    let descriptor = |number: u16| format!("(Ljava/lang/Object;LX{number};)V");
    let constructors: Vec<u16> =
        (0..=COUNT).map(|number| pool.method(this, "<init>", &descriptor(number))).collect();
    let [new, first] = [this, constructors[0]].map(u16::to_be_bytes);
    // new, dup, aconst_null twice, invokespecial, return
    let main = [0xbb, new[0], new[1], 0x59, 0x01, 0x01, 0xb7, first[0], first[1], 0xb1];
    let mut methods = vec![method(pool, MAIN, &main, &[])];
    for number in 0..COUNT {
        let next = constructors[usize::from(number) + 1].to_be_bytes();
        // aload_0, aload_1, aload_2, invokespecial, return
        let code = [0x2a, 0x2b, 0x2c, 0xb7, next[0], next[1], 0xb1];
        methods.push(member(pool, 1, ("<init>", &descriptor(number)), &code, &[]));
    }
    let (program, _folder) = program(pool, &methods);
    let reached = program.analyse(Sensitivity::Constructors);
    let own = reached.instances.iter().filter(|code| match code {
        Code::Method(method) => reached.world.describe(*method).starts_with("T.<init>"),
        Code::Proxy(_) => false,
    });
    assert_eq!(own.count(), usize::from(COUNT));
}

#[test]
fn a_constant_that_is_made_by_code_is_a_blind_spot() {
    let pool = &mut Pool::default();
    pool.class("T");
    let (name, descriptor) = (pool.text("made"), pool.text("Ljava/lang/Object;"));
    let named = pool.pair(12, name, descriptor);
    let [_, constant] = pool.pair(17, 0, named).to_be_bytes();
    // ldc, pop, return
    let main = method(pool, MAIN, &[0x12, constant, 0x57, 0xb1], &[]);
    let (program, _folder) = program(pool, &[main]);
    for analysis in [CallGraphKind::Rta, CallGraphKind::default()] {
        let reached = program.analyse(analysis);
        let is_told = |it: &Blind| {
            it.spot == BlindSpot::Dynamic && reached.world.describe(it.method).starts_with("T.main")
        };
        assert!(reached.blind_spots.iter().any(is_told), "{analysis:?}");
    }
}
