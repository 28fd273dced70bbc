//! `catchment check` where something is at its limit: terminals, disks, threads, and files of its own that somebody has forged.

use catchment_testkit::check::{Answer, CheckProject, Framework};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// `lost-worker` with this in place of the method that its test asks, which has to give 1.
fn answering(body: &str) -> CheckProject {
    let project = CheckProject::new("lost-worker", Framework::JUnit5).expect("fixture compiles");
    let source = format!(
        "package lost; public final class Mood {{
           public static void leave() {{}}
           public static void upset() {{}}
           public static int answer() throws Exception {{ {body} }} }}"
    );
    project.rewrite_class("lost/Mood.java", &source).expect("compiled");
    project
}

/// A clause that does its work whatever happens in its try.
const PLAIN: &str = "int x = 0;
    try { x = Integer.parseInt(\"1\"); } catch (NumberFormatException failed) { x = 1; }
    return x;";

/// The command as one word for a shell.
fn quoted(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let quoted = words.map(|word| format!("'{}'", word.to_string_lossy().replace('\'', "'\\''")));
    quoted.collect::<Vec<_>>().join(" ")
}

/// The same surroundings for a shell.
fn shell(program: &str, arguments: &[&str], like: &Command) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(folder) = like.get_current_dir() {
        command.current_dir(folder);
    }
    command
}

fn is_there(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

fn answer_of(output: &Output) -> Answer {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{errors}");
    let answer = Answer::parse(&String::from_utf8_lossy(&output.stdout));
    assert!(answer.is_ok(), "{errors}");
    answer.expect("an answer")
}

fn verdict_of(answer: &Answer, method: &str) -> Value {
    let pairs = answer.json()["pairs"].as_array().expect("pairs");
    let pair = pairs.iter().find(|pair| pair["method"] == method).expect("pair");
    pair["pure_resilience"].clone()
}

#[test]
fn a_terminal_shows_one_bar_and_keeps_what_was_told() {
    if !is_there("script") {
        return eprintln!("there is no `script` here: left out");
    }
    let project = CheckProject::new("lost-worker", Framework::JUnit5).expect("fixture compiles");
    let folder = tempfile::tempdir().expect("folder");
    let (report, typescript) = (folder.path().join("report.json"), folder.path().join("typescript"));
    let arguments = ["--jobs=1", "-o", report.to_str().expect("text")];
    let check = project.command(&arguments).expect("command");
    let line = format!("stty cols 100; {}", quoted(&check));
    let arguments = ["-qefc", &line, typescript.to_str().expect("text")];
    let output = shell("script", &arguments, &check).output().expect("started");
    let shown = String::from_utf8_lossy(&fs::read(&typescript).expect("typescript")).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{shown}");
    assert!(!shown.contains("panicked"), "{shown}");
    let erases = shown.contains("\u{1b}[2K") || shown.contains("\u{1b}[K");
    assert!(shown.contains("the other clauses ") && erases, "a bar, drawn again and again: {shown:?}");
    // Ends of lines, those of a terminal that nothing draws over: each is a line of its own.
    let told = shown.split("\r\n").filter(|line| line.contains("catchment: finding: ")).count();
    assert_eq!(told, 1, "{shown:?}");
    Answer::parse(&fs::read_to_string(&report).expect("report")).expect("an answer");
}

#[test]
fn a_disk_that_is_full_in_the_middle_ends_a_check_with_one_line_and_the_next_one_goes_on() {
    let can_mount = || {
        let mut command = Command::new("unshare");
        let mount = "mount -t tmpfs -o size=1m tmpfs /tmp";
        command.args(["--mount", "sh", "-c", mount]).output().is_ok_and(|output| output.status.success())
    };
    if !is_there("unshare") || !can_mount() {
        return eprintln!("nothing can be mounted here: left out");
    }
    // The first clause fails at once, and is asked first; where the second comes, the disk is full.
    let project = answering(
        "int x = 0;
         try { x = Integer.parseInt(\"x\"); } catch (NumberFormatException failed) { x = 1; }
         try { x = Integer.parseInt(\"1\"); }
         catch (NumberFormatException failed) {
           java.nio.file.Path full = java.nio.file.Path.of(\"full\");
           try (java.io.OutputStream out = java.nio.file.Files.newOutputStream(full)) {
             for (int i = 0; i < 2000; i++) out.write(new byte[1 << 16]);
           }
           java.nio.file.Files.delete(full);
         }
         return x;",
    );
    let own = project.folder().join(".catchment");
    fs::create_dir(&own).expect("folder");
    let check = project.command(&["--jobs=1", "--matrix"]).expect("command");
    let (own, check_line) = (own.to_str().expect("text"), quoted(&check));
    let script = format!(
        "mount -t tmpfs -o size=100m tmpfs '{own}' && {check_line} 2>&1 >/dev/null; echo \"code $?\"
         mount -o remount,size=1g '{own}' && {check_line}"
    );
    let output = shell("unshare", &["--mount", "sh", "-c", &script], &check).output().expect("started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (first, second) = text.split_once("{").expect("a second answer");
    assert!(!first.contains("panicked"), "{first}");
    let ours: Vec<_> = first.lines().filter(|line| line.contains("no space left on the disk")).collect();
    assert_eq!((ours.len(), first.contains("code 3")), (1, true), "{first}");
    let answer = Answer::parse(&format!("{{{second}")).expect("an answer");
    assert_ne!(answer.json()["stats"]["resumed"], 0, "{first}");
}

#[test]
fn a_test_with_two_thousand_threads_is_counted_to_the_last_one() {
    let project = answering(
        "java.util.concurrent.CountDownLatch all = new java.util.concurrent.CountDownLatch(2000);
         java.util.concurrent.atomic.AtomicInteger done = new java.util.concurrent.atomic.AtomicInteger();
         Thread[] threads = new Thread[2000];
         for (int i = 0; i < threads.length; i++) {
           threads[i] = new Thread(null, () -> {
             all.countDown();
             try { all.await(); done.incrementAndGet(); }
             catch (InterruptedException stop) { done.incrementAndGet(); }
           }, \"t\" + i, 1 << 17);
           threads[i].start();
         }
         for (Thread thread : threads) thread.join();
         return done.get() / 2000;",
    );
    let output = project.command(&["--jobs=1"]).expect("command").output().expect("started");
    let answer = answer_of(&output);
    let pairs = answer.json()["pairs"].as_array().expect("pairs");
    assert_eq!((pairs.len(), &pairs[0]["usages"]["pink"]), (1, &2000.into()), "{}", pairs[0]);
    assert_eq!(pairs[0]["pure_resilience"], "resilient", "{}", pairs[0]);
    let experiments = pairs[0]["experiments"].as_array().expect("experiments");
    assert_eq!((&experiments[0]["outcome"], &experiments[0]["fired"]), (&"pass".into(), &2000.into()));
}

#[test]
fn a_security_manager_of_a_test_does_not_keep_its_jvm_from_answering() {
    // It stays after the test, and forbids all that code can ask for.
    let project = answering(
        "System.setSecurityManager(new SecurityManager() {
           @Override public void checkPermission(java.security.Permission permission) {
             for (Class<?> caller : getClassContext()) {
               if (caller.getName().startsWith(\"lost.\") && caller != getClass()) {
                 throw new SecurityException(permission.getName());
               }
             }
           }
         });
         try { return System.getProperty(\"user.home\") == null ? 2 : 3; }
         catch (SecurityException forbidden) { return 1; }",
    );
    let mut command = project.command(&["--jobs=1"]).expect("command");
    let output = command.env("JAVA_TOOL_OPTIONS", "-Djava.security.manager=allow").output().expect("started");
    let answer = answer_of(&output);
    assert_eq!(answer.json()["set_aside"], json!([]));
    let pair = &answer.json()["pairs"][0];
    assert_eq!(pair["source_independence"], "independent", "{pair}");
}

/// What somebody may put in the place of a file of ours.
fn forge(file: &Path, content: &[u8]) {
    for name in [file.to_owned(), beside(file, "-wal"), beside(file, "-shm")] {
        let _ = fs::remove_file(name);
    }
    fs::write(file, content).expect("written");
}

fn beside(file: &Path, suffix: &str) -> std::path::PathBuf {
    let mut name = OsString::from(file);
    name.push(suffix);
    name.into()
}

#[test]
fn forged_results_and_projects_cost_time_and_change_no_verdict() {
    let project = answering(PLAIN);
    let check = || answer_of(&project.command(&["--jobs=1"]).expect("command").output().expect("started"));
    let expected = verdict_of(&check(), "answer");
    assert_eq!(expected, "resilient");
    let own = project.folder().join(".catchment");
    let (results, built) = (own.join("results.sqlite"), own.join("project.json"));
    let (whole, json) = (fs::read(&results).expect("results"), fs::read(&built).expect("project"));
    let mut scrambled = whole.clone();
    scrambled.iter_mut().skip(100).step_by(7).for_each(|byte| *byte ^= 0x5a);
    for forged in [&b"not a database"[..], &whole[..whole.len() / 2], &scrambled, b""] {
        forge(&results, forged);
        assert_eq!(verdict_of(&check(), "answer"), expected, "{} bytes", forged.len());
    }
    let parsed: Value = serde_json::from_slice(&json).expect("json");
    let mut other_java = parsed.clone();
    other_java["configurations"][0]["java"] = "/no/such/java".into();
    let mut other_types = parsed.clone();
    other_types["configurations"] = json!({ "java": [null] });
    for forged in
        [b"{".to_vec(), b"{}".to_vec(), other_java.to_string().into(), other_types.to_string().into()]
    {
        forge(&built, &forged);
        assert_eq!(verdict_of(&check(), "answer"), expected, "{}", String::from_utf8_lossy(&forged));
    }
    // Folders, and links to what is no business of ours, in their places.
    let outside = tempfile::tempdir().expect("folder");
    let theirs = outside.path().join("theirs.txt");
    fs::write(&theirs, "theirs").expect("written");
    for file in [&results, &built] {
        forge(file, b"");
        fs::remove_file(file).expect("removed");
        std::os::unix::fs::symlink(&theirs, file).expect("linked");
        let output = project.command(&["--jobs=1"]).expect("command").output().expect("started");
        assert_eq!(verdict_of(&answer_of(&output), "answer"), expected, "{}", file.display());
        assert_eq!(fs::read_to_string(&theirs).expect("there"), "theirs");
    }
}
