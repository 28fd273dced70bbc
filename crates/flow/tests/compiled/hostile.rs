//! Bytes that no compiler makes: answers or errors, never a panic.

use crate::classes::{JAVAC, fixture};
use catchment_classfile::ClassFile;
use catchment_flow::{FlowError, Retype, handler_uses, narrow_needs, reliance, retype_clauses};
use catchment_pairs::{CompiledTry, pairs_of};
use smallvec::smallvec;
use std::fs;

/// Asks everything of every clause; gives how many could be followed.
fn ask_all(bytes: &[u8]) -> usize {
    let Ok(class) = ClassFile::parse(bytes) else { return 0 };
    let mut followed = 0;
    for compiled_try in &pairs_of(&class).tries {
        for clause in 0..compiled_try.clauses.len() {
            let needs = handler_uses(&class, compiled_try, clause).map(|uses| narrow_needs(&uses));
            let relied = reliance(&class, compiled_try, clause);
            let new = retype_clauses(&class, &[Retype { compiled_try, clause, to: "java.lang.Throwable" }]);
            if let Ok(new) = &new {
                assert!(ClassFile::parse(new).is_ok(), "what is written can be read");
            }
            followed += usize::from(needs.is_ok() && relied.is_ok());
        }
    }
    followed
}

#[test]
fn classes_with_any_byte_changed_are_answered_or_refused() {
    let classes = fixture(JAVAC, "flow/ModernHandlers.java");
    let original = fs::read(classes.join("ModernHandlers.class")).expect("a class");
    let clauses = ask_all(&original);
    assert!(clauses >= 5, "{clauses}");
    let mut refused = 0;
    for at in 0..original.len() {
        let mut bytes = original.clone();
        bytes[at] ^= if at % 2 == 0 { 0xFF } else { 0x01 };
        refused += usize::from(ask_all(&bytes) < clauses);
    }
    assert!(refused > 100 && refused < original.len(), "{refused} of {}", original.len());
}

#[test]
fn a_clause_of_another_class_is_refused() {
    let classes = fixture(JAVAC, "flow/ModernHandlers.java");
    let bytes = fs::read(classes.join("ModernHandlers.class")).expect("a class");
    let class = ClassFile::parse(&bytes).expect("a class");
    let found = pairs_of(&class).tries.remove(0);
    let elsewhere = CompiledTry { method: 999, ..found.clone() };
    let mut misplaced = found.clone();
    misplaced.clauses[0].handler += 1;
    let mut without_rows = found.clone();
    without_rows.clauses[0].rows = smallvec![40];
    for (compiled_try, clause) in [(&elsewhere, 0), (&found, 9), (&misplaced, 0), (&without_rows, 0)] {
        assert_eq!(reliance(&class, compiled_try, clause), Err(FlowError::NoSuchClause));
        assert_eq!(handler_uses(&class, compiled_try, clause), Err(FlowError::NoSuchClause));
        let change = Retype { compiled_try, clause, to: "java.lang.Throwable" };
        assert_eq!(retype_clauses(&class, &[change]), Err(FlowError::NoSuchClause));
    }
}
