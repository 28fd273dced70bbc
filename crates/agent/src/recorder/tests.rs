//! Arrivals that are noted and written, without a JVM.

use super::*;
use catchment_protocol::log;
use catchment_protocol::options::AgentOptions;
use catchment_protocol::recording::MethodName;

/// The ids of a method of the application and one of a library.
const OURS: usize = 0x100;
const THEIRS: usize = 0x200;

struct Bench {
    folder: tempfile::TempDir,
    observer: Observer,
    recorder: Recorder,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = AgentOptions { results: folder.path().to_owned(), ..AgentOptions::default() };
        let observer = Observer::create(&options).unwrap();
        let recorder = Recorder::default();
        assert_eq!(recorder.number_class("a.E".into()), 0);
        assert_eq!(recorder.number_class("a.E".into()), 0);
        recorder.name_method(OURS, names("ours", true));
        recorder.name_method(THEIRS, names("theirs", false));
        Self { folder, observer, recorder }
    }

    fn note(&self, frames: &[RawFrame], after: Option<u32>) -> Noted {
        let raw = RawArrival { exception: 0, frames, frames_left_out: 0, handler_pc: 9, after };
        self.recorder.note(&self.observer, &raw)
    }

    /// The numbers of written arrivals, each with that of the one before.
    fn written(&self) -> Vec<(u32, Option<u32>)> {
        let arrival = |record| match record {
            Record::Arrived(arrival) => Some((arrival.number, arrival.after)),
            _ => None,
        };
        self.records().into_iter().filter_map(arrival).collect()
    }

    fn records(&self) -> Vec<Record> {
        let files = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let log = files.into_iter().find(|path| path.extension().unwrap() == "log").unwrap();
        log::read(&std::fs::read(log).unwrap()).unwrap().records
    }
}

fn names(method: &str, is_application: bool) -> MethodNames {
    let name = MethodName { class: "a.B".into(), method: method.into(), descriptor: "()V".into() };
    MethodNames { name, is_application, is_hidden: false }
}

#[test]
fn each_way_is_written_once_with_the_methods_it_names() {
    let bench = Bench::new();
    for _ in 0..3 {
        assert_eq!(bench.note(&[(THEIRS, -1), (OURS, 4)], None), Noted::As(0));
    }
    assert_eq!(bench.note(&[(THEIRS, -1), (OURS, 5)], None), Noted::As(1));
    let records = bench.records();
    assert_eq!(records.len(), 4, "{records:?}");
    assert!(matches!(&records[..2], [Record::Method(_), Record::Method(_)]), "{records:?}");
    let Record::Arrived(first) = &records[2] else { panic!("{records:?}") };
    let frames: Vec<_> = first.frames.iter().map(|frame| (frame.method, frame.pc)).collect();
    assert_eq!((frames, first.exception.as_str()), (vec![(1, -1), (0, 4)], "a.E"));
}

#[test]
fn methods_without_names_are_asked_for() {
    let bench = Bench::new();
    assert_eq!(bench.note(&[(7, 1), (OURS, 2), (8, 3)], None), Noted::Unnamed(vec![7, 8]));
    bench.recorder.name_method(7, names("ours", true));
    bench.recorder.name_method(8, names("other", true));
    assert_eq!(bench.note(&[(7, 1), (OURS, 2), (8, 3)], None), Noted::As(0));
    // Another id for the same names, as when a class is loaded twice.
    assert_eq!(bench.note(&[(OURS, 1), (7, 2), (8, 3)], None), Noted::As(0));
}

#[test]
fn what_libraries_catch_is_written_when_the_application_catches_it_later() {
    let bench = Bench::new();
    assert_eq!(bench.note(&[(THEIRS, 1)], None), Noted::As(0));
    assert_eq!(bench.note(&[(THEIRS, 2)], Some(0)), Noted::As(1));
    assert_eq!(bench.note(&[(THEIRS, 3)], None), Noted::As(2));
    assert_eq!(bench.written(), []);
    assert_eq!(bench.note(&[(THEIRS, 4), (OURS, 1)], Some(1)), Noted::As(3));
    assert_eq!(bench.written(), [(0, None), (1, Some(0)), (3, Some(1))]);
}

#[test]
fn an_object_that_is_thrown_in_circles_ends_nowhere_new() {
    let bench = Bench::new();
    let (mut after, mut numbers) = (None, Vec::new());
    for turn in 0..6 {
        let Noted::As(number) = bench.note(&[(OURS, turn % 2)], after) else { panic!("no room") };
        numbers.push(number);
        after = Some(number);
    }
    assert_eq!(numbers, [0, 1, 0, 1, 0, 1]);
}

#[test]
fn the_past_of_an_object_that_is_thrown_everywhere_is_forgotten_at_last() {
    let bench = Bench::new();
    let mut after = None;
    for place in 0..200 {
        let Noted::As(number) = bench.note(&[(OURS, place)], after) else { panic!("no room") };
        after = Some(number);
    }
    let beginnings = bench.written().iter().filter(|(_, after)| after.is_none()).count();
    assert_eq!(beginnings, 200_usize.div_ceil(LONGEST_PAST + 1));
}

#[test]
fn a_problem_is_told_once() {
    let bench = Bench::new();
    for _ in 0..3 {
        bench.recorder.problem(&bench.observer, "agent", "odd");
    }
    assert_eq!(bench.records().len(), 1);
}

#[test]
fn reflective_calls_are_written_once_and_hidden_classes_never() {
    let bench = Bench::new();
    let note = |slot: i32, names: MethodNames| {
        let target = Target::Method { class: 0, slot };
        bench.recorder.note_call(&bench.observer, Some(OURS), target, names);
        assert!(bench.recorder.is_known_call(Some(OURS), target));
    };
    note(1, names("called", false));
    note(1, names("called", false));
    // The same class in another loader, with its methods in another order.
    note(2, names("called", false));
    note(3, MethodNames { is_hidden: true, ..names("lambda", false) });
    let calls = bench.records().into_iter().filter(|record| matches!(record, Record::Reflected(_)));
    assert_eq!(calls.count(), 1);
    assert_eq!(bench.recorder.is_reflection(OURS), Some(false));
    assert_eq!(bench.recorder.is_reflection(0x300), None);
}
