//! Runs with nothing armed, samples, and the phases that are complete.

use super::{Result, Store};
use crate::observations::{PairNumber, Phase, PlainRun, Runs, TestNumber};
use crate::worker::Jvm;
use catchment_protocol::experiment::Sample;
use rusqlite::{OptionalExtension, params};
use std::collections::BTreeMap;

impl Store {
    /// Keeps a run and forgets an earlier one under the same name.
    pub(crate) fn keep_run(
        &self,
        test: TestNumber,
        phase: Phase,
        ordinal: u32,
        run: &PlainRun,
    ) -> Result<()> {
        let json = serde_json::to_string(run)?;
        self.execute(
            "insert or replace into plain_run values (?1, ?2, ?3, ?4)",
            params![test.0, phase.name(), ordinal, json],
        )?;
        Ok(())
    }

    /// All runs of a phase.
    pub(crate) fn runs(&self, phase: Phase) -> Result<Runs> {
        let query = "select test, ordinal, run from plain_run where phase = ?1";
        let rows = self.rows(query, [phase.name()], |row| {
            Ok(((TestNumber(row.get(0)?), row.get::<_, u32>(1)?), row.get::<_, String>(2)?))
        })?;
        rows.into_iter().map(|(key, json)| Ok((key, serde_json::from_str(&json)?))).collect()
    }

    /// The first one of a test stays.
    pub(crate) fn keep_sample(&self, pair: PairNumber, test: TestNumber, sample: &Sample) -> Result<()> {
        let json = serde_json::to_string(sample)?;
        self.execute(
            "insert or ignore into sample values (?1, ?2, ?3, ?4)",
            params![pair.0, sample.exception, test.0, json],
        )?;
        Ok(())
    }

    /// A sample of what the pair caught in this test or, if it caught nothing of that type there, in the first other one
    /// by name: which test came first in time must not matter. If it names no other type, what it caught of a narrower
    /// one will do.
    pub(crate) fn sample(
        &self,
        pair: PairNumber,
        test: TestNumber,
        exception: &str,
        is_only_type: bool,
    ) -> Result<Option<Sample>> {
        let query = "select sample from sample join test on test.number = sample.test
            where pair = ?1 and (exception = ?2 or ?4)
            order by test.number <> ?3, exception <> ?2, configuration, class, unit, exception limit 1";
        self.json(query, params![pair.0, exception, test.0, is_only_type])
    }

    /// A phase of a configuration is complete; what went wrong in it.
    pub(crate) fn finish(
        &self,
        configuration: usize,
        phase: Phase,
        ordinal: u32,
        problems: &[String],
    ) -> Result<()> {
        let problems = serde_json::to_string(problems)?;
        self.execute(
            "insert or replace into finished values (?1, ?2, ?3, ?4)",
            params![configuration as i64, phase.name(), ordinal, problems],
        )?;
        Ok(())
    }

    pub(crate) fn keep_jvm(&self, configuration: usize, jvm: &Jvm) -> Result<()> {
        self.execute(
            "insert or replace into jvm values (?1, ?2, ?3)",
            params![configuration as i64, jvm.java, jvm.framework],
        )?;
        Ok(())
    }

    /// `None` before the first suite run.
    pub(crate) fn jvm(&self, configuration: usize) -> Result<Option<Jvm>> {
        let query = "select java, framework from jvm where configuration = ?1";
        let found = self.connection.query_row(query, [configuration as i64], |row| {
            Ok(Jvm { java: row.get(0)?, framework: row.get(1)? })
        });
        found.optional().map_err(|reason| self.failed(reason))
    }

    /// Nothing can be said about the pair from the runs of the suite, and why.
    pub(crate) fn keep_unobserved(&self, pair: PairNumber, reason: &str) -> Result<()> {
        self.execute("insert or replace into unobserved values (?1, ?2)", params![pair.0, reason])?;
        Ok(())
    }

    pub(crate) fn unobserved(&self) -> Result<BTreeMap<PairNumber, String>> {
        let query = "select pair, reason from unobserved";
        Ok(self.rows(query, [], |row| Ok((PairNumber(row.get(0)?), row.get(1)?)))?.into_iter().collect())
    }

    /// The problems of a phase that is complete; `None` while it is not.
    pub(crate) fn finished(
        &self,
        configuration: usize,
        phase: Phase,
        ordinal: u32,
    ) -> Result<Option<Vec<String>>> {
        let query = "select problems from finished where configuration = ?1 and phase = ?2 and ordinal = ?3";
        self.json(query, params![configuration as i64, phase.name(), ordinal])
    }
}
