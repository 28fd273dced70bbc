//! Bad input is normal input: one clear line, a documented exit code, nothing half written.

use crate::support::{Program, catchment, error_text, java, watch};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

const PLAIN: &str = "public class Plain { public static void main(String[] a) {
    try { System.out.println(1); } catch (RuntimeException e) { } } }";

fn check_one_line(output: &Output, exit_code: i32, parts: &[&str]) {
    let text = error_text(output);
    let ours: Vec<_> = text.lines().filter(|line| line.starts_with("catchment: ")).collect();
    assert_eq!(ours.len(), 1, "{text}");
    for part in parts {
        assert!(ours[0].contains(part), "'{part}' is not in '{}'", ours[0]);
    }
    assert_eq!(output.status.code(), Some(exit_code), "{text}");
}

fn handlers(paths: &[&Path]) -> Output {
    let output = catchment().arg("handlers").args(paths).output().unwrap();
    if !output.status.success() {
        assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    }
    output
}

#[test]
fn a_missing_path_is_named() {
    let good = Program::new("Plain", PLAIN);
    let output = handlers(&[&good.classes, Path::new("/no/such/place")]);
    check_one_line(&output, 2, &["/no/such/place", "no such file"]);
}

#[test]
fn a_jar_that_is_no_zip_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let jar = folder.path().join("app.jar");
    fs::write(&jar, "this is no jar").unwrap();
    check_one_line(&handlers(&[&jar]), 2, &["app.jar"]);
}

#[test]
fn a_jar_that_is_no_zip_among_others_of_a_folder_is_a_problem() {
    let program = Program::new("Plain", PLAIN);
    let jars = program.folder.path().join("jars");
    fs::create_dir(&jars).unwrap();
    fs::write(jars.join("text.jar"), "this is no jar").unwrap();
    let mut zip = zip::ZipWriter::new(fs::File::create(jars.join("good.jar")).unwrap());
    zip.start_file("Plain.class", zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut zip, &fs::read(program.classes.join("Plain.class")).unwrap()).unwrap();
    zip.finish().unwrap();
    let output = handlers(&[&jars]);
    check_one_line(&output, 0, &["text.jar", "not a zip archive"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 try-catch pair in 1 class"));
}

#[test]
fn a_truncated_class_alone_is_an_error() {
    let program = Program::new("Plain", PLAIN);
    let class = program.classes.join("Plain.class");
    let bytes = fs::read(&class).unwrap();
    fs::write(&class, &bytes[..bytes.len() / 2]).unwrap();
    check_one_line(&handlers(&[&class]), 2, &["Plain.class"]);
}

#[test]
fn a_truncated_class_among_others_is_a_problem_and_the_rest_is_listed() {
    let program = Program::new("Plain", &format!("{PLAIN} class Other {{ }}"));
    fs::write(program.classes.join("Other.class"), b"\xca\xfe\xba\xbe\0").unwrap();
    let output = handlers(&[&program.classes]);
    check_one_line(&output, 0, &["Other.class"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text, "Plain.main  Plain.java:2  catch RuntimeException\n1 try-catch pair in 1 class\n");
}

#[test]
fn a_project_that_is_not_built_says_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("pom.xml"), "<project/>").unwrap();
    check_one_line(&handlers(&[folder.path()]), 2, &["build it first"]);
}

#[test]
fn a_command_that_does_not_exist_is_named() {
    let output = catchment().args(["watch", "--", "no-such-command-here"]).output().unwrap();
    check_one_line(&output, 2, &["no-such-command-here"]);
}

#[test]
fn a_command_without_a_jvm_is_not_a_clean_run() {
    check_one_line(&watch(&[], &["true".into()]).output, 3, &["no JVM reported"]);
    check_one_line(&watch(&[], &["false".into()]).output, 1, &["no JVM reported"]);
}

#[test]
fn a_jvm_that_drops_the_agent_is_not_a_clean_run() {
    let program = Program::new("Plain", PLAIN);
    let mut command = vec!["env".to_owned(), "-u".to_owned(), "JAVA_TOOL_OPTIONS".to_owned()];
    command.extend(program.java(17));
    check_one_line(&watch(&[], &command).output, 3, &["no JVM reported"]);
}

/// A `java` in front of the real one that changes the agent's options by a sed script.
fn with_changed_options(program: &Program, change: &str) -> Output {
    let wrapper = program.folder.path().join("java");
    let script = format!(
        "#!/bin/sh\nJAVA_TOOL_OPTIONS=$(echo \"$JAVA_TOOL_OPTIONS\" | sed '{change}')\nexport JAVA_TOOL_OPTIONS\nexec {} \"$@\"\n",
        java(17)
    );
    fs::write(&wrapper, script).unwrap();
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = program.java(17);
    command[0] = wrapper.display().to_string();
    watch(&[], &command).output
}

#[test]
fn a_jvm_that_cannot_load_the_library_is_diagnosed() {
    let program = Program::new("Plain", PLAIN);
    let output = with_changed_options(&program, "s/libcatchment_agent/missing/");
    check_one_line(&output, 1, &["no JVM reported", "refused the agent"]);
}

#[test]
fn an_agent_without_its_runtime_ends_the_jvm_with_its_own_code() {
    let program = Program::new("Plain", PLAIN);
    let output = with_changed_options(&program, "s/runtime.classes/nothing.classes/");
    let text = error_text(&output);
    assert!(text.contains("catchment: agent: does not work in this JVM (Java 17"), "{text}");
    assert_eq!(output.status.code(), Some(97));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "the program must not have run");
}

