//! Fixtures, compilers and oracles for the tests. Never shipped.
