//! Attempts and outcomes in the form of the store: JSON whose names stay when those of `verdicts` change.

use catchment_verdicts::{Attempt, CaughtElsewhere, Failure, FailureKind, NoOutcome, NotRun, Outcome};
use catchment_watch::Usages;
use serde::{Deserialize, Serialize};

/// A stored type, with conversions both ways between it and the type that it stores.
macro_rules! stored {
    (enum $stored:ident = $of:ident { $($variant:ident $(($field:ident: $type:ty))?),* }) => {
        #[derive(Debug, Serialize, Deserialize)]
        enum $stored { $($variant $(($type))?),* }
        stored!(@from enum $of, $stored { $($variant $(($field))?),* });
        stored!(@from enum $stored, $of { $($variant $(($field))?),* });
    };
    (struct $stored:ident = $of:ident { $($field:ident: $type:ty),* }) => {
        #[derive(Debug, Serialize, Deserialize)]
        pub(super) struct $stored { $($field: $type),* }
        stored!(@from struct $of, $stored { $($field),* });
        stored!(@from struct $stored, $of { $($field),* });
    };
    (@from enum $from:ident, $to:ident { $($variant:ident $(($field:ident))?),* }) => {
        impl From<$from> for $to {
            fn from(value: $from) -> Self {
                match value { $($from::$variant $(($field))? => Self::$variant $(($field.into()))?),* }
            }
        }
    };
    (@from struct $from:ident, $to:ident { $($field:ident),* }) => {
        impl From<$from> for $to {
            fn from($from { $($field),* }: $from) -> Self {
                Self { $($field: $field.into()),* }
            }
        }
    };
}

stored!(struct StoredAttempt = Attempt {
    is_fresh: bool, outcome: StoredOutcome, reached: u64, fired: u64, caught_here: u64,
    caught_elsewhere: List<StoredCaughtElsewhere>, made: Option<String>, micros: u64, plain_micros: u64
});
stored!(enum StoredOutcome = Outcome { Pass, Fail(failure: StoredFailure), None(why: StoredNoOutcome) });
stored!(struct StoredFailure = Failure { kind: StoredFailureKind, text: String });
stored!(enum StoredFailureKind = FailureKind { Assertion, Timeout, Crash, Exit, Oom });
stored!(enum StoredNoOutcome = NoOutcome {
    NotReached, NotFired, Diverged, Skipped(text: String), NotConstructible(text: String),
    CaughtElsewhere(text: String), Artefact(text: String), WorkerLost(text: String), SetAside,
    NotRun(why: StoredNotRun)
});
stored!(enum StoredNotRun = NotRun { NotNeeded, Budget, Interrupted, PlanOnly });
stored!(struct StoredCaughtElsewhere = CaughtElsewhere { place: String, count: u64 });

/// A list of stored values, written as a plain array.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct List<S>(Vec<S>);

impl<S: From<V>, V> From<Vec<V>> for List<S> {
    fn from(values: Vec<V>) -> Self {
        Self(values.into_iter().map(S::from).collect())
    }
}

impl<V: From<S>, S> From<List<S>> for Vec<V> {
    fn from(list: List<S>) -> Self {
        list.0.into_iter().map(V::from).collect()
    }
}

/// Attempts inside other stored values, for `#[serde(with)]`.
pub(crate) mod attempts {
    use super::{Attempt, List, StoredAttempt};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(attempts: &[Attempt], to: S) -> Result<S::Ok, S::Error> {
        List::<StoredAttempt>::from(attempts.to_vec()).serialize(to)
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<Attempt>, D::Error> {
        List::<StoredAttempt>::deserialize(from).map(Vec::from)
    }
}

/// Usages inside other stored values, for `#[serde(with)]`: rows of numbers, since there are very many.
pub(crate) mod usages {
    use super::Usages;
    use crate::observations::PairNumber;
    use serde::{Deserialize, Deserializer, Serializer};

    type Row = (PairNumber, [u64; 5]);

