//! Renderers of results: for a terminal, as JSON, and for pull requests as SARIF and Markdown. One renderer or one small
//! view per file; all of them write to what they are given and change nothing.
//!
//! JSON is one line, with a `schema` field that names its contract: fields are added, never changed in meaning.

mod check;
mod failure_text;
mod handlers;
mod json;
mod links;
mod markdown;
mod plain_text;
mod recording;
mod sarif;
mod stretch;
mod text;
mod watch;

pub use check::CheckReport;
pub use check::json::write_check_json;
pub use check::markdown::{MarkdownOptions, write_check_markdown};
pub use check::sarif::{SarifOptions, left_out_of_sarif, write_check_sarif};
pub use check::text::plan::write_plan_text;
pub use check::text::stats::write_stats_text;
pub use check::text::{CheckDetail, finding_line, write_check_text};
pub use handlers::json::write_handlers_json;
pub use handlers::text::write_handlers_text;
pub use handlers::{HandlerListing, ListedClass, ListedProblem};
pub use links::blind_spots::{write_blind_spots_json, write_blind_spots_text};
pub use links::catalogue::{write_catalogue_json, write_catalogue_text};
pub use links::escapes::{write_escapes_json, write_escapes_text};
pub use links::json::write_links_json;
pub use links::paths::{write_paths_json, write_paths_text};
pub use links::text::{LinksBy, LinksView, write_links_text};
pub use links::words::links_named;
pub use links::{ExplainedLink, LinksReport};
pub use plain_text::escaped;
pub use recording::json::write_recording_json;
pub use recording::read::{RecordingError, RecordingFile, read_recording};
pub use recording::text::write_recording_text;
pub use stretch::json::write_stretch_json;
pub use stretch::text::{write_stretch_diff, write_stretch_text};
pub use text::readable;
pub use watch::json::write_watch_json;
pub use watch::text::write_watch_text;
