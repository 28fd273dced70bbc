//! Files with the expected output, in the folder of the test.

use std::path::Path;

pub(crate) fn compare(file: &str, found: &[u8]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(env!("CARGO_CRATE_NAME")).join(file);
    let found = std::str::from_utf8(found).expect("a report is text");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, found).expect("writable");
    }
    let expected = std::fs::read_to_string(&path).expect("the expected output is there");
    assert_eq!(found, expected, "{file}");
}
