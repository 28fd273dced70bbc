//! Analyses of compiled programs together with a real JDK.

mod base;
mod bases;
mod cache;
mod calls;
mod ceiling;
mod comparison;
mod entries;
mod hostile;
mod ids;
mod implicit;
mod inclusion;
mod models;
mod operations;
mod optional;
mod outside;
mod program;
mod recording;
mod roundabout;
mod scope;
mod silent;
mod thrown;
mod thrown_again;
mod why;
