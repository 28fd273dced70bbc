//! Many short lists by number, in one.

/// A list for each small number.
#[derive(Debug)]
pub struct Lists<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Lists<T> {
    /// So many lists; items keep their order.
    pub(crate) fn new(count: usize, mut items: Vec<(u32, T)>) -> Self {
        items.sort_by_key(|(number, _)| *number);
        let mut starts = vec![0; count + 1];
        for (number, _) in &items {
            starts[*number as usize + 1] += 1;
        }
        let mut before = 0;
        for start in &mut starts {
            before += *start;
            *start = before;
        }
        Self { starts, items: items.into_iter().map(|(_, item)| item).collect() }
    }

    pub fn of(&self, number: u32) -> &[T] {
        let at = number as usize;
        &self.items[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_its_own_items_in_their_order() {
        let lists = Lists::new(4, vec![(2, 'a'), (0, 'b'), (2, 'c')]);
        let all: Vec<&[char]> = (0..4).map(|number| lists.of(number)).collect();
        assert_eq!(all, [&['b'][..], &[], &['a', 'c'], &[]]);
    }
}
