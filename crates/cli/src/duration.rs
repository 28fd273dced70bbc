//! Times as people type them.

use std::time::Duration;

/// `90s`, `10m`, `1h30m`, `2h`. A number without a unit is refused: it would be a guess.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let mut seconds: u64 = 0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, unit_and_more) = rest.split_at(digits);
        let part = number.parse::<u64>().ok().zip(seconds_in(unit_and_more));
        let part = part.and_then(|(number, unit)| number.checked_mul(unit));
        seconds = part.and_then(|part| seconds.checked_add(part)).ok_or_else(|| not_a_time(text))?;
        rest = unit_and_more.get(1..).unwrap_or_default().trim_start();
    }
    if seconds == 0 { Err(not_a_time(text)) } else { Ok(Duration::from_secs(seconds)) }
}

fn seconds_in(unit: &str) -> Option<u64> {
    match unit.as_bytes().first()? {
        b's' => Some(1),
        b'm' => Some(60),
        b'h' => Some(3600),
        _ => None,
    }
}

fn not_a_time(text: &str) -> String {
    format!("'{text}' is not a time such as 90s, 10m or 1h30m")
}

#[cfg(test)]
mod tests {
    use super::parse;
    use std::time::Duration;

    #[test]
    fn units_add_up() {
        for (text, seconds) in [("90s", 90), ("10m", 600), ("1h30m", 5400), (" 2h 5s ", 7205)] {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "10",
            "m",
            "10d",
            "ten minutes",
            "0s",
            "-5m",
            "10mm",
            "10µ",
            "99999999999999999999s",
            "18446744073709551615h",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
