//! The operand stack while a block is looked at, slot by slot: a variable, or nothing that matters.
//!
//! Longs and doubles take two slots, so that instructions which only move slots need not know what is in them.

use crate::Var;
use crate::error::Fault;
use crate::values::UNUSABLE;

#[derive(Debug, Default)]
pub(crate) struct Stack {
    pub(crate) slots: Vec<u32>,
    /// The stack size that the method declares.
    pub(crate) limit: usize,
}

impl Stack {
    #[inline]
    pub(crate) fn push(&mut self, slot: u32) -> Result<(), Fault> {
        if self.slots.len() >= self.limit {
            return Err(Fault::Overflow);
        }
        self.slots.push(slot);
        Ok(())
    }

    #[inline]
    pub(crate) fn push_numbers(&mut self, slots: usize) -> Result<(), Fault> {
        for _ in 0..slots {
            self.push(UNUSABLE)?;
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Result<u32, Fault> {
        self.slots.pop().ok_or(Fault::Underflow)
    }

    #[inline]
    pub(crate) fn pop_slots(&mut self, slots: usize) -> Result<(), Fault> {
        let rest = self.slots.len().checked_sub(slots).ok_or(Fault::Underflow)?;
        self.slots.truncate(rest);
        Ok(())
    }

    #[inline]
    pub(crate) fn pop_reference(&mut self) -> Result<Var, Fault> {
        match self.pop()? {
            UNUSABLE => Err(Fault::NotAReference),
            variable => Ok(Var(variable)),
        }
    }

    /// Copies the upper `copied` slots to below the `skipped` slots under them.
    pub(crate) fn duplicate(&mut self, copied: usize, skipped: usize) -> Result<(), Fault> {
        let height = self.slots.len();
        let at = height.checked_sub(copied + skipped).ok_or(Fault::Underflow)?;
        if height + copied > self.limit {
            return Err(Fault::Overflow);
        }
        self.slots.extend_from_within(height - copied..);
        self.slots[at..].rotate_right(copied);
        Ok(())
    }

    pub(crate) fn swap(&mut self) -> Result<(), Fault> {
        let height = self.slots.len();
        let under = height.checked_sub(2).ok_or(Fault::Underflow)?;
        self.slots.swap(under, height - 1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dup_puts_the_copies_where_the_jvm_does() {
        for (copied, skipped, expected) in [
            (1, 0, vec![1, 2, 3, 4, 4]),
            (1, 1, vec![1, 2, 4, 3, 4]),
            (1, 2, vec![1, 4, 2, 3, 4]),
            (2, 0, vec![1, 2, 3, 4, 3, 4]),
            (2, 1, vec![1, 3, 4, 2, 3, 4]),
            (2, 2, vec![3, 4, 1, 2, 3, 4]),
        ] {
            let mut stack = Stack { slots: vec![1, 2, 3, 4], limit: 6 };
            stack.duplicate(copied, skipped).expect("fits");
            assert_eq!(stack.slots, expected);
        }
    }

    #[test]
    fn too_few_and_too_many_slots_are_faults() {
        let mut stack = Stack { slots: vec![1], limit: 1 };
        assert_eq!(stack.duplicate(1, 0), Err(Fault::Overflow));
        assert_eq!(stack.duplicate(1, 1), Err(Fault::Underflow));
        assert_eq!(stack.swap(), Err(Fault::Underflow));
        assert_eq!(stack.push(2), Err(Fault::Overflow));
        assert_eq!(stack.pop_slots(2), Err(Fault::Underflow));
    }
}
