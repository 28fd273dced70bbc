//! Single classes by name, through [`ClassPath`].

use std::path::{Path, PathBuf};

use catchment_program::{ClassPath, EntryId, Limits, LoadOptions, find_java_homes, jdk_image, visit};

use crate::image_builder::{ImageBuilder, Order, class_with_pool};
use crate::zips::{MULTI_RELEASE, stored_zip, zip};
use crate::{Place, class_bytes};

fn open(place: &Place, names: &[&str]) -> ClassPath {
    open_with(place, names, &LoadOptions::default())
}

fn open_with(place: &Place, names: &[&str], options: &LoadOptions) -> ClassPath {
    let paths: Vec<PathBuf> = names.iter().map(|name| place.folder.path().join(name)).collect();
    ClassPath::open(&paths, None, options)
}

/// Entry and bytes of a class.
fn found<'a>(class_path: &'a ClassPath, name: &str) -> Option<(u32, &'a [u8])> {
    let found = class_path.find(name.as_bytes())?;
    assert_eq!(found.name(), name.as_bytes());
    Some((found.entry().0, found.bytes().unwrap()))
}

fn origins(place: &Place, class_path: &ClassPath) -> Vec<(String, Option<usize>)> {
    let entries = class_path.entries();
    entries.map(|(_, entry)| (place.relative(&entry.origin.to_string()), entry.given)).collect()
}

fn problems(place: &Place, class_path: &ClassPath) -> Vec<String> {
    class_path.problems().iter().map(|problem| place.relative(&problem.to_string())).collect()
}

#[test]
fn the_first_entry_with_a_class_wins_and_each_lists_its_own() {
    let place = Place::new();
    let [one, two, three] = ["1", "2", "3"].map(class_bytes);
    place.write("classes/a/A.class", &one);
    place.write("lib.jar", zip(&[("a/A.class", &two), ("a/B.class", &three)]));
    let class_path = open(&place, &["classes", "lib.jar"]);
    assert_eq!(found(&class_path, "a/A"), Some((0, &one[..])));
    assert_eq!(found(&class_path, "a/B"), Some((1, &three[..])));
    assert!(class_path.find(b"a/C").is_none());
    let listed = class_path.classes(EntryId(1)).map(|it| (it.name().to_vec(), it.bytes().unwrap().to_vec()));
    assert_eq!(listed.collect::<Vec<_>>(), [(b"a/A".to_vec(), two), (b"a/B".to_vec(), three)]);
    assert_eq!(class_path.classes(EntryId(7)).len(), 0);
    assert_eq!(problems(&place, &class_path), [""; 0]);
}

#[test]
fn stored_classes_are_not_copied_and_packed_ones_unpacked_once() {
    let place = Place::new();
    let bytes = class_bytes("x");
    place.write("stored.jar", stored_zip(&[("S.class", &bytes)]));
    place.write("packed.jar", zip(&[("P.class", &bytes)]));
    let class_path = open(&place, &["stored.jar", "packed.jar"]);
    for name in ["S", "P"] {
        let (first, again) = (found(&class_path, name).unwrap().1, found(&class_path, name).unwrap().1);
        assert_eq!((first, first.as_ptr()), (&bytes[..], again.as_ptr()), "{name}");
    }
}

#[test]
fn a_multi_release_jar_is_seen_as_the_wanted_release_sees_it() {
    let place = Place::new();
    let [plain, nine, seventeen] = ["plain", "nine", "seventeen"].map(class_bytes);
    place.write(
        "mr.jar",
        zip(&[
            ("META-INF/MANIFEST.MF", MULTI_RELEASE.as_bytes()),
            ("A.class", &plain),
            ("META-INF/versions/9/A.class", &nine),
            ("META-INF/versions/17/A.class", &seventeen),
        ]),
    );
    for (release, expected) in [(8, &plain), (11, &nine), (17, &seventeen)] {
        let class_path = open_with(&place, &["mr.jar"], &LoadOptions { release, ..LoadOptions::default() });
        assert_eq!(found(&class_path, "A"), Some((0, &expected[..])), "{release}");
        assert_eq!(class_path.classes(EntryId(0)).len(), 1);
    }
}

