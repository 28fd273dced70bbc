//! Which of many do not go together.

/// Delta debugging: a part of `all` that still fails, and no part of which does with one left out. All of it, if no part fails
/// by itself.
pub(super) fn smallest<E>(
    all: Vec<usize>,
    mut fails: impl FnMut(&[usize]) -> Result<bool, E>,
) -> Result<Vec<usize>, E> {
    let (mut rest, mut parts) = (all, 2);
    while rest.len() > 1 {
        let size = rest.len().div_ceil(parts);
        let mut smaller = None;
        for part in 0..rest.len().div_ceil(size) {
            let range = part * size..((part + 1) * size).min(rest.len());
            let own = rest[range.clone()].to_vec();
            let others = [&rest[..range.start], &rest[range.end..]].concat();
            if fails(&own)? {
                smaller = Some((own, 2));
            } else if !others.is_empty() && fails(&others)? {
                smaller = Some((others, parts.saturating_sub(1).max(2)));
            }
            if smaller.is_some() {
                break;
            }
        }
        match smaller {
            Some((found, next)) => (rest, parts) = (found, next),
            None if size > 1 => parts = (parts * 2).min(rest.len()),
            None => break,
        }
    }
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smallest_of(count: usize, culprits: &[usize]) -> Vec<usize> {
        let fails = |chosen: &[usize]| Ok::<_, ()>(culprits.iter().all(|each| chosen.contains(each)));
        smallest((0..count).collect(), fails).unwrap()
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
        let all = smallest(vec![3, 5, 8], |chosen| Ok::<_, ()>(chosen.len() == 3)).unwrap();
        assert_eq!(all, [3, 5, 8]);
    }
}
