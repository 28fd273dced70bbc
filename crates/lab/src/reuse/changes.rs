//! The difference between what results were made of and what there is now, and the tests whose results are stale.

use super::dependencies::outermost;
use super::{ClassKey, Dependencies, DependentClass, Entries, MethodNumber, MethodSet, MovedLines, Owner};
use std::collections::{BTreeMap, BTreeSet, HashMap};

const INITIALISER: &str = "<clinit>()V";

/// A class as the store knows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct KnownClass {
    pub(crate) shape: u64,
    pub(crate) is_leaf: bool,
    pub(crate) is_local: bool,
}

/// A method as the store knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KnownMethod {
    pub(crate) number: MethodNumber,
    pub(crate) class: ClassKey,
    /// With its descriptor.
    pub(crate) method: String,
    pub(crate) body: u64,
    pub(crate) lines: Vec<u16>,
}

/// A test in the store.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StoredTest {
    pub(crate) configuration: usize,
    pub(crate) test: String,
    pub(crate) class: String,
    /// The test has run with its class.
    pub(crate) with_class: bool,
}

/// All that the store knows of what its results depend on, but for the ground.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) classes: BTreeMap<ClassKey, KnownClass>,
    pub(crate) methods: Vec<KnownMethod>,
    pub(crate) entries: HashMap<Owner, Entries>,
    pub(crate) tests: Vec<StoredTest>,
}

/// How much of a test's results is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stale {
    /// Only what its experiments said.
    Experiments,
    All,
}

/// Changes that leave some results as they are.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Bodies that differ or are gone.
    pub(crate) methods: MethodSet,
    /// By configuration and id of the test.
    pub(crate) stale: BTreeMap<(usize, String), Stale>,
    /// Outermost classes of tests whose declarations differ: they may have other tests now.
    pub(crate) test_classes: BTreeSet<String>,
    pub(crate) moved: MovedLines,
}

impl Changes {
    /// The runs of the test are stale, not only what its experiments said.
    pub(crate) fn runs_again(&self, configuration: usize, test: &str) -> bool {
        self.stale.get(&(configuration, test.to_owned())) == Some(&Stale::All)
    }

