//! What runs have gone through beside what is found, on recordings written by hand.

use crate::program::Program;
use crate::recording::{At, HandWritten};
use catchment_exceptions::{
    Analysis, Cause, Comparison, FaultSelection, SearchRequest, SetAside, compare_under,
};

const FAULT: &str = "Main$Fault";

fn compare(program: &Program, request: &SearchRequest, recording: &HandWritten<'_>) -> Comparison {
    let mut search = program.search(request).expect("a search");
    search.compare(&recording.recording)
}

/// `class.method[:line] -> line of the clause: found`, or the cause with where it is and what was called.
fn told(comparison: &Comparison) -> Vec<String> {
    let told = comparison.links.iter().map(|link| {
        let from = &link.from.site;
        let line = from.line.map(|line| format!(":{line}")).unwrap_or_default();
        let found = match &link.found {
            Ok(_) => "found".to_owned(),
            Err(unfound) => {
                let called = unfound.called.as_ref().map(|it| format!(" calls {}.{}", it.class, it.method));
                let at = &unfound.at;
                format!(
                    "{} in {}.{}{}",
                    unfound.cause.name(),
                    at.class,
                    at.method,
                    called.unwrap_or_default()
                )
            }
        };
        let to = link.to.pair.catch_line.unwrap_or_default();
        format!("{}.{}{line} -> {to}: {found}", from.class, from.method)
    });
    told.collect()
}

/// Under the cheapest analysis and a precise one.
fn check(program: &Program, recording: &HandWritten<'_>, expected: &[&str]) {
    for analysis in ["rta", "inpta"] {
        let comparison = compare(program, &program.request(analysis, &[]), recording);
        assert_eq!(told(&comparison), expected, "{analysis}");
    }
}

#[test]
fn what_finally_passes_on_keeps_its_raising_point() {
    let program = Program::fixture("finally");
    let mut recording = HandWritten::of(&program);
    let frames = [("Main.fail", At::Throw(0)), ("Main.passing", At::Call("fail"))];
    let first = recording.caught(FAULT, &frames, ("any", 0), None);
    let again = [("Main.passing", At::Throw(0)), ("Main.main", At::Call("passing"))];
    recording.caught(FAULT, &again, (FAULT, 0), Some(first));
    check(&program, &recording, &["Main.fail:10 -> 57: found"]);
    let comparison = compare(&program, &program.request("rta", &[]), &recording);
    assert_eq!(comparison.set_aside.into_iter().collect::<Vec<_>>(), [(SetAside::CompilerMade, 1)]);
}

#[test]
fn what_was_passed_on_by_nobody_knows_whom_is_set_aside() {
    let program = Program::fixture("finally");
    let mut recording = HandWritten::of(&program);
    let again = [("Main.passing", At::Throw(0)), ("Main.main", At::Call("passing"))];
    recording.caught(FAULT, &again, (FAULT, 0), None);
    let comparison = compare(&program, &program.request("rta", &[]), &recording);
    assert_eq!(comparison.links, []);
    assert_eq!(comparison.set_aside.into_iter().collect::<Vec<_>>(), [(SetAside::NoOrigin, 1)]);
}

#[test]
fn what_came_through_frames_that_were_left_out_is_set_aside() {
    let program = Program::fixture("finally");
    let mut recording = HandWritten::of(&program);
    let frames = [("Main.fail", At::Throw(0)), ("Main.passing", At::Call("fail"))];
    let first = recording.caught(FAULT, &frames, ("any", 0), None);
    let again = [("Main.passing", At::Throw(0)), ("Main.main", At::Call("passing"))];
    recording.caught(FAULT, &again, (FAULT, 0), Some(first));
    recording.recording.caught[first].is_whole = false;
    let comparison = compare(&program, &program.request("rta", &[]), &recording);
    assert_eq!(comparison.links, []);
    assert_eq!(comparison.set_aside.get(&SetAside::FramesLeftOut), Some(&1));
}

#[test]
fn a_throw_that_somebody_wrote_is_a_raising_point_of_its_own() {
    let program = Program::fixture("rethrow");
    let mut recording = HandWritten::of(&program);
    let frames = [("Main.fail", At::Throw(0)), ("Main.again", At::Call("fail"))];
    let first = recording.caught(FAULT, &frames, (FAULT, 0), None);
    let again = [("Main.again", At::Throw(0)), ("Main.main", At::Call("again"))];
    recording.caught(FAULT, &again, (FAULT, 0), Some(first));
    check(&program, &recording, &["Main.fail:6 -> 12: found", "Main.again:13 -> 31: found"]);
}

