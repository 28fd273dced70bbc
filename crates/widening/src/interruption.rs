//! A clause that does not care about interruptions must not begin to catch them.

use crate::checked::{Checks, is_java};
use crate::escapes::View;
use crate::hierarchy::{Hierarchy, INTERRUPTED};
use crate::illegal::Illegal;
use catchment_classfile::ClassFile;
use catchment_flow::{FlowError, ThrowSite, Thrown, handler_sites};
use catchment_pairs::ClassPairs;

/// An interruption that comes out of the body of the try, and that the clause with this try and number would begin to
/// catch. Those that an inner clause or an earlier one of the try takes do not come there.
pub(crate) fn interruption(
    class: &ClassFile<'_>,
    pairs: &ClassPairs,
    (index, clause): (usize, usize),
    rung: &str,
    hierarchy: &Hierarchy<'_>,
) -> Result<Option<Illegal>, FlowError> {
    let takes = |exception: &String| hierarchy.is_subclass(INTERRUPTED, exception);
    let mut up_to_own = (0..=clause).filter_map(|clause| pairs.pairs.get(pairs.pair_of(index, clause)));
    if !hierarchy.is_subclass(INTERRUPTED, rung) || up_to_own.any(|pair| pair.types.iter().any(takes)) {
        return Ok(None);
    }
    let Some(checks) = Checks::of(class, pairs, pairs.tries[index].method, hierarchy)? else {
        return Ok(None);
    };
    let view = View { checks: &checks, widened: &[] };
    let declares_all = is_java(class);
    let mut sites = view.sites_in(index);
    let interrupted = sites.find(|(site, inner)| is_interrupted(&view, site, inner, declares_all));
    Ok(interrupted.map(|(site, _)| {
        let call = match &site.thrown {
            Thrown::Call { owner, name, .. } => Some(format!("{owner}.{name}")),
            _ => None,
        };
        Illegal::Interruptible { call, line: site.line }
    }))
}

/// A clause that tells its thread again that it was interrupted would do so for whatever else it caught.
pub(crate) fn passed_on(
    class: &ClassFile<'_>,
    pairs: &ClassPairs,
    (index, clause): (usize, usize),
) -> Result<Option<Illegal>, FlowError> {
    let own = pairs.pairs.get(pairs.pair_of(index, clause));
    if !own.is_some_and(|own| own.types.iter().any(|caught| caught == INTERRUPTED)) {
        return Ok(None);
    }
    let sites = handler_sites(class, &pairs.tries[index], clause)?;
    let is_interrupt = |site: &ThrowSite| matches!(&site.thrown, Thrown::Call { owner, name, .. } if owner == "java.lang.Thread" && name == "interrupt");
    let what = "an interruption, which it passes on".to_owned();
    let interrupt = sites.into_iter().find(is_interrupt);
    Ok(interrupt.map(|site| Illegal::NeedsNarrowType { what, line: site.line }))
}

