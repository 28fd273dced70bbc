//! Destinations of a check's reports: the text or JSON, and beside it files for pull requests.

use crate::commands::check::args::CheckArgs;
use crate::exit::BadInput;
use crate::output::{self, ReportFile};
use anyhow::Result;
use catchment_report::{
    CheckDetail, CheckReport, MarkdownOptions, SarifOptions, left_out_of_sarif, write_check_json,
    write_check_markdown, write_check_sarif, write_check_text, write_plan_text, write_stats_text,
};
use std::collections::BTreeSet;
use std::env;
use std::io::{self, Write};
use std::path::{self, Component, Path};

/// The files, made sure of before the work that the reports are about.
#[derive(Debug)]
pub(crate) struct Reports {
    /// Text or JSON; `None` is stdout.
    main: Option<ReportFile>,
    sarif: Option<ReportFile>,
    markdown: Option<ReportFile>,
}

impl Reports {
    pub(crate) fn open(args: &CheckArgs) -> Result<Self, BadInput> {
        require_different_files(args)?;
        Ok(Self {
            main: ReportFile::open_if_given(args.project.output.as_deref())?,
            sarif: args.sarif.as_deref().map(ReportFile::open).transpose()?,
            markdown: args.markdown.as_deref().map(ReportFile::open).transpose()?,
        })
    }

    /// Writes all of them, also when one cannot be written; the first error is told. The files come first: whoever reads
    /// stdout may stop reading.
    pub(crate) fn write(self, args: &CheckArgs, report: &CheckReport<'_>) -> Result<()> {
        let sarif = self.sarif.map_or(Ok(()), |file| write_sarif(file, args, report));
        let markdown = self.markdown.map_or(Ok(()), |file| {
            let sources = sources_on_github(|name| env::var(name).ok());
            let options = MarkdownOptions { sources: sources.as_deref() };
            file.write(|out| write_check_markdown(out, report, options))
        });
        let render = |out: &mut dyn Write| render(out, args, report);
        let main = match self.main {
            Some(file) => file.write(render),
            None => output::to_stdout(render),
        };
        sarif.and(markdown).and(main)
    }
}

fn require_different_files(args: &CheckArgs) -> Result<(), BadInput> {
    for (option, file) in [("--sarif", &args.sarif), ("--markdown", &args.markdown)] {
        if file.as_deref() == Some(Path::new("-")) {
            return Err(BadInput(format!("{option} needs the name of a file: stdout has the report")));
        }
    }
    let named = [&args.project.output, &args.sarif, &args.markdown];
    let mut files = BTreeSet::new();
    let mut paths =
        named.into_iter().flatten().map(|file| path::absolute(file).unwrap_or_else(|_| file.clone()));
    match paths.find(|file| !files.insert(file.clone())) {
        Some(file) => Err(BadInput(format!("two reports cannot be one file: {}", file.display()))),
        None => Ok(()),
    }
}

fn render(out: &mut dyn Write, args: &CheckArgs, report: &CheckReport<'_>) -> io::Result<()> {
    match (args.json, args.list) {
        (true, _) => return write_check_json(out, report),
        (false, true) => write_plan_text(out, report.project)?,
        (false, false) => {
            write_check_text(out, report, CheckDetail { all: args.all })?;
        }
    }
    if args.stats { write_stats_text(out, &report.project.stats) } else { Ok(()) }
}

fn write_sarif(file: ReportFile, args: &CheckArgs, report: &CheckReport<'_>) -> Result<()> {
    let module = module_named_by(&args.project.folder);
    let options = SarifOptions { module: &module, suppressed: args.sarif_suppressed };
    file.write(|out| write_check_sarif(out, report, options))?;
    match left_out_of_sarif(report, options) {
        0 => {}
        more => output::tell(&format_args!(
            "{more} findings are not in the SARIF file: GitHub keeps no more of one run"
        )),
    }
    Ok(())
}

/// `core` of `check core`; empty for the folder one stands in and for folders elsewhere.
fn module_named_by(folder: &Path) -> String {
    let mut parts = Vec::new();
    for component in folder.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(part) => parts.push(part.to_string_lossy()),
            _ => return String::new(),
        }
    }
    parts.join("/")
}

/// Address of the sources that a job of GitHub Actions works on, without the path of a file.
fn sources_on_github(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let value = |name| variable(name).filter(|value| !value.is_empty());
    let (server, repository) = (value("GITHUB_SERVER_URL")?, value("GITHUB_REPOSITORY")?);
    Some(format!("{server}/{repository}/blob/{}", value("GITHUB_SHA")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn args(output: &str, sarif: &str, markdown: &str) -> CheckArgs {
        let file = |name: &str| Some(PathBuf::from(name)).filter(|_| !name.is_empty());
        let mut args = CheckArgs { sarif: file(sarif), markdown: file(markdown), ..CheckArgs::default() };
        args.project.output = file(output);
        args
    }

    #[test]
    fn each_report_has_a_file_of_its_own() {
        let is_refused =
            |output, sarif, markdown| require_different_files(&args(output, sarif, markdown)).is_err();
        assert!(!is_refused("a", "b", "c") && !is_refused("-", "b", "") && !is_refused("", "", ""));
        assert!(is_refused("a", "./a", "") && is_refused("", "x/b", "x/./b"));
        assert!(is_refused("", "-", "") && is_refused("", "", "-"));
    }

    #[test]
    fn a_module_is_named_by_its_folder() {
        let named = |folder: &str| module_named_by(Path::new(folder));
        assert_eq!(["core", "./core/io/"].map(named), ["core", "core/io"]);
        assert_eq!([".", "../other", "/srv/core"].map(named), [""; 3]);
    }

    #[test]
    fn sources_have_an_address_only_in_a_job() {
        let job = |name: &str| match name {
            "GITHUB_SERVER_URL" => Some("https://github.example".to_owned()),
            "GITHUB_REPOSITORY" => Some("acme/orders".to_owned()),
            "GITHUB_SHA" => Some("1f2e".to_owned()),
            _ => None,
        };
        assert_eq!(sources_on_github(job).unwrap(), "https://github.example/acme/orders/blob/1f2e");
        assert_eq!(sources_on_github(|name| job(name).filter(|_| name != "GITHUB_SHA")), None);
        assert_eq!(sources_on_github(|_| Some(String::new())), None);
    }
}
