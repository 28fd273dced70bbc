//! Every snippet becomes what stands beside it, and what holds for all of them.

mod page;

use catchment_patch::{Language, Patched, Widening, unified_diff, widen};
use catchment_testkit::compilers::{Compiler, Job};
use page::{Snippet, snippets};
use std::fs;
use std::process::Command;

fn patched(snippet: &Snippet) -> Patched {
    widen(&snippet.before, snippet.language, &snippet.widenings)
}

#[test]
fn every_snippet_becomes_what_stands_beside_it() {
    for snippet in snippets() {
        let patched = patched(&snippet);
        for outcome in &patched.outcomes {
            assert_eq!(outcome, &Ok(()), "{}", snippet.title);
        }
        assert!(patched.text == snippet.after, "{}:\n{}", snippet.title, patched.text);
    }
}

#[test]
fn the_order_of_widenings_does_not_matter() {
    for mut snippet in snippets() {
        snippet.widenings.reverse();
        assert_eq!(patched(&snippet).text, snippet.after, "{}", snippet.title);
    }
}

#[test]
fn carriage_returns_and_byte_order_marks_are_kept() {
    for mut snippet in snippets() {
        let dressed = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
        snippet.before = dressed(&snippet.before);
        assert_eq!(patched(&snippet).text, dressed(&snippet.after), "{}", snippet.title);
    }
}

#[test]
fn lines_differ_in_type_names_only() {
    let code = |text: &str| {
        let is_code = |line: &&str| !line.contains("import ") && !line.trim().is_empty();
        text.lines().filter(is_code).map(str::to_owned).collect::<Vec<_>>()
    };
    // The types of a multi-catch may stand on several lines, which become one; merged clauses go.
    let keeps_lines = |it: &Widening| it.from.len() == 1 && it.merges.is_empty();
    for snippet in snippets().iter().filter(|it| it.widenings.iter().all(keeps_lines)) {
        let (before, after) = (code(&snippet.before), code(&patched(snippet).text));
        assert_eq!(before.len(), after.len(), "{}", snippet.title);
        for (old, new) in before.iter().zip(&after) {
            let is_name = |it: char| it.is_alphanumeric() || matches!(it, '.' | '`');
            let others =
                |line: &str| line.split(is_name).map(str::to_owned).filter(|it| !it.is_empty()).collect();
            let (old, new): (Vec<String>, Vec<String>) = (others(old), others(new));
            assert_eq!(old, new, "{}", snippet.title);
        }
    }
}

#[test]
fn no_prefix_of_a_source_causes_a_panic() {
    for snippet in snippets() {
        let ends = (0..snippet.before.len()).filter(|end| snippet.before.is_char_boundary(*end));
        for end in ends {
            let prefix = &snippet.before[..end];
            let patched = widen(prefix, snippet.language, &snippet.widenings);
            let changed = patched.outcomes.iter().any(Result::is_ok);
            assert!(changed || patched.text == prefix, "{} up to {end}", snippet.title);
        }
    }
}

#[test]
fn compilers_accept_the_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let snippets: Vec<Snippet> = snippets().into_iter().filter(|it| it.compiles).collect();
    for (number, snippet) in snippets.iter().enumerate() {
        let (compiler, name) = match snippet.language {
            Language::Java => (Compiler::Javac { jdk: 17, release: 17 }, "A.java"),
            Language::Kotlin => (Compiler::Kotlinc2, "A.kt"),
        };
        let source = folder.path().join(number.to_string()).join(name);
        fs::create_dir(folder.path().join(number.to_string())).expect("a folder");
        fs::write(&source, patched(snippet).text).expect("written");
        if let Err(error) = compiler.compile(&Job::of([source])) {
            panic!("{}: {error:#}", snippet.title);
        }
    }
}

#[test]
fn git_applies_the_diff() {
    for (number, snippet) in snippets().iter().enumerate() {
        for dress in [|text: &str| text.to_owned(), |text: &str| text.trim_end().replace('\n', "\r\n")] {
            let folder = tempfile::tempdir().expect("a folder");
            let (before, after) = (dress(&snippet.before), dress(&snippet.after));
            let path = format!("some folder/{number}.txt");
            fs::create_dir(folder.path().join("some folder")).expect("a folder");
            fs::write(folder.path().join(&path), &before).expect("written");
            fs::write(folder.path().join("patch"), unified_diff(&path, &before, &after)).expect("written");
            let mut git = Command::new("git");
            let output =
                git.args(["apply", "patch"]).current_dir(&folder).output().expect("git is installed");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            assert_eq!(fs::read_to_string(folder.path().join(&path)).expect("readable"), after);
        }
    }
}