    pub(crate) fn makes_stale(&self) -> bool {
        self.methods.iter().next().is_some() || !self.test_classes.is_empty()
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// Why, for people: the subject and what is with it.
    Everything(String),
    Some(Changes),
}

pub(crate) fn changes(known: &Known, now: &Dependencies) -> Difference {
    match try_changes(known, now) {
        Ok(changes) => Difference::Some(changes),
        Err(why) => Difference::Everything(why),
    }
}

/// Or why everything has changed.
fn try_changes(known: &Known, now: &Dependencies) -> Result<Changes, String> {
    let mut changes = Changes { test_classes: changed_test_classes(known, now)?, ..Changes::default() };
    changed_methods(known, now, &mut changes)?;
    if !changes.makes_stale() {
        return Ok(changes);
    }
    for (owner, entries) in known.entries.iter().filter(|(owner, _)| owner.test.is_none()) {
        if entries.methods.meets(&changes.methods) || entries.any {
            let common = known.methods.iter().find(|method| {
                let one: MethodSet = [method.number].into_iter().collect();
                one.meets(&changes.methods) && one.meets(&entries.methods)
            });
            let what = common.map_or_else(
                || {
                    format!(
                        "a method that runs between the tests of configuration {}",
                        owner.configuration + 1
                    )
                },
                |method| format!("{}.{}", method.class, simple(&method.method)),
            );
            return Err(format!("{what} has changed, which runs in a static initialiser or between tests"));
        }
    }
    stale_tests(known, &mut changes);
    Ok(changes)
}

/// Leaves have shapes that only their own tests depend on.
fn changed_test_classes(known: &Known, now: &Dependencies) -> Result<BTreeSet<String>, String> {
    let keys: BTreeSet<&ClassKey> = known.classes.keys().chain(now.classes.keys()).collect();
    let mut changed = BTreeSet::new();
    for key in keys {
        let (old, new) = (known.classes.get(key), now.classes.get(key));
        let is_leaf = |old: Option<&KnownClass>, new: Option<&DependentClass>| {
            old.is_none_or(|old| old.is_leaf) && new.is_none_or(|new| new.is_leaf)
        };
        let is_local = old.is_none_or(|old| old.is_local) && new.is_none_or(|new| new.digest.is_local);
        let what = match (old, new) {
            (Some(old), Some(new))
                if old.shape == new.digest.shape && old.is_local == new.digest.is_local =>
            {
                if old.is_leaf != new.is_leaf {
                    return Err(format!("{key} is used by other classes now, or no longer"));
                }
                continue;
            }
            _ if is_local => continue,
            (Some(_), Some(_)) => "has another declaration",
            (Some(_), None) => "is gone",
            _ => "is new",
        };
        if !is_leaf(old, new) {
            return Err(format!("{key} {what}"));
        }
        // A class of tests that is itself new or gone stands in the list of classes to run, which is ground.
        changed.insert(outermost(key.split(' ').next().unwrap_or(key)).to_owned());
    }
    Ok(changed)
}

fn changed_methods(known: &Known, now: &Dependencies, changes: &mut Changes) -> Result<(), String> {
    let mut before: HashMap<(&str, String), &KnownMethod> = HashMap::new();
    for method in &known.methods {
        before.insert((&method.class, method.method.clone()), method);
    }
    let mut unchanged = Vec::new();
    for (key, class) in &now.classes {
        for method in &class.digest.methods {
            let Some(body) = method.body else { continue };
            let name = format!("{}{}", method.name, method.descriptor);
            let is_initialiser = name == INITIALISER;
            match before.remove(&(key.as_str(), name)) {
                Some(old) if old.body == body => unchanged.push((old, class, method)),
                Some(_) if is_initialiser => {
                    return Err(format!("the static initialiser of {key} has changed"));
                }
                Some(old) => {
                    changes.methods.insert(old.number);
                }
                // A new local class is initialised by bodies only that have changed.
                None if is_initialiser && (!class.digest.is_local || known.classes.contains_key(key)) => {
                    return Err(format!("{key} has a static initialiser now"));
                }
                None => {}
            }
        }
    }
    for ((key, name), old) in before {
        if name == INITIALISER {
            return Err(format!("the static initialiser of {key} is gone"));
        }
        changes.methods.insert(old.number);
    }
    for (old, class, new) in unchanged {
        // Of a line that is two lines now nobody knows which one a text means.
        if changes.moved.add(&class.digest.class, &new.name, &old.lines, &new.lines).is_err() {
            changes.methods.insert(old.number);
        }
    }
    changes.moved = std::mem::take(&mut changes.moved).without_unmoved();
    Ok(())
}

fn stale_tests(known: &Known, changes: &mut Changes) {
    let tests: BTreeMap<(usize, &str), &StoredTest> =
        known.tests.iter().map(|test| ((test.configuration, test.test.as_str()), test)).collect();
    let mut stale: BTreeMap<(usize, &str), Stale> = BTreeMap::new();
    let mut observed = BTreeSet::new();
    for (owner, entries) in &known.entries {
        let Some(test) = &owner.test else { continue };
        let is_stale = entries.any || entries.methods.meets(&changes.methods);
        for name in with_wholes(test).filter(|name| tests.contains_key(&(owner.configuration, *name))) {
            let key = (owner.configuration, name);
            if !owner.armed {
                observed.insert(key);
            }
            if is_stale {
                let how = if owner.armed { Stale::Experiments } else { Stale::All };
                let known = stale.entry(key).or_insert(how);
                *known = (*known).max(how);
            }
        }
    }
    for (key, test) in &tests {
        // Of a test that nobody has seen enter anything nobody knows what it depends on.
        if !observed.contains(key) || changes.test_classes.contains(outermost(&test.class)) {
            stale.insert(*key, Stale::All);
        }
    }
    // Tests that run as one class have run in one JVM.
    let shared: BTreeSet<(usize, &str)> = stale
        .iter()
        .filter(|(_, how)| **how == Stale::All)
        .map(|(key, _)| tests[key])
        .filter(|test| test.with_class)
        .map(|test| (test.configuration, test.class.as_str()))
        .collect();
    for (key, test) in &tests {
        if shared.contains(&(test.configuration, test.class.as_str())) {
            stale.insert(*key, Stale::All);
        }
    }
    changes.stale = stale
        .into_iter()
        .map(|((configuration, test), how)| ((configuration, test.to_owned()), how))
        .collect();
}

/// A test that stands for all its invocations has entered what they have.
fn with_wholes(test: &str) -> impl Iterator<Item = &str> {
    test.match_indices('/').map(|(end, _)| &test[..end]).chain(std::iter::once(test))
}

/// The name of a method without its descriptor.
fn simple(method: &str) -> &str {
    method.split('(').next().unwrap_or(method)
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_pairs::{ClassDigest, MethodDigest};

    /// A class `a.X` with one method for each body: `f0()V`, `f1()V`, ...
    fn class(name: &str, bodies: &[u64]) -> (ClassKey, DependentClass) {
        let method = |(number, body): (usize, &u64)| MethodDigest {
            name: format!("f{number}"),
            descriptor: "()V".to_owned(),
            body: Some(*body),
            lines: vec![1],
        };
        let methods = bodies.iter().enumerate().map(method).collect();
        let digest = ClassDigest { class: name.to_owned(), shape: 1, methods, ..ClassDigest::default() };
        (name.to_owned(), DependentClass { digest, ..DependentClass::default() })
    }

    fn dependencies(classes: Vec<(ClassKey, DependentClass)>) -> Dependencies {
        Dependencies { classes: classes.into_iter().collect(), ..Dependencies::default() }
    }

    /// The store after a check of these classes, with tests that have entered these methods.
    fn known(of: &Dependencies, entered: &[(&str, bool, &[&str])]) -> Known {
        let mut known = Known::default();
        for (key, class) in &of.classes {
            let stored = KnownClass {
                shape: class.digest.shape,
                is_leaf: class.is_leaf,
                is_local: class.digest.is_local,
            };
            known.classes.insert(key.clone(), stored);
            for method in &class.digest.methods {
                known.methods.push(KnownMethod {
                    number: known.methods.len() as u32 + 1,
                    class: key.clone(),
                    method: format!("{}{}", method.name, method.descriptor),
                    body: method.body.unwrap(),
                    lines: method.lines.clone(),
                });
            }
        }
        for (test, armed, methods) in entered {
            let number = |name: &&str| {
                let is_it =
                    |method: &&KnownMethod| format!("{}.{}", method.class, simple(&method.method)) == *name;
                known.methods.iter().find(is_it).unwrap().number
            };
            let methods = methods.iter().map(number).collect();
            let owner = match *test {
                "" => Owner::nobody(0),
                test => Owner::test(0, test, *armed),
            };
            known.entries.insert(owner, Entries { methods, any: false });
            if !test.is_empty() && !armed {
                known.tests.push(StoredTest {
                    test: (*test).to_owned(),
                    class: format!("a.{test}"),
                    ..StoredTest::default()
                });
            }
        }
        known
    }

    fn before() -> (Dependencies, Known) {
        let before = dependencies(vec![class("a.A", &[1, 2, 3]), class("a.B", &[4])]);
        let entered: [(&str, bool, &[&str]); 5] = [
            ("T", false, &["a.A.f0"]),
            ("T", true, &["a.A.f0", "a.A.f2"]),
            ("U", false, &["a.A.f0", "a.A.f1"]),
            ("V", false, &[]),
            ("", false, &["a.B.f0"]),
        ];
        let known = known(&before, &entered);
        (before, known)
    }

    fn stale(now: Vec<(ClassKey, DependentClass)>) -> Result<Vec<(String, Stale)>, String> {
        match changes(&before().1, &dependencies(now)) {
            Difference::Everything(why) => Err(why),
            Difference::Some(changes) => {
                Ok(changes.stale.into_iter().map(|((_, test), stale)| (test, stale)).collect())
            }
        }
    }

    fn all(test: &str) -> (String, Stale) {
        (test.to_owned(), Stale::All)
    }

    #[test]
    fn tests_that_enter_a_changed_body_are_stale_and_others_are_not() {
        let b = || class("a.B", &[4]);
        assert_eq!(stale(vec![class("a.A", &[1, 2, 3]), b()]), Ok(vec![]));
        assert_eq!(stale(vec![class("a.A", &[9, 2, 3]), b()]), Ok(vec![all("T"), all("U")]));
        assert_eq!(stale(vec![class("a.A", &[1, 9, 3]), b()]), Ok(vec![all("U")]));
        let experiments = ("T".to_owned(), Stale::Experiments);
        assert_eq!(stale(vec![class("a.A", &[1, 2, 9]), b()]), Ok(vec![experiments.clone()]));
        assert_eq!(stale(vec![class("a.A", &[1, 2]), b()]), Ok(vec![experiments]), "a body that is gone");
        assert_eq!(stale(vec![class("a.A", &[1, 2, 3, 5]), b()]), Ok(vec![]), "one that is new");
    }

    #[test]
    fn what_belongs_to_no_test_belongs_to_all() {
        let why = stale(vec![class("a.A", &[1, 2, 3]), class("a.B", &[9])]).unwrap_err();
        assert!(why.starts_with("a.B.f0 has changed"), "{why}");
    }

    #[test]
    fn declarations_are_everybodys_but_those_of_leaves_and_local_classes() {
        let mut other = class("a.A", &[1, 2, 3]);
        other.1.digest.shape = 7;
        assert_eq!(stale(vec![other, class("a.B", &[4])]).unwrap_err(), "a.A has another declaration");
        let new = |change: fn(&mut DependentClass)| {
            let mut new = class("a.T$New", &[1]);
            change(&mut new.1);
            stale(vec![class("a.A", &[1, 2, 3]), class("a.B", &[4]), new])
        };
        assert_eq!(new(|_| {}).unwrap_err(), "a.T$New is new");
        assert_eq!(new(|class| class.digest.is_local = true), Ok(vec![]));
        assert_eq!(new(|class| class.is_leaf = true), Ok(vec![all("T")]), "a part of the class of the test");
        assert_eq!(stale(vec![class("a.A", &[1, 2, 3])]).unwrap_err(), "a.B is gone");
    }

    #[test]
    fn static_initialisers_are_everybodys() {
        let initialised = |body| {
            let mut class = class("a.A", &[1, 2, 3]);
            let initialiser = MethodDigest {
                name: "<clinit>".to_owned(),
                body: Some(body),
                ..class.1.digest.methods[0].clone()
            };
            class.1.digest.methods.push(initialiser);
            class
        };
        let why = stale(vec![initialised(1), class("a.B", &[4])]).unwrap_err();
        assert_eq!(why, "a.A has a static initialiser now");
        let with = dependencies(vec![initialised(1)]);
        let without = dependencies(vec![class("a.A", &[1, 2, 3])]);
        let why = |known: &Known, now: &Dependencies| match changes(known, now) {
            Difference::Everything(why) => why,
            Difference::Some(changes) => format!("{changes:?}"),
        };
        assert_eq!(
            why(&known(&with, &[]), &dependencies(vec![initialised(2)])),
            "the static initialiser of a.A has changed"
        );
        assert_eq!(why(&known(&with, &[]), &without), "the static initialiser of a.A is gone");
    }

    #[test]
    fn a_test_of_which_nothing_is_known_is_stale_after_any_change() {
        let (now, mut known) = before();
        known.entries.get_mut(&Owner::test(0, "V", false)).unwrap().any = true;
        known.entries.remove(&Owner::test(0, "U", false));
        assert_eq!(changes(&known, &now), Difference::Some(Changes::default()), "nothing has changed");
        let now = dependencies(vec![class("a.A", &[1, 2, 9]), class("a.B", &[4])]);
        let Difference::Some(changes) = changes(&known, &now) else { panic!("everything") };
        let stale: Vec<_> = changes.stale.into_iter().map(|((_, test), stale)| (test, stale)).collect();
        assert_eq!(stale, [("T".to_owned(), Stale::Experiments), all("U"), all("V")]);
    }

    #[test]
    fn tests_that_run_as_a_class_are_stale_together_and_invocations_make_their_test_stale() {
        let before = dependencies(vec![class("a.A", &[1, 2])]);
        let mut known = known(&before, &[("T", false, &["a.A.f0"]), ("U", false, &["a.A.f1"])]);
        for test in &mut known.tests {
            (test.class, test.with_class) = ("a.C".to_owned(), true);
        }
        let now = dependencies(vec![class("a.A", &[9, 2])]);
        let Difference::Some(both) = changes(&known, &now) else { panic!("everything") };
        assert_eq!(both.stale.len(), 2);
        known.tests.iter_mut().for_each(|test| test.with_class = false);
        let entries = known.entries.remove(&Owner::test(0, "T", false)).unwrap();
        known.entries.insert(Owner::test(0, "T/1", false), entries);
        let Difference::Some(one) = changes(&known, &now) else { panic!("everything") };
        assert_eq!(one.stale.into_keys().collect::<Vec<_>>(), [(0, "T".to_owned())]);
    }

    #[test]
    fn lines_that_move_make_nothing_stale_unless_one_becomes_two() {
        let moved = |lines: &[u16]| {
            let mut class = class("a.A", &[1, 2, 3]);
            class.1.digest.methods[0].lines = lines.to_vec();
            class
        };
        assert_eq!(stale(vec![moved(&[5]), class("a.B", &[4])]), Ok(vec![]));
        assert_eq!(stale(vec![moved(&[5, 6]), class("a.B", &[4])]), Ok(vec![all("T"), all("U")]));
    }
}
