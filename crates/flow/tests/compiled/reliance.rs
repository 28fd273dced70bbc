//! What clauses are said to rely on.
