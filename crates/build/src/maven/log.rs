//! The log of Maven.

use std::path::Path;

/// Characters of a reason that still make one line.
const LONGEST_REASON: usize = 400;

/// Where Maven's messages end.
const HELP: &str = " -> [Help";

/// Said twice when there are several errors.
const COMPILATION_FAILURE: &str = "Compilation failure";

/// Beginnings of what Surefire says besides why a test JVM ended.
const BESIDE_THE_POINT: &[&str] = &["Please refer to ", "Command was ", "Error occurred in starting fork"];

/// `core 1.0 [2/3]` from `[INFO] Building core 1.0      [2/3]`.
pub(crate) fn module_begun(line: &str) -> Option<String> {
    let rest = line.strip_prefix("[INFO] Building ")?;
    // The packaging step says "Building jar: /path".
    (!rest.contains(": /")).then(|| rest.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// One line that says why the build failed.
pub(crate) fn failure(log: &str, root: &Path) -> String {
    let errors: Vec<&str> =
        log.lines().filter_map(|line| line.strip_prefix("[ERROR] ")).map(str::trim).collect();
    let reason = failed_goal(&errors)
        .or_else(|| unreadable_pom(&errors))
        .or_else(|| errors.iter().find(|error| !error.is_empty()).map(|error| (*error).to_owned()))
        .or_else(|| wrong_java_home(log))
        .or_else(|| log.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned))
        .unwrap_or_else(|| "it said nothing".to_owned());
    let reason = reason.replace(&format!("{}/", root.display()), "");
    match reason.char_indices().nth(LONGEST_REASON) {
        Some((end, _)) => format!("{}...", &reason[..end]),
        None => reason,
    }
}

/// `core: Compilation failure: src/A.java:[3,4] ';' expected`. The message may go on below its first line.
fn failed_goal(errors: &[&str]) -> Option<String> {
    let main = errors.iter().position(|error| error.starts_with("Failed to execute goal"))?;
    let headline = errors[main].split_once(" on project ").map_or(errors[main], |(_, what)| what);
    if let Some((headline, _)) = headline.split_once(HELP) {
        return Some(headline.to_owned());
    }
    let details = message_below(&errors[main + 1..]);
    match headline.split_once(COMPILATION_FAILURE) {
        Some((project, _)) => Some(format!("{project}{COMPILATION_FAILURE}{}", compiler_error(&details))),
        None => Some(std::iter::once(&headline).chain(&details).copied().collect::<Vec<_>>().join(" ")),
    }
}

/// Surefire begins with an empty line, and what a test JVM died of is said twice, between things nobody needs.
fn message_below<'a>(errors: &[&'a str]) -> Vec<&'a str> {
    let is_message = |line: &&&str| !line.is_empty() && !line.starts_with(HELP.trim_start());
    let mut message: Vec<&str> = Vec::new();
    for line in errors.iter().skip_while(|line| line.is_empty()).take_while(is_message) {
        if message.iter().any(|known| line.ends_with(known)) {
            break;
        }
        if !BESIDE_THE_POINT.iter().any(|start| line.starts_with(start)) {
            message.push(line);
        }
    }
    message
}

/// Of many errors one is enough: the first that has a place, or else the first.
fn compiler_error(details: &[&str]) -> String {
    let error = details.iter().find(|line| line.contains(":[")).or(details.first());
    error.map_or_else(String::new, |error| format!(": {error}"))
}

/// What the script that starts Maven says, in one sentence or in two lines.
fn wrong_java_home(log: &str) -> Option<String> {
    let lines = log.lines().map(str::trim).filter(|line| !line.is_empty());
    let message: Vec<&str> = lines.skip_while(|line| !line.contains("JAVA_HOME")).take(2).collect();
    (!message.is_empty()).then(|| message.join(" "))
}

/// What follows `The project acme:core:1 (/p/pom.xml) has 1 error`.
fn unreadable_pom(errors: &[&str]) -> Option<String> {
    let project =
        errors.iter().position(|error| error.starts_with("The project ") && error.contains(" has "))?;
    let error = errors[project + 1..].iter().find(|error| !error.is_empty())?;
    Some(error.split(HELP).next().unwrap_or(error).to_owned())
}

/// Why a build that went well started no JVM for tests.
pub(crate) fn why_no_tests(log: &str, has_reports: bool) -> &'static str {
    if has_reports {
        "its tests run in a JVM that could not be seen (forkCount=0, or JAVA_TOOL_OPTIONS set in the POM); fork them"
    } else if log.contains("Tests are skipped") {
        "tests are skipped (skipTests or maven.test.skip)"
    } else if log.contains("No tests to run") {
        "Surefire found no tests to run; check its includes and where the tests are"
    } else if log.contains("surefire") || log.contains("failsafe") {
        "Surefire started no JVM for tests"
    } else {
        "neither Surefire nor Failsafe took part in it"
    }
}

