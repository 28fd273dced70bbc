//! Beside other agents in the same JVM.

use crate::support::{Program, error_text, java, watch};
use catchment_testkit::{compilers, jdk, maven};

const TRIES: &str = r#"
public class Tries {
    public static void main(String[] args) {
        for (int i = 0; i < 10; i++) System.out.print(new Tries().next(i));
    }
    int next(int i) {
        try { if (i > 6) throw new IllegalStateException(); return 1; } catch (IllegalStateException e) { return 0; }
    }
}
"#;

#[test]
fn jacoco_measures_and_we_count() {
    let jars = maven::resolve(&["org.jacoco:org.jacoco.agent:0.8.14:jar:runtime"]).unwrap();
    let program = Program::new("Tries", TRIES);
    let measured = program.folder.path().join("jacoco.exec");
    for release in [17, 25].into_iter().filter(|release| jdk::is_here(*release)) {
        let mut command = program.java(release);
        command.insert(1, format!("-javaagent:{}=destfile={}", jars[0].display(), measured.display()));
        let watched = watch(&[], &command);
        assert_eq!(watched.stdout(), "1111111000", "{}", error_text(&watched.output));
        assert_eq!(watched.colours(), ["next catch IllegalStateException: 10 7 3 0 0 0"], "Java {release}");
        let data = std::fs::read(&measured).unwrap();
        assert!(data.windows(5).any(|name| name == b"Tries"), "JaCoCo must have measured the class");
        std::fs::remove_file(&measured).unwrap();
    }
}

const MOCKING: &str = r#"
import static org.mockito.Mockito.*;
public class Mocking {
    static final class Service {
        int call(int i) {
            try { if (i < 0) throw new IllegalArgumentException(); return i; } catch (IllegalArgumentException e) { return -1; }
        }
        static int helper() { return 1; }
    }
    public static void main(String[] args) {
        Service real = new Service();
        real.call(1);
        Service mock = mock(Service.class);
        when(mock.call(5)).thenReturn(50);
        System.out.println(mock.call(5) + " " + mock.call(6));
        Service spy = spy(new Service());
        System.out.println(spy.call(-5) + " " + real.call(-1));
        try (var statics = mockStatic(Service.class)) { System.out.println(Service.helper()); }
        real.call(-2);
    }
}
"#;

/// The inline mock maker retransforms the real class, final or not: our probes must still be in it.
#[test]
fn mockito_retransforms_and_we_count() {
    let jars = maven::resolve_with_dependencies(&["org.mockito:mockito-core:5.20.0"]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Mocking.java");
    std::fs::write(&source, MOCKING).unwrap();
    let job = compilers::Job { class_path: jars.clone(), ..compilers::Job::of([source]) };
    let classes = compilers::Compiler::Javac { jdk: 17, release: 11 }.compile(&job).unwrap();
    let path: Vec<_> = jars.iter().map(|jar| jar.display().to_string()).collect();
    let class_path = format!("{}:{}", classes.display(), path.join(":"));
    for release in [17, 25].into_iter().filter(|release| jdk::is_here(*release)) {
        let mut command = vec![java(release), "-cp".to_owned(), class_path.clone(), "Mocking".to_owned()];
        if release == 25 {
            command.insert(1, "-XX:+EnableDynamicAgentLoading".to_owned());
        }
        let watched = watch(&[], &command);
        assert_eq!(watched.stdout(), "50 0\n-1 -1\n0\n", "{}", error_text(&watched.output));
        // The real object three times, the spy once; mocked calls never reach the try.
        let call: Vec<_> = watched.colours().into_iter().filter(|line| line.starts_with("call ")).collect();
        assert_eq!(call, ["call catch IllegalArgumentException: 4 1 3 0 0 0"], "Java {release}");
        assert_eq!(watched.problems().len(), 0, "{:?}", watched.problems());
    }
}
