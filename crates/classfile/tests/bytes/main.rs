//! Class files built byte by byte: what is refused, and what moves when code is inserted.

mod builder;
mod hostile;
mod interfaces;
mod overwrite;
mod relocate;
mod stream;
