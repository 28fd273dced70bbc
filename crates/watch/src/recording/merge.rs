//! Numbers of single JVMs become indices into what all of them saw.

use super::{Caught, Frame, RecordedMethod, Recording, ReflectiveCall};
use crate::merge::some_of;
use crate::results::JvmFiles;
use crate::watched_run::Problem;
use catchment_protocol::recording::{Arrival, NumberedMethod, Reflected};
use catchment_protocol::records::Record;
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub(crate) fn merge(jvms: &[JvmFiles], problems: Vec<Problem>) -> Recording {
    let methods: BTreeSet<RecordedMethod> =
        jvms.iter().flat_map(methods_of).map(|(_, method)| method).collect();
    let methods: Vec<RecordedMethod> = methods.into_iter().collect();
    let mut merge = Merge { problems: problems.into_iter().collect(), ..Merge::default() };
    for jvm in jvms {
        merge.add_jvm(jvm, &methods);
    }
    let mut problems = merge.problems;
    if !merge.changed_classes.is_empty() {
        problems.insert(changed_classes_problem(&merge.changed_classes));
    }
    Recording {
        jvms_started: jvms.len(),
        jvms: jvms.iter().filter(|jvm| jvm.records.contains(&Record::ApplicationSeen)).count(),
        methods,
        caught: in_order(&merge.caught),
        reflective: merge.reflective.into_iter().collect(),
        problems: problems.into_iter().collect(),
    }
}

#[derive(Default)]
struct Merge {
    /// In the order of their first record; `after` is always an earlier one.
    caught: Vec<Caught>,
    known: HashMap<Caught, usize>,
    reflective: BTreeSet<ReflectiveCall>,
    changed_classes: BTreeSet<String>,
    problems: BTreeSet<Problem>,
}

impl Merge {
    fn add_jvm(&mut self, jvm: &JvmFiles, methods: &[RecordedMethod]) {
        let indices: BTreeMap<u32, usize> = methods_of(jvm)
            .filter_map(|(number, method)| Some((number, methods.binary_search(&method).ok()?)))
            .collect();
        let mut numbers = BTreeMap::new();
        for record in &jvm.records {
            match record {
                Record::Arrived(arrival) => {
                    // Incomplete only if a record before it was lost, which is a problem of its own.
                    if let Some(caught) = caught(arrival, &indices, &numbers) {
                        numbers.insert(arrival.number, self.index_of(caught));
                    }
                }
                Record::Reflected(reflected) => self.reflective.extend(reflective(reflected, &indices)),
                Record::ClassChanged { class } => {
                    self.changed_classes.insert(class.clone());
                }
                Record::Problem { place, what } => {
                    self.problems.insert(Problem { place: place.clone(), what: what.clone() });
                }
                _ => {}
            }
        }
    }

    fn index_of(&mut self, caught: Caught) -> usize {
        let next = self.caught.len();
        let index = *self.known.entry(caught.clone()).or_insert(next);
        if index == next {
            self.caught.push(caught);
        }
        index
    }
}

fn methods_of(jvm: &JvmFiles) -> impl Iterator<Item = (u32, RecordedMethod)> {
    jvm.records.iter().filter_map(|record| {
        let Record::Method(NumberedMethod { number, name, is_application, is_hidden }) = record else {
            return None;
        };
        let method = RecordedMethod {
            class: name.class.clone(),
            method: name.method.clone(),
            descriptor: name.descriptor.clone(),
            is_application: *is_application,
            is_hidden: *is_hidden,
        };
        Some((*number, method))
    })
}

fn caught(
    arrival: &Arrival,
    methods: &BTreeMap<u32, usize>,
    numbers: &BTreeMap<u32, usize>,
) -> Option<Caught> {
    let frames = arrival.frames.iter();
    let frames = frames.map(|frame| Some(Frame { method: *methods.get(&frame.method)?, pc: frame.pc }));
    let after = match arrival.after {
        None => None,
        Some(number) => Some(*numbers.get(&number)?),
    };
    Some(Caught {
        exception: arrival.exception.clone(),
        frames: frames.collect::<Option<_>>()?,
        frames_left_out: arrival.frames_left_out,
        handler_pc: arrival.handler_pc,
        after,
    })
}

fn reflective(call: &Reflected, methods: &BTreeMap<u32, usize>) -> Option<ReflectiveCall> {
    let caller = match call.caller {
        None => None,
        Some(number) => Some(*methods.get(&number)?),
    };
    Some(ReflectiveCall { caller, target: *methods.get(&call.target)? })
}

