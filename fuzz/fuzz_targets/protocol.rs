//! Whatever an agent may have left behind, reading it gives errors or what was readable, never a panic.

#![no_main]

use catchment_protocol::counters::Counters;
use catchment_protocol::log::{self, HEADER};
use catchment_protocol::options::{self, AgentOptions};
use catchment_protocol::records::Record;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let log = log::read(&[HEADER, bytes].concat()).expect("it begins like a log");
    for record in &log.records {
        assert_eq!(Record::decode(&record.encode()).as_ref(), Some(record));
    }
    if let Some(record) = Record::decode(bytes) {
        assert_eq!(Record::decode(&record.encode()), Some(record));
    }
    if let Ok(counters) = Counters::new(bytes) {
        let _ = (counters.total(0), counters.total(u32::MAX), counters.lost_records());
    }
    let _ = options::unpack_runtime(bytes);
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(parsed) = AgentOptions::parse(text)
    {
        assert_eq!(AgentOptions::parse(&parsed.encode()), Ok(parsed));
    }
});
