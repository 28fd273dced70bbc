//! Ids of links, which stay while neither the raising point nor the clause changes, and the sites in the try that links name.

use crate::program::Program;
use catchment_exceptions::LinksAnswer;
use std::collections::BTreeMap;

const PROGRAM: &str = r#"
import java.io.*;

public class T {
    static void check(int n) throws IOException {
        if (n > 1) {
            throw new EOFException("first");
        }
        if (n > 2) {
            throw new FileNotFoundException("second");
        }
    }

    public static void main(String[] a) {
        try (InputStream in = new FileInputStream(a[0])) {
            check(a.length);
            in.read();
            in.read(new byte[1]);
        } catch (IOException e) {
            System.exit(1);
        }
    }
}
"#;

fn answer(source: &str, analysis: &str) -> LinksAnswer {
    let program = Program::compile(source, Vec::new());
    let mut search = program.search(&program.request(analysis, &["DSK_READ"])).expect("a program");
    let mut answer = search.answer();
    search.add_sites(&mut answer);
    answer
}

/// Ids by raising point, without its line, offset and file: `java.io.FileInputStream.read 0`, `T.check 1` by order of offsets.
fn ids(answer: &LinksAnswer) -> BTreeMap<String, String> {
    let mut links: Vec<_> =
        answer.links.iter().map(|link| (&answer.points[link.from].site, &link.id)).collect();
    links.sort_by_key(|(site, _)| (&site.class, &site.method, &site.descriptor, site.pc));
    let mut named = BTreeMap::new();
    for (site, id) in links {
        let ordinal = (0..).find(|n| !named.contains_key(&format!("{}.{} {n}", site.class, site.method)));
        named.insert(format!("{}.{} {}", site.class, site.method, ordinal.unwrap_or(0)), id.clone());
    }
    named
}

#[test]
fn the_id_of_a_link_does_not_depend_on_the_analysis() {
    let finest = ids(&answer(PROGRAM, "inpta"));
    assert!(finest.contains_key("T.check 0") && finest.contains_key("java.io.FileInputStream.read 0"));
    for analysis in ["cha", "rta", "pta", "inpta+mdr"] {
        let coarser = ids(&answer(PROGRAM, analysis));
        for (point, id) in
            finest.iter().filter(|(point, _)| point.starts_with("T.") || point.contains("read"))
        {
            assert_eq!(coarser.get(point), Some(id), "{analysis}: {point}");
        }
    }
}

#[test]
fn lines_may_move_and_code_may_follow() {
    let before = ids(&answer(PROGRAM, "inpta"));
    let moved = format!("// A line more.\n{PROGRAM}");
    assert_eq!(ids(&answer(&moved, "inpta")), before);
    let longer = PROGRAM.replace(
        "\"second\");\n        }",
        "\"second\");\n        }\n        if (n > 3) throw new IOException();",
    );
    let after = ids(&answer(&longer, "inpta"));
    assert_eq!(after.len(), before.len() + 1);
    for (point, id) in before {
        assert_eq!(after[&point], id, "{point}");
    }
}

#[test]
fn throws_of_one_method_have_ids_of_their_own_and_overloads_of_one_entry_have_one() {
    let answer = answer(PROGRAM, "inpta");
    let ids = ids(&answer);
    assert_ne!(ids["T.check 0"], ids["T.check 1"]);
    assert!(!ids.contains_key("java.io.FileInputStream.read 1"), "{ids:?}");
    let read = answer.links.iter().find(|link| link.id == ids["java.io.FileInputStream.read 0"]).unwrap();
    assert_eq!(answer.points[read.from].site.descriptor, "", "the entry means all overloads");
}

#[test]
fn links_name_the_calls_in_the_try_that_lead_to_them() {
    let answer = answer(PROGRAM, "inpta");
    let ids = ids(&answer);
    let lines_of = |point: &str| {
        let link = answer.links.iter().find(|link| link.id == ids[point]).expect("a link");
        let sites = link.sites.iter().map(|site| &answer.sites[*site]);
        let mut lines: Vec<u32> = sites.map(|site| site.line.expect("a line")).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(lines_of("T.check 0"), [16]);
    assert_eq!(lines_of("T.check 1"), [16]);
    assert_eq!(lines_of("java.io.FileInputStream.read 0"), [17, 18]);
    let link = answer.links.iter().find(|link| link.id == ids["T.check 1"]).unwrap();
    let thrown = answer.points[link.from].site.instruction().expect("an instruction");
    let named = (thrown.class.as_str(), thrown.method.as_str(), thrown.descriptor.as_str());
    assert_eq!(named, ("T", "check", "(I)V"));
}