    pub(crate) fn serialize<S: Serializer>(
        usages: &[(PairNumber, Usages)],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let row = |&(pair, usages): &(PairNumber, Usages)| -> Row {
            let Usages { entries, pink, white, sibling, escaped } = usages;
            (pair, [entries, pink, white, sibling, escaped])
        };
        to.collect_seq(usages.iter().map(row))
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Vec<(PairNumber, Usages)>, D::Error> {
        let usages = |(pair, [entries, pink, white, sibling, escaped]): Row| {
            (pair, Usages { entries, pink, white, sibling, escaped })
        };
        Ok(Vec::<Row>::deserialize(from)?.into_iter().map(usages).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes() -> Vec<Outcome> {
        use FailureKind::{Assertion, Crash, Exit, Oom, Timeout};
        use NotRun::{Budget, Interrupted, NotNeeded, PlanOnly};
        let failures = [Assertion, Timeout, Crash, Exit, Oom]
            .map(|kind| Outcome::Fail(Failure { kind, text: "how".into() }));
        let not_run = [NotNeeded, Budget, Interrupted, PlanOnly].map(NoOutcome::NotRun);
        let reasons = [
            NoOutcome::NotReached,
            NoOutcome::NotFired,
            NoOutcome::Diverged,
            NoOutcome::Skipped("a".into()),
            NoOutcome::NotConstructible("b".into()),
            NoOutcome::CaughtElsewhere("c".into()),
            NoOutcome::Artefact("d".into()),
            NoOutcome::WorkerLost("e".into()),
            NoOutcome::SetAside,
        ];
        let none = reasons.into_iter().chain(not_run).map(Outcome::None);
        std::iter::once(Outcome::Pass).chain(failures).chain(none).collect()
    }

    fn attempt(outcome: Outcome) -> Attempt {
        Attempt {
            is_fresh: true,
            outcome,
            reached: 1,
            fired: 2,
            caught_here: 3,
            caught_elsewhere: vec![CaughtElsewhere { place: "a.B.c".into(), count: 4 }],
            made: Some("constructor ()".into()),
            micros: 5,
            plain_micros: 6,
        }
    }

    #[test]
    fn attempts_come_back_from_json_as_they_were() {
        assert_eq!(outcomes().len(), 19);
        for attempt in outcomes().into_iter().map(attempt) {
            let json = serde_json::to_string(&StoredAttempt::from(attempt.clone())).unwrap();
            let stored: StoredAttempt = serde_json::from_str(&json).unwrap();
            assert_eq!(Attempt::from(stored), attempt, "{json}");
        }
    }

    /// Values without a stored type of their own, and a type of `protocol`; see the next test.
    #[test]
    fn the_names_of_runs_answers_and_samples_in_json_are_those_of_the_version() {
        use crate::observations::{PairNumber, PlainOutcome, PlainRun};
        use crate::trial::ask::{Answers, Run, Unavailable};
        use catchment_protocol::experiment::{FieldValue, Sample};
        let usages = Usages { entries: 5, pink: 1, white: 2, sibling: 3, escaped: 4 };
        let run = PlainRun {
            outcome: PlainOutcome::Failed("no".into()),
            usages: vec![(PairNumber(7), usages)],
            ..PlainRun::default()
        };
        let json = serde_json::to_string(&run).unwrap();
        assert_eq!(
            json,
            r#"{"outcome":{"Failed":"no"},"micros":0,"escaped":0,"external":[],"threads_left":[],"usages":[[7,[5,1,2,3,4]]],"before":[]}"#
        );
        assert_eq!(serde_json::from_str::<PlainRun>(&json).unwrap(), run);
        let given = Run { exception: "a.E".into(), about: 2, attempts: vec![] };
        let answers = [
            Answers::Given { runs: vec![given], left: 1 },
            Answers::Unavailable(Unavailable::lasting("threads")),
        ];
        let expected = r#"[{"Given":{"runs":[{"exception":"a.E","about":2,"attempts":[]}],"left":1}},{"Unavailable":{"why":"threads","is_lasting":true}}]"#;
        assert_eq!(serde_json::to_string(&answers).unwrap(), expected);
        let fields = [("a.E", FieldValue::Null), ("a.E", FieldValue::Text("t".into()))]
            .map(|(class, value)| (class.to_owned(), "f".to_owned(), value));
        let sample = Sample { exception: "a.E".into(), fields: fields.into(), ..Sample::default() };
        let expected = r#"{"exception":"a.E","message":null,"cause":null,"fields":[["a.E","f","Null"],["a.E","f",{"Text":"t"}]],"suppressed":[]}"#;
        assert_eq!(serde_json::to_string(&sample).unwrap(), expected);
    }

    /// Stores of this version have these names; other names need another version.
    #[test]
    fn the_names_in_json_are_those_of_the_version() {
        let failure = Failure { kind: FailureKind::Timeout, text: "late".into() };
        let json = |outcome| serde_json::to_string(&StoredAttempt::from(attempt(outcome))).unwrap();
        let rest = r#""reached":1,"fired":2,"caught_here":3,"caught_elsewhere":[{"place":"a.B.c","count":4}],"made":"constructor ()","micros":5,"plain_micros":6}"#;
        let expected = |outcome: &str| format!(r#"{{"is_fresh":true,"outcome":{outcome},{rest}"#);
        assert_eq!(json(Outcome::Fail(failure)), expected(r#"{"Fail":{"kind":"Timeout","text":"late"}}"#));
        let not_run = Outcome::None(NoOutcome::NotRun(NotRun::PlanOnly));
        assert_eq!(json(not_run), expected(r#"{"None":{"NotRun":"PlanOnly"}}"#));
    }
}
