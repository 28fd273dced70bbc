//! A recorded answer as a file: what was asked, how the command ended, what it answered.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// One command about one subject, and its answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Recorded {
    pub(super) arguments: Vec<String>,
    /// Folders whose paths differ between recordings, with the name that stands for each.
    pub(super) places: Vec<(String, PathBuf)>,
    /// None if a signal ended the command or it did not start.
    pub(super) exit: Option<i32>,
    pub(super) seconds: f64,
    pub(super) stderr: String,
    /// None where the command answered no JSON.
    pub(super) answer: Option<Value>,
}

impl Recorded {
    /// A record of a question that could not even be asked.
    pub(super) fn failed(why: &str) -> Self {
        let stderr = why.to_owned();
        Self { arguments: Vec::new(), places: Vec::new(), exit: None, seconds: 0.0, stderr, answer: None }
    }

    pub(super) fn write(&self, file: &Path) -> Result<()> {
        let places: Vec<Value> =
            self.places.iter().map(|(name, path)| json!([name, path.to_string_lossy()])).collect();
        let value = json!({
            "arguments": self.arguments,
            "places": places,
            "exit": self.exit,
            "seconds": self.seconds,
            "stderr": self.stderr,
            "answer": self.answer,
        });
        let describe = || format!("cannot write {}", file.display());
        fs::create_dir_all(file.parent().unwrap_or(file)).with_context(describe)?;
        // Renamed when complete: a file that exists is whole, and is skipped when recording goes on.
        let partial = file.with_extension("partial");
        fs::write(&partial, format!("{value:#}\n")).with_context(describe)?;
        fs::rename(&partial, file).with_context(describe)
    }

    pub(super) fn read(file: &Path) -> Result<Self> {
        let describe = || format!("cannot read {}", file.display());
        let text = fs::read_to_string(file).with_context(describe)?;
        let mut value: Value = serde_json::from_str(&text).with_context(describe)?;
        let strings = |value: &Value| -> Vec<String> {
            let words = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            words.map(str::to_owned).collect()
        };
        let place = |place: &Value| Some((place[0].as_str()?.to_owned(), PathBuf::from(place[1].as_str()?)));
        Ok(Self {
            arguments: strings(&value["arguments"]),
            places: value["places"].as_array().into_iter().flatten().filter_map(place).collect(),
            exit: value["exit"].as_i64().and_then(|code| i32::try_from(code).ok()),
            seconds: value["seconds"].as_f64().unwrap_or_default(),
            stderr: value["stderr"].as_str().unwrap_or_default().to_owned(),
            answer: Some(value["answer"].take()).filter(|answer| !answer.is_null()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("check/fine/check.json");
        let recorded = Recorded {
            arguments: vec!["check".into(), "--json".into()],
            places: vec![("<project>".into(), "/tmp/x".into())],
            exit: Some(1),
            seconds: 1.5,
            stderr: "catchment: tests: 1 of 2".into(),
            answer: Some(json!({"schema": "catchment.check/1"})),
        };
        recorded.write(&file).unwrap();
        assert_eq!(Recorded::read(&file).unwrap(), recorded);
    }
}
