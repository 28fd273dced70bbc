//! Arguments of `check` and `stretch` that name the project and its tests, and the request to the lab that they become,
//! together with `catchment.toml`.

use crate::config::Config;
use crate::exit::BadInput;
use catchment_build::{ClassPathRequest, ProjectRequest};
use catchment_lab::SessionRequest;
use std::env;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Arguments that `check` and `stretch` have in common.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ProjectArgs {
    /// The project
    #[arg(default_value = ".", value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The application's class folders and jars, instead of a build
    #[arg(
        long,
        value_name = "PATH",
        help_heading = "Without a build tool",
        conflicts_with = "build_arguments"
    )]
    pub(crate) classpath: Option<OsString>,
    /// Test classes and all the libraries they need
    #[arg(long, value_name = "PATH", help_heading = "Without a build tool", requires = "classpath")]
    pub(crate) test_classpath: Option<OsString>,
    /// Test classes to run; `*` stands for any characters; can be repeated
    #[arg(long, value_name = "PATTERN", help_heading = "Without a build tool", requires = "classpath")]
    pub(crate) tests: Vec<String>,
    /// Only the clauses of classes of this name; `*` stands for any characters, `?` for one; can be repeated
    #[arg(long, value_name = "PATTERN", help_heading = "What to do")]
    pub(crate) include: Vec<String>,
    /// Never the clauses of classes of this name; can be repeated
    #[arg(long, value_name = "PATTERN", help_heading = "What to do")]
    pub(crate) exclude: Vec<String>,
    /// Time for everything, the build included: 90s, 10m, 1h30m; what was found out by then is reported
    #[arg(long, value_name = "TIME", value_parser = crate::duration::parse, help_heading = "What to do")]
    pub(crate) budget: Option<Duration>,
    /// JVMs at a time; half the processors unless given
    #[arg(long, short, value_name = "N", help_heading = "What to do")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Forget the results of earlier checks
    #[arg(long, help_heading = "What to do")]
    pub(crate) fresh: bool,
    /// Also inject into tests that connect to other machines
    #[arg(long, help_heading = "What to do")]
    pub(crate) allow_external: bool,
    /// Write the report to this file; `-` is stdout
    #[arg(long, short, value_name = "FILE", help_heading = "Report")]
    pub(crate) output: Option<PathBuf>,
    /// Arguments for the build tool
    #[arg(last = true, value_name = "ARGUMENT")]
    pub(crate) build_arguments: Vec<OsString>,
}

impl ProjectArgs {
    pub(crate) fn require_usable(&self) -> Result<(), BadInput> {
        if !self.folder.is_dir() {
            return Err(BadInput(format!("{} is not a folder", self.folder.display())));
        }
        if self.classpath.is_some() && self.test_classpath.is_none() {
            return Err(BadInput(
                "--classpath holds the application; --test-classpath is missing: the test classes, JUnit or TestNG and \
                 whatever else the tests need"
                    .into(),
            ));
        }
        Ok(())
    }

    /// The request to the lab. Arguments go before `catchment.toml`.
    pub(crate) fn request(&self, config: &Config) -> SessionRequest {
        SessionRequest {
            project: ProjectRequest {
                folder: self.folder.clone(),
                build_arguments: self.build_arguments.clone(),
                class_paths: self.classpath.as_ref().map(|class_path| self.class_paths(class_path)),
                fresh: self.fresh,
                reports: self.output.iter().filter(|path| *path != Path::new("-")).cloned().collect(),
            },
            changed: None,
            selection: config.selection(&self.include, &self.exclude),
            jobs: self.jobs.or(config.jobs).map_or_else(default_jobs, NonZeroUsize::get),
            budget: self.budget.or(config.budget),
            silence: config.silence,
            build_silence: config.build_silence,
            fresh: self.fresh,
            allow_external: self.allow_external,
            announced: None,
        }
    }

    fn class_paths(&self, class_path: &OsString) -> ClassPathRequest {
        let split = |path: &OsString| env::split_paths(path).filter(|entry| entry != Path::new("")).collect();
        let test_class_path: Vec<PathBuf> = self.test_classpath.as_ref().map(split).unwrap_or_default();
        ClassPathRequest {
            class_path: split(class_path),
            test_class_path,
            tests: self.tests.clone(),
            java: None,
        }
    }
}

/// Half the processors: a JVM has threads of its own, and the user a machine to work on.
fn default_jobs() -> usize {
    thread::available_parallelism().map_or(1, |processors| processors.get().div_ceil(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, CommandArgs};
    use clap::Parser;

    fn args(typed: &[&str]) -> ProjectArgs {
        let typed = ["catchment", "stretch"].iter().chain(typed);
        let CommandArgs::Stretch(args) = Args::try_parse_from(typed).unwrap().command else {
            panic!("another command")
        };
        args.project
    }

    #[test]
    fn what_is_typed_goes_before_the_file() {
        let config = Config {
            include: vec!["com.file.*".into()],
            exclude: vec!["*Old".into()],
            jobs: NonZeroUsize::new(3),
            budget: Some(Duration::from_secs(60)),
            silence: Some(Duration::from_secs(7)),
            build_silence: Some(Duration::from_secs(8)),
            size_limit: None,
            suppress: Vec::new(),
            faults: Vec::new(),
        };
        let from_file = args(&[]).request(&config);
        let silences = [from_file.silence, from_file.build_silence];
        assert_eq!(silences, [7, 8].map(|seconds| Some(Duration::from_secs(seconds))));
        assert_eq!((from_file.jobs, from_file.budget), (3, Some(Duration::from_secs(60))));
        assert_eq!(from_file.selection.include, ["com.file.*"]);
        let typed = args(&["--include", "a.*", "--include", "b.*", "--jobs", "2", "--budget", "1h"]);
        let typed = typed.request(&config);
        assert_eq!((typed.jobs, typed.budget), (2, Some(Duration::from_secs(3600))));
        assert_eq!(typed.selection.include, ["a.*", "b.*"]);
        assert_eq!(typed.selection.exclude, ["*Old"]);
    }

    #[test]
    fn class_paths_stand_in_for_a_build() {
        let typed =
            args(&["--classpath", "a.jar:classes", "--test-classpath", "t:", "--tests", "*Test", "sub"]);
        let project = typed.request(&Config::default()).project;
        assert_eq!(project.folder, Path::new("sub"));
        let class_paths = project.class_paths.unwrap();
        assert_eq!(class_paths.class_path, [Path::new("a.jar"), Path::new("classes")]);
        assert_eq!(class_paths.test_class_path, [Path::new("t")]);
        assert_eq!(class_paths.tests, ["*Test"]);
    }

    #[test]
    fn arguments_behind_dashes_are_the_build_s() {
        let typed = args(&["core", "--json", "--", "-Pfast", "--offline"]);
        assert_eq!(typed.request(&Config::default()).project.build_arguments, ["-Pfast", "--offline"]);
    }
}
