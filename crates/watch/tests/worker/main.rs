//! The agent in worker mode, in real JVMs, with a controller and a driver written for these tests.

mod copies;
mod endings;
mod exceptions;
mod exchange;
mod harness;
mod injection;
mod launch;
mod observation;
