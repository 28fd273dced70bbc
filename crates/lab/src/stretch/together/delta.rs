//! Delta debugging: the smallest part of a list that fails.

/// A part of `all` that fails, and no longer does with any one element left out; all of it, if no part fails by itself.
/// `None` as soon as a question has no answer: nothing more is asked then.
pub(crate) fn smallest<E>(
    all: Vec<usize>,
    mut fails: impl FnMut(&[usize]) -> Result<Option<bool>, E>,
) -> Result<Option<Vec<usize>>, E> {
    let (mut rest, mut parts) = (all, 2);
    while rest.len() > 1 {
        let size = rest.len().div_ceil(parts);
        let mut smaller = None;
        for part in 0..rest.len().div_ceil(size) {
            let range = part * size..((part + 1) * size).min(rest.len());
            let own = rest[range.clone()].to_vec();
            let others = [&rest[..range.start], &rest[range.end..]].concat();
            let Some(own_fails) = fails(&own)? else { return Ok(None) };
            if own_fails {
                smaller = Some((own, 2));
                break;
            }
            if others.is_empty() {
                continue;
            }
            let Some(others_fail) = fails(&others)? else { return Ok(None) };
            if others_fail {
                smaller = Some((others, parts.saturating_sub(1).max(2)));
                break;
            }
        }
        match smaller {
            Some((found, next)) => (rest, parts) = (found, next),
            None if size > 1 => parts = (parts * 2).min(rest.len()),
            None => break,
        }
    }
    Ok(Some(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smallest_of(count: usize, culprits: &[usize]) -> Vec<usize> {
        let fails = |chosen: &[usize]| Ok::<_, ()>(Some(culprits.iter().all(|each| chosen.contains(each))));
        smallest((0..count).collect(), fails).unwrap().unwrap()
    }

    #[test]
    fn what_does_not_go_together_is_found() {
        assert_eq!(smallest_of(9, &[4]), [4]);
        assert_eq!(smallest_of(9, &[1, 7]), [1, 7]);
        assert_eq!(smallest_of(10, &[0, 4, 9]), [0, 4, 9]);
        assert_eq!(smallest_of(1, &[0]), [0]);
    }

    #[test]
    fn where_no_part_fails_all_of_it_is_named() {
        let all = smallest(vec![3, 5, 8], |chosen| Ok::<_, ()>(Some(chosen.len() == 3))).unwrap();
        assert_eq!(all, Some(vec![3, 5, 8]));
    }

    #[test]
    fn without_an_answer_nothing_more_is_asked() {
        for answers in 0..6 {
            let mut asked = 0;
            let found = smallest((0..8).collect(), |chosen| {
                asked += 1;
                Ok::<_, ()>((asked <= answers).then_some(chosen.len() == 8))
            });
            assert_eq!((found, asked), (Ok(None), answers + 1));
        }
    }
}
