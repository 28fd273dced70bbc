//! The store of earlier sessions, without what is stale by now.

use super::LabError;
use crate::reuse::{Changes, Dependencies, Difference, Executed, MethodNumber, changes};
use crate::store::{Found, Store};
use catchment_build::{Project, ProjectRequest};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The numbers of the methods whose entries are observed, and what was entered so far.
#[derive(Debug, Default)]
pub(crate) struct ObservedMethods {
    /// By the name of the class and the hash of its bytes; in the order of the class file, 0 for methods without code.
    by_file: HashMap<(String, u64), Vec<MethodNumber>>,
    /// By the name of the class alone.
    of_class: HashMap<String, Vec<MethodNumber>>,
    /// By class, and by name with descriptor.
    by_name: HashMap<(String, String), Vec<MethodNumber>>,
    /// First and last lines of the methods with code, by class and name.
    lines: HashMap<(String, String), Vec<(u32, u32)>>,
    executed: Arc<Mutex<Executed>>,
}

impl ObservedMethods {
    /// `None` for a class that was changed before the agent saw it, or is none of the project's.
    pub(crate) fn of_file(&self, class: &str, hash: u64) -> Option<&[MethodNumber]> {
        self.by_file.get(&(class.to_owned(), hash)).map(Vec::as_slice)
    }

    pub(crate) fn of_class(&self, class: &str) -> &[MethodNumber] {
        self.of_class.get(class).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn of_name(&self, class: &str, method: &str) -> &[MethodNumber] {
        let name = (class.to_owned(), method.to_owned());
        self.by_name.get(&name).map_or(&[], Vec::as_slice)
    }

    /// First and last lines of the methods of this name.
    pub(crate) fn lines_of(&self, class: &str, method: &str) -> &[(u32, u32)] {
        self.lines.get(&(class.to_owned(), method.to_owned())).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn executed(&self) -> MutexGuard<'_, Executed> {
        self.executed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens the store, forgets what is stale, and says what there is to know.
pub(super) fn open_store(
    folder: &Path,
    project: &Project,
    request: &ProjectRequest,
    fresh: bool,
    note: &mut dyn FnMut(&str),
) -> Result<(Store, ObservedMethods), LabError> {
    let now = Dependencies::of(project, request);
    let changed_ground = Store::changed_ground(folder, &now.ground);
    let (mut store, found) = Store::open(folder, now.ground_key(), fresh)?;
    let mut changed = Changes::default();
    let (mut again, mut is_anew) = (BTreeSet::new(), false);
    match (found, changed_ground) {
        (Found::Same, _) => match difference(&store, &now, project)? {
            Ok((difference, classes)) => (changed, again) = (difference, classes),
            Err(why) => {
                note(&format!("everything is asked again: {why}"));
                is_anew = true;
                drop(store);
                store = Store::open(folder, now.ground_key(), true)?.0;
            }
        },
        (Found::Other, Some(part)) if !fresh => {
            note(&format!("everything is asked again: {part} have changed"));
        }
        _ => {}
    }
    if changed.stale.is_empty() && again.is_empty() {
        found.note().filter(|_| !is_anew).into_iter().for_each(&mut *note);
    } else {
        note(&format!(
            "going on with the results of an earlier run; what {} tests say is asked again, since they execute code that \
             has changed",
            changed.stale.len()
        ));
    }
    let numbers = store.adopt(&now, &changed, &again)?;
    let executed = store.shared_executed();
    *executed.lock().unwrap_or_else(PoisonError::into_inner) = Executed::new(store.entries()?);
    let mut methods = ObservedMethods { executed, ..ObservedMethods::default() };
    for (key, class) in &now.classes {
        let mut all = Vec::with_capacity(class.digest.methods.len());
        for method in &class.digest.methods {
            let name = format!("{}{}", method.name, method.descriptor);
            let number = numbers.get(&(key.clone(), name.clone())).copied().unwrap_or(0);
            all.push(number);
            let range = method.lines.iter().min().zip(method.lines.iter().max());
            if let Some((first, last)) = range {
                let lines = methods.lines.entry((class.digest.class.clone(), method.name.clone()));
                lines.or_default().push((u32::from(*first), u32::from(*last)));
            }
            methods.by_name.entry((class.digest.class.clone(), name)).or_default().push(number);
        }
        let with_code = all.iter().copied().filter(|number| *number != 0);
        methods.of_class.entry(class.digest.class.clone()).or_default().extend(with_code);
        methods.by_file.insert((class.digest.class.clone(), class.hash), all);
    }
    Ok((store, methods))
}

/// What has changed, and the classes of tests that have to run again; or why everything has.
type Differs = Result<(Changes, BTreeSet<(usize, String)>), String>;

fn difference(store: &Store, now: &Dependencies, project: &Project) -> Result<Differs, LabError> {
    let known = store.known()?;
    let changed = match changes(&known, now) {
        Difference::Everything(why) => return Ok(Err(why)),
        Difference::Some(changed) => changed,
    };
    let mut again = BTreeSet::new();
    for (number, configuration) in project.configurations.iter().enumerate() {
        let tests = known.tests.iter().filter(|test| test.configuration == number);
        let stale =
            tests.filter(|test| changed.runs_again(number, &test.test)).map(|test| test.class.as_str());
        for class in stale {
            let Some(entry) = configuration.test_classes.iter().find(|entry| is_in(class, entry)) else {
                return Ok(Err(format!(
                    "code has changed that a test of {class} executes, which the build runs as part of others"
                )));
            };
            again.insert((number, entry.clone()));
        }
        let declared_anew = configuration
            .test_classes
            .iter()
            .filter(|entry| changed.test_classes.iter().any(|class| is_in(entry, class)));
        again.extend(declared_anew.map(|entry| (number, entry.clone())));
    }
    Ok(Ok((changed, again)))
}

/// Nested test classes run with the class around them.
fn is_in(class: &str, outer: &str) -> bool {
    class.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
}
