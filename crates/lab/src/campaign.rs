//! A campaign: many questions in the order that decides the most, on all slots at once.
//!
//! ```text
//! Tenant::needs ──► Queue<K> ──► Tenant::question ──► trial ──► Tenant::enter ──► Tenant::needed ──► Queue<K>
//!                      ▲                                 └── worker not proven: Tenant::forget ──┐
//!                      └──────────────────────── again ─────────────────────────────────────────┘
//! ```
//!
//! `run` is for experiments that decide together what is still needed, one trial each; `inquiry` for those that ask one test
//! after the other a series of questions.

pub(crate) mod inquiry;
pub(crate) mod queue;
pub(crate) mod run;
