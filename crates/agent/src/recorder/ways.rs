//! Stacks from a raising to a catching frame, each kept once.
//!
//! A tree: from the catching frame every frame leads to those it has called. A way is known by its raising frame, and
//! most ways share most of their frames with others.

use catchment_protocol::recording::Frame;
use rustc_hash::FxHashMap;

/// More frames than this are not kept: some 100 MB.
const MOST_FRAMES: usize = 2_000_000;

#[derive(Debug, Default)]
pub(super) struct Ways {
    /// The frame, and the one that called it.
    steps: Vec<(Option<u32>, Frame)>,
    numbers: FxHashMap<(Option<u32>, Frame), u32>,
}

impl Ways {
    /// The number of a way, raising frame first; `None` when there is no room for a new one.
    pub(super) fn number(&mut self, frames: &[Frame]) -> Option<u32> {
        let mut caller = None;
        for &frame in frames.iter().rev() {
            let step = (caller, frame);
            caller = match self.numbers.get(&step) {
                Some(number) => Some(*number),
                None if self.steps.len() >= MOST_FRAMES => return None,
                None => {
                    let number = u32::try_from(self.steps.len()).ok()?;
                    self.steps.push(step);
                    self.numbers.insert(step, number);
                    Some(number)
                }
            };
        }
        caller
    }

    /// The frames of a way, raising frame first.
    pub(super) fn frames(&self, way: u32) -> Vec<Frame> {
        let step = |number: u32| self.steps.get(number as usize).copied();
        let steps = std::iter::successors(step(way), |(caller, _)| caller.and_then(step));
        steps.map(|(_, frame)| frame).collect()
    }
}
