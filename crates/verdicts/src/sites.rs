//! Sites of findings in the source.

use crate::finding::SourceSite;
use crate::frame::Frame;
use crate::project::{CheckedPair, CheckedProject, CheckedTest};

/// A line of the method that a pair is in.
pub(crate) fn site_of_pair(pair: &CheckedPair, line: Option<u32>) -> SourceSite {
    let clause = &pair.clause;
    let file = clause.source_file.as_deref();
    SourceSite {
        class: clause.class.clone(),
        method: clause.method.clone(),
        descriptor: clause.descriptor.clone(),
        pc: None,
        line,
        file: pair.location.source_of(file).or(file).map(str::to_owned),
    }
}

/// The site of a frame in the source file of the pair's class or of a test; `None` if it is in another.
pub(crate) fn site_of_frame(
    frame: &Frame,
    project: &CheckedProject,
    pair: &CheckedPair,
    test: Option<&CheckedTest>,
) -> Option<SourceSite> {
    let top_level = Frame::top_level(&frame.class);
    let file = if Frame::top_level(&pair.clause.class) == top_level {
        site_of_pair(pair, None).file
    } else {
        let mut tests = test.into_iter().chain(&project.tests);
        tests.find(|test| is_of(test, top_level))?.location.source.clone()
    };
    Some(SourceSite {
        class: frame.class.clone(),
        method: frame.method.clone(),
        descriptor: String::new(),
        pc: None,
        line: frame.line,
        file,
    })
}

/// Tells whether a test stands in the source file of this class.
fn is_of(test: &CheckedTest, top_level: &str) -> bool {
    test.name.strip_prefix(top_level).is_some_and(|rest| rest.starts_with(['.', '$']))
}
