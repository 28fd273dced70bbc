//! Methods near the limits of the class file format: woven and still running, or left alone with the reason.

use catchment_testkit::compilers::javac;
use catchment_testkit::{jdk, oracle};
use catchment_weave::{ProbeKinds, Woven, prepare};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Position of the calls in the loop.
#[derive(Clone, Copy)]
enum Shape {
    /// Straight in its body: only `goto`s lead over them.
    Straight,
    /// Behind an `if`: a conditional branch leads over them.
    Conditional,
}

/// A method with `calls` calls in a loop in a try; each takes five bytes.
fn source(calls: usize, shape: Shape) -> String {
    let mut body = String::new();
    for call in 0..calls {
        let _ = writeln!(body, "                hit({});", call % 100 + 6);
    }
    if let Shape::Conditional = shape {
        body = format!("                if (i == 1) {{\n{body}                }}\n");
    }
    format!(
        "public class Big {{
    static int hits;
    static void hit(int by) {{ hits += by; }}
    static int run(int times) {{
        try {{
            for (int i = 0; ; i++) {{
                if (i >= times) break;
                if (i == 3) throw new IllegalStateException();
{body}            }}
            return hits;
        }} catch (IllegalStateException e) {{
            return -hits;
        }}
    }}
    public static void main(String[] args) {{
        System.out.println(run(1) + \" \" + run(3) + \" \" + run(5));
    }}
}}
"
    )
}

fn compile(calls: usize, shape: Shape) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("Big.java");
    fs::write(&file, source(calls, shape)).expect("written");
    let classes = javac(17, 17, &[], &[file]).expect("compiles");
    fs::read(classes.join("Big.class")).expect("a class")
}

fn weave(class: &[u8], kinds: ProbeKinds) -> Woven<'static> {
    prepare(class, kinds).expect("readable").weave(40_000)
}

/// Output of the program with the probes in place.
fn run(class: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("Big.class"), class).expect("written");
    let stub = oracle::probes_stub().expect("compiled");
    let path = std::env::join_paths([folder.path(), Path::new(&stub)]).expect("a class path");
    let output = jdk::installed(17)
        .expect("JDK 17")
        .command("java")
        .args(["-Xverify:all", "-cp"])
        .arg(path)
        .arg("Big")
        .output()
        .expect("java runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

#[test]
fn jumps_that_outgrow_their_offsets_are_widened() {
    // About 22,000 bytes, twice that with a probe at each call.
    let class = compile(4_400, Shape::Straight);
    let woven = weave(&class, ProbeKinds::ALL);
    assert_eq!(woven.skipped, []);
    assert_eq!(run(&woven.bytes.expect("woven")), run(&class));
}

#[test]
fn a_conditional_branch_that_outgrows_its_offset_leaves_the_method_alone() {
    let class = compile(4_400, Shape::Conditional);
    let woven = weave(&class, ProbeKinds::ALL);
    let [skipped] = &woven.skipped[..] else { panic!("one method, not {:?}", woven.skipped) };
    assert_eq!(skipped.reason, "a conditional branch would no longer reach its target");
    assert_eq!(run(&woven.bytes.expect("the other methods are woven")), run(&class));
}

#[test]
fn a_method_that_would_pass_64_kilobytes_is_left_alone_and_named() {
    let class = compile(11_000, Shape::Straight);
    let woven = weave(&class, ProbeKinds::ALL);
    let [skipped] = &woven.skipped[..] else { panic!("one method, not {:?}", woven.skipped) };
    assert_eq!((skipped.name.as_str(), skipped.descriptor.as_str()), ("run", "(I)I"));
    assert_eq!(skipped.reason, "it would pass the limit of 65,535 bytes");
    assert_eq!(run(&woven.bytes.expect("the other methods are woven")), run(&class));
}

#[test]
fn usage_probes_fit_where_probes_at_every_call_do_not() {
    let class = compile(11_000, Shape::Straight);
    let woven = weave(&class, ProbeKinds::USAGE);
    assert_eq!(woven.skipped, []);
    assert_eq!(run(&woven.bytes.expect("woven")), run(&class));
}
