//! What the results in the store depend on, and forgetting those that are stale.

use super::{Result, Store, StoreError};
use crate::observations::TestNumber;
use crate::reuse::{
    Changes, ClassKey, Dependencies, Entries, GroundPart, Known, KnownClass, KnownMethod, MethodNumber,
    MethodSet, MovedLines, Owner, Stale, StoredTest,
};
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// The columns with texts in JSON that name lines.
const TEXTS: [(&str, &str); 5] = [
    ("plain_run", "run"),
    ("sample", "sample"),
    ("finished", "problems"),
    ("experiment", "attempts"),
    ("answer", "answer"),
];

/// The number of each method, by class and by name with descriptor.
pub(crate) type MethodNumbers = HashMap<(ClassKey, String), MethodNumber>;

impl Store {
    /// The first part of the ground in which the store of this folder differs.
    pub(crate) fn changed_ground(folder: &Path, now: &[GroundPart]) -> Option<&'static str> {
        let path = folder.join(super::FILE);
        // Opening a file that is not there would make one.
        let connection = path.exists().then(|| Connection::open(path))?.ok()?;
        let mut statement = connection.prepare("select part, hash from ground").ok()?;
        let rows =
            statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))).ok()?;
        let known: HashMap<String, i64> = rows.collect::<rusqlite::Result<_>>().ok()?;
        now.iter().find(|part| known.get(part.name) != Some(&part.hash.cast_signed())).map(|part| part.name)
    }

    /// What the results depend on, as far as the store knows.
    pub(crate) fn known(&self) -> Result<Known> {
        let classes = self.rows("select class, shape, is_leaf, is_local from class", [], |row| {
            let class = KnownClass {
                shape: row.get::<_, i64>(1)?.cast_unsigned(),
                is_leaf: row.get(2)?,
                is_local: row.get(3)?,
            };
            Ok((row.get(0)?, class))
        })?;
        let methods = self.rows("select number, class, method, body, lines from method", [], |row| {
            let lines: Vec<u8> = row.get(4)?;
            Ok(KnownMethod {
                number: row.get(0)?,
                class: row.get(1)?,
                method: row.get(2)?,
                body: row.get::<_, i64>(3)?.cast_unsigned(),
                lines: lines.chunks_exact(2).map(|line| u16::from_le_bytes([line[0], line[1]])).collect(),
            })
        })?;
        let tests = self.rows(
            "select configuration, unit, class, exists (select 1 from plain_run where test = number and phase = 'class')
                from test where exists (select 1 from plain_run where test = number)",
            [],
            |row| {
                Ok(StoredTest {
                    configuration: usize::try_from(row.get::<_, i64>(0)?).unwrap_or(usize::MAX),
                    test: row.get(1)?,
                    class: row.get(2)?,
                    with_class: row.get(3)?,
                })
            },
        )?;
        Ok(Known { classes: classes.into_iter().collect(), methods, entries: self.entries()?, tests })
    }

    pub(crate) fn entries(&self) -> Result<HashMap<Owner, Entries>> {
        let query = "select configuration, unit, armed, is_any, methods from entered";
        let rows = self.rows(query, [], |row| {
            let unit: String = row.get(1)?;
            let owner = Owner {
                configuration: usize::try_from(row.get::<_, i64>(0)?).unwrap_or(usize::MAX),
                test: (!unit.is_empty()).then_some(unit),
                armed: row.get(2)?,
            };
            let methods = MethodSet::decode(&row.get::<_, Vec<u8>>(4)?);
            // A set that cannot be read may have been any.
            let any = row.get(3)? || methods.is_none();
            Ok((owner, Entries { methods: methods.unwrap_or_default(), any }))
        })?;
        Ok(rows.into_iter().collect())
    }

    /// Writes down what has been entered by now. Part of every change of the store: results never stand there without what
    /// they depend on.
    pub(super) fn keep_entries(&self) -> Result<()> {
        for (owner, entries) in self.executed().unwritten() {
            self.execute(
                "insert or replace into entered values (?1, ?2, ?3, ?4, ?5)",
                params![
                    owner.configuration as i64,
                    owner.test.as_deref().unwrap_or_default(),
                    owner.armed,
                    entries.any,
                    entries.methods.encode()
                ],
            )?;
        }
        Ok(())
    }

    /// Makes the store one of the classes as they are now, without the results that are stale. `again` are the classes of
    /// tests that have to run again, by configuration.
    pub(crate) fn adopt(
        &self,
        now: &Dependencies,
        changes: &Changes,
        again: &BTreeSet<(usize, String)>,
    ) -> Result<MethodNumbers> {
        self.together(|| {
            self.forget_stale(changes)?;
            self.move_lines(&changes.moved)?;
            for (configuration, class) in again {
                self.execute(
                    "insert or ignore into again values (?1, ?2)",
                    params![*configuration as i64, class],
                )?;
            }
            self.execute("delete from ground", [])?;
            for part in &now.ground {
                let hash = part.hash.cast_signed();
                self.execute("insert into ground values (?1, ?2)", params![part.name, hash])?;
            }
            self.keep_classes(now)
        })
    }

    fn keep_classes(&self, now: &Dependencies) -> Result<MethodNumbers> {
        let known: HashMap<(ClassKey, String), KnownMethod> = self
            .known()?
            .methods
            .into_iter()
            .map(|method| ((method.class.clone(), method.method.clone()), method))
            .collect();
        self.execute("delete from class", [])?;
        let mut numbers = MethodNumbers::new();
        let mut next = known.values().map(|method| method.number + 1).max().unwrap_or(1);
        for (key, class) in &now.classes {
            self.execute(
                "insert into class values (?1, ?2, ?3, ?4)",
                params![key, class.digest.shape.cast_signed(), class.is_leaf, class.digest.is_local],
            )?;
            for method in &class.digest.methods {
                let Some(body) = method.body else { continue };
                let name = (key.clone(), format!("{}{}", method.name, method.descriptor));
                let old = known.get(&name);
                let number = old.map_or(next, |old| old.number);
                next = next.max(number + 1);
                if old.is_none_or(|old| old.body != body || old.lines != method.lines) {
                    let lines: Vec<u8> = method.lines.iter().flat_map(|line| line.to_le_bytes()).collect();
                    self.execute(
                        "insert or replace into method values (?1, ?2, ?3, ?4, ?5)",
                        params![number, name.0, name.1, body.cast_signed(), lines],
                    )?;
                }
                numbers.insert(name, number);
            }
        }
        // Their numbers are never given again while sets may hold them.
        for gone in known.iter().filter(|(name, _)| !numbers.contains_key(*name)) {
            self.execute("delete from method where number = ?1", [gone.1.number])?;
        }
        Ok(numbers)
    }

    fn forget_stale(&self, changes: &Changes) -> Result<()> {
        if !changes.makes_stale() {
            return Ok(());
        }
        // Clauses that were stretched have been tried with whole suites.
        self.execute("delete from answer where subject not like 'pair %'", [])?;
        for ((configuration, unit), stale) in &changes.stale {
            let query = "select number from test where configuration = ?1 and unit = ?2";
            let numbers = self.rows(query, params![*configuration as i64, unit], |row| row.get(0))?;
            for number in numbers.into_iter().map(TestNumber) {
                self.forget_experiments(number)?;
                if *stale == Stale::All {
                    self.forget_runs(number)?;
                }
            }
            let which = if *stale == Stale::All { "" } else { " and armed" };
            self.execute(
                &format!("delete from entered where configuration = ?1 and (unit = ?2 or unit like ?2 || '/%'){which}"),
                params![*configuration as i64, unit],
            )?;
        }
        Ok(())
    }

    fn forget_experiments(&self, test: TestNumber) -> Result<()> {
        self.execute("delete from experiment where test = ?1", [test.0])?;
        self.execute("delete from answer where question like '% in test ' || ?1", [test.0])?;
        Ok(())
    }

    /// The run of the suite stays beside: what it saw of code that runs once per JVM is still so.
    fn forget_runs(&self, test: TestNumber) -> Result<()> {
        // Other tests were given exceptions that look like those this test has caught.
        self.execute(
            "delete from experiment where exists (select 1 from sample
                where sample.pair = experiment.pair and sample.test = ?1)
            and not exists (select 1 from sample where sample.pair = experiment.pair
                and sample.test = experiment.test and sample.exception = experiment.exception)",
            [test.0],
        )?;
        self.execute(
            "delete from answer where exists (select 1 from sample
                where sample.test = ?1 and subject = 'pair ' || sample.pair)",
            [test.0],
        )?;
        self.execute("delete from sample where test = ?1", [test.0])?;
        self.execute("delete from plain_run where test = ?1 and phase not in ('suite', 'former')", [test.0])?;
        self.execute(
            "update or replace plain_run set phase = 'former' where test = ?1 and phase = 'suite'",
            [test.0],
        )?;
        Ok(())
    }

    fn move_lines(&self, moved: &MovedLines) -> Result<()> {
        if moved.is_empty() {
            return Ok(());
        }
        for (table, column) in TEXTS {
            // Tables without row numbers are told apart by their text: what is equal moves alike.
            let texts = self.rows(&format!("select distinct {column} from {table}"), [], |row| {
                row.get::<_, Option<String>>(0)
            })?;
            let update = format!("update {table} set {column} = ?2 where {column} = ?1");
            let moved: Vec<_> =
                texts.into_iter().flatten().filter_map(|text| Some((moved.in_json(&text)?, text))).collect();
            // All at once: what one has become may be what another was.
            for (number, (_, old)) in moved.iter().enumerate() {
                self.execute(&update, params![old, format!("moving {number}")])?;
            }
            for (number, (new, _)) in moved.iter().enumerate() {
                self.execute(&update, params![format!("moving {number}"), new])?;
            }
        }
        Ok(())
    }

    /// Classes of tests that have to run again, of one configuration; empty: none, or the whole suite.
    pub(crate) fn again(&self, configuration: usize) -> Result<BTreeSet<String>> {
        let query = "select class from again where configuration = ?1";
        Ok(self.rows(query, [configuration as i64], |row| row.get(0))?.into_iter().collect())
    }

    /// They have run.
    pub(crate) fn ran_again(&self, configuration: usize) -> Result<()> {
        self.execute("delete from again where configuration = ?1", [configuration as i64])?;
        self.execute(
            "delete from plain_run where phase = 'former'
            and test in (select number from test where configuration = ?1)",
            [configuration as i64],
        )?;
        // Tests that are gone.
        self.execute(
            "delete from test where configuration = ?1
                and not exists (select 1 from plain_run where plain_run.test = test.number)",
            [configuration as i64],
        )?;
        Ok(())
    }

    /// The tests of a configuration that have a run in the suite, or had one before an edit made it stale.
    pub(crate) fn suite_runs(
        &self,
        configuration: usize,
        is_stale: bool,
    ) -> Result<BTreeMap<String, crate::observations::PlainRun>> {
        let phase = if is_stale { "former" } else { "suite" };
        let query = "select unit, run from plain_run join test on test.number = plain_run.test
            where configuration = ?1 and phase = ?2";
        let rows = self.rows(query, params![configuration as i64, phase], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })?;
        let read = |(unit, json): (String, String)| Ok((unit, serde_json::from_str(&json)?));
        rows.into_iter().map(read).collect::<std::result::Result<_, StoreError>>()
    }
}
