//! Renders results: terminal and JSON.
