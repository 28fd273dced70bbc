//! One test per fixture, so that a failure has a name.

/// Tests that call the same function, each with the fixture and the further arguments behind it, and `LISTED`, the
/// names of all these fixtures.
///
/// ```
/// fn check(fixture: &str, _level: u8) {
///     assert!(!fixture.is_empty());
/// }
///
/// catchment_testkit::fixtures! {
///     check:
///     one: "one.java", 8;
///     two: "two.java", 17;
/// }
/// assert_eq!(LISTED, ["one.java", "two.java"]);
/// ```
#[macro_export]
macro_rules! fixtures {
    ($check:path: $($test:ident: $fixture:expr $(, $argument:expr)*;)*) => {
        $(#[test]
        fn $test() {
            $check($fixture $(, $argument)*);
        })*

        const LISTED: &[&str] = &[$($fixture),*];
    };
}