const OPENING: &str = r#"
    import java.io.*;
    public class T {
        static void open(String name) throws IOException { new FileInputStream(name).close(); }
        static Object nothing;
        public static void main(String[] args) {
            try { open(args[0]); } catch (IOException e) { args[0] = ""; }
            try { nothing.notify(); } catch (NullPointerException e) { args[0] = ""; }
        }
    }"#;

fn opening(program: &Program) -> HandWritten<'_> {
    let mut recording = HandWritten::of(program);
    let frames = [
        ("java.io.FileInputStream.open0", At::Native),
        ("java.io.FileInputStream.open", At::Call("open0")),
        ("java.io.FileInputStream.<init>(Ljava/io/File;)V", At::Call("open")),
        ("java.io.FileInputStream.<init>(Ljava/lang/String;)V", At::Call("<init>")),
        ("T.open", At::Call("<init>")),
        ("T.main", At::Call("open")),
    ];
    let caught = ("java.io.IOException", 0);
    recording.caught("java.io.FileNotFoundException", &frames, caught, None);
    recording
}

#[test]
fn an_operation_raises_what_was_raised_inside_it() {
    let program = Program::compile(OPENING, Vec::new());
    check(&program, &opening(&program), &["java.io.FileInputStream.open -> 7: found"]);
}

#[test]
fn native_code_that_is_no_operation_that_was_asked_for_is_a_cause_of_its_own() {
    let program = Program::compile(OPENING, Vec::new());
    let none = FaultSelection::Only(Vec::new());
    let request = SearchRequest { faults: none, ..program.request("rta", &[]) };
    let comparison = compare(&program, &request, &opening(&program));
    assert_eq!(
        told(&comparison),
        ["java.io.FileInputStream.open0 -> 7: raised_in_native in java.io.FileInputStream.open0"]
    );
    let request = SearchRequest { throws: false, ..request };
    let comparison = compare(&program, &request, &opening(&program));
    assert_eq!(comparison.links, []);
    assert_eq!(comparison.set_aside.into_iter().collect::<Vec<_>>(), [(SetAside::Throw, 1)]);
}

#[test]
fn what_the_jvm_raises_is_compared_if_it_was_asked_for() {
    let program = Program::compile(OPENING, Vec::new());
    let mut recording = HandWritten::of(&program);
    let null = "java.lang.NullPointerException";
    recording.caught(null, &[("T.main", At::Call("notify"))], (null, 0), None);
    let comparison = compare(&program, &program.request("rta", &[]), &recording);
    assert_eq!(comparison.links, []);
    assert_eq!(comparison.set_aside.into_iter().collect::<Vec<_>>(), [(SetAside::Implicit, 1)]);
    let request = SearchRequest { implicit: true, ..program.request("rta", &[]) };
    assert_eq!(told(&compare(&program, &request, &recording)), ["T.main:8 -> 8: found"]);
}

const REFLECTION: &str = r#"
    import java.lang.reflect.*;
    public class T {
        public static class Fault extends RuntimeException { }
        public static class Runner implements Runnable { public void run() { throw new Fault(); } }
        static void fail() { throw new Fault(); }
        public static void target() {
            try { fail(); } catch (Fault e) { throw new IllegalStateException(e); }
        }
        public static void main(String[] args) throws Exception {
            Method method = T.class.getMethod(args[0]);
            try { method.invoke(null); } catch (InvocationTargetException e) { args[0] = ""; }
            Runnable runner = (Runnable) Class.forName(args[1]).newInstance();
            try { runner.run(); } catch (Fault e) { args[0] = ""; }
        }
    }"#;

fn reflection(program: &Program) -> HandWritten<'_> {
    let mut recording = HandWritten::of(program);
    let fault = "T$Fault";
    recording.caught(fault, &[("T.fail", At::Throw(0)), ("T.target", At::Call("fail"))], (fault, 0), None);
    let accessor = "jdk.internal.reflect.NativeMethodAccessorImpl";
    let frames = [
        (&*format!("{accessor}.invoke0"), At::Native),
        (&*format!("{accessor}.invoke"), At::Call("invoke0")),
        ("jdk.internal.reflect.DelegatingMethodAccessorImpl.invoke", At::Call("invoke")),
        ("java.lang.reflect.Method.invoke", At::Call("invoke")),
        ("T.main", At::Call("invoke")),
    ];
    let wrapper = "java.lang.reflect.InvocationTargetException";
    recording.caught(wrapper, &frames, (wrapper, 0), None);
    let frames = [("T$Runner.run", At::Throw(0)), ("T.main", At::Call("run"))];
    recording.caught(fault, &frames, (fault, 0), None);
    recording
}