/// What was running where the log ends: the test classes that have begun and not ended, or else the last plugin.
pub(crate) fn running_at_end(log: &str) -> Option<String> {
    let mut running: Vec<&str> = Vec::new();
    let mut plugin = None;
    for line in log.lines() {
        let line = line.split_once("] ").filter(|_| line.starts_with('[')).map_or(line, |(_, text)| text);
        if let Some(class) = line.strip_prefix("Running ") {
            running.push(class.trim());
        } else if line.starts_with("Tests run: ") {
            let ended = line.rsplit_once(" in ").map_or("", |(_, class)| class.trim());
            running.retain(|class| *class != ended);
        } else if let Some(begun) = line.strip_prefix("--- ") {
            running.clear();
            plugin = begun.split(' ').next();
        }
    }
    if running.is_empty() { plugin.map(str::to_owned) } else { Some(running.join(" and ")) }
}

/// The executions of Surefire and Failsafe, in the order of the log.
pub(crate) fn executions(log: &str) -> Vec<LoggedExecution> {
    log.lines().filter_map(execution).collect()
}

/// `[INFO] --- maven-surefire-plugin:3.5.2:test (default-test) @ core ---`
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoggedExecution {
    /// `surefire` or `failsafe`.
    pub(crate) plugin: &'static str,
    pub(crate) id: String,
    pub(crate) artifact: String,
}

