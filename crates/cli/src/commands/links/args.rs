//! Arguments of `links`.

use crate::commands::links::memory;
use catchment_exceptions::{Analysis, AnalysisError, EntryKind};
use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) const LINKS_EXAMPLES: &str = "\
The program is not run: its classes, those of its libraries and the JDK are read, and exceptions are followed from \
where they are raised (every throw, and the operations of a catalogue of what fails when disk, network or system do) to the \
clauses they can come to. In a Maven or Gradle project the build tool, or the project's own wrapper (mvnw, gradlew), is run to \
learn which libraries there are. That is said before; it happens in a copy, compiles and tests nothing, and the answer is cached in \
.catchment. --no-build-tool does without.

The program begins at its main methods, tests and servlets unless others are named, or where there are none at its public methods. \
Tests of a large program can lead far, into mocks and databases: --entry-points api looks at the program alone. \
Of a --classpath with class folders those are the application and the jars its libraries; without folders all jars are the application.

catchment.toml in DIR may add operations of your own to the catalogue:
  [[fault]]
  kind = \"NET_READ\"
  class = \"com.acme.Client\"
  method = \"receive\"
  throws = [\"com.acme.ClientException\"]
A method of an interface or abstract class stands for its implementations, one that is inherited for the one above.

Examples:
  catchment links                                   the project in this folder, as it was built last
  catchment links --classpath target/classes:lib.jar --entry com.acme.Main
  catchment links --by trigger --faults 'NET_*' --no-throws
  catchment links --why 12                          the witness paths of link 12
  catchment links --escapes --package com.acme.api  exceptions that leave the public methods
  catchment links --seen run.json                   which links a recording went through, and why some are not found
  catchment links --json -o links.json              for programs (schema catchment.links/2)
  catchment links --why 12 --json                   its witness paths and all its calls (catchment.paths/1)";

#[derive(Debug, clap::Args)]
pub(crate) struct LinksArgs {
    /// A built Maven or Gradle project, a class folder or a jar
    #[arg(default_value = ".", value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Class folders and jars, instead of DIR
    #[arg(long, value_name = "PATH", help_heading = "The program", conflicts_with = "folder")]
    pub(crate) classpath: Option<OsString>,
    /// Jars and folders that DIR needs; unless given, the build of a Maven or Gradle project is asked
    #[arg(long, value_name = "PATH", help_heading = "The program", conflicts_with = "classpath")]
    pub(crate) libraries: Option<OsString>,
    /// Never run the build tool or wrapper of DIR to learn its libraries: what an earlier `check` or `links` has seen counts
    #[arg(long, help_heading = "The program", conflicts_with = "classpath")]
    pub(crate) no_build_tool: bool,
    /// The JDK whose classes are meant: its home; that of JAVA_HOME or of `java` unless given
    #[arg(long, value_name = "HOME", help_heading = "The program")]
    pub(crate) jdk: Option<PathBuf>,
    /// Entry point of the program: a class for its main, or a class and a method; can be repeated
    #[arg(long, value_name = "CLASS[.METHOD]", help_heading = "The program")]
    pub(crate) entry: Vec<String>,
    /// Kinds of methods where it begins: main, tests, api (all public ones), servlets (with filters and listeners)
    #[arg(
        long,
        value_name = "KIND",
        value_delimiter = ',',
        value_parser = parse_entry_kind,
        help_heading = "The program"
    )]
    pub(crate) entry_points: Vec<EntryKind>,
    /// Only classes of this name are the application; `*` stands for any characters, `?` for one; can be repeated
    #[arg(long, value_name = "PATTERN", help_heading = "The program")]
    pub(crate) include: Vec<String>,
    /// Classes of this name never are; can be repeated
    #[arg(long, value_name = "PATTERN", help_heading = "The program")]
    pub(crate) exclude: Vec<String>,
    /// How calls are followed, from coarse and fast to precise and slow: cha (class hierarchy analysis), rta (rapid type
    /// analysis), pta (points-to analysis), inpta (the same, each `new` by itself) or 2obj (the same, each object by
    /// itself). Behind one of the last three may stand a filter, which drops links that no call in the try can come to
    /// with the objects it is given: +dr (data reachability), +cdr (for each class apart), +mdr (method), +vdr
    /// (variable)
    #[arg(
        long,
        value_name = "NAME",
        value_parser = parse_analysis,
        default_value_t,
        help_heading = "The analysis"
    )]
    pub(crate) analysis: Analysis,
    /// Whose clauses are asked about
    #[arg(long, value_enum, value_name = "WHOSE", default_value_t, help_heading = "The analysis")]
    pub(crate) handlers: HandlersOf,
    /// Kinds of faults to follow, such as DSK_READ or NET_*; none for none; all unless given
    #[arg(long, value_name = "KINDS", value_delimiter = ',', help_heading = "The analysis")]
    pub(crate) faults: Vec<String>,
    /// Follow every throw; so it is unless --no-throws is given
    #[arg(long, overrides_with = "no_throws", help_heading = "The analysis")]
    pub(crate) throws: bool,
    /// Follow no throws, only faults
    #[arg(long, help_heading = "The analysis")]
    pub(crate) no_throws: bool,
    /// Also follow what the JVM itself raises: null, casts, indices, divisions, missing classes
    #[arg(long, help_heading = "The analysis")]
    pub(crate) implicit: bool,
    /// A recording (catchment.seen/1): its reflective calls are followed, its links compared; can be repeated
    #[arg(long, value_name = "FILE", help_heading = "The analysis")]
    pub(crate) seen: Vec<PathBuf>,
    /// Hold no more memory than this, such as 2G or 800M: context sensitivity is lowered for the packages that use the
    /// most, and the report names them; most of what is free unless given
    #[arg(long, value_name = "SIZE", value_parser = memory::parse, help_heading = "The analysis")]
    pub(crate) max_memory: Option<usize>,
    /// Do not read or write the cache; the results are the same
    #[arg(long, help_heading = "The analysis")]
    pub(crate) no_cache: bool,
    /// Print JSON (schema catchment.links/2, or that of what is shown instead)
    #[arg(long, help_heading = "Report")]
    pub(crate) json: bool,
    /// Group the links by clause, or by raising point
    #[arg(long, value_enum, value_name = "WHAT", default_value_t, help_heading = "Report")]
    pub(crate) by: GroupBy,
    /// Show only links into clauses of this package or class; can be repeated
    #[arg(long, value_name = "PACKAGE", help_heading = "Report")]
    pub(crate) package: Vec<String>,
    /// Show only links of exceptions of this type or below it, IOException or java.io.IOException; can be repeated
    #[arg(long = "type", value_name = "TYPE", help_heading = "Report")]
    pub(crate) types: Vec<String>,
    /// Show only links from operations of this kind, such as DSK_READ or NET_*; can be repeated
    #[arg(long, value_name = "KIND", help_heading = "Report")]
    pub(crate) fault: Vec<String>,
    /// Show the witness paths of one link: its id, its number, or parts of it as 'FileInputStream.read -> Cache.load'
    #[arg(long, value_name = "LINK", help_heading = "Instead of links", group = "instead")]
    pub(crate) why: Option<String>,
    /// How many witness paths, the shortest first
    #[arg(long, value_name = "N", default_value_t = 3, requires = "why", help_heading = "Instead of links")]
    pub(crate) paths: usize,
    /// Show the escapes: exceptions that can leave the public methods of the application
    #[arg(long, help_heading = "Instead of links", group = "instead")]
    pub(crate) escapes: bool,
    /// Show the blind spots: what the analysis does not model
    #[arg(long, help_heading = "Instead of links", group = "instead")]
    pub(crate) blind_spots: bool,
    /// Show the fault catalogue, and what of it the program and the JDK have
    #[arg(long, help_heading = "Instead of links", group = "instead")]
    pub(crate) catalogue: bool,
    /// List every link, also those from libraries and the JDK
    #[arg(long, help_heading = "Report")]
    pub(crate) all: bool,
    /// Also write the methods that can be reached to this file, one line each: `java/lang/Object.wait:(JI)V`
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) methods: Option<PathBuf>,
    /// Write the report to this file; `-` is stdout
    #[arg(long, short, value_name = "FILE", help_heading = "Report")]
    pub(crate) output: Option<PathBuf>,
}

impl LinksArgs {
    /// A view is shown that may have content without links.
    pub(crate) fn is_about_more_than_links(&self) -> bool {
        self.escapes || self.blind_spots || self.catalogue
    }
}

/// The value of `--handlers`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum HandlersOf {
    #[default]
    Application,
    All,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum GroupBy {
    #[default]
    Handler,
    Trigger,
}

fn parse_analysis(text: &str) -> Result<Analysis, String> {
    text.parse().map_err(|error: AnalysisError| error.to_string())
}

fn parse_entry_kind(text: &str) -> Result<EntryKind, String> {
    let kind = EntryKind::ALL.into_iter().find(|kind| kind.as_str() == text);
    kind.ok_or_else(|| format!("'{text}' is no kind of entry point: main, tests, api or servlets"))
}
