//! Renders results: terminal and JSON. One renderer per file; all of them write to what they are given and change nothing.
//!
//! JSON is one line, with a `schema` field that names its contract: fields are added, never changed in meaning.

mod check;
mod check_fine_text;
mod check_json;
mod check_plan_text;
mod check_reasons_text;
mod check_stats_text;
mod check_tables_text;
mod check_text;
mod failure_text;
mod handlers_json;
mod handlers_text;
mod json;
mod links;
mod links_json;
mod links_more_json;
mod links_more_text;
mod links_text;
mod links_words;
mod listing;
mod seen_file;
mod seen_json;
mod seen_links_json;
mod seen_links_text;
mod seen_text;
mod stretch_json;
mod stretch_text;
mod text;
mod watch_json;
mod watch_text;

pub use check::CheckReport;
pub use check_json::write_check_json;
pub use check_plan_text::write_plan_text;
pub use check_stats_text::write_stats_text;
pub use check_text::{CheckDetail, write_check_text};
pub use handlers_json::write_handlers_json;
pub use handlers_text::write_handlers_text;
pub use links::{ExplainedLink, LinksReport};
pub use links_json::write_links_json;
pub use links_more_json::{
    write_blind_spots_json, write_catalogue_json, write_escapes_json, write_paths_json,
};
pub use links_more_text::{
    write_blind_spots_text, write_catalogue_text, write_escapes_text, write_paths_text,
};
pub use links_text::{LinksBy, LinksView, write_links_text};
pub use links_words::links_named;
pub use listing::{HandlerListing, ListedClass, ListedProblem};
pub use seen_file::{SeenError, SeenFile, read_seen};
pub use seen_json::write_seen_json;
pub use seen_text::write_seen_text;
pub use stretch_json::write_stretch_json;
pub use stretch_text::{write_stretch_diff, write_stretch_text};
pub use watch_json::write_watch_json;
pub use watch_text::write_watch_text;
