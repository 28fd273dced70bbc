//! Origins of references, through phis and copies, beside those of ASM's analysis of the same methods.

use crate::classes::compile;
use crate::old_code::{NESTED_FINALLY, OLD};
use catchment_classfile::{ClassFile, ControlKind, Insn, Member};
use catchment_ir::{Body, Op, Translator, Var};
use catchment_program::{LoadOptions, jdk_image, visit};
use catchment_testkit::{jdk, oracle, pinned};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Origins of a method's references: by instruction, its operands with their sources.
type Uses = BTreeMap<usize, Vec<BTreeSet<String>>>;

#[derive(Debug, Default)]
struct Compared {
    uses: usize,
    subroutines: usize,
}

/// Compares all methods of the jar or folder.
fn compare(path: &Path) -> Compared {
    let mut compared = Compared::default();
    let mut theirs = read(&oracle::sources(path).expect("ASM's view"));
    let mut translator = Translator::default();
    visit(path, &LoadOptions { all_versions: true, ..LoadOptions::default() }, &mut |it| {
        let class = ClassFile::parse(it.bytes).expect("a class");
        for method in &class.methods {
            let Some(body) = translator.translate(&class, method).expect("translated") else { continue };
            let name = format!("{}\t{}{}", class.name, method.name, method.descriptor);
            // A class that is there twice is not compared twice.
            let Some(their_uses) = theirs.remove(&name) else { continue };
            compare_method(&class, method, &body, &their_uses, &mut compared);
        }
    })
    .expect("readable");
    assert_eq!(theirs.len(), 0, "methods that only ASM sees");
    println!("{}: {compared:?}", path.display());
    compared
}

fn compare_method(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    body: &Body,
    theirs: &Uses,
    compared: &mut Compared,
) {
    let (_, code) = class.code(method).expect("code").expect("code");
    let insns: Vec<Insn<'_>> = code.insns().flatten().collect();
    let ours = our_uses(method, body, &insns);
    compared.uses += theirs.len();
    let what = format!("{}.{}{}", class.name, method.name, method.descriptor);
    if insns.iter().any(|insn| insn.control() == ControlKind::Subroutine) {
        // ASM knows which call a subroutine comes back to, we join them all.
        compared.subroutines += 1;
        for (insn, operands) in theirs {
            let pairs = operands.iter().zip(&ours[insn]);
            assert!(pairs.into_iter().all(|(their, our)| their.is_subset(our)), "{what}\n{body}");
        }
    } else if ours != *theirs {
        let differs = theirs.iter().find(|(insn, operands)| ours.get(insn) != Some(operands));
        assert_eq!(
            differs.map(|(insn, operands)| (insn, Some(operands), ours.get(insn))),
            None,
            "{what}\n{body}"
        );
        assert_eq!(ours.len(), theirs.len(), "{what}\n{body}");
    }
}

fn read(lines: &[String]) -> BTreeMap<String, Uses> {
    let mut methods = BTreeMap::new();
    let mut current = String::new();
    for line in lines {
        match line.split('\t').collect::<Vec<_>>().as_slice() {
            ["method", class, method] => {
                current = format!("{class}\t{method}");
                methods.insert(current.clone(), Uses::new());
            }
            ["use", insn, operands] => {
                let operands = operands.split(';').map(|it| it.split(',').map(str::to_owned).collect());
                let uses = methods.get_mut(&current).expect("a method first");
                uses.insert(insn.parse().expect("a number"), operands.collect());
            }
            other => assert_eq!(other, [""; 0], "an unknown line"),
        }
    }
    methods
}

