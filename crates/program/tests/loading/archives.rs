//! Jars, multi-release jars, Spring Boot jars, wars, ears and jmods.

use catchment_program::{ClassPath, Limits, LoadOptions};

use crate::zips::{MULTI_RELEASE, stored_zip, zip};
use crate::{Place, class_bytes};

fn options() -> LoadOptions {
    LoadOptions::default()
}

#[test]
fn classes_of_a_jar_come_in_its_own_order_and_nothing_else_does() {
    let place = Place::new();
    let (b, a) = (class_bytes("b"), class_bytes("a"));
    let entries: &[(&str, &[u8])] = &[
        ("META-INF/", b""),
        ("z/B.class", &b),
        ("a/", b""),
        ("a/A.class", &a),
        ("a/readme.txt", b"hello"),
        ("module-info.class", &a),
        ("a/package-info.class", &a),
        ("agents/agent.jar", b"data of the program, not of its class path"),
    ];
    place.write("lib.jar", zip(entries));
    let loaded = place.load("lib.jar", &options());
    let expected = [
        "lib.jar!/z/B.class",
        "lib.jar!/a/A.class",
        "lib.jar!/module-info.class",
        "lib.jar!/a/package-info.class",
    ];
    assert_eq!(loaded.places(), expected);
    assert_eq!(loaded.classes[0].bytes, b);
    assert_eq!(loaded.classes[1].name, "a/A");
    assert_eq!(loaded.problems, [""; 0]);
}

fn multi_release_jar(manifest: &str) -> Vec<u8> {
    let class = class_bytes("");
    zip(&[
        ("META-INF/MANIFEST.MF", manifest.as_bytes()),
        ("a/Plain.class", &class),
        ("a/Many.class", &class),
        ("META-INF/versions/9/a/Many.class", &class),
        ("META-INF/versions/17/a/Many.class", &class),
        ("META-INF/versions/9/a/OnlyNew.class", &class),
        ("META-INF/versions/8/a/Plain.class", &class),
    ])
}

fn versions_seen(manifest: &str, options: &LoadOptions) -> Vec<(String, Option<u32>)> {
    let place = Place::new();
    place.write("mr.jar", multi_release_jar(manifest));
    let loaded = place.load("mr.jar", options);
    assert_eq!(loaded.problems, [""; 0]);
    loaded.classes.into_iter().map(|class| (class.name, class.release)).collect()
}

#[test]
fn a_multi_release_jar_gives_what_a_jvm_of_that_release_loads() {
    let seen = |release| versions_seen(MULTI_RELEASE, &LoadOptions { release, ..options() });
    let plain = ("a/Plain".to_owned(), None);
    let many = |release| ("a/Many".to_owned(), release);
    let only_new = ("a/OnlyNew".to_owned(), Some(9));
    assert_eq!(seen(8), [plain.clone(), many(None)]);
    assert_eq!(seen(9), [plain.clone(), many(Some(9)), only_new.clone()]);
    assert_eq!(seen(16), [plain.clone(), many(Some(9)), only_new.clone()]);
    assert_eq!(seen(25), [plain, many(Some(17)), only_new]);
}

#[test]
fn versioned_folders_mean_nothing_without_the_manifest_attribute() {
    let seen = versions_seen("Manifest-Version: 1.0\r\n\r\n", &options());
    assert_eq!(seen, [("a/Plain".to_owned(), None), ("a/Many".to_owned(), None)]);
}

#[test]
fn all_versions_are_visited_on_request_whatever_the_manifest_says() {
    let all = LoadOptions { all_versions: true, ..options() };
    for manifest in [MULTI_RELEASE, "Manifest-Version: 1.0\r\n\r\n"] {
        let releases: Vec<_> =
            versions_seen(manifest, &all).into_iter().map(|(_, release)| release).collect();
        assert_eq!(releases, [None, None, Some(9), Some(17), Some(9)]);
    }
}

#[test]
fn a_spring_boot_jar_gives_its_loader_its_classes_then_its_libraries() {
    let place = Place::new();
    let class = class_bytes("");
    let library = zip(&[
        ("META-INF/MANIFEST.MF", MULTI_RELEASE.as_bytes()),
        ("l/L.class", &class),
        ("META-INF/versions/11/l/L.class", &class),
    ]);
    // The library stands before the classes: the class path still has the classes first.
    let entries: &[(&str, &[u8])] = &[
        ("org/springframework/boot/loader/JarLauncher.class", &class),
        ("BOOT-INF/lib/l.jar", &library),
        ("BOOT-INF/classes/com/acme/App.class", &class),
    ];
    for (name, bytes) in [("stored.jar", stored_zip(entries)), ("packed.jar", zip(entries))] {
        place.write(name, bytes);
        let loaded = place.load(name, &options());
        let expected = [
            "org/springframework/boot/loader/JarLauncher.class",
            "BOOT-INF/classes!/com/acme/App.class",
            "BOOT-INF/lib/l.jar!/META-INF/versions/11/l/L.class",
        ];
        assert_eq!(loaded.places(), expected.map(|place| format!("{name}!/{place}")));
        assert_eq!(loaded.classes[1].name, "com/acme/App");
        assert_eq!(loaded.problems, [""; 0]);
    }
}

