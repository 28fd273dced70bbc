//! JSR-45 source maps: which file and line a line number stands for after Kotlin inlined code.

/// The default stratum of a `SourceDebugExtension` attribute.
#[derive(Debug, Default)]
pub(crate) struct SourceMap {
    files: Vec<SourceFile>,
    ranges: Vec<LineRange>,
}

#[derive(Debug)]
struct SourceFile {
    id: u32,
    name: String,
    /// For Kotlin the internal name of the class the code was inlined from.
    path: String,
}

/// Output lines `output..output + count * increment` stand for input lines from `input` on.
#[derive(Debug, Clone, Copy)]
struct LineRange {
    file: u32,
    input: u32,
    count: u32,
    output: u32,
    increment: u32,
}

/// The source position of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceLine<'m> {
    pub(crate) file: &'m str,
    pub(crate) path: &'m str,
    pub(crate) line: u32,
    /// True if it is in the file the class itself was compiled from.
    pub(crate) own: bool,
}

impl SourceMap {
    /// Reads what it understands; a malformed map is an empty one.
    pub(crate) fn parse(text: &str) -> Self {
        let mut map = Self::default();
        let mut lines = text.lines();
        if lines.next() != Some("SMAP") {
            return map;
        }
        let mut section = "";
        let mut strata = 0;
        while let Some(line) = lines.next() {
            match line.split_whitespace().next() {
                Some("*S") => {
                    strata += 1;
                    section = "*S";
                }
                Some("*F") => section = "*F",
                Some("*L") => section = "*L",
                Some(other) if other.starts_with('*') => section = "",
                _ if strata > 1 => break,
                _ if section == "*F" => map.read_file(line, &mut lines),
                _ if section == "*L" => map.read_range(line),
                _ => {}
            }
        }
        map.ranges.sort_by_key(|range| range.output);
        map
    }

    fn read_file<'t>(&mut self, line: &'t str, lines: &mut impl Iterator<Item = &'t str>) {
        let (entry, path) = match line.strip_prefix("+ ") {
            Some(entry) => (entry, lines.next().unwrap_or_default()),
            None => (line, ""),
        };
        if let Some((id, name)) = entry.split_once(' ')
            && let Ok(id) = id.parse()
        {
            self.files.push(SourceFile { id, name: name.to_string(), path: path.to_string() });
        }
    }

    /// `InputStartLine#FileId,RepeatCount:OutputStartLine,OutputIncrement`, most of it optional.
    fn read_range(&mut self, line: &str) {
        let last_file = self.ranges.last().map_or(0, |range| range.file);
        let parse = || -> Option<LineRange> {
            let (input, output) = line.trim().split_once(':')?;
            let (input, count) = input.split_once(',').unwrap_or((input, "1"));
            let (input, file) = match input.split_once('#') {
                Some((input, file)) => (input, file.parse().ok()?),
                None => (input, last_file),
            };
            let (output, increment) = output.split_once(',').unwrap_or((output, "1"));
            Some(LineRange {
                file,
                input: input.parse().ok()?,
                count: count.parse().ok()?,
                output: output.parse().ok()?,
                increment: increment.parse().ok()?,
            })
        };
        self.ranges.extend(parse());
    }

    /// True if it says nothing about any line.
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The range that says where `line` was inlined from; `None` for a line that stands for itself.
    pub(crate) fn inlined_by(&self, line: u32) -> Option<usize> {
        let mapped = self.lookup(line)?;
        let after = self.ranges.partition_point(|range| range.output <= line);
        (!mapped.own || mapped.line != line).then(|| after - 1)
    }

    /// The source position of `line` of the class; `None` where the map says nothing.
    pub(crate) fn lookup(&self, line: u32) -> Option<SourceLine<'_>> {
        let after = self.ranges.partition_point(|range| range.output <= line);
        let range = self.ranges[..after].last()?;
        let offset = (line - range.output) / range.increment.max(1);
        if offset >= range.count {
            return None;
        }
        let file = self.files.iter().find(|file| file.id == range.file)?;
        let own = self.files.first().is_some_and(|first| first.id == file.id);
        Some(SourceLine { file: &file.name, path: &file.path, line: range.input.saturating_add(offset), own })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "SMAP\nMain.kt\nKotlin\n*S Kotlin\n*F\n+ 1 Main.kt\napp/MainKt\n+ 2 Closeable.kt\nkotlin/io/CloseableKt\n*L\n1#1,30:1\n49#2,4:31\n60#2:40,2\n*S KotlinDebug\n*F\n+ 1 Main.kt\napp/MainKt\n*L\n9#1:31,4\n*E\n";

    #[test]
    fn lines_of_the_class_itself_are_their_own() {
        let map = SourceMap::parse(MAP);
        let line = map.lookup(7).expect("mapped");
        assert_eq!((line.file, line.line, line.own), ("Main.kt", 7, true));
    }

    #[test]
    fn inlined_lines_lead_to_the_file_they_came_from() {
        let map = SourceMap::parse(MAP);
        let line = map.lookup(33).expect("mapped");
        assert_eq!((line.path, line.line, line.own), ("kotlin/io/CloseableKt", 51, false));
        assert_eq!(map.lookup(41).map(|line| line.line), Some(60));
        assert_eq!(map.lookup(99), None);
    }

    #[test]
    fn an_inlined_line_is_told_from_one_that_stands_for_itself() {
        let map = SourceMap::parse(MAP);
        assert_eq!([7, 99].map(|line| map.inlined_by(line)), [None, None]);
        assert_eq!([31, 34, 40].map(|line| map.inlined_by(line)), [Some(1), Some(1), Some(2)]);
    }

    #[test]
    fn garbage_is_an_empty_map() {
        for text in ["", "SMAP", "SMAP\nx\n*L\n1#:\n:\n,,#\n4294967295#1,4294967295:1,0", "no map\n1:1"] {
            assert_eq!(SourceMap::parse(text).lookup(1), None, "{text}");
        }
    }
}