fn our_uses(method: &Member<'_>, body: &Body, insns: &[Insn<'_>]) -> Uses {
    let number = |pc: u16| insns.partition_point(|insn| insn.pc < usize::from(pc));
    let origins = origins(method, body, &number);
    let mut uses = Uses::new();
    for statement in &body.statements {
        let mut used = Vec::new();
        match statement.op {
            Op::Invoke { receiver, arguments, .. } => {
                used.extend(receiver);
                used.extend(body.operands(arguments).iter().flatten());
            }
            Op::InvokeDynamic { arguments, .. } => used.extend(body.operands(arguments).iter().flatten()),
            Op::PutField { base, src, .. } => used.extend([Some(base), src].into_iter().flatten()),
            Op::Throw { src } => used.push(src),
            Op::Return { src } => used.extend(src),
            _ => {}
        }
        if !used.is_empty() {
            uses.insert(number(statement.pc), used.iter().map(|it| sources(*it, &origins)).collect());
        }
    }
    uses
}

/// The definition of a variable: one source, or the variables that meet in it.
enum Origin {
    Source(String),
    Phi(Vec<Var>),
}

fn origins(method: &Member<'_>, body: &Body, number: &impl Fn(u16) -> usize) -> BTreeMap<Var, Origin> {
    let mut origins = BTreeMap::new();
    for (variable, slot) in body.parameters.iter().zip(slots(method)) {
        if let Some(variable) = variable {
            origins.insert(*variable, Origin::Source(format!("p{slot}")));
        }
    }
    for statement in &body.statements {
        let origin = match statement.op {
            Op::Phi { sources, .. } => {
                Origin::Phi(body.operands(sources).iter().flatten().copied().collect())
            }
            Op::Catch { .. } => Origin::Source(format!("c{}", number(statement.pc))),
            _ => Origin::Source(number(statement.pc).to_string()),
        };
        origins.extend(statement.op.dst().map(|dst| (dst, origin)));
    }
    origins
}

/// The slots of receiver and parameters.
fn slots(method: &Member<'_>) -> Vec<usize> {
    let mut slots = Vec::new();
    let mut next = 0;
    if method.access & 8 == 0 {
        slots.push(0);
        next = 1;
    }
    let descriptor = method.descriptor.to_string();
    let mut rest = descriptor[1..].split(')').next().expect("parameters");
    while !rest.is_empty() {
        slots.push(next);
        let dimensions = rest.bytes().take_while(|it| *it == b'[').count();
        let is_class = rest[dimensions..].starts_with('L');
        next += if dimensions == 0 && matches!(rest.as_bytes()[0], b'J' | b'D') { 2 } else { 1 };
        let len = if is_class { rest.find(';').expect("an end") + 1 } else { dimensions + 1 };
        rest = &rest[len..];
    }
    slots
}

fn sources(variable: Var, origins: &BTreeMap<Var, Origin>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut work = vec![variable];
    while let Some(variable) = work.pop() {
        if seen.insert(variable) {
            match &origins[&variable] {
                Origin::Source(source) => {
                    found.insert(source.clone());
                }
                Origin::Phi(sources) => work.extend(sources),
            }
        }
    }
    found
}

/// ASM tells the calls of a subroutine apart, we do not: nothing is missing, something may be too much.
#[test]
fn references_in_subroutines_come_at_least_from_where_asm_says() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("T.class"), compile(OLD, NESTED_FINALLY)).expect("written");
    let compared = compare(folder.path());
    assert!(compared.subroutines == 1 && compared.uses > 5, "{compared:?}");
}

#[test]
fn references_of_libraries_come_from_where_asm_says() {
    for (coordinate, uses) in [(pinned::LANG3, 10_000), (pinned::GUAVA, 30_000), (pinned::ECJ_2009, 30_000)] {
        let jar = pinned::jars(&[coordinate]).expect("a library").remove(0);
        let compared = compare(&jar);
        assert!(compared.uses > uses, "{compared:?}");
    }
}

#[test]
fn references_of_a_part_of_the_jdk_come_from_where_asm_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let image = jdk_image(jdk::installed(17).expect("a JDK").home()).expect("an image");
    let mut classes = 0;
    visit(&image, &LoadOptions::default(), &mut |it| {
        classes += 1;
        if classes % 20 == 0 {
            fs::write(folder.path().join(format!("{classes}.class")), it.bytes).expect("written");
        }
    })
    .expect("readable");
    let compared = compare(folder.path());
    assert!(compared.uses > 30_000, "{compared:?}");
}
