//! Targets of the JDK's reflective calls whose names are no constants but known all the same, read from
//! `data/reflection.txt`.

use crate::ids::MethodId;
use crate::world::World;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Names of classes by class and name of the method that makes them.
type Known = FxHashMap<&'static [u8], FxHashMap<&'static [u8], Vec<&'static str>>>;

/// Read once: it is asked for every object that nobody knows.
static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let mut known = Known::default();
    let lines = include_str!("../../../data/reflection.txt").lines();
    for ((class, method), targets) in lines.filter_map(parse_line) {
        let methods = known.entry(class.as_bytes()).or_default();
        methods.entry(method.as_bytes()).or_default().extend(targets.split(' '));
    }
    known
});

/// Constructors that the calls in a method are known to come to.
pub(super) fn known_targets(world: &mut World<'_>, caller: MethodId) -> Vec<MethodId> {
    let class = &world.class_of(world.method(caller).class).name;
    let targets = KNOWN.get(&**class).and_then(|methods| methods.get(world.name_of(caller)));
    let constructor = |target: &&str| {
        let class = world.class_that_is_there(target.as_bytes())?;
        world.declared_as(class, b"<init>", b"()V")
    };
    targets.into_iter().flatten().filter_map(constructor).collect()
}

/// The class and name of the caller, and what it comes to. Nothing for comments.
fn parse_line(line: &'static str) -> Option<((&'static str, &'static str), &'static str)> {
    let (caller, targets) = line.split_once(" = ").filter(|_| !line.starts_with('#'))?;
    Some((caller.rsplit_once('.')?, targets))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_file_can_be_read() {
        let lines = include_str!("../../../data/reflection.txt").lines();
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            assert!(parse_line(line).is_some(), "{line}");
        }
    }
}