fn execution(line: &str) -> Option<LoggedExecution> {
    let rest = line.strip_prefix("[INFO] --- ")?;
    let (plugin, rest) = rest.split_once(' ')?;
    let (name, goal) = (plugin.split(':').next()?, plugin.rsplit(':').next()?);
    let plugin = match name.trim_start_matches("maven-").trim_end_matches("-plugin") {
        "surefire" if goal == "test" => "surefire",
        "failsafe" if goal == "integration-test" => "failsafe",
        _ => return None,
    };
    let (id, rest) = rest.strip_prefix('(')?.split_once(") @ ")?;
    let artifact = rest.split(' ').next()?;
    Some(LoggedExecution { plugin, id: id.to_owned(), artifact: artifact.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_that_was_running_at_the_end_is_named() {
        let log = "[INFO] --- surefire:3.5.2:test (default-test) @ core ---\n[INFO] Running acme.OneTest\n\
                   [INFO] Tests run: 2, Failures: 0, Time elapsed: 0.1 s -- in acme.OneTest\n";
        assert_eq!(running_at_end(log).as_deref(), Some("surefire:3.5.2:test"));
        let hangs = format!("{log}[INFO] Running acme.TwoTest\nsome output\n");
        assert_eq!(running_at_end(&hangs).as_deref(), Some("acme.TwoTest"));
        let old = "Running a.A\nRunning a.B\nTests run: 1, Failures: 0, Time elapsed: 0 sec - in a.A\nRunning a.C\n";
        assert_eq!(running_at_end(old).as_deref(), Some("a.B and a.C"));
        assert_eq!(running_at_end("[INFO] Scanning for projects...\n"), None);
    }

    #[test]
    fn modules_are_announced() {
        assert_eq!(module_begun("[INFO] Building core 1.0    [2/3]"), Some("core 1.0 [2/3]".to_owned()));
        assert_eq!(module_begun("[INFO] Building Tests: more 1"), Some("Tests: more 1".to_owned()));
        assert_eq!(module_begun("[INFO] Building jar: /p/a.jar"), None);
    }

    fn check_failure(log: &str, expected: &str) {
        assert_eq!(failure(log, Path::new("/p")), expected);
    }

    #[test]
    fn a_failure_is_one_line_that_names_the_cause() {
        check_failure(
            "[INFO] x\n[ERROR] COMPILATION ERROR : \n[ERROR] /p/src/A.java:[3,4] ';' expected\n[ERROR] Failed to execute \
             goal g:maven-compiler-plugin:3.1:compile (default-compile) on project core: Compilation failure\n\
             [ERROR] /p/src/A.java:[3,4] ';' expected\n[ERROR] -> [Help 1]\n[ERROR] \n[ERROR] [Help 1] http",
            "core: Compilation failure: src/A.java:[3,4] ';' expected",
        );
        check_failure(
            "[ERROR] Failed to execute goal g:p:1:enforce (x) on project core: \n[ERROR] Rule 0 failed with message:\n\
             [ERROR] Maven 3.8.7 is not in the allowed range [3.9,).\n[ERROR] -> [Help 1]\n[ERROR] \n[ERROR] more",
            "core: Rule 0 failed with message: Maven 3.8.7 is not in the allowed range [3.9,).",
        );
        check_failure(
            "[ERROR] Failed to execute goal on project core: Could not resolve x -> [Help 1]\n[ERROR] To see",
            "core: Could not resolve x",
        );
        check_failure(
            "[ERROR] [ERROR] Some problems were encountered while processing the POMs:\n[FATAL] Non-resolvable\n\
             [ERROR] The build could not read 1 project -> [Help 1]\n[ERROR]   \n[ERROR]   The project a:b:1 \
             (/p/pom.xml) has 1 error\n[ERROR]     Non-resolvable parent POM for a:b:1 @ line 3 -> [Help 2]\n",
            "Non-resolvable parent POM for a:b:1 @ line 3",
        );
        check_failure("[ERROR] Unknown lifecycle phase \"x\".\n", "Unknown lifecycle phase \"x\".");
        check_failure("", "it said nothing");
    }

    #[test]
    fn of_many_compiler_errors_the_first_is_told_whether_it_has_a_place_or_not() {
        let headline = "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.13.0:compile \
             (default-compile) on project core: Compilation failure: Compilation failure: \n";
        let end = "[ERROR] -> [Help 1]\n[ERROR] \n[ERROR] To see the full stack trace of the errors, re-run Maven with -e\n";
        check_failure(
            &format!(
                "[ERROR] COMPILATION ERROR : \n[ERROR] /p/src/main/java/acme/A.java:[2,88] not a statement\n{headline}\
                 [ERROR] /p/src/main/java/acme/A.java:[2,88] not a statement\n\
                 [ERROR] /p/src/main/java/acme/A.java:[2,91] ';' expected\n{end}"
            ),
            "core: Compilation failure: src/main/java/acme/A.java:[2,88] not a statement",
        );
        check_failure(
            &format!(
                "[ERROR] COMPILATION ERROR : \n[ERROR] Source option 5 is no longer supported. Use 7 or later.\n{headline}\
                 [ERROR] Source option 5 is no longer supported. Use 7 or later.\n\
                 [ERROR] Target option 5 is no longer supported. Use 7 or later.\n{end}"
            ),
            "core: Compilation failure: Source option 5 is no longer supported. Use 7 or later.",
        );
    }

    /// Surefire 3.2.5.
    #[test]
    fn a_test_jvm_that_ends_is_the_reason() {
        let died =
            "The forked VM terminated without properly saying goodbye. VM crash or System.exit called?";
        let again = "[ERROR] Command was /bin/sh -c cd '/p' && 'java' '-jar' '/p/target/surefire/surefirebooter_3.jar'\n\
             [ERROR] Error occurred in starting fork, check output in log\n[ERROR] Process Exit Code: 3\n\
             [ERROR] Crashed tests:\n[ERROR] acme.ATest\n";
        check_failure(
            &format!(
                "[INFO] Running acme.ATest\n[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal \
                 org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project core: \n[ERROR] \n\
                 [ERROR] Please refer to /p/target/surefire-reports for the individual test results.\n\
                 [ERROR] Please refer to dump files (if any exist) [date].dump, [date]-jvmRun[N].dump and [date].dumpstream.\n\
                 [ERROR] {died}\n{again}\
                 [ERROR] org.apache.maven.surefire.booter.SurefireBooterForkException: {died}\n{again}\
                 [ERROR] \tat org.apache.maven.plugin.surefire.booterclient.ForkStarter.fork(ForkStarter.java:643)\n\
                 [ERROR] -> [Help 1]\n"
            ),
            &format!("core: {died} Process Exit Code: 3 Crashed tests: acme.ATest"),
        );
    }

    /// Maven 3.8 and 3.9.
    #[test]
    fn a_java_home_that_is_none_is_the_reason() {
        check_failure(
            "The JAVA_HOME environment variable is not defined correctly,\nthis environment variable is needed to run \
             this program.\n",
            "The JAVA_HOME environment variable is not defined correctly, this environment variable is needed to run this \
             program.",
        );
        check_failure(
            "The JAVA_HOME environment variable is not defined correctly, so mvn cannot be started.\n\
             JAVA_HOME is set to \"/jdk\", but \"$JAVA_HOME/bin/java\" does not exist.\n",
            "The JAVA_HOME environment variable is not defined correctly, so mvn cannot be started. JAVA_HOME is set to \
             \"/jdk\", but \"$JAVA_HOME/bin/java\" does not exist.",
        );
    }

    #[test]
    fn executions_of_all_versions_of_maven_are_read() {
        let of = |line| execution(line).map(|found| (found.plugin, found.id, found.artifact));
        let core = |plugin, id: &str| Some((plugin, id.to_owned(), "core".to_owned()));
        assert_eq!(
            of("[INFO] --- maven-surefire-plugin:2.12.4:test (default-test) @ core ---"),
            core("surefire", "default-test")
        );
        assert_eq!(of("[INFO] --- surefire:3.5.2:test (more) @ core ---"), core("surefire", "more"));
        assert_eq!(of("[INFO] --- failsafe:3.5.2:integration-test (it) @ core ---"), core("failsafe", "it"));
        assert_eq!(of("[INFO] --- failsafe:3.5.2:verify (it) @ core ---"), None);
        assert_eq!(of("[INFO] --- jar:3.4.1:jar (default-jar) @ core ---"), None);
    }
}
