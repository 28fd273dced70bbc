//! Data reachability: which raising points a call can come to at all with the objects that it has at hand.
//!
//! A call graph joins what meets in one method: from a buffer of a file it seems to lead to a socket. But a method of
//! the socket is only run on a socket, and during a call there are only the objects that its arguments lead to, those
//! in static fields that are read, and those that are made. Followed from a call in a `try`, with one set of objects
//! for everything (`dr`), for each class (`cdr`), for each method (`mdr`) or for each variable (`vdr`), that shows
//! methods which this call cannot run, and links that cannot be.
//!
//! Sets are coarser from the last to the first, and all else is the same: each keeps what the next one keeps.

mod calls;
mod following;
mod hub;
mod locals;
mod matching;
mod questions;
mod sets;
mod sure;
mod variables;

use crate::analysis::DataFilter;
use crate::exception_flow::ExceptionFlow;
use crate::links::Link;
use calls::CallReceivers;
use catchment_pointsto::Reached;
use questions::Questions;
pub(crate) use questions::ranges_of;
use sets::{Division, Sets};
use variables::Variables;

/// Leaves out the links whose raising point no call in the try can come to. Without a heap nothing is left out.
pub fn filter(
    links: Vec<Link>,
    reached: &mut Reached<'_>,
    flow: &ExceptionFlow,
    filter: DataFilter,
) -> Vec<Link> {
    let Some(heap) = reached.heap.take() else { return links };
    let questions = Questions::of(&links, reached, &heap, flow);
    let calls = CallReceivers::new(&heap, &reached.instances, &mut reached.world);
    let division = match filter {
        DataFilter::Dr => Some(Division::None),
        DataFilter::Cdr => Some(Division::Classes),
        DataFilter::Mdr => Some(Division::Methods),
        DataFilter::Vdr => None,
    };
    let kept = if let Some(division) = division {
        let sets = Sets::new(&calls, division);
        questions.ask(calls, sets)
    } else {
        let variables = Variables::new(&calls);
        questions.ask(calls, variables)
    };
    reached.heap = Some(heap);
    links.into_iter().filter(|link| kept.contains(&(link.clause, link.point))).collect()
}
