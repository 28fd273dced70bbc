//! One clause described for people and other programs, apart from its class.

use crate::ClassPairs;

/// All that reports say of a pair, whatever command found it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClauseDescription {
    /// The pair's id.
    pub id: String,
    /// Binary name with dots.
    pub class: String,
    pub method: String,
    pub descriptor: String,
    /// Binary names of the caught types.
    pub types: Vec<String>,
    /// The file that the lines belong to.
    pub source_file: Option<String>,
    /// Lines as in [`Pair`](crate::Pair).
    pub try_line: Option<u32>,
    pub try_end_line: Option<u32>,
    pub catch_line: Option<u32>,
    pub catch_end_line: Option<u32>,
    /// Id of the nearest enclosing pair.
    pub parent: Option<String>,
    pub maybe_generated: bool,
}

impl ClassPairs {
    /// The description of the pair at `index` of [`Self::pairs`]; `None` if there is none.
    pub fn describe(&self, index: usize) -> Option<ClauseDescription> {
        let pair = self.pairs.get(index)?;
        let parent = pair.parent.and_then(|parent| self.pairs.get(parent));
        Some(ClauseDescription {
            id: pair.id.clone(),
            class: self.class.clone(),
            method: pair.method.clone(),
            descriptor: pair.descriptor.clone(),
            types: pair.types.clone(),
            source_file: pair.source.clone().or_else(|| self.source_file.clone()),
            try_line: pair.try_line,
            try_end_line: pair.try_end_line,
            catch_line: pair.catch_line,
            catch_end_line: pair.catch_end_line,
            parent: parent.map(|parent| parent.id.clone()),
            maybe_generated: pair.maybe_generated,
        })
    }

    /// The descriptions of all pairs, in their order.
    pub fn descriptions(&self) -> impl Iterator<Item = ClauseDescription> {
        (0..self.pairs.len()).filter_map(|index| self.describe(index))
    }
}

impl ClauseDescription {
    /// The line to show for the clause: that of `catch`, or else of the try.
    pub fn line(&self) -> Option<u32> {
        self.catch_line.or(self.try_line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pair;

    fn pair(id: &str) -> Pair {
        Pair {
            id: id.to_owned(),
            method: "run".to_owned(),
            descriptor: "()V".to_owned(),
            types: vec!["a.E".to_owned()],
            try_line: Some(1),
            try_end_line: Some(2),
            catch_line: None,
            catch_end_line: None,
            parent: None,
            source: None,
            maybe_generated: false,
            maybe_copy: false,
        }
    }

    #[test]
    fn a_description_names_file_and_parent() {
        let inner = Pair { parent: Some(0), source: Some("Inline.kt".to_owned()), ..pair("inner") };
        let class = ClassPairs {
            class: "a.B".to_owned(),
            source_file: Some("B.kt".to_owned()),
            pairs: vec![pair("outer"), inner],
            ..ClassPairs::default()
        };
        let described: Vec<ClauseDescription> = class.descriptions().collect();
        let [outer, inner] = &described[..] else { panic!("two pairs") };
        assert_eq!((outer.source_file.as_deref(), outer.parent.as_deref()), (Some("B.kt"), None));
        assert_eq!(
            (inner.source_file.as_deref(), inner.parent.as_deref()),
            (Some("Inline.kt"), Some("outer"))
        );
        assert_eq!((outer.class.as_str(), outer.line()), ("a.B", Some(1)));
        assert_eq!(class.describe(2), None);
    }
}
