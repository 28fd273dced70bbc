//! Links that a coarser configuration lacks. A configuration that was ended says nothing, so every coarser one is
//! asked, not only the next.

use super::configurations::Configuration;
use super::counted::{Counted, Link};
use std::fmt;

/// How many links are shown: all have one cause most of the time.
const SHOWN: usize = 5;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Violation {
    subject: String,
    coarse: Configuration,
    fine: Configuration,
    only_in_fine: Vec<Link>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, coarse, fine, only_in_fine } = self;
        write!(f, "{subject}: {} links of {fine} are none of {coarse}", only_in_fine.len())?;
        for link in only_in_fine.iter().take(SHOWN) {
            write!(f, "\n  {} to {}", link.point, link.clause)?;
        }
        Ok(())
    }
}

pub(super) fn violations(subject: &str, counted: &[(Configuration, Counted)]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (coarse, in_coarse) in counted {
        for (fine, in_fine) in counted.iter().filter(|(fine, _)| coarse.is_coarser_than(*fine)) {
            let (Ok(in_coarse), Ok(in_fine)) = (&in_coarse.found, &in_fine.found) else { continue };
            let only_in_fine: Vec<Link> = in_fine.links.difference(&in_coarse.links).cloned().collect();
            if !only_in_fine.is_empty() {
                let subject = subject.to_owned();
                violations.push(Violation { subject, coarse: *coarse, fine: *fine, only_in_fine });
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measured::Measured;
    use crate::bench::precision::configurations;
    use crate::bench::precision::counted::Found;
    use std::time::Duration;

    fn counted(name: &str, links: Result<&[&str], &str>) -> (Configuration, Counted) {
        let configuration = configurations::all().into_iter().find(|it| it.to_string() == name).unwrap();
        let link = |point: &&str| Link { point: (*point).to_owned(), clause: "c".to_owned() };
        let found = links.map(|links| Found { links: links.iter().map(link).collect(), methods: 1 });
        let measured = Measured { wall: Duration::ZERO, cpu: Duration::ZERO, peak_mib: 1 };
        (configuration, Counted { measured, found: found.map_err(str::to_owned) })
    }

    #[test]
    fn a_link_that_a_coarser_configuration_lacks_is_told() {
        let all = [
            counted("cha", Ok(&["a", "b"])),
            counted("rta", Err("ended at the limit")),
            counted("pta", Ok(&["b", "z"])),
            counted("pta+dr", Ok(&["b"])),
        ];
        let violations = violations("s", &all);
        let told: Vec<String> = violations.iter().map(Violation::to_string).collect();
        assert_eq!(told, ["s: 1 links of pta are none of cha\n  z to c"]);
    }
}
