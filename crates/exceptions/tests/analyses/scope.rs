//! What comes to the clauses of the application does not depend on how much else is followed.

use crate::inclusion::FILES_AND_LAMBDAS;
use crate::program::Program;
use catchment_exceptions::{ClauseScope, ExceptionFlowOptions, Link, Scope, exception_flow, links};
use catchment_pointsto::{CallGraphKind, Reached};

fn links_of(reached: &mut Reached<'_>, scope: Scope) -> Vec<Link> {
    let flow = exception_flow(
        reached,
        &ExceptionFlowOptions { throws: true, ..ExceptionFlowOptions::default() },
        scope,
    );
    links(reached, &flow, ClauseScope::Application)
}

fn check(program: &str) {
    let program = Program::compile(program, Vec::new());
    for analysis in [CallGraphKind::Rta, CallGraphKind::default()] {
        let mut reached = program.analyse(analysis);
        let all = links_of(&mut reached, Scope::Everything);
        assert!(!all.is_empty());
        assert_eq!(links_of(&mut reached, Scope::ApplicationClauses), all, "{analysis:?}");
    }
}

#[test]
fn clauses_of_a_program_with_files_and_lambdas_have_the_same_links_in_both_scopes() {
    check(FILES_AND_LAMBDAS);
}

#[test]
fn exceptions_that_no_clause_names_still_arrive_inside_others_in_both_scopes() {
    check(
        r#"class T {
            static class Held { static final int SIZE = Integer.parseInt("x"); }
            static void thrown() throws Exception { throw new java.io.IOException(); }
            public static void main(String[] args) throws Exception {
                try { System.out.println(Held.SIZE); } catch (ExceptionInInitializerError e) { args = null; }
                try { T.class.getDeclaredMethod("thrown").invoke(null); }
                catch (java.lang.reflect.InvocationTargetException e) { args = null; }
            }
        }"#,
    );
}
