//! Exceptions that calls and throws may end with.

use crate::classes::compile;
use catchment_classfile::ClassFile;
use catchment_flow::{Thrown, throw_sites};

const HEAD: &str = "import java.io.*; public class T { static IOException kept; static <X extends Exception> X made(X x) { return x; }
static void fail() throws IOException {}
";

/// Sites of method `m` that throw; of calls the names.
fn thrown(method: &str, options: &[&str]) -> Vec<String> {
    let bytes = compile(&format!("{HEAD}{method} }}"), options);
    let class = ClassFile::parse(&bytes).expect("a class");
    let number = class.methods.iter().position(|it| it.name == "m").expect("method m");
    let sites = throw_sites(&class, number).expect("followed");
    sites.iter().filter(|site| !is_constructor(&site.thrown)).map(|site| told(&site.thrown)).collect()
}

fn is_constructor(thrown: &Thrown) -> bool {
    matches!(thrown, Thrown::Call { name, .. } if name == "<init>")
}

fn told(thrown: &Thrown) -> String {
    match thrown {
        Thrown::Call { owner, name, .. } => format!("{owner}.{name}"),
        Thrown::Object(exception) => exception.clone(),
        Thrown::Rethrown { is_reassigned: false, .. } => "rethrown".to_owned(),
        Thrown::Rethrown { is_reassigned: true, .. } => "rethrown, reassigned".to_owned(),
        Thrown::Unknown => "unknown".to_owned(),
    }
}

#[test]
fn static_types_of_what_is_thrown() {
    let said = |body: &str| {
        thrown(&format!("static void m(EOFException p, boolean b) throws Throwable {{ {body} }}"), &["-g"])
    };
    assert_eq!(said("fail();"), ["T.fail"]);
    assert_eq!(said("throw new EOFException();"), ["java.io.EOFException"]);
    assert_eq!(said("throw p;"), ["java.io.EOFException"]);
    assert_eq!(said("Exception x = p; throw x;"), ["java.lang.Exception"]);
    assert_eq!(said("throw kept;"), ["java.io.IOException"]);
    assert_eq!(said("throw (Error) p.getCause();"), ["java.io.EOFException.getCause", "java.lang.Error"]);
    assert_eq!(said("throw made(p);"), ["T.made", "java.io.EOFException"], "with the cast of the compiler");
    assert_eq!(said("throw b ? p : kept;"), ["unknown"]);
    assert_eq!(said("Runnable r = () -> { };"), [""; 0]);
}

#[test]
fn what_was_caught_is_rethrown() {
    let said = |body: &str, options: &[&str]| {
        let clause = format!("try {{ fail(); }} catch (IOException e) {{ {body} }}");
        let mut sites = thrown(&format!("static void m(boolean b) throws Exception {{ {clause} }}"), options);
        assert_eq!(sites.remove(0), "T.fail");
        sites
    };
    assert_eq!(said("throw e;", &["-g"]), ["rethrown"]);
    assert_eq!(said("throw e;", &["-g:none"]), ["rethrown"]);
    assert_eq!(said("if (b) throw e; e = null;", &["-g"]), ["rethrown, reassigned"]);
    assert_eq!(said("if (b) e = kept; throw e;", &["-g"]), ["rethrown, reassigned"]);
    assert_eq!(said("if (b) e = kept; throw e;", &["-g:none"]), ["unknown"]);
    assert_eq!(said("Exception x = e; throw x;", &["-g"]), ["java.lang.Exception"]);
    assert_eq!(said("throw (EOFException) e;", &["-g"]), ["java.io.EOFException"]);
    assert_eq!(said("IOException x = kept; throw x;", &["-g"]), ["java.io.IOException"]);
}
