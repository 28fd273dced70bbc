//! `cargo xtask truth`: what `watch` counts on commons-lang3 equals what counters in its source count.
//!
//! A random sample of the library's tries gets counters in a copy of the source; the seed is printed. The suite runs
//! twice over that copy and once, unchanged, under `catchment watch --json`. Tests that start threads or draw random
//! numbers enter tries a different number of times in each run, so a clause whose two counts in the source differ
//! says nothing and is left out, with its number told.

use crate::binary::build_catchment;
use anyhow::{Context, Result, bail};
use catchment_testkit::jdk::{self, Jdk};
use catchment_testkit::lang3::Lang3;
use catchment_testkit::source_counters::{CountedTry, CountedUsages, Sample, create_counters, read_counts};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

const LIBRARY: &str = "org.apache.commons.lang3";
/// Threads by profession.
const LEFT_OUT: &str = "--exclude-package=org.apache.commons.lang3.concurrent";
/// Fewer clauses that really ran would prove little.
const FEWEST: usize = 30;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Chooses the sample; printed, so that a run can be repeated.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Count about one try in this many.
    #[arg(long, value_name = "N", default_value_t = 2)]
    one_in: u64,
}

/// Source file and line of a `catch`.
type TryLine = (String, u64);
type Usages = BTreeMap<TryLine, CountedUsages>;

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let seed = options.seed.map_or_else(seed_of_now, Ok)?;
    println!("seed {seed}, one try in {}", options.one_in);
    let truth = Truth { lang3: Lang3::fetch()?, jdk: jdk::installed(17)?, catchment: build_catchment()? };
    let (classes, tries) = truth.lang3.compile_counted(&mut Sample::new(seed, options.one_in))?;
    println!("{} tries with {} clauses", tries.len(), tries.iter().map(|it| it.clauses.len()).sum::<usize>());
    let by_source = truth.count_in_source(&classes, &tries)?;
    let again = truth.count_in_source(&classes, &tries)?;
    let by_watch = truth.count_by_watch()?;
    compare(&by_source, &again, &by_watch)
}

fn compare(by_source: &Usages, again: &Usages, by_watch: &Usages) -> Result<ExitCode> {
    let entered = by_source.iter().filter(|(_, usages)| usages.entries > 0);
    let (stable, unstable): (Vec<_>, Vec<_>) =
        entered.partition(|(place, usages)| again.get(*place) == Some(*usages));
    let mut differences = 0;
    for (place, usages) in &stable {
        let seen = by_watch.get(*place);
        if seen != Some(*usages) {
            differences += 1;
            println!("{}:{}: the source counted {usages:?}, watch {seen:?}", place.0, place.1);
        }
    }
    let sum: u64 = stable.iter().map(|(_, usages)| usages.entries).sum();
    println!("{} clauses compared, {sum} usages, {differences} differences", stable.len());
    println!("{} clauses left out, their counts differ from run to run", unstable.len());
    if stable.len() < FEWEST {
        bail!("only {} clauses were entered; at least {FEWEST} are wanted", stable.len());
    }
    Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn seed_of_now() -> Result<u64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is before 1970")?.as_secs())
}

struct Truth {
    lang3: Lang3,
    jdk: Jdk,
    catchment: PathBuf,
}

impl Truth {
    fn suite(&self, classes: &Path, jvm_options: &[&str]) -> Result<Command> {
        let mut suite = self.lang3.suite(&self.jdk, classes, &[LIBRARY], jvm_options)?;
        suite.arg(LEFT_OUT);
        Ok(suite)
    }

    fn count_in_source(&self, classes: &Path, tries: &[CountedTry]) -> Result<Usages> {
        let folder = tempfile::tempdir().context("cannot create a folder to run in")?;
        let counters = folder.path().join("counters");
        create_counters(&counters, tries)?;
        let mut suite = self.suite(classes, &[&format!("-Dcatchment.counters={}", counters.display())])?;
        suite.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        suite.status().context("cannot start the suite")?;
        let counts = read_counts(&counters)?;
        let mut usages = Usages::new();
        for counted in tries {
            for (clause, usage) in counted.clauses.iter().zip(counted.usages(&counts)?) {
                usages.insert((counted.file.display().to_string(), u64::from(clause.line)), usage);
            }
        }
        Ok(usages)
    }

    fn count_by_watch(&self) -> Result<Usages> {
        let folder = tempfile::tempdir().context("cannot create a folder to run in")?;
        let report = folder.path().join("report.json");
        let suite = self.suite(&self.lang3.compile()?, &[])?;
        Command::new(&self.catchment)
            .args(["watch", "--json", "--output"])
            .arg(&report)
            .arg("--")
            .arg(suite.get_program())
            .args(suite.get_args())
            .env_remove("JAVA_TOOL_OPTIONS")
            .env_remove("JDK_JAVA_OPTIONS")
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .context("cannot start catchment")?;
        let text = fs::read_to_string(&report).context("watch wrote no report")?;
        usages_of_report(&serde_json::from_str(&text).context("the report is no JSON")?)
    }
}

/// Several pairs may stand at one place: a class loaded in two forms, a clause whose copies could not be joined.
fn usages_of_report(report: &Value) -> Result<Usages> {
    let mut usages = Usages::new();
    for pair in report["pairs"].as_array().context("the report has no pairs")? {
        let count = |name: &str| pair["usages"][name].as_u64().with_context(|| format!("no usages.{name}"));
        let zero = CountedUsages { entries: 0, pink_or_open: 0, white: 0, sibling: 0, escaped: 0 };
        let sum = usages.entry(place_of(pair)).or_insert(zero);
        sum.entries += count("entries")?;
        // The suite has ended: a usage that is still open is an exit that was missed, and shows as a difference.
        sum.pink_or_open += count("pink")?;
        sum.white += count("white")?;
        sum.sibling += count("sibling")?;
        sum.escaped += count("escaped")?;
    }
    Ok(usages)
}

/// The source file of a class lies in the folder of its package.
fn place_of(pair: &Value) -> TryLine {
    let class = pair["class"].as_str().unwrap_or_default();
    let package = class.rsplit_once('.').map_or("", |(package, _)| package).replace('.', "/");
    let file = Path::new(&package).join(pair["source_file"].as_str().unwrap_or_default());
    (file.display().to_string(), pair["catch_line"].as_u64().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_at_one_place_are_added_up() {
        let usages = r#"{"entries":3,"pink":1,"white":1,"blue":1,"open":0,"sibling":0,"escaped":1}"#;
        let pair =
            format!(r#"{{"class":"a.b.C$D","source_file":"C.java","catch_line":7,"usages":{usages}}}"#);
        let report = format!(r#"{{"pairs":[{pair},{pair}]}}"#);
        let found = usages_of_report(&serde_json::from_str(&report).unwrap()).unwrap();
        let expected = CountedUsages { entries: 6, pink_or_open: 2, white: 2, sibling: 0, escaped: 2 };
        assert_eq!(found, Usages::from([(("a/b/C.java".to_owned(), 7), expected)]));
    }
}