#[test]
fn an_agent_that_cannot_write_results_ends_the_jvm() {
    let program = Program::new("Plain", PLAIN);
    let output = with_changed_options(&program, "s/results=[^,]*/results=%2Fproc%2Fself%2Fcmdline/");
    assert!(
        error_text(&output).contains("catchment: agent: cannot write results"),
        "{}",
        error_text(&output)
    );
    assert_eq!(output.status.code(), Some(97));
}

#[test]
fn an_agent_whose_watcher_is_gone_leaves_the_program_alone() {
    let program = Program::new("Plain", PLAIN);
    let output = with_changed_options(&program, "s/results=[^,]*/results=%2Fno%2Fsuch%2Fplace/");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n");
    check_one_line(&output, 3, &["no JVM reported"]);
}

#[test]
fn a_report_that_cannot_be_written_is_said_and_leaves_nothing() {
    let program = Program::new("Plain", PLAIN);
    let place = program.folder.path().join("none/report.json");
    let output = catchment()
        .args(["watch", "--output"])
        .arg(&place)
        .arg("--")
        .args(program.java(17))
        .output()
        .unwrap();
    check_one_line(&output, 2, &["cannot write", "report.json"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "the program must not have run");
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let jdk = catchment_testkit::jdk::installed(17).unwrap();
    let mut child = catchment()
        .arg("handlers")
        .arg(jdk.home())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let panicked = String::from_utf8_lossy(&output.stderr).contains("panicked");
    assert!(output.status.success() && !panicked, "{}", error_text(&output));
}

fn check(folder: &Path, arguments: &[&str]) -> Output {
    catchment().arg("check").arg(folder).args(arguments).output().unwrap()
}

#[test]
fn a_check_of_nothing_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    check_one_line(&check(&folder.path().join("none"), &[]), 2, &["none", "not a folder"]);
}

#[test]
fn an_unknown_key_in_the_configuration_names_file_line_and_nearest_key() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("catchment.toml"), "jobs = 1\nexlude = []\n").unwrap();
    check_one_line(&check(folder.path(), &[]), 2, &["catchment.toml:2", "`exlude`", "`exclude`"]);
}

#[test]
fn a_check_whose_report_has_no_place_does_not_begin() {
    let folder = tempfile::tempdir().unwrap();
    let output = check(folder.path(), &["-o", "no/such/place/check.json"]);
    check_one_line(&output, 2, &["cannot write", "check.json"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was done");
}

#[test]
fn a_check_without_a_build_says_what_was_expected() {
    let folder = tempfile::tempdir().unwrap();
    let output = check(folder.path(), &[]);
    let text = error_text(&output);
    assert!(text.trim_end().lines().last().unwrap().contains("no build found"), "{text}");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
}

#[test]
fn a_class_path_without_tests_says_what_is_missing() {
    let program = Program::new("Plain", PLAIN);
    let output = check(program.folder.path(), &["--classpath", "classes"]);
    check_one_line(&output, 2, &["--test-classpath is missing", "JUnit or TestNG"]);
}

#[test]
fn a_missing_entry_of_a_class_path_is_named() {
    let program = Program::new("Plain", PLAIN);
    let classes = program.classes.display().to_string();
    for (application, tests) in [("no/such/place", classes.as_str()), (&classes, "no/such/place")] {
        let output = check(program.folder.path(), &["--classpath", application, "--test-classpath", tests]);
        let text = error_text(&output);
        assert!(text.contains("cannot read no/such/place: No such file"), "{text}");
        assert_eq!(output.status.code(), Some(2), "{text}");
    }
}

#[test]
fn an_interrupted_build_ends_with_all_it_started_and_is_not_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let (project, tools) = (folder.path().join("project"), folder.path().join("tools"));
    let started = folder.path().join("started");
    fs::create_dir_all(&project).unwrap();
    fs::create_dir_all(&tools).unwrap();
    fs::write(project.join("pom.xml"), "<project/>").unwrap();
    // Not INT, which is ignored where these tests were started in the background.
    let builds_for_ever = "#!/bin/sh\nsleep 600 &\necho $! > \"$STARTED\"\nkill -TERM $PPID\nwait\n";
    fs::write(tools.join("mvn"), builds_for_ever).unwrap();
    fs::set_permissions(tools.join("mvn"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::join_paths([tools.as_path(), Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    let output =
        catchment().arg("check").arg(&project).env("PATH", path).env("STARTED", &started).output().unwrap();
    let text = error_text(&output);
    assert!(text.lines().any(|line| line.starts_with("catchment: interrupted")), "{text}");
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(!project.join(".catchment/project.json").exists());
    let sleeper = fs::read_to_string(started).unwrap();
    // Killed is not gone: on a busy machine that takes a moment, though nothing like its ten minutes.
    let is_gone = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        has_ended(sleeper.trim())
    });
    assert!(is_gone, "process {sleeper}");
}

/// Gone, or dead and waiting for its new parent to notice.
fn has_ended(process: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.is_empty() || state.contains(") Z ")
}
