//! What reflective calls of the JDK come to whose names are no constants but known all the same, read from
//! `data/reflection.txt`.

use crate::ids::MethodId;
use crate::world::World;

/// Constructors that the calls in a method are known to come to.
pub(super) fn known_targets(world: &mut World<'_>, caller: MethodId) -> Vec<MethodId> {
    let class = &world.class_of(world.method(caller).class).name;
    let (class, name) = (class.clone(), world.name_of(caller));
    let lines = include_str!("../../data/reflection.txt").lines().filter_map(parse_line);
    let concerns = |(owner, method): (&str, &str)| *owner.as_bytes() == *class && method.as_bytes() == name;
    let targets: Vec<&str> =
        lines.filter(|(caller, _)| concerns(*caller)).flat_map(|(_, targets)| targets.split(' ')).collect();
    let constructor = |target: &str| {
        let class = world.class_that_is_there(target.as_bytes())?;
        world.declared_as(class, b"<init>", b"()V")
    };
    targets.into_iter().filter_map(constructor).collect()
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
        let lines = include_str!("../../data/reflection.txt").lines();
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            assert!(parse_line(line).is_some(), "{line}");
        }
    }
}
