//! The methods that one JVM tells it has entered, and to whom they belong.
//!
//! | entered | belongs to |
//! | --- | --- |
//! | while a test runs | the test |
//! | while a class initialiser runs, at any time | every test of the configuration |
//! | in a suite, between two tests of one class | both of them: instances are made and set up |
//! | in a suite, between tests of different classes | every test: what is prepared here may be kept for all |
//! | before a test that is asked for alone | the test |

use crate::reuse::{Executed, MethodNumber, Owner};
use crate::session::ObservedMethods;
use catchment_protocol::conversation::{Entered, MarkedClass, TestUnit};
use std::collections::HashMap;

#[derive(Debug)]
pub(crate) struct EnteredMethods {
    configuration: usize,
    /// The method of each mark; 0 for none of the project's.
    methods: Vec<MethodNumber>,
    /// Classes of the known tests.
    classes: HashMap<String, String>,
    is_suite: bool,
    armed: bool,
    /// The test that began last.
    last: Option<String>,
}

impl EnteredMethods {
    pub(crate) fn new(configuration: usize) -> Self {
        Self {
            configuration,
            methods: Vec::new(),
            classes: HashMap::new(),
            is_suite: false,
            armed: false,
            last: None,
        }
    }

    pub(crate) fn know(&mut self, units: &[TestUnit]) {
        self.classes.extend(units.iter().map(|unit| (unit.id.clone(), unit.class.clone())));
    }

    /// All tests of some classes are about to run, with nothing armed.
    pub(crate) fn begin_suite(&mut self) {
        (self.is_suite, self.armed, self.last) = (true, false, None);
    }

    /// One class is about to run.
    pub(crate) fn begin(&mut self, armed: bool) {
        (self.is_suite, self.armed, self.last) = (false, armed, None);
    }

    pub(crate) fn begin_test(&mut self, test: &str, armed: bool) {
        (self.is_suite, self.armed, self.last) = (false, armed, Some(test.to_owned()));
    }

    pub(crate) fn add_class(&mut self, class: &MarkedClass, known: &ObservedMethods) {
        let of_file = known.of_file(&class.class, class.hash);
        let Some(methods) = of_file else {
            // Somebody has changed it: which method is which nobody knows.
            return self.by_anyone(known.of_class(&class.class), &mut known.executed());
        };
        let end = class.first as usize + methods.len();
        if self.methods.len() < end {
            self.methods.resize(end, 0);
        }
        self.methods[class.first as usize..end].copy_from_slice(methods);
        let unmarked: Vec<_> =
            class.unmarked.iter().filter_map(|method| methods.get(*method as usize).copied()).collect();
        self.by_anyone(&unmarked, &mut known.executed());
    }

    /// Methods that every test may enter without being seen.
    pub(crate) fn by_anyone(&mut self, methods: &[MethodNumber], executed: &mut Executed) {
        let methods = methods.iter().copied().filter(|method| *method != 0);
        executed.add(&Owner::nobody(self.configuration), methods);
    }

    pub(crate) fn before_test(&mut self, test: &str, entered: &Entered, executed: &mut Executed) {
        let before = self.last.replace(test.to_owned());
        self.initialising(entered, executed);
        let class = |test: &String| self.classes.get(test);
        let is_same_class = before
            .as_ref()
            .is_some_and(|before| class(before).is_some() && class(before) == self.classes.get(test));
        if self.is_suite && !is_same_class {
            return executed.add(&Owner::nobody(self.configuration), self.of_project(&entered.methods));
        }
        for test in [before.as_deref().filter(|before| *before != test), Some(test)].into_iter().flatten() {
            let owner = Owner::test(self.configuration, test, self.armed);
            executed.add(&owner, self.of_project(&entered.methods));
        }
    }

    pub(crate) fn in_test(&mut self, test: &str, armed: bool, entered: &Entered, executed: &mut Executed) {
        self.initialising(entered, executed);
        executed.add(&Owner::test(self.configuration, test, armed), self.of_project(&entered.methods));
    }

    pub(crate) fn after_tests(&mut self, entered: &Entered, executed: &mut Executed) {
        self.initialising(entered, executed);
        let owner = match self.last.as_deref().filter(|_| !self.is_suite) {
            Some(last) => Owner::test(self.configuration, last, self.armed),
            None => Owner::nobody(self.configuration),
        };
        executed.add(&owner, self.of_project(&entered.methods));
    }

    /// The JVM is gone, with what the last test has entered.
    pub(crate) fn lost(&mut self, executed: &mut Executed) {
        if let Some(last) = &self.last {
            executed.add_any(&Owner::test(self.configuration, last, self.armed));
        }
    }

    fn initialising(&self, entered: &Entered, executed: &mut Executed) {
        if !entered.initialising.is_empty() {
            executed.add(&Owner::nobody(self.configuration), self.of_project(&entered.initialising));
        }
    }

    fn of_project<'e>(&'e self, marks: &'e [u32]) -> impl Iterator<Item = MethodNumber> + 'e {
        let methods = marks.iter().filter_map(|mark| self.methods.get(*mark as usize).copied());
        methods.filter(|method| *method != 0)
    }
}
