//! Libraries with classes for those who also use another library, which is not there.

use crate::program::Program;
use catchment_exceptions::{ClauseScope, ExceptionFlowOptions, Scope, exception_flow, links};
use catchment_pointsto::CallGraphKind;
use catchment_testkit::compilers::{Compiler, Job};
use std::fs;
use std::path::{Path, PathBuf};

/// `Adapter`, whose superclass was compiled against and is gone.
fn library(folder: &Path) -> PathBuf {
    let source = folder.join("Library.java");
    let code = "public class Library { public static Object make() { return new Adapter(); } }
        class Adapter extends Gone { }
        class Gone { }";
    fs::write(&source, code).expect("written");
    let compiled = Compiler::Javac { jdk: 17, release: 17 }.compile(&Job::of([source])).expect("it compiles");
    let classes = folder.join("classes");
    fs::create_dir(&classes).expect("made");
    for class in ["Library.class", "Adapter.class"] {
        fs::copy(compiled.join(class), classes.join(class)).expect("copied");
    }
    classes
}

#[test]
fn a_class_of_a_library_that_cannot_be_loaded_is_no_exception() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = library(folder.path());
    let program = "class T {
        public static void main(String[] args) {
            Object made = Library.make();
            try { throw (RuntimeException) made; } catch (IllegalStateException e) { args = null; }
        }
    }";
    let program = Program::compile(program, vec![library]);
    let mut reached = program.analyse(CallGraphKind::default());
    let options = ExceptionFlowOptions { throws: true, ..ExceptionFlowOptions::default() };
    let flow = exception_flow(&mut reached, &options, Scope::ApplicationClauses);
    let found = links(&reached, &flow, ClauseScope::Application);
    let own = found.iter().filter(|link| {
        let class = reached.world.method(link.point.method).class;
        reached.world.class_of(class).binary_name() == "T"
    });
    assert_eq!(own.count(), 0);
}
