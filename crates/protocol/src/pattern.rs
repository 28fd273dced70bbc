//! Patterns over class names, as `--include` and `--exclude` take them.

/// `*` stands for any characters (dots too), `?` for exactly one. A pattern without either means the class of that
/// name and the classes nested in it.
pub fn matches(pattern: &str, class: &str) -> bool {
    if pattern.contains(['*', '?']) {
        return glob(pattern.as_bytes(), class.as_bytes());
    }
    class.strip_prefix(pattern).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
}

/// Linear-time matching: on a mismatch only the last star has to give up one more character.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at_pattern, mut at_text) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while at_text < text.len() {
        match pattern.get(at_pattern) {
            Some(b'*') => {
                last_star = Some((at_pattern, at_text));
                at_pattern += 1;
            }
            Some(&wanted) if wanted == b'?' || wanted == text[at_text] => {
                at_pattern += 1;
                at_text += 1;
            }
            _ => {
                let Some((star, taken)) = last_star else { return false };
                last_star = Some((star, taken + 1));
                at_pattern = star + 1;
                at_text = taken + 1;
            }
        }
    }
    pattern[at_pattern..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_cross_packages_and_questions_take_one_character() {
        assert!(matches("com.acme.*", "com.acme.io.Cache"));
        assert!(matches("*Cache", "com.acme.io.Cache"));
        assert!(matches("com.*.C?che*", "com.acme.io.Cache$Entry"));
        assert!(matches("*", "A"));
        assert!(!matches("com.acme.*", "com.acmeother.Cache"));
        assert!(!matches("com.acme.?", "com.acme.Ab"));
        assert!(!matches("*Cache", "com.acme.Cache2"));
    }

    #[test]
    fn a_plain_name_covers_its_nested_classes_only() {
        assert!(matches("com.acme.Cache", "com.acme.Cache"));
        assert!(matches("com.acme.Cache", "com.acme.Cache$Entry"));
        assert!(!matches("com.acme.Cache", "com.acme.Caches"));
        assert!(!matches("com.acme", "com.acme.Cache"));
    }

    #[test]
    fn many_stars_stay_fast() {
        let pattern = "*a".repeat(30) + "b";
        assert!(!matches(&pattern, &"a".repeat(2000)));
    }
}
