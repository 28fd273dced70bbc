//! Stored answers about rungs: those of one test about one clause and one wider type.

use crate::stretch::refusal::Refusal;
use crate::stretch::{Case, Evidence};
use catchment_verdicts::TestId;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StoredAnswer {
    Passes { catches_more: bool, is_injected: bool },
    NotTriable(String),
    Fails(String),
    Expects,
    FailsUnderInjection(String),
    NotInjectable(String),
}

impl StoredAnswer {
    /// `None` for a refusal that is not the test's answer, and may be otherwise the next time.
    pub(crate) fn of(asked: &Result<Evidence, Refusal>) -> Option<Self> {
        Some(match asked {
            Ok(evidence) => Self::Passes {
                catches_more: evidence.case == Case::CatchesMore,
                is_injected: evidence.injected > 0,
            },
            Err(Refusal::NotTriable(why)) => Self::NotTriable(why.clone()),
            Err(Refusal::TestFails { failure, .. }) => Self::Fails(failure.clone()),
            Err(Refusal::Expected { .. }) => Self::Expects,
            Err(Refusal::FailsUnderInjection { failure, .. }) => Self::FailsUnderInjection(failure.clone()),
            Err(Refusal::NotInjectable { why, .. }) => Self::NotInjectable(why.clone()),
            Err(_) => return None,
        })
    }

    /// The answer as that of this test.
    pub(crate) fn into_evidence(self, test: TestId) -> Result<Evidence, Refusal> {
        Err(match self {
            Self::Passes { catches_more, is_injected } => {
                let case = if catches_more { Case::CatchesMore } else { Case::CatchesTheSame };
                return Ok(Evidence { case, tests: 1, injected: usize::from(is_injected) });
            }
            Self::NotTriable(why) => Refusal::NotTriable(why),
            Self::Fails(failure) => Refusal::TestFails { test, failure },
            Self::Expects => Refusal::Expected { test },
            Self::FailsUnderInjection(failure) => Refusal::FailsUnderInjection { test, failure },
            Self::NotInjectable(why) => Refusal::NotInjectable { test, why },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_test_said_comes_back_from_the_store_as_it_was() {
        let test = TestId(7);
        let said = [
            Ok(Evidence { case: Case::CatchesMore, tests: 1, injected: 0 }),
            Ok(Evidence { case: Case::CatchesTheSame, tests: 1, injected: 1 }),
            Err(Refusal::NotTriable("why".into())),
            Err(Refusal::TestFails { test, failure: "how".into() }),
            Err(Refusal::Expected { test }),
            Err(Refusal::FailsUnderInjection { test, failure: "how".into() }),
            Err(Refusal::NotInjectable { test, why: "abstract".into() }),
        ];
        for asked in said {
            let json = serde_json::to_string(&StoredAnswer::of(&asked).unwrap()).unwrap();
            let kept: StoredAnswer = serde_json::from_str(&json).unwrap();
            assert_eq!(kept.into_evidence(test), asked);
        }
    }

    #[test]
    fn that_time_was_up_is_not_kept() {
        assert_eq!(StoredAnswer::of(&Err(Refusal::OutOfTime)), None);
    }
}
