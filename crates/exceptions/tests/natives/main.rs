//! Native code of the JDK that fails: user code meets it through an operation of the catalogue, or a reason says why not.
//!
//! From every native method that declares exceptions the callers are followed as long as they declare exceptions too, up to
//! operations. Where a public method comes before an operation, the catalogue has a gap.

mod allowed;
mod callers;

use allowed::is_allowed;
use callers::{Callers, MethodName};
use catchment_exceptions::Catalogue;
use catchment_testkit::jdk;
use std::collections::BTreeSet;

/// Which public methods lead to which native ones past all operations:
/// `sun.nio.ch.SelectorProviderImpl.openPipe -> sun.nio.ch.IOUtil.makePipe`.
fn gaps(release: u32) -> BTreeSet<String> {
    let catalogue = Catalogue::of_jdk().expect("the catalogue is well formed");
    let is_operation = |method: &MethodName| {
        let (class, name, descriptor) = method;
        catalogue.operations().iter().any(|operation| operation.is(class, name, descriptor))
    };
    let callers = Callers::read(release);
    let mut gaps = BTreeSet::new();
    for native in callers.natives() {
        for public in callers.public_methods_above(native, is_operation) {
            gaps.insert(format!("{}.{} -> {}.{}", public.0, public.1, native.0, native.1));
        }
    }
    gaps
}

fn check_release(release: u32) {
    if !jdk::is_here(release) {
        return;
    }
    let unexplained: Vec<String> = gaps(release).into_iter().filter(|gap| !is_allowed(gap)).collect();
    assert!(
        unexplained.is_empty(),
        "in Java {release} no operation covers, and nothing says why:\n{}",
        unexplained.join("\n")
    );
}

#[test]
fn java_11_has_no_failing_native_method_that_is_left_out() {
    check_release(11);
}

#[test]
fn java_17_has_no_failing_native_method_that_is_left_out() {
    check_release(17);
}

#[test]
fn java_21_has_no_failing_native_method_that_is_left_out() {
    check_release(21);
}

#[test]
fn java_25_has_no_failing_native_method_that_is_left_out() {
    check_release(25);
}
