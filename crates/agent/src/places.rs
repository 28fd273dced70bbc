//! The instructions before which something can be thrown, by their counters.

use catchment_protocol::lab::ThrowPlace;
use catchment_weave::ProbeSite;
use rustc_hash::FxHashMap;

/// All that are woven so far. A class that several loaders have defined from different bytes has some of them twice.
#[derive(Debug, Default)]
pub(crate) struct Places {
    by_counter: FxHashMap<u32, ThrowPlace>,
    by_place: FxHashMap<ThrowPlace, Vec<u32>>,
}

impl Places {
    pub(crate) fn add(&mut self, counter: u32, place: &ThrowPlace) {
        self.by_counter.insert(counter, place.clone());
        self.by_place.entry(place.clone()).or_default().push(counter);
    }

    pub(crate) fn at(&self, counter: u32) -> Option<&ThrowPlace> {
        self.by_counter.get(&counter)
    }

    pub(crate) fn counters_of(&self, place: &ThrowPlace) -> impl Iterator<Item = u32> {
        self.by_place.get(place).into_iter().flatten().copied()
    }

    pub(crate) fn counters(&self) -> impl Iterator<Item = u32> {
        self.by_counter.keys().copied()
    }
}

/// The places among the probes of a class, with their counters.
pub(crate) fn places_of(class: &str, base: u32, sites: &[ProbeSite]) -> Vec<(u32, ThrowPlace)> {
    let place = |(number, site): (u32, &ProbeSite)| match *site {
        ProbeSite::Call { method, pc } | ProbeSite::Throwing { method, pc } => {
            let method = u16::try_from(method).ok()?;
            Some((base.checked_add(number)?, ThrowPlace { class: class.to_owned(), method, pc }))
        }
        _ => None,
    };
    (0..).zip(sites).filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_throws_are_places_and_nothing_else_is() {
        let sites = [
            ProbeSite::TryEnter { try_site: 0 },
            ProbeSite::Call { method: 2, pc: 7 },
            ProbeSite::MethodEscape { method: 2 },
            ProbeSite::Throwing { method: 3, pc: 9 },
        ];
        let found = places_of("a.B", 100, &sites);
        let facts: Vec<_> = found.iter().map(|(counter, place)| (*counter, place.method, place.pc)).collect();
        assert_eq!(facts, [(101, 2, 7), (103, 3, 9)]);
        let mut places = Places::default();
        found.iter().for_each(|(counter, place)| places.add(*counter, place));
        places.add(205, &found[0].1);
        assert_eq!(places.counters_of(&found[0].1).collect::<Vec<_>>(), [101, 205]);
        assert_eq!(places.at(103), Some(&found[1].1));
        assert_eq!(places.counters().count(), 3);
    }
}
