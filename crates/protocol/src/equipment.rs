//! The equipment of one JVM: what its agent can do besides counting the executions of tries.
//!
//! Options of the agent, slots and questions all name equipment by the same set, so that two JVMs are interchangeable
//! if and only if their equipment is equal.

/// A set of abilities; the empty set counts executions of tries and can throw at their beginnings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Equipment(u8);

impl Equipment {
    pub const NONE: Self = Self(0);
    /// The agent writes down how the JVM was started, and does nothing else.
    pub const LAUNCH: Self = Self(1);
    /// Calls and throws of the application can be made to throw, too.
    pub const CALLS: Self = Self(1 << 1);
    /// Clauses can be given another object than the one that they catch.
    pub const EXCHANGE: Self = Self(1 << 2);
    /// Exceptions that come to handlers are recorded. Classes run as they are: nothing is woven or counted.
    pub const RECORDING: Self = Self(1 << 3);
    /// A test JVM of Maven's is started with no tests to run.
    pub const WITHOUT_TESTS: Self = Self(1 << 4);

    /// Methods of the application and the tests are marked as entered.
    pub const ENTERED: Self = Self(1 << 5);

    const NAMES: [(&str, Self); 6] = [
        ("launch", Self::LAUNCH),
        ("calls", Self::CALLS),
        ("exchange", Self::EXCHANGE),
        ("recording", Self::RECORDING),
        ("without-tests", Self::WITHOUT_TESTS),
        ("entered", Self::ENTERED),
    ];

    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The names of all that is in the set: `calls+exchange`.
    pub fn encode(self) -> String {
        let names = Self::NAMES.iter().filter(|(_, piece)| self.contains(*piece));
        names.map(|(name, _)| *name).collect::<Vec<_>>().join("+")
    }

    /// `None` if a name is unknown.
    pub fn parse(text: &str) -> Option<Self> {
        text.split('+').try_fold(Self::default(), |equipment, name| {
            let (_, piece) = Self::NAMES.iter().find(|(known, _)| *known == name)?;
            Some(equipment.union(*piece))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Equipment;

    #[test]
    fn every_set_survives_the_trip() {
        for bits in 1..1 << Equipment::NAMES.len() {
            let equipment = Equipment(bits);
            assert_eq!(Equipment::parse(&equipment.encode()), Some(equipment));
        }
    }

    #[test]
    fn unknown_names_are_refused() {
        assert_eq!(Equipment::parse("calls+wings"), None);
        assert_eq!(Equipment::parse(""), None);
    }
}
