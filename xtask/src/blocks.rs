//! Lists in text files: blocks of `key value` lines, each begun by the key that gives its name.

use anyhow::{Context, Result, bail};

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block<'t> {
    pub(crate) name: &'t str,
    pub(crate) lines: Vec<(&'t str, &'t str)>,
}

pub(crate) fn parse<'t>(text: &'t str, beginning: &str) -> Result<Vec<Block<'t>>> {
    let mut blocks: Vec<Block<'t>> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (key, value) = line.split_once(' ').with_context(|| format!("no value in line: {line}"))?;
        if key == beginning {
            blocks.push(Block { name: value, lines: Vec::new() });
        } else if let Some(block) = blocks.last_mut() {
            block.lines.push((key, value));
        } else {
            bail!("the list does not begin with a {beginning}");
        }
    }
    Ok(blocks)
}

/// Those of these names, or all if there are none.
pub(crate) fn chosen<T>(all: Vec<T>, name_of: impl Fn(&T) -> &str, names: &[String]) -> Result<Vec<T>> {
    if let Some(unknown) = names.iter().find(|name| all.iter().all(|it| name_of(it) != **name)) {
        bail!("none is called {unknown}");
    }
    Ok(all
        .into_iter()
        .filter(|it| names.is_empty() || names.iter().any(|name| name_of(it) == *name))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_a_name_and_lines() {
        let text = "# comment\n\nsubject a\nmain a.Main\n\nsubject b\nargument x y\n";
        let [a, b] = parse(text, "subject").unwrap().try_into().unwrap();
        assert_eq!(a, Block { name: "a", lines: vec![("main", "a.Main")] });
        assert_eq!(b, Block { name: "b", lines: vec![("argument", "x y")] });
        assert!(parse("main a.Main\n", "subject").is_err() && parse("subject\n", "subject").is_err());
    }

    #[test]
    fn unknown_names_are_refused() {
        let all = || vec!["a", "b"];
        assert_eq!(chosen(all(), |it| it, &[]).unwrap(), ["a", "b"]);
        assert_eq!(chosen(all(), |it| it, &["b".to_owned()]).unwrap(), ["b"]);
        assert!(chosen(all(), |it| it, &["c".to_owned()]).is_err());
    }
}
