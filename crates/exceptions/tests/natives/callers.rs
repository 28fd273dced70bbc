//! Calls within `java.base` and `jdk.net` between methods that declare exceptions.

use catchment_classfile::access::{NATIVE, PRIVATE, PUBLIC};
use catchment_classfile::opcodes::{INVOKEDYNAMIC, INVOKEINTERFACE, INVOKEVIRTUAL};
use catchment_classfile::{ClassFile, JvmStr, Member, MemberRef};
use catchment_program::{LoadOptions, jdk_image, visit};
use catchment_testkit::jdk;
use std::collections::{BTreeMap, BTreeSet};

/// What runs these calls declares other exceptions: who makes such an object is taken for its caller.
const ACTION: &str = "java.security.PrivilegedExceptionAction";

/// Binary name of the class, name and descriptor.
pub(crate) type MethodName = (String, String, String);

#[derive(Default)]
struct Class {
    is_public: bool,
    above: Vec<String>,
    methods: BTreeMap<(String, String), u16>,
}

#[derive(Default)]
pub(crate) struct Callers {
    classes: BTreeMap<String, Class>,
    natives: Vec<MethodName>,
    /// By what the call names.
    calls: BTreeMap<MethodName, BTreeSet<MethodName>>,
}

impl Callers {
    pub(crate) fn read(release: u32) -> Self {
        let home = jdk::runtime(release).expect("a JDK");
        let image = jdk_image(home.home()).expect("a JDK has an image");
        let mut callers = Self::default();
        let report = visit(&image, &LoadOptions::default(), &mut |class| {
            if ["java.base", "jdk.net"].contains(&class.origin.inside()) {
                callers.add(&ClassFile::parse(class.bytes).expect("a class of the JDK"));
            }
        });
        assert!(report.expect("readable").problems.is_empty());
        callers.resolve();
        assert!(callers.natives.len() > 100, "only {} native methods fail", callers.natives.len());
        callers
    }

    /// A call may name a class below the one that declares the method.
    fn resolve(&mut self) {
        for (called, by) in std::mem::take(&mut self.calls) {
            let declared = self.declared_above(&called).into_iter().find(|it| self.access_of(it).is_some());
            self.calls.entry(declared.unwrap_or(called)).or_default().extend(by);
        }
    }

    /// Native methods that declare exceptions.
    pub(crate) fn natives(&self) -> &[MethodName] {
        &self.natives
    }

    /// The first methods on the ways up from a method that user code can call, where no operation comes before them.
    pub(crate) fn public_methods_above(
        &self,
        method: &MethodName,
        is_operation: impl Fn(&MethodName) -> bool,
    ) -> Vec<MethodName> {
        let (mut open, mut known, mut found) = (vec![method.clone()], BTreeSet::new(), Vec::new());
        while let Some(method) = open.pop() {
            if is_operation(&method) || !known.insert(method.clone()) {
                continue;
            }
            let declared = self.declared_above(&method);
            match declared.iter().any(|it| self.is_api(it)) {
                true => found.push(method),
                false => open.extend(self.callers_of(&method, &declared)),
            }
        }
        found
    }

    fn callers_of(&self, method: &MethodName, declared: &[MethodName]) -> Vec<MethodName> {
        if declared.iter().any(|(class, _, _)| class == ACTION) {
            let made = self.calls.iter().filter(|(name, _)| name.0 == method.0 && name.1 == "<init>");
            return made.flat_map(|(_, by)| by).cloned().collect();
        }
        declared.iter().filter_map(|it| self.calls.get(it)).flatten().cloned().collect()
    }

    /// The method itself, and those above that a call of it may name.
    fn declared_above(&self, method: &MethodName) -> Vec<MethodName> {
        let (_, name, descriptor) = method;
        let mut found = vec![method.clone()];
        if name == "<init>" {
            return found;
        }
        let mut open = self.classes.get(&method.0).map(|class| class.above.clone()).unwrap_or_default();
        while let Some(above) = open.pop() {
            let Some(class) = self.classes.get(&above) else { continue };
            let declared = class.methods.get(&(name.clone(), descriptor.clone()));
            if declared.is_some_and(|access| access & PRIVATE == 0) {
                found.push((above, name.clone(), descriptor.clone()));
            }
            open.extend(class.above.iter().cloned());
        }
        found
    }

    /// Whether user code sees it.
    fn is_api(&self, method: &MethodName) -> bool {
        let is_exported = ["java.", "javax.", "jdk.net."].iter().any(|it| method.0.starts_with(it));
        let is_in_public_class = self.classes.get(&method.0).is_some_and(|class| class.is_public);
        is_exported && is_in_public_class && self.access_of(method).is_some_and(|access| access & PUBLIC != 0)
    }

    /// `None` if the class does not declare it.
    fn access_of(&self, (class, name, descriptor): &MethodName) -> Option<u16> {
        self.classes.get(class)?.methods.get(&(name.clone(), descriptor.clone())).copied()
    }

    fn add(&mut self, file: &ClassFile<'_>) {
        let name = file.name.to_binary_name();
        let mut class = Class { is_public: file.access & PUBLIC != 0, ..Class::default() };
        class.above.extend(file.super_name.iter().map(|name| name.to_binary_name()));
        class.above.extend(file.interfaces().map(|name| name.to_binary_name()));
        for method in &file.methods {
            let named = (name.clone(), text(method.name), text(method.descriptor));
            class.methods.insert((named.1.clone(), named.2.clone()), method.access);
            if method.attributes.find(&file.pool, "Exceptions").is_none() {
                continue;
            }
            if method.access & NATIVE != 0 {
                self.natives.push(named.clone());
            }
            for called in calls(file, method) {
                self.calls.entry(called).or_default().insert(named.clone());
            }
        }
        self.classes.insert(name, class);
    }
}

fn calls(file: &ClassFile<'_>, method: &Member<'_>) -> Vec<MethodName> {
    let code = file.code(method).expect("code of the JDK");
    let mut found = Vec::new();
    for insn in code.iter().flat_map(|(_, code)| code.insns()) {
        let insn = insn.expect("an instruction");
        match insn.opcode {
            INVOKEDYNAMIC => {
                let arguments = file.bootstrap(insn.u2()).map(|it| it.arguments).unwrap_or_default();
                let handles = arguments.into_iter().filter_map(|index| file.pool.method_handle(index));
                found.extend(handles.map(|handle| named(handle.member)));
            }
            INVOKEVIRTUAL..=INVOKEINTERFACE => {
                found.extend(file.pool.member_ref(insn.u2()).map(named));
            }
            _ => {}
        }
    }
    found
}

fn named(member: MemberRef<'_>) -> MethodName {
    (member.owner.to_binary_name(), text(member.name), text(member.descriptor))
}

fn text(name: JvmStr<'_>) -> String {
    String::from_utf8_lossy(name.as_bytes()).into_owned()
}