#[test]
fn a_manifest_brings_further_entries_once_and_in_circles_too() {
    let place = Place::new();
    let class = class_bytes("");
    let manifest = |class_path: &str| format!("Manifest-Version: 1.0\nClass-Path: {class_path}\n\n");
    let (app, lib) = (manifest("lib/b%20c.jar lib/absent.jar classes/"), manifest("../app.jar"));
    place.write("app.jar", zip(&[("META-INF/MANIFEST.MF", app.as_bytes()), ("A.class", &class)]));
    place.write("lib/b c.jar", zip(&[("META-INF/MANIFEST.MF", lib.as_bytes()), ("B.class", &class)]));
    place.write("classes/C.class", &class);
    place.write("last.jar", zip(&[("D.class", &class)]));
    let class_path = open(&place, &["app.jar", "last.jar"]);
    let expected = [("app.jar", 0), ("lib/b c.jar", 0), ("classes/", 0), ("last.jar", 1)];
    let expected = expected.map(|(origin, given)| (origin.to_owned(), Some(given)));
    assert_eq!(origins(&place, &class_path), expected);
    assert!(["A", "B", "C", "D"].iter().all(|name| found(&class_path, name).is_some()));
    assert_eq!(problems(&place, &class_path), [""; 0]);
}

#[test]
fn class_folders_and_libraries_of_a_war_are_entries_of_their_own() {
    let place = Place::new();
    let class = class_bytes("");
    let library = zip(&[("L.class", &class), ("META-INF/services/x.Y", b"of.Library")]);
    let entries: &[(&str, &[u8])] = &[
        ("WEB-INF/classes/W.class", &class),
        ("WEB-INF/classes/META-INF/services/x.Y", b"of.War"),
        ("WEB-INF/lib/l.jar", &library),
        ("WEB-INF/lib/damaged.jar", b"PK\x03\x04 no archive"),
    ];
    for (name, archive) in [("packed.war", zip(entries)), ("stored.war", stored_zip(entries))] {
        place.write(name, archive);
        let class_path = open(&place, &[name]);
        let expected =
            ["", "!/WEB-INF/classes", "!/WEB-INF/lib/l.jar"].map(|it| (format!("{name}{it}"), Some(0)));
        assert_eq!(origins(&place, &class_path), expected);
        assert_eq!(found(&class_path, "W"), Some((1, &class[..])));
        assert_eq!(found(&class_path, "L"), Some((2, &class[..])));
        let services = class_path.resources("META-INF/services/x.Y");
        let expected = [(EntryId(1), Ok(b"of.War".to_vec())), (EntryId(2), Ok(b"of.Library".to_vec()))];
        assert_eq!(services, expected);
        let problem = format!("{name}!/WEB-INF/lib/damaged.jar: damaged zip archive");
        assert_eq!(problems(&place, &class_path), [problem]);
    }
}

#[test]
fn resources_come_from_folders_too_but_from_nowhere_else() {
    let place = Place::new();
    place.write("classes/META-INF/services/x.Y", "a.B\n");
    place.write("secret", "no resource");
    let class_path = open(&place, &["classes"]);
    let services = class_path.resources("META-INF/services/x.Y");
    assert_eq!(services, [(EntryId(0), Ok(b"a.B\n".to_vec()))]);
    let outside = place.folder.path().join("secret");
    for name in ["../secret", "META-INF/services", "", outside.to_str().unwrap()] {
        assert_eq!(class_path.resources(name), [], "{name}");
    }
}

#[test]
fn what_cannot_be_opened_is_a_problem_and_the_rest_is_there() {
    let place = Place::new();
    place.write("text.jar", "not a jar");
    place.write("classes/A.class", class_bytes(""));
    let class_path = open(&place, &["absent", "text.jar", "classes"]);
    let expected = ["absent: no such file or folder", "text.jar: not a zip archive"];
    assert_eq!(problems(&place, &class_path), expected);
    assert!(found(&class_path, "A").is_some());
    std::fs::remove_file(place.folder.path().join("classes/A.class")).unwrap();
    let class_path = open(&place, &["classes"]);
    assert!(class_path.find(b"A").is_none());
}

