//! Errors of compilers, as Maven, Gradle and the compilers themselves print it.

use std::collections::HashSet;
use std::path::PathBuf;

/// An error of a compiler about a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompilerError {
    pub path: PathBuf,
    pub line: u32,
    pub message: String,
}

/// All that compilers complain about: `[ERROR] /p/src/A.java:[3,4] ...` by Maven, `/p/src/A.java:3: error: ...` by javac under
/// Gradle, `e: file:///p/src/A.kt:3:4 ...` or `e: /p/src/A.kt: (3, 4): ...` by kotlinc. Warnings look alike but for the mark.
pub(super) fn compiler_errors(log: &str) -> Vec<CompilerError> {
    let mut errors: Vec<CompilerError> = log.lines().filter_map(compiler_error_in).collect();
    // Maven says everything twice.
    let mut known = HashSet::new();
    errors.retain(|error| known.insert((error.path.clone(), error.line)));
    errors
}

fn compiler_error_in(line: &str) -> Option<CompilerError> {
    let line = line.trim();
    let marked = line.strip_prefix("[ERROR] ").or_else(|| line.strip_prefix("e: "));
    let text = marked.unwrap_or(line);
    let text = text.strip_prefix("file://").unwrap_or(text);
    let end = [".java:", ".kt:"].iter().find_map(|mark| text.find(mark).map(|at| at + mark.len() - 1))?;
    let (path, rest) = (&text[..end], text[end + 1..].trim_start_matches(['[', '(', ' ']));
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = rest[..digits].parse().ok()?;
    let message = rest[digits..].trim_start_matches(|c: char| c.is_ascii_digit() || ",:]) ".contains(c));
    let message = match (message.strip_prefix("error: "), marked) {
        (Some(message), _) => message,
        (None, Some(_)) => message,
        (None, None) => return None,
    };
    Some(CompilerError { path: path.into(), line: number, message: message.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_compiler_errors(log: &str, expected: &[&str]) {
        let told =
            |error: CompilerError| format!("{}:{} {}", error.path.display(), error.line, error.message);
        let found: Vec<String> = compiler_errors(log).into_iter().map(told).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn errors_are_read_as_each_compiler_and_build_tool_writes_them() {
        // javac by Maven, which says everything twice.
        check_compiler_errors(
            "[WARNING] /p/src/A.java:[2,7] [unchecked] unchecked cast\n[INFO] /p/src/A.java: Some input files use it.\n\
             [ERROR] COMPILATION ERROR : \n[ERROR] /p/src/A.java:[3,4] ';' expected\n\
             [ERROR] /p/src/B.java:[12,34] unreported exception java.io.IOException; must be caught\n\
             [ERROR] Failed to execute goal g:maven-compiler-plugin:3.1:compile (default-compile) on project core: \
             Compilation failure: Compilation failure: \n[ERROR] /p/src/A.java:[3,4] ';' expected\n\
             [ERROR] /p/src/B.java:[12,34] unreported exception java.io.IOException; must be caught\n",
            &[
                "/p/src/A.java:3 ';' expected",
                "/p/src/B.java:12 unreported exception java.io.IOException; must be caught",
            ],
        );
        // kotlinc by Maven, up to 1.9 and from 2.0 on.
        check_compiler_errors(
            "[WARNING] /p/src/A.kt: (2, 7) Variable 'x' is never used\n\
             [ERROR] /p/src/A.kt: (3, 4) Unresolved reference: x\n\
             [ERROR] file:///p/src/B.kt:[5,6] Unresolved reference 'y'.\n",
            &["/p/src/A.kt:3 Unresolved reference: x", "/p/src/B.kt:5 Unresolved reference 'y'."],
        );
        // javac by Gradle.
        check_compiler_errors(
            "> Task :compileJava FAILED\n/p/src/A.java:2: warning: [removal] stop() in Thread\n        stop();\n\
             /p/src/A.java:3: error: exception IOException is never thrown in body of corresponding try statement\n        \
             } catch (IOException e) {\n          ^\n1 error\n",
            &["/p/src/A.java:3 exception IOException is never thrown in body of corresponding try statement"],
        );
        // kotlinc by itself and by Gradle, which shows paths as addresses.
        check_compiler_errors(
            "w: file:///p/src/A.kt:2:7 Variable 'x' is never used\ne: file:///p/src/A.kt:3:4 Unresolved reference 'x'.\n\
             e: /p/src/B.kt: (5, 6): Unresolved reference: y\n/p/src/C.kt:7:8: error: unresolved reference: z\n",
            &[
                "/p/src/A.kt:3 Unresolved reference 'x'.",
                "/p/src/B.kt:5 Unresolved reference: y",
                "/p/src/C.kt:7 unresolved reference: z",
            ],
        );
        check_compiler_errors("\tat acme.A.run(A.java:7)\nUnresolved: A.java:\n", &[]);
    }
}