#[test]
fn an_ear_gives_its_modules_and_their_libraries() {
    let place = Place::new();
    let class = class_bytes("");
    let library = zip(&[("l/L.class", &class)]);
    let war = zip(&[
        ("index.html", b""),
        ("WEB-INF/classes/w/W.class", &class),
        ("WEB-INF/lib/l.jar", &library),
        ("WEB-INF/lib-provided/p.jar", &library),
        ("downloads/client.jar", &library),
    ]);
    let ear =
        zip(&[("META-INF/application.xml", b"<application/>"), ("web.war", &war), ("lib/l.jar", &library)]);
    let expected = [
        "web.war!/WEB-INF/classes!/w/W.class",
        "web.war!/WEB-INF/lib/l.jar!/l/L.class",
        "web.war!/WEB-INF/lib-provided/p.jar!/l/L.class",
        "lib/l.jar!/l/L.class",
    ];
    // Known by its name or by its descriptor.
    for name in ["app.ear", "app.zip"] {
        place.write(name, &ear);
        assert_eq!(place.load(name, &options()).places(), expected.map(|place| format!("{name}!/{place}")));
    }
}

#[test]
fn a_jmod_gives_its_classes_behind_its_own_magic() {
    let place = Place::new();
    let class = class_bytes("");
    let archive = zip(&[("classes/a/A.class", &class), ("lib/B.class", &class)]);
    place.write("m.jmod", [b"JM\x01\x00", archive.as_slice()].concat());
    assert_eq!(place.load("m.jmod", &options()).places(), ["m.jmod!/classes!/a/A.class"]);
}

#[test]
fn an_executable_jar_with_a_script_before_it_is_a_jar() {
    let place = Place::new();
    let archive = zip(&[("A.class", &class_bytes(""))]);
    place.write("run", [b"#!/bin/sh\nexec java -jar \"$0\"\n", archive.as_slice()].concat());
    assert_eq!(place.load("run", &options()).places(), ["run!/A.class"]);
}

#[test]
fn an_empty_archive_has_no_classes_and_no_problems() {
    let place = Place::new();
    place.write("empty.jar", zip(&[]));
    let loaded = place.load("empty.jar", &options());
    assert!(loaded.classes.is_empty() && loaded.problems.is_empty());
}

#[test]
fn names_that_would_leave_a_folder_are_just_names() {
    let place = Place::new();
    let class = class_bytes("");
    place.write("slip.jar", zip(&[("../../etc/A.class", &class), ("/abs/B.class", &class)]));
    let loaded = place.load("slip.jar", &options());
    assert_eq!(loaded.places(), ["slip.jar!/../../etc/A.class", "slip.jar!//abs/B.class"]);
}

#[test]
fn a_class_hidden_behind_a_folder_name_is_found_as_the_jvm_finds_it() {
    let place = Place::new();
    place.write("hidden.jar", zip(&[("a/A.class/", &class_bytes("")), ("a/folder.class/", b"")]));
    let loaded = place.load("hidden.jar", &options());
    assert_eq!(loaded.places(), ["hidden.jar!/a/A.class"]);
    assert_eq!(loaded.problems, [""; 0]);
}

#[test]
fn limits_turn_huge_classes_and_deep_archives_into_problems() {
    let place = Place::new();
    let huge = vec![0; 100_000];
    let mut nested = zip(&[("A.class", &class_bytes("")), ("Huge.class", &huge)]);
    for _ in 0..3 {
        nested = zip(&[("WEB-INF/lib/l.jar", &nested)]);
    }
    place.write("deep.war", &nested);
    let limits = |nesting| Limits { class_bytes: 1000, nesting, ..Limits::default() };

    let loaded = place.load("deep.war", &LoadOptions { limits: limits(3), ..options() });
    let innermost = "deep.war!/WEB-INF/lib/l.jar!/WEB-INF/lib/l.jar!/WEB-INF/lib/l.jar";
    assert_eq!(loaded.places(), [format!("{innermost}!/A.class")]);
    assert_eq!(loaded.problems, [format!("{innermost}!/Huge.class: larger than 1000 bytes")]);

    let loaded = place.load("deep.war", &LoadOptions { limits: limits(2), ..options() });
    assert!(loaded.classes.is_empty());
    assert_eq!(loaded.problems, [format!("{innermost}: archives nested deeper than 2")]);
}

