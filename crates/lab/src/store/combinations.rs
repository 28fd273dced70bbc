//! What was seen of several stretched clauses at once.

use super::{Result, Store};
use rusqlite::{OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

impl Store {
    /// `clauses` says which, and what they catch; `question` what was asked.
    pub(crate) fn keep_of_combination(
        &self,
        clauses: &str,
        question: &str,
        answer: &impl Serialize,
    ) -> Result<()> {
        let json = serde_json::to_string(answer)?;
        let statement = "insert or replace into combination values (?1, ?2, ?3)";
        self.execute(statement, params![clauses, question, json])?;
        Ok(())
    }

    /// `None` for what was not asked, or not to the end.
    pub(crate) fn of_combination<A: DeserializeOwned>(
        &self,
        clauses: &str,
        question: &str,
    ) -> Result<Option<A>> {
        let query = "select answer from combination where clauses = ?1 and question = ?2";
        let found =
            self.connection.query_row(query, params![clauses, question], |row| row.get::<_, String>(0));
        let json = found.optional().map_err(|reason| self.failed(reason))?;
        Ok(json.map(|json| serde_json::from_str(&json)).transpose()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_combination_of_clauses_did_is_kept_by_what_was_asked_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(folder.path(), 1, false).unwrap();
        store.keep_of_combination("1 a.E", "suite", &Some((3, "why"))).unwrap();
        store.keep_of_combination("1 a.E", "alone", &true).unwrap();
        drop(store);
        let (store, _) = Store::open(folder.path(), 1, false).unwrap();
        let suite: Option<Option<(i64, String)>> = store.of_combination("1 a.E", "suite").unwrap();
        assert_eq!(suite, Some(Some((3, "why".to_owned()))));
        assert_eq!(store.of_combination("1 a.E", "alone").unwrap(), Some(true));
        assert_eq!(store.of_combination::<bool>("2 a.E", "alone").unwrap(), None);
    }
}