#[test]
fn a_class_that_cannot_be_read_says_why() {
    let place = Place::new();
    place.write("classes/A.class", class_bytes(""));
    place.write("classes/Large.class", [0; 2000]);
    let limits = Limits { class_bytes: 1000, ..Limits::default() };
    let class_path = open_with(&place, &["classes"], &LoadOptions { limits, ..LoadOptions::default() });
    assert_eq!(class_path.find(b"Large").unwrap().bytes(), Err("larger than 1000 bytes"));
    std::fs::remove_file(place.folder.path().join("classes/A.class")).unwrap();
    assert_eq!(class_path.find(b"A").unwrap().bytes(), Err("no such file or folder"));
}

#[test]
fn more_classes_than_the_limit_are_left_out_with_one_problem() {
    let place = Place::new();
    let class = class_bytes("");
    place.write("x.jar", zip(&[("A.class", &class), ("B.class", &class), ("C.class", &class)]));
    let limits = Limits { classes: 1, ..Limits::default() };
    let class_path = open_with(&place, &["x.jar"], &LoadOptions { limits, ..LoadOptions::default() });
    assert_eq!(problems(&place, &class_path), ["x.jar: more than 1 classes; the rest is left out"]);
    assert!(class_path.find(b"A").is_some() && class_path.find(b"B").is_none());
}

#[test]
fn the_image_comes_last_with_its_modules() {
    let place = Place::new();
    let mut builder = ImageBuilder::new(Order::Little);
    let (object, packed) = (class_bytes("object"), class_with_pool());
    let [base, sql] = ["base", "sql"].map(class_bytes);
    builder.add("java.base", "java/lang", "Object", "class", &object);
    builder.add("java.base", "", "module-info", "class", &base);
    builder.add("java.sql", "", "module-info", "class", &sql);
    let zipped = builder.zip_layer(&packed);
    builder.add_packed("Zipped", &zipped, packed.len());
    place.write("jdk/lib/modules", builder.build());
    place.write("classes/A.class", class_bytes(""));
    let paths = [place.folder.path().join("classes")];
    let class_path = ClassPath::open(&paths, Some(&place.folder.path().join("jdk")), &LoadOptions::default());
    assert_eq!(class_path.entry(EntryId(1)).unwrap().given, None);
    assert_eq!(found(&class_path, "java/lang/Object"), Some((1, &object[..])));
    let zipped = class_path.classes(EntryId(1)).find(|it| it.name().ends_with(b"Zipped")).unwrap();
    assert_eq!(zipped.bytes(), Ok(&packed[..]));
    let mut modules: Vec<_> = class_path.modules().map(|(name, it)| (name, it.bytes().unwrap())).collect();
    modules.sort_unstable();
    assert_eq!(modules, [("java.base", &base[..]), ("java.sql", &sql[..])]);
    assert!(class_path.find(b"module-info").is_none());
}

#[test]
fn a_real_jdk_gives_every_class_that_a_visit_gives_from_any_thread() {
    let jdk = find_java_homes().into_iter().find(|home| home.feature_version >= 9).unwrap();
    let class_path = ClassPath::open(&[], Some(&jdk.path), &LoadOptions::default());
    let mut wrong = Vec::new();
    std::thread::scope(|scope| {
        let visitor = scope.spawn(|| {
            visit(Path::new(&jdk_image(&jdk.path).unwrap()), &LoadOptions::default(), &mut |class| {
                let name = class.expected_name();
                let bytes = class_path.find(name.as_bytes()).map(|it| it.bytes());
                if name != "module-info" && bytes != Some(Ok(class.bytes)) {
                    wrong.push(name.to_owned());
                }
            })
        });
        assert!(visitor.join().unwrap().unwrap().classes > 20_000);
    });
    assert_eq!(wrong, [""; 0]);
    assert!(class_path.modules().any(|(name, _)| name == "java.base"));
    assert!(class_path.problems().is_empty());
}
