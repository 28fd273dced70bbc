//! Output of `catchment links`, compared as a whole, on programs that need nothing of the JDK.
//!
//! `links_texts/` has the programs and the texts. What differs from JDK to JDK is masked, in one place.

use crate::support::{Program, assert_follows_schema, catchment, error_text};
use catchment_testkit::jdk;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;

/// With a fault of its own in `catchment.toml`, beside its classes.
fn shop() -> Program {
    let program = Program::new("Shop", include_str!("links_texts/Shop.java"));
    fs::write(program.classes.join("catchment.toml"), include_str!("links_texts/catchment.toml")).unwrap();
    program
}

/// Native code, reflection, and a class that is gone.
fn blind() -> Program {
    let program = Program::new("Blind", include_str!("links_texts/Blind.java"));
    fs::remove_file(program.classes.join("Blind$Gone.class")).unwrap();
    program
}

fn links(folder: &Path, options: &[&str]) -> Output {
    let mut command = catchment();
    command.env("JAVA_HOME", jdk::installed(17).unwrap().home()).arg("links");
    command.arg(folder).args(options).output().unwrap()
}

fn text(program: &Program, options: &[&str]) -> String {
    let output = links(&program.classes, options);
    assert_eq!(output.status.code(), Some(0), "{}", error_text(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Numbers that the machine or the JDK has a part in become `_`, and its places are left out.
fn masked(text: &str) -> String {
    let is_of_the_jdk = |line: &&str| {
        let place = line.strip_prefix("  ").unwrap_or_default();
        ["java.", "javax.", "jdk.", "sun.", "com.sun."].iter().any(|package| place.starts_with(package))
            || place.starts_with("and ")
    };
    let volatile = |line: &str| {
        line.contains(" calls reached in ") || line.ends_with(" blind spots") || line.contains(" places, ")
    };
    let number = |word: &str| {
        let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        if is_number { "_".to_owned() } else { word.to_owned() }
    };
    let mask = |line: &str| {
        let words = line.split(' ').map(|word| if volatile(line) { number(word) } else { word.to_owned() });
        words.collect::<Vec<_>>().join(" ") + "\n"
    };
    text.lines().filter(|line| !is_of_the_jdk(line)).map(mask).collect()
}

#[test]
fn the_links_are_shown_by_clause_and_by_trigger() {
    let program = shop();
    assert_eq!(masked(&text(&program, &[])), include_str!("links_texts/by-handler.txt"));
    assert_eq!(masked(&text(&program, &["--by", "trigger"])), include_str!("links_texts/by-trigger.txt"));
}

#[test]
fn filters_leave_clauses_with_wanted_links_and_the_numbers_as_they_were() {
    let program = shop();
    for (options, expected) in [
        (["--package", "acme.Shop"], include_str!("links_texts/by-handler.txt")),
        (["--package", "acme.Till"], include_str!("links_texts/package.txt")),
        (["--type", "Empty"], include_str!("links_texts/type.txt")),
        (["--fault", "STORE_READ"], include_str!("links_texts/fault.txt")),
    ] {
        assert_eq!(masked(&text(&program, &options)), expected, "{options:?}");
    }
}

#[test]
fn clauses_that_nothing_comes_to_are_listed_with_all_others() {
    let program = shop();
    let quiet =
        "acme.Shop.quiet  Shop.java:33  catch Shop$Odd\n             nothing was found that comes here\n";
    assert!(text(&program, &["--all"]).contains(quiet));
    assert!(!text(&program, &["--all", "--type", "Empty"]).contains("Shop.quiet"));
}

#[test]
fn filters_that_leave_nothing_say_so() {
    let program = shop();
    let nothing = "catchment: none of the 5 links is what --package, --type and --fault ask for\n";
    assert!(error_text(&links(&program.classes, &["--package", "acme.Till"])).contains(nothing));
    assert!(!error_text(&links(&program.classes, &["--package", "acme.Shop"])).contains("none of the"));
}

#[test]
fn a_link_is_explained_with_the_calls_by_which_it_comes() {
    assert_eq!(text(&shop(), &["--why", "2"]), include_str!("links_texts/why.txt"));
}

#[test]
fn what_leaves_public_methods_is_shown_with_where_it_is_raised() {
    let options = ["--escapes", "--type", "StoreException"];
    assert_eq!(text(&shop(), &options), include_str!("links_texts/escapes.txt"));
}

#[test]
fn operations_of_the_project_are_part_of_the_catalogue() {
    let catalogue = text(&shop(), &["--catalogue"]);
    assert!(catalogue.contains(include_str!("links_texts/catalogue.txt")), "{catalogue}");
    assert!(catalogue.lines().last().unwrap().contains(" operations: "), "{catalogue}");
}

#[test]
fn operations_of_the_project_that_mean_nothing_are_told_on_every_run() {
    let program = shop();
    let misspelt = include_str!("links_texts/catchment.toml").replace("acme.Store\"", "acme.Stor\"");
    let misspelt = misspelt.replace("$Empty", "$Emty");
    fs::write(program.classes.join("catchment.toml"), misspelt).unwrap();
    let told = [
        "fault 1 (acme.Stor.read): there is no class acme.Stor",
        "fault 1 (acme.Stor.read): there is no class acme.StoreException$Emty, which it throws",
    ];
    for options in [&["--by", "trigger"][..], &["--catalogue"], &["--escapes", "--json"]] {
        let text = error_text(&links(&program.classes, options));
        for what in told {
            assert!(text.contains(&format!("catchment: catchment.toml: {what}\n")), "{options:?}: {text}");
        }
    }
    let json: Value = serde_json::from_str(&text(&program, &["--json"])).unwrap();
    assert_follows_schema("links", &json);
    let problems = told.map(|what| serde_json::json!({ "where": "catchment.toml", "what": what }));
    assert_eq!(json["problems"], Value::from(problems.to_vec()));
    let catalogue = text(&program, &["--catalogue"]);
    let total = catalogue.lines().last().unwrap();
    assert!(total.contains(" 0 that this JDK lacks, "), "{total}");
    assert!(total.ends_with(", 1 of catchment.toml that no class has"), "{total}");
}

#[test]
fn what_is_not_seen_is_told_in_the_summary_and_listed() {
    let program = blind();
    assert_eq!(masked(&text(&program, &[])), include_str!("links_texts/missing.txt"));
    assert_eq!(masked(&text(&program, &["--blind-spots"])), include_str!("links_texts/blind-spots.txt"));
    let json: Value = serde_json::from_str(&text(&program, &["--json"])).unwrap();
    assert_follows_schema("links", &json);
    assert_eq!(json["missing_classes"], Value::from(vec!["Blind$Gone"]));
}

/// All that is on stderr but how far the work is.
fn refusal(folder: &Path, options: &[&str]) -> String {
    let output = links(folder, options);
    assert_eq!(output.status.code(), Some(2), "{options:?}: {}", error_text(&output));
    assert_eq!(output.stdout, b"", "{options:?}");
    let text = error_text(&output);
    text.lines().filter(|line| *line != "catchment: class path").map(|line| line.to_owned() + "\n").collect()
}

#[test]
fn wrong_wishes_are_refused_with_what_would_be_right() {
    let program = shop();
    let empty = tempfile::tempdir().unwrap();
    let in_usage = |message: &str| format!("error: {message}\n\nFor more information, try '--help'.\n");
    let filters =
        "invalid value 'cha+mdr' for '--analysis <NAME>': 'cha+mdr': filters need pta, inpta or 2obj";
    assert_eq!(refusal(&program.classes, &["--analysis", "cha+mdr"]), in_usage(filters));
    assert_eq!(
        refusal(&program.classes, &["--entry", "acme.Nobody"]),
        "catchment: cannot find the entry point acme.Nobody: no such class, and no class with such a method\n"
    );
    let kinds = "catchment: no kind of fault is called 'DISK'; there are DATA_FORMAT, DSK_CLOSE, DSK_LOCK, DSK_MAP, DSK_META, \
                 DSK_OPEN, DSK_READ, DSK_SEEK, DSK_SYNC, DSK_WRITE, INTERRUPT, NET_ACCEPT, NET_BIND, NET_CLOSE, NET_CONNECT, NET_OPEN, \
                 NET_OPTION, NET_READ, NET_REQUEST, NET_RESOLVE, NET_SELECT, NET_WRITE, PIPE, PROCESS, STORE_READ\n";
    assert_eq!(refusal(&program.classes, &["--faults", "DISK"]), kinds);
    let nothing = format!("catchment: no classes and no archives in {}\n", empty.path().display());
    assert_eq!(refusal(empty.path(), &[]), nothing);
    fs::write(empty.path().join("pom.xml"), "<project/>").unwrap();
    let unbuilt = format!(
        "catchment: no compiled classes in {}; build it first: mvn test-compile\n",
        empty.path().display()
    );
    assert_eq!(refusal(empty.path(), &[]), unbuilt);
}
