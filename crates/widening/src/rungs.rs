//! The types a clause might catch instead of its own.

use crate::hierarchy::{Hierarchy, THROWABLE};

const EXCEPTION: &str = "java.lang.Exception";
const RUNTIME_EXCEPTION: &str = "java.lang.RuntimeException";
const ERROR: &str = "java.lang.Error";

/// Supertypes common to all of `types`, widest first: up to `to` or, unless it is given, to what does not newly catch
/// every unchecked exception. Of errors those below `Error`. `before` is what earlier clauses of the try catch.
pub fn rungs(
    types: &[String],
    before: &[String],
    to: Option<&str>,
    hierarchy: &Hierarchy<'_>,
) -> Vec<String> {
    let Some(first) = types.first() else { return Vec::new() };
    let is_common = |rung: &String| types.iter().all(|caught| hierarchy.is_subclass(caught, rung));
    let is_new = |rung: &String| types.iter().any(|caught| caught != rung);
    let is_proposed = |rung: &String| match to {
        // As wide as there is; errors never get there.
        Some(EXCEPTION) => true,
        Some(to) => hierarchy.is_subclass(rung, to),
        None => !newly_catches_all_unchecked(types, before, rung, hierarchy),
    };
    let lineage = hierarchy.lineage(first).into_iter().filter(is_common).filter(is_new);
    let below = lineage.take_while(|rung| ![ERROR, THROWABLE, "java.lang.Object"].contains(&rung.as_str()));
    let mut rungs: Vec<String> = below.filter(is_proposed).collect();
    rungs.reverse();
    rungs
}

/// Tells whether the clause would see every `RuntimeException`, and neither it nor an earlier one does now.
pub fn newly_catches_all_unchecked(
    types: &[String],
    before: &[String],
    rung: &str,
    hierarchy: &Hierarchy<'_>,
) -> bool {
    let catches = |caught: &str| hierarchy.is_subclass(RUNTIME_EXCEPTION, caught);
    catches(rung) && !types.iter().chain(before).any(|caught| catches(caught))
}

/// Tells whether it is worth asking for more than is proposed by itself.
pub fn could_go_to_exception(types: &[String], hierarchy: &Hierarchy<'_>) -> bool {
    !rungs(types, &[], Some(EXCEPTION), hierarchy).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::tests::with_jdk;

    fn of(types: &[&str], to: Option<&str>) -> Vec<String> {
        let types: Vec<_> = types.iter().map(|name| (*name).to_owned()).collect();
        rungs(&types, &[], to, &Hierarchy::of(&with_jdk(&[])))
    }

    #[test]
    fn all_unchecked_exceptions_are_caught_only_on_request() {
        assert_eq!(of(&["java.io.FileNotFoundException"], None), ["java.io.IOException"]);
        assert_eq!(
            of(&["java.io.FileNotFoundException"], Some(EXCEPTION)),
            [EXCEPTION, "java.io.IOException"]
        );
        assert_eq!(of(&["java.lang.NumberFormatException"], None), ["java.lang.IllegalArgumentException"]);
        assert_eq!(of(&["java.io.IOException"], None), [""; 0]);
        assert_eq!(of(&[RUNTIME_EXCEPTION], None), [EXCEPTION], "it catches them already");
        assert_eq!(of(&[EXCEPTION], Some(EXCEPTION)), [""; 0]);
    }

    #[test]
    fn what_an_earlier_clause_catches_is_not_caught_newly() {
        let classes = with_jdk(&[]);
        let known = Hierarchy::of(&classes);
        let (own, earlier) = (["java.io.IOException".to_owned()], [RUNTIME_EXCEPTION.to_owned()]);
        assert_eq!(rungs(&own, &earlier, None, &known), [EXCEPTION]);
        assert!(!newly_catches_all_unchecked(&own, &earlier, EXCEPTION, &known));
        assert!(newly_catches_all_unchecked(&own, &own, EXCEPTION, &known));
    }

    #[test]
    fn of_several_types_the_common_ones_count() {
        assert_eq!(
            of(&["java.io.FileNotFoundException", "java.io.EOFException"], None),
            ["java.io.IOException"]
        );
        let mixed = ["java.io.EOFException", "java.lang.NumberFormatException"];
        assert_eq!(of(&mixed, None), [""; 0]);
        assert_eq!(of(&mixed, Some(EXCEPTION)), [EXCEPTION]);
    }

    #[test]
    fn errors_stay_below_error() {
        assert_eq!(of(&["java.lang.IncompatibleClassChangeError"], None), ["java.lang.LinkageError"]);
        assert_eq!(of(&["java.lang.LinkageError"], None), [""; 0]);
        assert_eq!(
            of(&["java.lang.IncompatibleClassChangeError"], Some(EXCEPTION)),
            ["java.lang.LinkageError"]
        );
    }
}
