//! Clauses made by hand, with every kind of refusal.

use catchment_lab::{
    Accepted, Case, Evidence, Illegal, Patch, PatchedFile, Refusal, Stretched, StretchedClause,
};
use catchment_pairs::{ClassLocation, ClauseDescription};
use catchment_verdicts::{CheckedPair, CheckedProject, CheckedTest, TestId};

const LOADS: TestId = TestId(0);

/// A clause in a method that says how it ends.
struct Made {
    method: &'static str,
    accepted: Option<Accepted>,
    refused: Vec<(Option<&'static str>, Refusal)>,
}

/// One clause per way to end.
pub(crate) fn stretched() -> Stretched {
    let made: Vec<Made> = accepted_ones().into_iter().chain(refused_ones()).collect();
    let pairs = made.iter().zip(1..).map(|(made, number)| pair(number, made.method)).collect();
    let clause = |(pair, made): (usize, Made)| {
        let refused = made.refused.into_iter().map(|(rung, refusal)| (rung.map(str::to_owned), refusal));
        StretchedClause { pair, refused: refused.collect(), accepted: made.accepted }
    };
    let tests = vec![CheckedTest { name: "com.acme.CacheTest.loads".into(), ..CheckedTest::default() }];
    Stretched {
        checked: CheckedProject { tests, pairs, ..CheckedProject::default() },
        clauses: made.into_iter().enumerate().map(clause).collect(),
        together: true,
        patch: None,
        can_patch: true,
    }
}

/// With the patch that a build has passed.
pub(crate) fn patched() -> Stretched {
    let file = PatchedFile {
        path: "src/main/java/com/acme/Cache.java".into(),
        before: "try {\n} catch (EOFException e) {\n}\n".into(),
        after: "try {\n} catch (IOException e) {\n}\n".into(),
    };
    let patch = Patch { root: "/p".into(), files: vec![file], tests: 12 };
    Stretched { patch: Some(patch), ..only(|clause| clause.accepted.is_some()) }
}

/// Only these clauses of all.
pub(crate) fn only(is_kept: impl Fn(&StretchedClause) -> bool) -> Stretched {
    let all = stretched();
    let clauses = all.clauses.iter().filter(|clause| is_kept(clause)).cloned().collect();
    Stretched { clauses, ..all }
}

const IO: &str = "java.io.IOException";
const EXCEPTION: &str = "java.lang.Exception";

fn accepted_ones() -> Vec<Made> {
    let accepted = |method, to: &str, case, injected| {
        let evidence = Evidence { case, tests: 2, injected };
        let takes_from = (to == IO).then_some(17);
        let accepted = Accepted {
            to: to.into(),
            evidence,
            catches_all_unchecked: to == EXCEPTION,
            takes_from,
            swallows: if to == IO { vec![IO.to_owned()] } else { Vec::new() },
            merges: if to == EXCEPTION { vec![0, 1] } else { Vec::new() },
        };
        Made { method, accepted: Some(accepted), refused: Vec::new() }
    };
    let interruptible = Illegal::Interruptible { call: Some("java.lang.Thread.sleep".into()), line: None };
    let interruptible = Refusal::Illegal(interruptible);
    vec![
        accepted("same", IO, Case::CatchesTheSame, 2),
        accepted("more", IO, Case::CatchesMore, 1),
        accepted("unchecked", EXCEPTION, Case::CatchesTheSame, 1),
        Made {
            refused: vec![(Some(EXCEPTION), interruptible)],
            ..accepted("lower", IO, Case::CatchesTheSame, 1)
        },
    ]
}

fn refused_ones() -> impl Iterator<Item = Made> {
    let made = |(method, rung, refusal)| Made { method, accepted: None, refused: vec![(rung, refusal)] };
    refusals().into_iter().map(made)
}

fn refusals() -> Vec<(&'static str, Option<&'static str>, Refusal)> {
    let (test, failure) = (LOADS, "java.lang.AssertionError: expected 1 but was 2".to_owned());
    let line = Some(44);
    vec![
        ("on_request", None, Refusal::NoWiderType { on_request: true }),
        ("widest", None, Refusal::NoWiderType { on_request: false }),
        (
            "sibling",
            Some(IO),
            Refusal::Illegal(Illegal::LaterClause { exception: "java.net.SocketException".into(), line }),
        ),
        ("outer", Some(IO), Refusal::Illegal(Illegal::UnreachableClause { exception: IO.into(), line })),
        ("rethrowing", Some(IO), Refusal::Illegal(Illegal::Undeclared { exception: IO.into(), line })),
        ("merged", Some(IO), Refusal::Merged { into: 2 }),
        (
            "narrow",
            Some(IO),
            Refusal::Illegal(Illegal::NeedsNarrowType { what: "the type java.io.EOFException".into(), line }),
        ),
        (
            "narrow",
            Some(IO),
            Refusal::Illegal(Illegal::NeedsNarrowType {
                what: "com.acme.OddException.code".into(),
                line: None,
            }),
        ),
        ("untriable", None, Refusal::NotTriable("its class has changed".into())),
        ("late", Some("java.lang.Exception"), Refusal::OutOfTime),
        ("fails", Some(IO), Refusal::TestFails { test, failure: failure.clone() }),
        ("expected", Some(IO), Refusal::Expected { test }),
        ("injected", Some(IO), Refusal::FailsUnderInjection { test, failure: failure.clone() }),
        ("uninjectable", Some(IO), Refusal::NotInjectable { test, why: "artefact".into() }),
        ("interplay", Some(IO), Refusal::Interplay { with: vec![0, 1], test, failure }),
        ("sourceless", Some(IO), Refusal::NoSource("the class does not name it".into())),
        ("generated", Some(IO), Refusal::Generated("@Generated".into())),
        ("latin", Some(IO), not_patchable("the source is not UTF-8")),
        ("compiled", Some(IO), Refusal::Compiler("unreported exception java.io.IOException".into())),
        ("built", Some(IO), Refusal::BuildTestFails { test: "com.acme.OtherTest.works".into() }),
        ("styled", Some(IO), Refusal::BuildFails("checkstyle has found 1 violation".into())),
        ("unreported", Some(IO), Refusal::BuildTestsUnknown),
        ("inlined", Some(IO), Refusal::Copy { other: 0 }),
        ("shadowed", Some(IO), Refusal::Misnamed),
        ("lost", Some(IO), Refusal::Unanswered { test, why: "the JVM was lost".into() }),
    ]
}

fn not_patchable(why: &str) -> Refusal {
    Refusal::NotPatchable { why: why.into(), depends_on_type: false }
}

fn pair(number: u32, method: &str) -> CheckedPair {
    let exception = "java.io.EOFException";
    CheckedPair {
        clause: ClauseDescription {
            id: format!("com.acme.Cache.{method}()V#0.0:{exception}@{number:08x}"),
            class: "com.acme.Cache".into(),
            method: method.into(),
            descriptor: "()V".into(),
            types: vec![exception.into()],
            source_file: Some("Cache.java".into()),
            try_line: Some(10 * number - 2),
            try_end_line: Some(10 * number - 1),
            catch_line: Some(10 * number),
            catch_end_line: Some(10 * number + 1),
            ..ClauseDescription::default()
        },
        location: ClassLocation {
            source: Some("src/main/java/com/acme/Cache.java".into()),
            module: Some(".".into()),
            jar: None,
        },
        ..CheckedPair::default()
    }
}
