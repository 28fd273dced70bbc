//! What Maven says on its way.

use std::path::Path;

/// Characters of a reason that still make one line.
const LONGEST_REASON: usize = 400;

/// Where Maven's messages end.
const HELP: &str = " -> [Help";

/// `core 1.0 [2/3]` from `[INFO] Building core 1.0      [2/3]`.
pub(super) fn module_begun(line: &str) -> Option<String> {
    let rest = line.strip_prefix("[INFO] Building ")?;
    // The packaging step says "Building jar: /path".
    (!rest.contains(": /")).then(|| rest.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// One line that says why the build failed.
pub(super) fn failure(log: &str, root: &Path) -> String {
    let errors: Vec<&str> =
        log.lines().filter_map(|line| line.strip_prefix("[ERROR] ")).map(str::trim).collect();
    let reason = failed_goal(&errors).or_else(|| unreadable_pom(&errors)).unwrap_or_else(|| {
        let any = errors.into_iter().find(|error| !error.is_empty());
        let last = || log.lines().rev().find(|line| !line.trim().is_empty());
        any.or_else(last).unwrap_or("it said nothing").trim().to_owned()
    });
    let reason = reason.replace(&format!("{}/", root.display()), "");
    match reason.char_indices().nth(LONGEST_REASON) {
        Some((end, _)) => format!("{}...", &reason[..end]),
        None => reason,
    }
}

/// `core: Compilation failure: src/A.java:[3,4] ';' expected`. The message may go on below its first line; of many
/// compiler errors the first is enough.
fn failed_goal(errors: &[&str]) -> Option<String> {
    let main = errors.iter().position(|error| error.starts_with("Failed to execute goal"))?;
    let headline = errors[main].split_once(" on project ").map_or(errors[main], |(_, what)| what);
    if let Some((headline, _)) = headline.split_once(HELP) {
        return Some(headline.to_owned());
    }
    let is_message = |line: &&&str| !line.is_empty() && !line.starts_with(HELP.trim_start());
    let mut details = errors[main + 1..].iter().take_while(is_message);
    if headline.contains("Compilation failure") {
        let place = details.find(|line| line.contains(":["));
        let headline = headline.trim_end_matches(':');
        return Some(place.map_or_else(|| headline.to_owned(), |place| format!("{headline}: {place}")));
    }
    Some(std::iter::once(&headline).chain(details).copied().collect::<Vec<_>>().join(" "))
}

/// What follows `The project acme:core:1 (/p/pom.xml) has 1 error`.
fn unreadable_pom(errors: &[&str]) -> Option<String> {
    let project =
        errors.iter().position(|error| error.starts_with("The project ") && error.contains(" has "))?;
    let error = errors[project + 1..].iter().find(|error| !error.is_empty())?;
    Some(error.split(HELP).next().unwrap_or(error).to_owned())
}

/// Why a build that went well started no JVM for tests.
pub(super) fn why_no_tests(log: &str, has_reports: bool) -> &'static str {
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

/// The executions of Surefire and Failsafe, in the order of the log.
pub(super) fn executions(log: &str) -> Vec<LoggedExecution> {
    log.lines().filter_map(execution).collect()
}

/// `[INFO] --- maven-surefire-plugin:3.5.2:test (default-test) @ core ---`
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LoggedExecution {
    /// `surefire` or `failsafe`.
    pub(super) plugin: &'static str,
    pub(super) id: String,
    pub(super) artifact: String,
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
        check_failure("Error: JAVA_HOME is wrong\n\n", "Error: JAVA_HOME is wrong");
        check_failure("", "it said nothing");
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