/// By how often the object had been caught before, then by what they say.
fn in_order(caught: &[Caught]) -> Vec<Caught> {
    let mut generations: Vec<usize> = Vec::new();
    for each in caught {
        generations.push(each.after.map_or(0, |after| generations[after] + 1));
    }
    let mut ordered: Vec<Caught> = Vec::with_capacity(caught.len());
    let mut indices = vec![0; caught.len()];
    for generation in 0..=generations.iter().copied().max().unwrap_or(0) {
        let of_generation = (0..caught.len()).filter(|index| generations[*index] == generation);
        let renumbered = |index: usize| Caught {
            after: caught[index].after.map(|it| indices[it]),
            ..caught[index].clone()
        };
        let mut of_generation: Vec<_> = of_generation.map(|index| (renumbered(index), index)).collect();
        of_generation.sort();
        for (each, index) in of_generation {
            indices[index] = ordered.len();
            ordered.push(each);
        }
    }
    ordered
}

fn changed_classes_problem(changed: &BTreeSet<String>) -> Problem {
    Problem {
        place: some_of(changed),
        what: format!(
            "{} classes were not loaded as built: another agent or a class loader changed them first, so offsets in \
             their code may differ from those in the class files",
            changed.len()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::jvm_files;
    use crate::watched_run::Ended;
    use catchment_protocol::recording::{Frame as NumberedFrame, MethodName};

    fn method(number: u32, name: &str, is_application: bool) -> Record {
        let name = MethodName { class: "a.B".into(), method: name.into(), descriptor: "()V".into() };
        Record::Method(NumberedMethod { number, name, is_application, is_hidden: false })
    }

    fn arrived(number: u32, frames: &[(u32, i32)], after: Option<u32>) -> Record {
        let frames = frames.iter().map(|&(method, pc)| NumberedFrame { method, pc }).collect();
        Record::Arrived(Arrival { number, exception: "a.E".into(), frames, after, ..Arrival::default() })
    }

    fn merged(jvms: &[Vec<Record>]) -> Recording {
        let files: Vec<_> =
            jvms.iter().map(|records| jvm_files(1, Ended::Orderly, records.clone(), &[])).collect();
        merge(&files, Vec::new())
    }

    /// Per way: the names of its methods with offsets, and after which it came.
    fn texts(recording: &Recording) -> Vec<String> {
        let text = |caught: &Caught| {
            let frames = caught.frames.iter();
            let names: Vec<_> = frames
                .map(|frame| format!("{}@{}", recording.methods[frame.method].method, frame.pc))
                .collect();
            format!("{} after {:?}", names.join(" "), caught.after)
        };
        recording.caught.iter().map(text).collect()
    }

    #[test]
    fn jvms_with_other_numbers_speak_of_the_same_ways() {
        let first = vec![
            method(0, "run", true),
            method(1, "fail", false),
            arrived(0, &[(1, -1), (0, 4)], None),
            arrived(1, &[(0, 9)], Some(0)),
        ];
        let second = vec![
            method(5, "fail", false),
            method(2, "run", true),
            method(7, "other", true),
            arrived(3, &[(7, 1)], None),
            arrived(8, &[(5, -1), (2, 4)], None),
            arrived(9, &[(2, 9)], Some(8)),
        ];
        let both = merged(&[first.clone(), second.clone()]);
        assert_eq!(texts(&both), ["fail@-1 run@4 after None", "other@1 after None", "run@9 after Some(0)"]);
        assert_eq!(merged(&[second, first]), both);
        assert_eq!(both.at_the_application().count(), 3);
    }

    #[test]
    fn what_names_a_lost_record_is_left_out() {
        let records =
            vec![method(0, "run", true), arrived(1, &[(0, 4)], Some(0)), arrived(2, &[(9, 4)], None)];
        assert_eq!(texts(&merged(&[records])), Vec::<String>::new());
    }

    #[test]
    fn reflective_calls_of_all_jvms_are_listed_once() {
        let call = |caller, target| Record::Reflected(Reflected { caller, target });
        let methods = [method(0, "run", true), method(1, "called", false)];
        let first = [&methods[..], &[call(Some(0), 1), call(Some(7), 1)]].concat();
        let second = [&methods[..], &[call(Some(0), 1), call(None, 0)]].concat();
        let calls = merged(&[first, second]).reflective;
        // By name `called` comes before `run`.
        let expected = [(None, 1), (Some(1), 0)].map(|(caller, target)| ReflectiveCall { caller, target });
        assert_eq!(calls, expected);
    }

    #[test]
    fn changed_classes_are_one_problem() {
        let changed = |class: &str| Record::ClassChanged { class: class.into() };
        let problems = merged(&[vec![changed("a.C"), changed("a.B")]]).problems;
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].place, "a.B, a.C");
    }
}
