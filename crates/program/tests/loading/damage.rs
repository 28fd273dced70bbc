//! Damaged containers: every cut and every flipped byte is an error or a problem, never a panic, never a stop.

use std::path::Path;

use catchment_program::{LoadOptions, visit};

use crate::image_builder::sample_image;
use crate::zips::{MULTI_RELEASE, stored_zip, zip};
use crate::{Place, class_bytes};

/// A damaged container and what came out of it.
enum Outcome {
    Error,
    Problems,
    /// Read without complaint, which is right when the damage hit bytes that mean nothing to us.
    Clean,
}

fn read_damaged(path: &Path, bytes: &[u8]) -> Outcome {
    std::fs::write(path, bytes).unwrap();
    match visit(path, &LoadOptions::default(), &mut |_| {}) {
        Err(_) => Outcome::Error,
        Ok(report) if report.problems.is_empty() => Outcome::Clean,
        Ok(_) => Outcome::Problems,
    }
}

fn sample_zip() -> Vec<u8> {
    let class = class_bytes("some class with some bytes, some of them the same");
    let library = stored_zip(&[("l/L.class", &class)]);
    let entries: &[(&str, &[u8])] = &[
        ("META-INF/MANIFEST.MF", MULTI_RELEASE.as_bytes()),
        ("META-INF/versions/11/a/A.class", &class),
        ("a/A.class", &class),
        ("WEB-INF/lib/l.jar", &library),
    ];
    zip(entries)
}

#[test]
fn every_cut_of_a_container_is_noticed() {
    let place = Place::new();
    for (name, bytes) in [("cut.jar", sample_zip()), ("modules", sample_image())] {
        let path = place.write(name, &bytes);
        assert!(matches!(read_damaged(&path, &bytes), Outcome::Clean), "{name} is fine as it is");
        for length in 0..bytes.len() {
            let outcome = read_damaged(&path, &bytes[..length]);
            assert!(!matches!(outcome, Outcome::Clean), "{name} cut after {length} bytes");
        }
    }
}

#[test]
fn no_flipped_byte_of_a_container_stops_us() {
    let place = Place::new();
    for (name, bytes) in [("flip.jar", sample_zip()), ("modules", sample_image())] {
        let path = place.folder.path().join(name);
        let mut noticed = 0;
        for position in 0..bytes.len() {
            for mask in [0x01, 0x10, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[position] ^= mask;
                noticed += usize::from(!matches!(read_damaged(&path, &damaged), Outcome::Clean));
            }
        }
        assert!(noticed > bytes.len(), "{name}: {noticed} of {} flips were noticed", bytes.len() * 4);
    }
}

#[test]
fn a_damaged_entry_is_a_problem_and_the_others_are_read() {
    let place = Place::new();
    let entries = [("A.class", class_bytes("first")), ("B.class", class_bytes("second"))];
    let mut bytes = stored_zip(&entries.each_ref().map(|(name, bytes)| (*name, bytes.as_slice())));
    let at = bytes.windows(5).position(|window| window == b"first").unwrap();
    bytes[at] ^= 0xff;
    place.write("crc.jar", bytes);
    let loaded = place.load("crc.jar", &LoadOptions::default());
    assert_eq!(loaded.places(), ["crc.jar!/B.class"]);
    assert_eq!(loaded.problems, ["crc.jar!/A.class: invalid checksum"]);
}

#[test]
fn a_nested_archive_that_is_none_is_a_problem_and_the_others_are_read() {
    let place = Place::new();
    let library = zip(&[("l/L.class", &class_bytes(""))]);
    let cut = &library[..library.len() - 10];
    let entries: &[(&str, &[u8])] =
        &[("WEB-INF/lib/a.jar", b"text"), ("WEB-INF/lib/b.jar", cut), ("WEB-INF/lib/c.jar", &library)];
    place.write("app.war", zip(entries));
    let loaded = place.load("app.war", &LoadOptions::default());
    assert_eq!(loaded.places(), ["app.war!/WEB-INF/lib/c.jar!/l/L.class"]);
    let expected =
        ["app.war!/WEB-INF/lib/a.jar: not a zip archive", "app.war!/WEB-INF/lib/b.jar: damaged zip archive"];
    assert_eq!(loaded.problems, expected);
}