#[test]
fn a_nested_archive_may_not_unpack_to_any_size() {
    let place = Place::new();
    let library = stored_zip(&[("A.class", &[0; 100_000])]);
    place.write("bomb.war", zip(&[("WEB-INF/lib/l.jar", &library)]));
    let limits = Limits { nested_archive_bytes: 50_000, ..Limits::default() };
    let loaded = place.load("bomb.war", &LoadOptions { limits, ..options() });
    assert_eq!(loaded.problems, ["bomb.war!/WEB-INF/lib/l.jar: larger than 50000 bytes"]);
}

#[test]
fn a_few_kilobytes_of_nested_archives_may_not_hold_any_number_of_classes() {
    let place = Place::new();
    let library = zip(&[("A.class", &class_bytes("")), ("B.class", &class_bytes(""))]);
    let war: Vec<_> = (0..10).map(|index| (format!("WEB-INF/lib/{index}.jar"), library.clone())).collect();
    let entries: Vec<(&str, &[u8])> =
        war.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    place.write("wide.war", zip(&entries));
    let limits = Limits { classes: 5, ..Limits::default() };
    let loaded = place.load("wide.war", &LoadOptions { limits, ..options() });
    assert_eq!(loaded.classes.len(), 5);
    assert_eq!(loaded.problems, ["wide.war!/WEB-INF/lib/2.jar: more than 5 classes; the rest is left out"]);
}

/// Archives of the same archives, each compressed to next to nothing: a jar with `wide` jars in it, and so on.
fn fan_out(wide: usize, deep: usize, class: &[u8]) -> Vec<u8> {
    let mut inner = zip(&[("a/A.class", class)]);
    for _ in 0..deep {
        let names: Vec<String> = (0..wide).map(|number| format!("lib/{number}.jar")).collect();
        let mut entries: Vec<(&str, &[u8])> = vec![("BOOT-INF/classes/b/B.class", class)];
        let boot: Vec<String> = names.iter().map(|name| format!("BOOT-INF/{name}")).collect();
        entries.extend(boot.iter().map(|name| (name.as_str(), inner.as_slice())));
        inner = zip(&entries);
    }
    inner
}

#[test]
fn the_archives_inside_a_file_have_a_limit_together() {
    let place = Place::new();
    let class = class_bytes("some class");
    let jar = fan_out(16, 4, &class);
    assert!(jar.len() < 100_000, "{}", jar.len());
    place.write("fan.jar", &jar);
    let all = |limits: Limits| LoadOptions { limits, ..options() };
    for (limits, what) in [
        (Limits { nested_archives: 40, ..Limits::default() }, "more than 40 archives"),
        (Limits { nested_entries: 300, ..Limits::default() }, "more than 300 entries"),
        (
            Limits { nested_bytes: 1000, nested_bytes_per_byte: 2, ..Limits::default() },
            "more than many times its size",
        ),
        (Limits::default(), "more than 10000 archives"),
    ] {
        let loaded = place.load("fan.jar", &all(limits.clone()));
        assert!(
            !loaded.classes.is_empty() && loaded.classes.len() < 25_000,
            "{what}: {}",
            loaded.classes.len()
        );
        let told = format!("the archives inside it hold {what}; the rest is left out");
        assert_eq!(loaded.problems.len(), 1, "{:?}", loaded.problems);
        assert!(loaded.problems[0].contains(&told), "{:?}", loaded.problems);

        let opened = ClassPath::open(&[place.folder.path().join("fan.jar")], None, &all(limits));
        let problems: Vec<_> = opened.problems().iter().map(ToString::to_string).collect();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains(&told), "{problems:?}");
    }
}

#[test]
fn large_classes_in_many_archives_count_as_well() {
    let place = Place::new();
    place.write("fan.jar", fan_out(16, 3, &vec![0xca; 1 << 20]));
    let limits = Limits { nested_bytes: 8 << 20, nested_bytes_per_byte: 1, ..Limits::default() };
    let loaded = place.load("fan.jar", &LoadOptions { limits, ..options() });
    assert!(loaded.classes.len() < 20, "{}", loaded.classes.len());
    assert_eq!(loaded.problems.len(), 1, "{:?}", loaded.problems);
}