/// `declares_all`: a method that overrides another throws no more than it declares itself.
fn is_interrupted(
    view: &View<'_, '_>,
    site: &ThrowSite,
    inner: &[(usize, usize)],
    declares_all: bool,
) -> bool {
    let hierarchy = view.checks.hierarchy;
    let types = view.passing(site, inner, &mut Vec::new());
    if types.iter().flatten().any(|thrown| hierarchy.is_subclass(thrown, INTERRUPTED)) {
        return true;
    }
    match &site.thrown {
        Thrown::Call { owner, name, descriptor } if !declares_all || types.contains(&None) => {
            hierarchy.is_interruptible(owner, name, descriptor) && !view.take(inner, INTERRUPTED)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::tests::{compile, with_jdk};
    use catchment_pairs::pairs_of;
    use std::fs;

    const HEAD: &str =
        "import java.io.*; class C { static boolean is; static void open() throws IOException {}
        interface Passage { void pass() throws InterruptedException; }
        static class Open implements Passage { public void pass() {} }
        static class Stopped extends InterruptedException {}\n";

    /// Bodies of tries, and what in them would be swallowed.
    const CASES: [(&str, Option<&str>); 11] = [
        ("Thread.sleep(1);", Some("java.lang.Thread.sleep declares (line 5)")),
        ("if (Thread.interrupted()) throw new InterruptedException();", Some("thrown in its try (line 6)")),
        ("if (is) throw new Stopped();", Some("thrown in its try (line 7)")),
        ("try { Thread.sleep(1); } catch (InterruptedException e) { is = true; }", None),
        ("try { Thread.sleep(1); } catch (Exception e) { is = true; }", None),
        (
            "try { Thread.sleep(1); } catch (InterruptedException e) { throw e; }",
            Some("in its try (line 10)"),
        ),
        ("try { Thread.sleep(1); } catch (RuntimeException e) { is = true; }", Some("Thread.sleep")),
        ("try { Thread.sleep(1); } finally { is = true; }", Some("Thread.sleep")),
        ("try { open(); } catch (Exception e) { throw e; }", None),
        ("Passage p = new Open(); p.pass();", Some("C$Passage.pass")),
        ("Open p = new Open(); p.pass();", None),
    ];

    fn methods() -> String {
        let method = |(number, (body, _)): (usize, &(&str, Option<&str>))| {
            let (before, after) =
                ("throws Exception { try {", "open(); } catch (FileNotFoundException e) {} }");
            format!("static void m{number}() {before} {body} {after}\n")
        };
        CASES.iter().enumerate().map(method).collect()
    }

    #[test]
    fn interruptions_that_come_out_of_the_try_are_not_swallowed() {
        let folder = compile(&[("C.java", &format!("{HEAD}{}}}", methods()))], &[]);
        let bytes = fs::read(folder.join("C.class")).expect("a class");
        let classes = with_jdk(&[folder]);
        let hierarchy = Hierarchy::of(&classes);
        let class = ClassFile::parse(&bytes).expect("a class");
        let pairs = pairs_of(&class);
        for (number, (body, expected)) in CASES.iter().enumerate() {
            let is_meant = |index: &usize| {
                let pair = &pairs.pairs[pairs.pair_of(*index, 0)];
                pair.method == format!("m{number}") && pair.types == ["java.io.FileNotFoundException"]
            };
            let index = (0..pairs.tries.len()).find(is_meant).expect("a try");
            let found = interruption(&class, &pairs, (index, 0), "java.lang.Exception", &hierarchy);
            let said = found.expect("a method that can be followed").map(|illegal| illegal.to_string());
            let is_as_expected = match (&said, expected) {
                (Some(said), Some(expected)) => said.contains(expected),
                (said, expected) => said.is_none() && expected.is_none(),
            };
            assert!(is_as_expected, "{body}: {said:?}");
        }
    }

    #[test]
    fn a_handler_that_passes_the_interruption_on_is_for_interruptions_only() {
        let handlers = [
            "Thread.currentThread().interrupt();",
            "System.out.println(e); } catch (RuntimeException e) { Thread.currentThread().interrupt();",
        ];
        let methods = handlers.iter().enumerate().map(|(number, handler)| {
            format!("void m{number}() {{ try {{ Thread.sleep(1); }} catch (InterruptedException e) {{ {handler} }} Thread.currentThread().interrupt(); }}\n")
        });
        let source = format!("class C {{\n{}}}", methods.collect::<String>());
        let bytes = fs::read(compile(&[("C.java", &source)], &[]).join("C.class")).expect("a class");
        let class = ClassFile::parse(&bytes).expect("a class");
        let pairs = pairs_of(&class);
        // What other clauses and the code behind do is no matter.
        let said = |index| passed_on(&class, &pairs, (index, 0)).expect("a handler that can be followed");
        let what = "an interruption, which it passes on".to_owned();
        assert_eq!(said(0), Some(Illegal::NeedsNarrowType { what, line: Some(2) }));
        assert_eq!(said(1), None);
    }
}
