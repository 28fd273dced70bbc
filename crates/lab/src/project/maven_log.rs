//! What Maven says on its way.

use std::path::Path;

/// `core 1.0 [2/3]` from `[INFO] Building core 1.0 [2/3]`.
pub(super) fn module_begun(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("[INFO] Building ")?.trim();
    // The packaging step says "Building jar: /path".
    (!rest.contains(": ")).then_some(rest)
}

/// One line that says why the build failed.
pub(super) fn failure(log: &str, root: &Path) -> String {
    let mut errors = log.lines().filter_map(|line| line.strip_prefix("[ERROR] ")).map(str::trim);
    let all: Vec<&str> =
        errors.by_ref().filter(|error| !error.is_empty() && !error.starts_with("[Help")).collect();
    let Some(main) = all.iter().find(|error| error.starts_with("Failed to execute goal")).or(all.first())
    else {
        let last = log.lines().rev().find(|line| !line.trim().is_empty());
        return last.unwrap_or("it said nothing").trim().to_owned();
    };
    let main = main.split(" -> [Help").next().unwrap_or(main);
    let main = main.split_once(" on project ").map_or(main, |(_, what)| what);
    let root = format!("{}/", root.display());
    let main = main.replace(&root, "");
    match all.iter().find(|error| error.contains(".java:[")) {
        Some(place) if main.contains("Compilation failure") && !main.contains(".java:[") => {
            format!("{}: {}", main.trim_end_matches([':', ' ']), place.replace(&root, ""))
        }
        _ => main,
    }
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
        assert_eq!(module_begun("[INFO] Building core 1.0 [2/3]"), Some("core 1.0 [2/3]"));
        assert_eq!(module_begun("[INFO] Building jar: /p/a.jar"), None);
    }

    #[test]
    fn a_failure_is_one_line_that_names_the_cause() {
        let log = "[INFO] x\n[ERROR] COMPILATION ERROR : \n[ERROR] /p/src/A.java:[3,4] ';' expected\n\
                   [ERROR] Failed to execute goal g:maven-compiler-plugin:3.1:compile (default-compile) on project core: \
                   Compilation failure\n[ERROR] /p/src/A.java:[3,4] ';' expected\n[ERROR] -> [Help 1]\n[ERROR] \n[ERROR] [Help 1] http";
        assert_eq!(failure(log, Path::new("/p")), "core: Compilation failure: src/A.java:[3,4] ';' expected");
        let log = "[ERROR] Some problems were encountered while processing the POMs:\n[ERROR] Help";
        assert_eq!(
            failure(log, Path::new("/p")),
            "Some problems were encountered while processing the POMs:"
        );
        assert_eq!(failure("Error: JAVA_HOME is wrong\n\n", Path::new("/p")), "Error: JAVA_HOME is wrong");
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
