//! The woven instructions before which something can be done, by their counters and the other way round.

use catchment_protocol::experiment::Site;
use catchment_weave::{Prepared, ProbePoint};
use rustc_hash::FxHashMap;

/// All sites woven so far. A class that several loaders have defined from different bytes has some of them twice.
#[derive(Debug, Default)]
pub(crate) struct WovenSites {
    by_counter: FxHashMap<u32, Site>,
    by_site: FxHashMap<Site, Vec<u32>>,
}

impl WovenSites {
    pub(crate) fn add(&mut self, counter: u32, site: &Site) {
        self.by_counter.insert(counter, site.clone());
        self.by_site.entry(site.clone()).or_default().push(counter);
    }

    pub(crate) fn at(&self, counter: u32) -> Option<&Site> {
        self.by_counter.get(&counter)
    }

    pub(crate) fn counters_of(&self, site: &Site) -> impl Iterator<Item = u32> {
        self.by_site.get(site).into_iter().flatten().copied()
    }

    pub(crate) fn counters(&self) -> impl Iterator<Item = u32> {
        self.by_counter.keys().copied()
    }
}

/// The calls and throws among the probes of a class, with their counters. `probes` may be fewer than those prepared.
pub(crate) fn sites_of(
    class: &str,
    base: u32,
    prepared: &Prepared<'_>,
    probes: &[ProbePoint],
) -> Vec<(u32, Site)> {
    let site = |(number, probe): (u32, &ProbePoint)| {
        let (ProbePoint::Call { method, pc } | ProbePoint::Throwing { method, pc }) = *probe else {
            return None;
        };
        let (method, descriptor) = prepared.method(method)?;
        Some((base.checked_add(number)?, Site { class: class.to_owned(), method, descriptor, pc }))
    };
    (0..).zip(probes).filter_map(site).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_of_two_loaders_has_two_counters() {
        let site = |pc| Site { class: "a.B".into(), method: "m".into(), descriptor: "()V".into(), pc };
        let mut sites = WovenSites::default();
        for (counter, pc) in [(101, 7), (103, 9), (205, 7)] {
            sites.add(counter, &site(pc));
        }
        assert_eq!(sites.counters_of(&site(7)).collect::<Vec<_>>(), [101, 205]);
        assert_eq!((sites.at(103), sites.at(102)), (Some(&site(9)), None));
        assert_eq!(sites.counters().count(), 3);
    }
}
