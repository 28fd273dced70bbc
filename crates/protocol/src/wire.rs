//! Values as bytes, in one format for the log and for the conversation with a worker.

use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) fn encode(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).expect("every value of this crate has a length and fits into memory")
}

/// `None` when the bytes are not exactly one value.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (value, rest) = postcard::take_from_bytes(bytes).ok()?;
    rest.is_empty().then_some(value)
}