#[test]
fn reflection_without_constants_is_named_and_its_targets_are_followed_once_a_run_has_shown_them() {
    let program = Program::compile(REFLECTION, Vec::new());
    let mut recording = reflection(&program);
    for analysis in ["pta", "inpta", "2obj"] {
        let comparison = compare(&program, &program.request(analysis, &[]), &recording);
        let expected = [
            "T$Runner.run:5 -> 14: not_made in T.main calls T$Runner.run",
            "T.fail:6 -> 8: clause_not_reached in T.target",
            "T.main:12 -> 12: blind_reflection in T.main",
        ];
        let mut told = told(&comparison);
        told.sort();
        assert_eq!(told, expected, "{analysis}");
    }
    recording.reflective(Some("T.main"), "T.target");
    recording.reflective(Some("T.main"), "T$Runner.<init>");
    let comparison = compare(&program, &program.request("inpta", &[]), &recording);
    assert_eq!(comparison.causes().into_keys().map(Cause::name).collect::<Vec<_>>(), ["blind_reflection"]);
    for analysis in ["cha", "rta", "pta", "inpta", "2obj", "inpta+dr", "inpta+vdr"] {
        let reflective_targets = recording.recording.reflective_targets();
        let request = SearchRequest { reflective_targets, ..program.request(analysis, &[]) };
        let comparison = compare(&program, &request, &recording);
        assert_eq!(
            (comparison.links.len(), comparison.found()),
            (3, 3),
            "{analysis}: {:?}",
            told(&comparison)
        );
    }
}

const HALF_CONSTANT: &str = r#"
    import java.lang.reflect.*;
    public class T {
        public static void target() { throw new IllegalStateException(); }
        public static void main(String[] args) throws Exception {
            Method method = T.class.getMethod(args.length > 5 ? "other" : args[0]);
            try { method.invoke(null); } catch (InvocationTargetException e) { args[0] = ""; }
        }
    }"#;

#[test]
fn targets_of_runs_count_where_a_constant_is_only_half_the_truth() {
    let program = Program::compile(HALF_CONSTANT, Vec::new());
    let mut recording = HandWritten::of(&program);
    let native = "jdk.internal.reflect.NativeMethodAccessorImpl.invoke0";
    let wrapper = "java.lang.reflect.InvocationTargetException";
    recording.caught(wrapper, &[(native, At::Native), ("T.main", At::Call("invoke"))], (wrapper, 0), None);
    recording.reflective(Some("T.main"), "T.target");
    let request = SearchRequest {
        reflective_targets: recording.recording.reflective_targets(),
        ..program.request("inpta", &[])
    };
    assert_eq!(told(&compare(&program, &request, &recording)), ["T.main:7 -> 7: found"]);
}

const LOST: &str = r#"
    public class T {
        static class Fault extends RuntimeException { }
        public static Runnable failing = () -> { throw new Fault(); };
        static void raise(RuntimeException e) { throw e; }
        static Fault made = new Fault();
        static class Early { static { if (made != null) raise(made); } static void use() { } }
        public static void main(String[] args) throws Exception {
            Runnable known = (Runnable) T.class.getField(args[0]).get(null);
            try { known.run(); } catch (Fault e) { made = null; }
            try { raise(made); } catch (IllegalStateException e) { made = null; }
            try { Early.use(); } catch (Fault e) { made = null; }
        }
    }"#;

#[test]
fn frames_of_hidden_classes_are_no_reason() {
    let program = Program::compile(LOST, Vec::new());
    let mut recording = HandWritten::of(&program);
    let frames = [
        ("T.lambda$static$0", At::Throw(0)),
        ("T$$Lambda$14/0x0000000800c03000.run", At::Pc(0)),
        ("T.main", At::Call("run")),
    ];
    recording.caught("T$Fault", &frames, ("T$Fault", 0), None);
    let comparison = compare(&program, &program.request("inpta", &[]), &recording);
    let expected = "T.lambda$static$0:4 -> 10: call_not_found in T.main calls T.lambda$static$0";
    assert_eq!(told(&comparison), [expected]);
    assert_eq!(
        told(&compare(&program, &program.request("cha", &[]), &recording)),
        ["T.lambda$static$0:4 -> 10: found"]
    );
}

