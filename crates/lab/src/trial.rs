//! A trial: one question to one test, asked in a warm worker, then in fresh JVMs, until its answer stands.
//!
//! ```text
//! Question                 the test, the experiment to arm, and how an observation is read
//!    │  Trials::attempts   next_jvm (verdicts) names the JVM of the next attempt until the vote is over
//!    ├─ warm   settle: the test alone with nothing armed ──► the experiment ──► Attempt, provisional
//!    └─ fresh  the same in a JVM of its own                                ──► Attempt
//! Unproven                 provisional results, until the worker passes a test with nothing armed (`proof`)
//! ```
//!
//! Tenants make questions and read answers; nothing here knows them. A tenant with results that wait for a proof is their
//! [`Keeper`](proof::Keeper); the answers to a series of questions (`ask`) wait for the proof at its end.

pub(crate) mod ask;
pub(crate) mod batch;
pub(crate) mod engine;
pub(crate) mod proof;
pub(crate) mod reported;
