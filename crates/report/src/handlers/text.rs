//! The list of pairs for a terminal.

use crate::handlers::{HandlerListing, ListedClass};
use crate::plain_text::PlainText;
use crate::text::{clause_line, counted, readable, shown_file, source_place};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// One line per pair, then the totals. `filtered` adds a line per handler that nobody wrote.
pub fn write_handlers_text(out: &mut dyn Write, listing: &HandlerListing, filtered: bool) -> io::Result<()> {
    let out = &mut PlainText::new(out);
    for class in &listing.classes {
        write_pairs(out, class)?;
        if filtered {
            write_filtered(out, class)?;
        }
    }
    write_totals(out, listing)
}

fn write_pairs(out: &mut dyn Write, class: &ListedClass) -> io::Result<()> {
    for (pair, clause) in class.pairs.pairs.iter().zip(class.pairs.descriptions()) {
        let mark = match (pair.maybe_generated, pair.maybe_copy) {
            (true, _) => "  (maybe generated)",
            (_, true) => "  (maybe a copy of another)",
            _ => "",
        };
        writeln!(out, "{}{mark}", clause_line(&clause, &class.location))?;
    }
    Ok(())
}

fn write_filtered(out: &mut dyn Write, class: &ListedClass) -> io::Result<()> {
    for handler in &class.pairs.filtered {
        let file = shown_file(&class.location, class.pairs.source_file.as_deref());
        let place = source_place(file, handler.line);
        let reason = handler.reason.as_str();
        writeln!(out, "{}.{}  {place}  filtered: {reason}", class.pairs.class, readable(&handler.method))?;
    }
    Ok(())
}

fn write_totals(out: &mut dyn Write, listing: &HandlerListing) -> io::Result<()> {
    let pairs: usize = listing.classes.iter().map(|class| class.pairs.pairs.len()).sum();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for handler in listing.classes.iter().flat_map(|class| &class.pairs.filtered) {
        *reasons.entry(handler.reason.as_str()).or_default() += 1;
    }
    let filtered: usize = reasons.values().sum();
    let classes = counted(listing.classes_read, "class", "classes");
    write!(out, "{} in {classes}", counted(pairs, "try-catch pair", "try-catch pairs"))?;
    if filtered > 0 {
        let reasons: Vec<_> = reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        write!(out, "; {} filtered: {}", counted(filtered, "handler", "handlers"), reasons.join(", "))?;
    }
    writeln!(out)
}