#[test]
fn classes_that_are_made_at_run_time_or_unknown_are_named() {
    let program = Program::compile(LOST, Vec::new());
    let mut recording = HandWritten::of(&program);
    for class in ["com.sun.proxy.$Proxy3", "org.elsewhere.Task"] {
        let raising = format!("{class}.run");
        recording.caught(
            "T$Fault",
            &[(&raising, At::Pc(0)), ("T.main", At::Call("run"))],
            ("T$Fault", 0),
            None,
        );
        let frames = [("T.raise", At::Throw(0)), (&*raising, At::Pc(0)), ("T.main", At::Call("run"))];
        recording.caught("T$Fault", &frames, ("T$Fault", 0), None);
    }
    let comparison = compare(&program, &program.request("inpta", &[]), &recording);
    let expected = [
        "com.sun.proxy.$Proxy3.run -> 10: generated_class in com.sun.proxy.$Proxy3.run",
        "org.elsewhere.Task.run -> 10: unknown_class in org.elsewhere.Task.run",
        "T.raise:5 -> 10: generated_class in T.main calls com.sun.proxy.$Proxy3.run",
    ];
    let mut told = told(&comparison);
    told.sort_by_key(|line| line.to_lowercase());
    assert_eq!(told, expected);
}

#[test]
fn a_throw_of_what_its_variable_does_not_hold_is_told() {
    let program = Program::compile(LOST, Vec::new());
    let mut recording = HandWritten::of(&program);
    let state = "java.lang.IllegalStateException";
    recording.caught(state, &[("T.raise", At::Throw(0)), ("T.main", At::Call("raise"))], (state, 0), None);
    let comparison = compare(&program, &program.request("inpta", &[]), &recording);
    assert_eq!(told(&comparison), ["T.raise:5 -> 11: type_not_thrown in T.raise"]);
    assert_eq!(
        told(&compare(&program, &program.request("rta", &[]), &recording)),
        ["T.raise:5 -> 11: found"]
    );
}

#[test]
fn what_leaves_an_initialiser_never_comes_to_the_clause_that_the_jvm_foretells() {
    let program = Program::compile(LOST, Vec::new());
    let mut recording = HandWritten::of(&program);
    let frames =
        [("T.raise", At::Throw(0)), ("T$Early.<clinit>", At::Call("raise")), ("T.main", At::Call("use"))];
    recording.caught("T$Fault", &frames, ("T$Fault", 1), None);
    let comparison = compare(&program, &program.request("rta", &[]), &recording);
    assert_eq!(comparison.links, []);
    assert_eq!(comparison.set_aside.into_iter().collect::<Vec<_>>(), [(SetAside::Wrapped, 1)]);
}

#[test]
fn classes_that_are_not_those_that_ran_are_set_aside() {
    let program = Program::compile(LOST, Vec::new());
    let mut recording = HandWritten::of(&program);
    let frames = [("T.raise", At::Throw(0)), ("T.main", At::Call("raise"))];
    recording.caught("T$Fault", &frames, ("T$Fault", 0), None);
    recording.recording.caught[0].handler_pc += 1;
    let comparison = compare(&program, &program.request("rta", &[]), &recording);
    assert_eq!(comparison.set_aside.into_iter().collect::<Vec<_>>(), [(SetAside::OtherClasses, 1)]);
}

#[test]
fn one_recording_is_compared_under_several_analyses() {
    let program = Program::fixture("shared-container");
    let mut filtered = None;
    let analyses: Vec<Analysis> =
        ["pta+mdr", "rta", "pta"].iter().map(|it| it.parse().expect("an analysis")).collect();
    // A link that the filter rightly drops is claimed to have been seen.
    let request = program.request("rta", &[]);
    let mut told_of = Vec::new();
    let recording = dropped_by_mdr(&program);
    compare_under(
        &program,
        &request,
        &recording.recording,
        &analyses,
        &mut |_| {},
        &mut |analysis, _, it| {
            told_of.push((analysis.to_string(), it.found()));
            filtered = filtered.or(it.causes().into_keys().next());
        },
    )
    .expect("the fixture has a main");
    let expected = [("pta+mdr", 0), ("pta", 1), ("rta", 1)];
    assert_eq!(told_of, expected.map(|(name, found)| (name.to_owned(), found)));
    assert_eq!(filtered.map(|cause| cause.to_string()).as_deref(), Some("dropped by mdr"));
}

/// From the `read` of the other try.
fn dropped_by_mdr(program: &Program) -> HandWritten<'_> {
    let mut recording = HandWritten::of(program);
    let frames =
        [("Main$Z.read", At::Throw(0)), ("Main$A.m", At::Call("read")), ("Main.read1", At::Call("m"))];
    recording.caught("Main$OtherFault", &frames, (FAULT, 0), None);
    recording
}

#[test]
fn a_call_that_leads_there_for_others_only_is_told() {
    let program = Program::fixture("shared-container");
    let comparison = compare(&program, &program.request("2obj", &[]), &dropped_by_mdr(&program));
    assert_eq!(told(&comparison), ["Main$Z.read:30 -> 63: context_not_found in Main$A.m calls Main$Z.read"]);
}
