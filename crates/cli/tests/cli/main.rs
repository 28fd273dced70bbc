//! End-to-end tests: the real binary, real JVMs, everything it prints.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod bad_input;
mod demo;
mod handlers;
mod hostile_names;
mod links;
mod links_cache;
mod links_libraries;
mod links_seen;
mod links_texts;
mod maven;
mod other_agents;
mod pull_request;
mod support;
mod watch;
mod watch_links;
