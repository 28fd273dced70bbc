//! Lists in TOML files: subjects and suites.

use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;
use std::fs;
use std::path::Path;

pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("cannot read {}", path.display()))
}

/// The items of these names, or all if there are no names.
pub(crate) fn chosen<T>(all: Vec<T>, name_of: impl Fn(&T) -> &str, names: &[String]) -> Result<Vec<T>> {
    if let Some(unknown) = names.iter().find(|name| all.iter().all(|item| name_of(item) != **name)) {
        bail!("none is called {unknown}");
    }
    Ok(all
        .into_iter()
        .filter(|item| names.is_empty() || names.iter().any(|name| name_of(item) == *name))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_refused() {
        let all = || vec!["a", "b"];
        assert_eq!(chosen(all(), |item| item, &[]).unwrap(), ["a", "b"]);
        assert_eq!(chosen(all(), |item| item, &["b".to_owned()]).unwrap(), ["b"]);
        assert!(chosen(all(), |item| item, &["c".to_owned()]).is_err());
    }
}
