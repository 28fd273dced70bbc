//! The stack frame that the text of a failure ends with.

/// `com.acme.CacheTest.corrupt:41`: the first frame of a failure that is neither the JDK's nor a test framework's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Binary name with dots.
    pub(crate) class: String,
    pub(crate) method: String,
    pub(crate) line: Option<u32>,
}

impl Frame {
    /// The frame at the end of [`Failure::text`](crate::Failure::text); `None` if it ends otherwise.
    pub(crate) fn of_failure(text: &str) -> Option<Self> {
        let (_, frame) = text.trim_end().rsplit_once(" at ")?;
        let (name, line) = match frame.rsplit_once(':') {
            Some((name, line)) => (name, Some(line.parse().ok()?)),
            None => (frame, None),
        };
        let (class, method) = name.rsplit_once('.')?;
        let is_name = |name: &str| {
            !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "()[]'\"".contains(c))
        };
        (is_name(class) && is_name(method)).then(|| Self {
            class: class.to_owned(),
            method: method.to_owned(),
            line,
        })
    }

    /// The class of the source file: `com.acme.CacheTest` of `com.acme.CacheTest$Inner`.
    pub(crate) fn top_level(class: &str) -> &str {
        class.split_once('$').map_or(class, |(outer, _)| outer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(class: &str, method: &str, line: Option<u32>) -> Option<Frame> {
        Some(Frame { class: class.into(), method: method.into(), line })
    }

    #[test]
    fn a_failure_ends_with_its_frame() {
        let check =
            |text: &str, expected: Option<Frame>| assert_eq!(Frame::of_failure(text), expected, "{text}");
        check(
            "a.E: expected 3 but was 0 at com.acme.CacheTest.corrupt:41",
            frame("com.acme.CacheTest", "corrupt", Some(41)),
        );
        check("a.E at a.BTest$Inner.lambda$c$0:7", frame("a.BTest$Inner", "lambda$c$0", Some(7)));
        check("a.E: no line at a.BTest.<init>", frame("a.BTest", "<init>", None));
        for other in [
            "the JVM ended",
            "a.E: look at this (a.b):3",
            "a.E: at home",
            "",
            " at ",
            "a.E at .:3",
            "a.E at a.b:x",
        ] {
            check(other, None);
        }
    }
}
