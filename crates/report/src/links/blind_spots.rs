//! Blind spots of the analysis: for a terminal, and `catchment.blind-spots/1`.

use crate::json::write_line;
use crate::links::json::{JsonBlindSpot, json_blind_spot};
use crate::links::words::{blind_spot, place};
use crate::plain_text::PlainText;
use crate::text::counted;
use catchment_exceptions::BlindSite;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Number of sites that are shown of one kind of blind spot.
const SHOWN: usize = 5;

/// Blind spots by kind, with counts and some of the sites.
pub fn write_blind_spots_text(out: &mut dyn Write, spots: &[BlindSite], all: bool) -> io::Result<()> {
    let out = &mut PlainText::new(out);
    let mut kinds: BTreeMap<_, Vec<&BlindSite>> = BTreeMap::new();
    for spot in spots {
        kinds.entry(spot.spot).or_default().push(spot);
    }
    for (spot, places) in kinds {
        let (word, meaning) = blind_spot(spot);
        writeln!(out, "{word}: {}, {meaning}", counted(places.len(), "place", "places"))?;
        let shown = if all { places.len() } else { SHOWN };
        for blind in places.iter().take(shown) {
            writeln!(out, "  {}", place(&blind.site))?;
        }
        if places.len() > shown {
            writeln!(out, "  and {} more (--all lists them)", places.len() - shown)?;
        }
    }
    writeln!(out, "{}", counted(spots.len(), "blind spot", "blind spots"))
}

#[derive(Serialize)]
struct JsonBlindSpots<'a> {
    schema: &'static str,
    blind_spots: Vec<JsonBlindSpot<'a>>,
}

/// Blind spots, one by one.
pub fn write_blind_spots_json(out: &mut dyn Write, spots: &[BlindSite]) -> io::Result<()> {
    let blind_spots = spots.iter().map(json_blind_spot).collect();
    write_line(out, &JsonBlindSpots { schema: "catchment.blind-spots/1", blind_spots })
}
