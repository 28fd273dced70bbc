//! Questions and their answers: the plan, the attempts at it, and the answers to all questions outside the plan.

use super::stored::{List, StoredAttempt};
use super::{Planned, Result, Store};
use crate::observations::{PairNumber, TestNumber};
use catchment_verdicts::Attempt;
use rusqlite::params;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

type StoredAttempts = List<StoredAttempt>;

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
        self.json(query, params![subject, question])
    }

    /// All attempts at a planned experiment, in place of what was known of it.
    pub(crate) fn keep_attempts(&self, planned: &Planned, attempts: &[Attempt]) -> Result<()> {
        let json = serde_json::to_string(&StoredAttempts::from(attempts.to_vec()))?;
        self.execute(
            "insert into experiment (pair, test, exception, attempts) values (?1, ?2, ?3, ?4) \
             on conflict (pair, test, exception) do update set attempts = ?4",
            params![planned.pair.0, planned.test.0, planned.exception, json],
        )?;
        Ok(())
    }

    /// The attempts at all planned experiments that are over.
    pub(crate) fn attempts(&self) -> Result<BTreeMap<Planned, Vec<Attempt>>> {
        let query = "select pair, test, exception, attempts from experiment where attempts is not null";
        let rows = self.rows(query, [], |row| {
            let (pair, test) = (PairNumber(row.get(0)?), TestNumber(row.get(1)?));
            Ok((Planned { pair, test, exception: row.get(2)? }, row.get::<_, String>(3)?))
        })?;
        let read = |json: &str| serde_json::from_str::<StoredAttempts>(json);
        rows.into_iter().map(|(planned, json)| Ok((planned, read(&json)?.into()))).collect()
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
