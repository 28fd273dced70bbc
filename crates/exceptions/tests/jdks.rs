//! The catalogue against real JDKs: what a release is said to have is there, and what it is said not to have is not.

use catchment_classfile::ClassFile;
use catchment_classfile::access::{ABSTRACT, NATIVE, PROTECTED, PUBLIC};
use catchment_exceptions::{Catalogue, Operation};
use catchment_program::{LoadOptions, jdk_image, visit};
use catchment_testkit::{compilers, jdk};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const PUBLIC_OR_PROTECTED: u16 = PUBLIC | PROTECTED;

struct Method {
    name: String,
    descriptor: String,
    access: u16,
}

/// By binary name of the class.
type Methods = BTreeMap<String, Vec<Method>>;

/// The methods of the catalogue's classes that are in `place`, an image or jar.
fn methods_in(place: &Path, catalogue: &Catalogue) -> Methods {
    let internal_names = catalogue.operations().iter().map(|operation| operation.class.replace('.', "/"));
    let wanted: BTreeSet<String> = internal_names.collect();
    let mut methods = Methods::new();
    let report = visit(place, &LoadOptions::default(), &mut |class| {
        if wanted.contains(class.expected_name()) {
            let file = ClassFile::parse(class.bytes).expect("a class of the JDK");
            methods.insert(file.name.to_binary_name(), methods_of(&file));
        }
    });
    assert!(report.expect("readable").problems.is_empty());
    methods
}

fn methods_of(file: &ClassFile<'_>) -> Vec<Method> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let methods = file.methods.iter().map(|method| Method {
        name: text(method.name.as_bytes()),
        descriptor: text(method.descriptor.as_bytes()),
        access: method.access,
    });
    methods.collect()
}

fn methods_of_jdk(release: u32, catalogue: &Catalogue) -> Methods {
    let home = jdk::runtime(release).expect("a JDK");
    methods_in(&jdk_image(home.home()).expect("a JDK has an image"), catalogue)
}

fn found<'a>(methods: &'a Methods, operation: &Operation) -> Vec<&'a Method> {
    let of_class = methods.get(&operation.class).into_iter().flatten();
    of_class.filter(|it| operation.is(&operation.class, &it.name, &it.descriptor)).collect()
}

fn check_release(release: u32) {
    if !jdk::is_here(release) {
        return;
    }
    let catalogue = Catalogue::of_jdk().expect("the catalogue is well formed");
    let methods = methods_of_jdk(release, &catalogue);
    let mut wrong = Vec::new();
    for operation in catalogue.operations() {
        let found = found(&methods, operation);
        if operation.is_in(release) && !found.iter().any(|method| method.access & ABSTRACT == 0) {
            wrong.push(format!("{operation} of {} is missing", operation.kind));
        }
        if !operation.is_in(release) && !found.is_empty() {
            wrong.push(format!("{operation} of {} is there", operation.kind));
        }
    }
    assert!(wrong.is_empty(), "in Java {release}:\n{}", wrong.join("\n"));
}

#[test]
fn java_11_has_what_the_catalogue_says() {
    check_release(11);
}

#[test]
fn java_17_has_what_the_catalogue_says() {
    check_release(17);
}

#[test]
fn java_21_has_what_the_catalogue_says() {
    check_release(21);
}

#[test]
fn java_25_has_what_the_catalogue_says() {
    check_release(25);
}

/// Of Java 8 only the public API is at hand: what is public in 17 and said to be older must be in it.
#[test]
fn the_public_operations_are_in_the_api_of_java_8() {
    let catalogue = Catalogue::of_jdk().expect("the catalogue is well formed");
    let old = methods_in(&compilers::java_8_api().expect("the API of Java 8"), &catalogue);
    let new = methods_of_jdk(17, &catalogue);
    let is_public = |operation: &Operation| {
        found(&new, operation).iter().any(|method| method.access & PUBLIC_OR_PROTECTED != 0)
    };
    let in_old_classes = || catalogue.operations().iter().filter(|it| old.contains_key(&it.class));
    let mut checked = 0;
    for operation in in_old_classes().filter(|it| it.is_in(8) && is_public(it)) {
        assert!(!found(&old, operation).is_empty(), "{operation} is not in the API of Java 8");
        checked += 1;
    }
    assert!(checked > 20, "only {checked} operations are public");
    for operation in in_old_classes().filter(|it| !it.is_in(8)) {
        assert!(found(&old, operation).is_empty(), "{operation} is in the API of Java 8");
    }
}

/// A running JVM can be made to fail only where there is bytecode.
#[test]
fn the_operations_without_bytecode_are_known() {
    let catalogue = Catalogue::of_jdk().expect("the catalogue is well formed");
    let methods = methods_of_jdk(17, &catalogue);
    let is_native =
        |operation: &&Operation| found(&methods, operation).iter().all(|method| method.access & NATIVE != 0);
    let native = catalogue.operations().iter().filter(|it| it.is_in(17)).filter(is_native);
    let expected = [
        "java.io.FileDescriptor.sync",
        "java.io.RandomAccessFile.getFilePointer",
        "java.io.RandomAccessFile.length",
        "java.io.RandomAccessFile.setLength",
        "java.net.PlainDatagramSocketImpl.getTTL",
        "java.net.PlainDatagramSocketImpl.getTimeToLive",
        "java.net.PlainDatagramSocketImpl.setTTL",
        "java.net.PlainDatagramSocketImpl.setTimeToLive",
    ];
    assert_eq!(native.map(Operation::to_string).collect::<BTreeSet<_>>(), expected.map(str::to_owned).into());
}
