//! `catchment handlers`: the pairs of what the user names.

pub(crate) mod args;

use crate::commands::handlers::args::HandlersArgs;
use crate::exit::{BadInput, ExitCode};
use crate::output;
use anyhow::Result;
use catchment_build::{SourceTree, location_of};
use catchment_classfile::ClassFile;
use catchment_pairs::{ClassLocation, ClassPairs, pairs_of};
use catchment_program::{ClassBytes, LoadOptions, application_roots, visit};
use catchment_report::{
    HandlerListing, ListedClass, ListedProblem, write_handlers_json, write_handlers_text,
};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &HandlersArgs) -> Result<ExitCode> {
    // Everything is read before anything is printed: a wrong path leaves no half answer.
    let listing = list_handlers(&args.paths)?;
    if args.json {
        output::to_stdout(|out| write_handlers_json(out, &listing))?;
    } else {
        output::to_stdout(|out| write_handlers_text(out, &listing, args.filtered))?;
        for problem in &listing.problems {
            output::tell(&format_args!("{}: {}", problem.place, problem.what));
        }
    }
    Ok(ExitCode::CLEAN)
}

/// An error when a path is nothing we know, or when not one class could be read.
pub(crate) fn list_handlers(paths: &[PathBuf]) -> Result<HandlerListing> {
    let mut listing = HandlerListing::default();
    for path in paths {
        let roots = application_roots(path)?;
        let sources = SourceTree::of_project(path);
        for root in &roots {
            match list_root(root, sources.as_ref(), &mut listing) {
                // One of many that a folder holds, not what the user named.
                Err(error) if roots.len() > 1 => {
                    let place = root.display().to_string();
                    listing.problems.push(ListedProblem { place, what: format!("{error:#}") });
                }
                outcome => outcome?,
            }
        }
    }
    if listing.classes_read == 0 {
        return Err(nothing_readable(paths, &listing).into());
    }
    Ok(listing)
}

fn list_root(root: &Path, sources: Option<&SourceTree>, listing: &mut HandlerListing) -> Result<()> {
    let container = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let locate =
        |class: &ClassPairs| location_of(sources, &class.class, class.source_file.as_deref(), &container);
    let report = visit(root, &LoadOptions::default(), &mut |class| list_class(class, &locate, listing))?;
    let unreadable = report.problems.iter();
    listing
        .problems
        .extend(unreadable.map(|each| ListedProblem { place: each.place(), what: each.what.clone() }));
    Ok(())
}

fn list_class(
    class: ClassBytes<'_>,
    locate: &dyn Fn(&ClassPairs) -> ClassLocation,
    listing: &mut HandlerListing,
) {
    match ClassFile::parse(class.bytes) {
        Ok(parsed) => {
            listing.classes_read += 1;
            let pairs = pairs_of(&parsed);
            listing.problems.extend(pairs.problems.iter().map(|problem| ListedProblem {
                place: format!("{}: {}{}", class.place(), problem.method, problem.descriptor),
                what: problem.what.clone(),
            }));
            // Most classes have no handlers, and a program may have a great many classes.
            if !pairs.pairs.is_empty() || !pairs.filtered.is_empty() {
                let location = locate(&pairs);
                let origin = class.origin.to_string();
                listing.classes.push(ListedClass { origin, location, pairs });
            }
        }
        Err(error) => listing.problems.push(ListedProblem { place: class.place(), what: error.to_string() }),
    }
}

fn nothing_readable(paths: &[PathBuf], listing: &HandlerListing) -> BadInput {
    let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    match listing.problems.first() {
        Some(first) => {
            let more = match listing.problems.len() {
                1 => String::new(),
                count => format!(" (and {} more problems)", count - 1),
            };
            BadInput(format!("cannot read {}: {}{more}", first.place, first.what))
        }
        None => BadInput(format!("no classes in {}", paths.join(", "))),
    }
}
