//! Class files built byte by byte: what is refused, and what moves when code is inserted.

mod builder;
mod hostile;
<<<<<<< HEAD
mod patch;
=======
mod interfaces;
>>>>>>> ae852a3e1588b072b62200af66a0084fd5457119
mod relocate;
mod stream;
