//! Class folders, unpacked archives, single files, and paths that are none of it.

use std::path::Path;

use catchment_program::{Limits, LoadOptions};

use crate::zips::zip;
use crate::{Place, class_bytes, error_of};

fn options() -> LoadOptions {
    LoadOptions::default()
}

#[test]
fn a_class_folder_is_read_in_the_order_of_names() {
    let place = Place::new();
    let a = class_bytes("a");
    place.write("classes/com/acme/B.class", class_bytes("b"));
    place.write("classes/com/acme/A.class", &a);
    place.write("classes/Z.class", class_bytes("z"));
    place.write("classes/com/acme/data.jar", zip(&[("InAJar.class", &a)]));
    place.write("classes/META-INF/versions/9/com/acme/A.class", &a);
    let loaded = place.load("classes", &options());
    let expected = ["classes/Z.class", "classes/com/acme/A.class", "classes/com/acme/B.class"];
    assert_eq!(loaded.places(), expected);
    assert_eq!(loaded.classes[1].name, "com/acme/A");
    assert_eq!(loaded.classes[1].bytes, a);
    assert_eq!(loaded.problems, [""; 0]);

    let all = place.load("classes", &LoadOptions { all_versions: true, ..options() });
    assert_eq!(all.classes[0].release, Some(9));
    assert_eq!(all.classes.len(), 4);
}

#[test]
fn an_unpacked_war_is_read_like_a_war() {
    let place = Place::new();
    let class = class_bytes("");
    place.write("app/WEB-INF/classes/a/A.class", &class);
    place.write("app/WEB-INF/lib/broken.jar", "no zip");
    place.write("app/WEB-INF/lib/l.jar", zip(&[("l/L.class", &class)]));
    let loaded = place.load("app", &options());
    assert_eq!(loaded.places(), ["app/WEB-INF/classes/a/A.class", "app/WEB-INF/lib/l.jar!/l/L.class"]);
    assert_eq!(loaded.classes[0].name, "a/A");
    assert_eq!(loaded.problems, ["app/WEB-INF/lib/broken.jar: not a zip archive"]);
}

#[test]
fn a_class_file_is_read_whatever_its_name() {
    let place = Place::new();
    place.write("A.class", class_bytes("a"));
    place.write("saved.bin", class_bytes("a"));
    assert_eq!(place.load("A.class", &options()).places(), ["A.class"]);
    assert_eq!(place.load("saved.bin", &options()).places(), ["saved.bin"]);
}

#[test]
fn a_class_over_the_limit_is_a_problem_in_a_folder_and_an_error_alone() {
    let place = Place::new();
    let file = place.write("classes/A.class", class_bytes("more than eight bytes"));
    let options = LoadOptions { limits: Limits { class_bytes: 8, ..Limits::default() }, ..options() };
    assert_eq!(place.load("classes", &options).problems, ["classes/A.class: larger than 8 bytes"]);
    let error = catchment_program::visit(&file, &options, &mut |_| {}).unwrap_err();
    assert_eq!(place.relative(&error.to_string()), "cannot read classes/A.class: larger than 8 bytes");
}

#[cfg(unix)]
#[test]
fn a_class_that_is_a_link_to_nothing_is_a_problem_and_a_pipe_does_not_block() {
    let place = Place::new();
    place.write("classes/A.class", class_bytes(""));
    let classes = place.folder.path().join("classes");
    std::os::unix::fs::symlink("gone", classes.join("B.class")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(classes.join("P.class")).status().unwrap();
    assert!(made.success());
    let loaded = place.load("classes", &options());
    assert_eq!(loaded.places(), ["classes/A.class"]);
    assert_eq!(loaded.problems, ["classes/B.class: no such file or folder"]);
    let error = place.relative(&error_of(&classes.join("P.class")));
    assert_eq!(error, "cannot read classes/P.class: neither a file nor a folder");
}

#[test]
fn a_path_that_holds_no_classes_is_one_clear_line() {
    let place = Place::new();
    let cases: &[(&str, &[u8], &str)] = &[
        ("foo.jar", b"this is no zip", "not a zip archive"),
        ("empty.jar", b"", "not a zip archive"),
        ("foo.war", b"PK\x03\x04 and then nonsense", "damaged zip archive"),
        ("Foo.class", b"\xca\xfe", "not a class file"),
        ("notes.txt", b"hello", "not a jar, class file, class folder or JDK image"),
        ("modules", b"\xda\xda\xfe\xca", "damaged JDK image: the header lies outside of it"),
    ];
    for (name, bytes, reason) in cases {
        let path = place.write(name, bytes);
        assert_eq!(place.relative(&error_of(&path)), format!("cannot read {name}: {reason}"));
    }
    let missing = error_of(Path::new("lib/missing.jar"));
    assert_eq!(missing, "cannot read lib/missing.jar: no such file or folder");
}
