//! Sizes as people type and read them.

const UNITS: [(&str, u64); 4] = [("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10), ("B", 1)];

/// `2GB`, `500MB`. A number without a unit is refused: it would be a guess.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is not a size such as 2GB or 500MB");
    let text_of_number = text.trim().trim_end_matches(|sign: char| sign.is_ascii_alphabetic());
    let unit = text.trim()[text_of_number.len()..].to_ascii_lowercase();
    let (_, unit) = UNITS.iter().find(|(name, _)| name.to_ascii_lowercase() == unit).ok_or_else(wrong)?;
    let number: u64 = text_of_number.trim().parse().map_err(|_| wrong())?;
    number.checked_mul(*unit).filter(|size| *size > 0).ok_or_else(wrong)
}

/// For people, in the largest unit of which there is one.
pub(crate) fn told(bytes: u64) -> String {
    match UNITS.iter().find(|(_, unit)| bytes >= *unit) {
        Some((name, 1)) => format!("{bytes} {name}"),
        Some((name, unit)) => format!("{:.1} {name}", bytes as f64 / *unit as f64),
        None => "0 B".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_told() {
        for (text, bytes) in [("2GB", 2 << 30), ("500 MB", 500 << 20), ("7kb", 7 << 10), ("12B", 12)] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in ["", "5", "GB", "-1GB", "2TB", "0MB", "1.5GB", "99999999999999GB"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!([0, 900, 1536, 3 << 30].map(told), ["0 B", "900 B", "1.5 kB", "3.0 GB"]);
    }
}
