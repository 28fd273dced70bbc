//! Questions and their answers: the plan, the attempts at it, and the answers to all questions outside the plan.

use super::stored::StoredAttempt;
use super::{Planned, Result, Store};
use crate::observations::{PairNumber, TestNumber};
use catchment_verdicts::Attempt;
use rusqlite::{OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

impl Store {
    /// Writes the plan down; what is planned already stays.
    pub(crate) fn plan(&self, planned: &[Planned]) -> Result<()> {
        self.together(|| {
            for each in planned {
                self.execute(
                    "insert or ignore into experiment (pair, test, exception) values (?1, ?2, ?3)",
                    params![each.pair.0, each.test.0, each.exception],
                )?;
            }
            Ok(())
        })
    }

    /// Keeps an answer in place of an earlier one. `subject` names what is asked about: a pair, or stretched clauses.
    pub(crate) fn keep_answer(&self, subject: &str, question: &str, answer: &impl Serialize) -> Result<()> {
        let json = serde_json::to_string(answer)?;
        let statement = "insert or replace into answer values (?1, ?2, ?3)";
        self.execute(statement, params![subject, question, json])?;
        Ok(())
    }

    /// `None` for a question that was not asked, or not to the end.
    pub(crate) fn answer<A: DeserializeOwned>(&self, subject: &str, question: &str) -> Result<Option<A>> {
        let query = "select answer from answer where subject = ?1 and question = ?2";
        let found =
            self.connection.query_row(query, params![subject, question], |row| row.get::<_, String>(0));
        let json = found.optional().map_err(|reason| self.failed(reason))?;
        Ok(json.map(|json| serde_json::from_str(&json)).transpose()?)
    }

    /// All attempts at a planned experiment, in place of what was known of it.
    pub(crate) fn keep_attempts(&self, planned: &Planned, attempts: &[Attempt]) -> Result<()> {
        let key = params![planned.pair.0, planned.test.0, planned.exception];
        let experiment = "select number from experiment where pair = ?1 and test = ?2 and exception = ?3";
        self.execute(&format!("delete from attempt where experiment in ({experiment})"), key)?;
        for (ordinal, attempt) in (0_u32..).zip(attempts) {
            let json = serde_json::to_string(&StoredAttempt::from(attempt.clone()))?;
            self.execute(
                "insert into attempt select number, ?4, ?5 from experiment \
                 where pair = ?1 and test = ?2 and exception = ?3",
                params![planned.pair.0, planned.test.0, planned.exception, ordinal, json],
            )?;
        }
        Ok(())
    }

    pub(crate) fn attempts(&self) -> Result<BTreeMap<Planned, Vec<Attempt>>> {
        let query = "select pair, test, exception, attempt from attempt join experiment on experiment = number \
                     order by number, ordinal";
        let rows = self.rows(query, [], |row| {
            let planned = Planned {
                pair: PairNumber(row.get(0)?),
                test: TestNumber(row.get(1)?),
                exception: row.get(2)?,
            };
            Ok((planned, row.get::<_, String>(3)?))
        })?;
        let mut attempts: BTreeMap<Planned, Vec<Attempt>> = BTreeMap::new();
        for (planned, json) in rows {
            let stored: StoredAttempt = serde_json::from_str(&json)?;
            attempts.entry(planned).or_default().push(stored.into());
        }
        Ok(attempts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_kept_by_subject_and_question() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(folder.path(), 1, false).unwrap();
        store.keep_answer("1 a.E", "suite", &Some((3, "why"))).unwrap();
        store.keep_answer("1 a.E", "alone", &true).unwrap();
        drop(store);
        let (store, _) = Store::open(folder.path(), 1, false).unwrap();
        let suite: Option<Option<(i64, String)>> = store.answer("1 a.E", "suite").unwrap();
        assert_eq!(suite, Some(Some((3, "why".to_owned()))));
        assert_eq!(store.answer("1 a.E", "alone").unwrap(), Some(true));
        assert_eq!(store.answer::<bool>("2 a.E", "alone").unwrap(), None);
    }
}
