//! Try statements in the tokens of a Java source.

use crate::java_lexer::Token;
use anyhow::{Result, bail};

/// A try statement in the token list.
pub(crate) struct TryStatement<'s> {
    pub(crate) keyword: Token<'s>,
    pub(crate) has_resources: bool,
    pub(crate) body_open: Token<'s>,
    pub(crate) body_close: Token<'s>,
    /// Nothing between the braces, and no resources: such a try leaves no trace in a class file.
    pub(crate) is_empty: bool,
    pub(crate) clauses: Vec<CatchClause<'s>>,
}

pub(crate) struct CatchClause<'s> {
    pub(crate) keyword: Token<'s>,
    pub(crate) types: Vec<String>,
    pub(crate) body_open: Token<'s>,
}

impl<'s> TryStatement<'s> {
    /// The statement whose keyword is at `index`.
    pub(crate) fn parse(tokens: &[Token<'s>], index: usize) -> Result<Self> {
        let has_resources = text_at(tokens, index + 1) == "(";
        let open = if has_resources { closing(tokens, index + 1)? + 1 } else { index + 1 };
        let close = closing(tokens, open)?;
        let mut clauses = Vec::new();
        let mut next = close + 1;
        while text_at(tokens, next) == "catch" {
            let (clause, after) = CatchClause::parse(tokens, next)?;
            clauses.push(clause);
            next = after;
        }
        let is_empty = !has_resources && close == open + 1;
        Ok(Self {
            keyword: tokens[index],
            has_resources,
            body_open: tokens[open],
            body_close: tokens[close],
            is_empty,
            clauses,
        })
    }
}

impl<'s> CatchClause<'s> {
    /// The clause whose keyword is at `index`, and the index behind it.
    fn parse(tokens: &[Token<'s>], index: usize) -> Result<(Self, usize)> {
        let parameter_end = closing(tokens, index + 1)?;
        let open = parameter_end + 1;
        let close = closing(tokens, open)?;
        let types = caught_types(&tokens[index + 2..parameter_end]);
        Ok((Self { keyword: tokens[index], types, body_open: tokens[open] }, close + 1))
    }
}

/// The types of `final @Mark java.io.IOException | Other e`.
fn caught_types(parameter: &[Token<'_>]) -> Vec<String> {
    let declared = parameter.split_last().map_or(parameter, |(_name, declared)| declared);
    let mut types = vec![String::new()];
    let mut annotation = false;
    for token in declared.iter().filter(|token| token.text != "final") {
        match token.text {
            "|" => types.push(String::new()),
            "@" => annotation = true,
            _ if annotation => annotation = false,
            part => types.iter_mut().last().into_iter().for_each(|it| it.push_str(part)),
        }
    }
    types
}

fn text_at<'s>(tokens: &[Token<'s>], index: usize) -> &'s str {
    tokens.get(index).map_or("", |token| token.text)
}

/// Index of the bracket that closes the one at `open`.
fn closing(tokens: &[Token<'_>], open: usize) -> Result<usize> {
    let (opening, closing) = match text_at(tokens, open) {
        "{" => ("{", "}"),
        "(" => ("(", ")"),
        other => bail!("expected a bracket, found '{other}'"),
    };
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        if token.text == opening {
            depth += 1;
        } else if token.text == closing {
            depth -= 1;
            if depth == 0 {
                return Ok(index);
            }
        }
    }
    bail!("'{opening}' is never closed")
}
