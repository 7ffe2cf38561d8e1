//! Splits text into its top-level SMT-LIB expressions.

/// A top-level expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expression<'t> {
    /// A symbol, a number, a keyword or a text in quotes.
    Atom(&'t str),
    /// A list, by its first atom; none if it starts with a list or is empty.
    List(Option<&'t str>),
    /// The rest, which is not complete or not well-formed.
    Malformed,
}

/// The top-level expressions of a text, in order. Lists may be nested to any depth.
pub(super) fn expressions(text: &str) -> impl Iterator<Item = Expression<'_>> {
    let mut tokens = Tokens { rest: text };
    std::iter::from_fn(move || {
        Some(match tokens.next()? {
            Token::Open => tokens.list(),
            Token::Atom(atom) => Expression::Atom(atom),
            Token::Close | Token::Unfinished => tokens.malformed(),
        })
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'t> {
    Open,
    Close,
    Atom(&'t str),
    /// A text or a quoted symbol that does not end.
    Unfinished,
}

struct Tokens<'t> {
    rest: &'t str,
}

impl<'t> Tokens<'t> {
    /// The rest of a list whose parenthesis was read.
    fn list(&mut self) -> Expression<'t> {
        let (mut head, mut depth, mut is_first) = (None, 1_u64, true);
        for token in &mut *self {
            match token {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                Token::Atom(atom) if is_first => head = Some(atom),
                Token::Atom(_) => {}
                Token::Unfinished => return self.malformed(),
            }
            is_first = false;
            if depth == 0 {
                return Expression::List(head);
            }
        }
        Expression::Malformed
    }

    fn malformed(&mut self) -> Expression<'t> {
        self.rest = "";
        Expression::Malformed
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            self.rest = self.rest.trim_ascii_start();
            match self.rest.strip_prefix(';') {
                Some(comment) => self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest),
                None => break,
            }
        }
        let length = match self.rest.as_bytes().first()? {
            b'(' | b')' => 1,
            b'|' => self.rest[1..].find('|').map_or(0, |end| end + 2),
            b'"' => text_length(self.rest),
            _ => {
                let ends = |letter: char| letter.is_ascii_whitespace() || "();\"|".contains(letter);
                self.rest.find(ends).unwrap_or(self.rest.len())
            }
        };
        let (token, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(match token {
            "" => Token::Unfinished,
            "(" => Token::Open,
            ")" => Token::Close,
            atom => Token::Atom(atom),
        })
    }
}

/// The length of a text in quotes, in which two quotes stand for one; 0 if it does not end.
fn text_length(text: &str) -> usize {
    let mut quotes = text.match_indices('"').map(|(at, _)| at).skip(1).peekable();
    while let Some(at) = quotes.next() {
        if quotes.next_if_eq(&(at + 1)).is_none() {
            return at + 1;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<Expression<'_>> {
        expressions(text).collect()
    }

    #[test]
    fn only_the_top_level_is_returned() {
        let text = "; (a)\nsat\n(model (define-fun x () Int 1)) () ((x 1))\"(b\"\" )\"|c (|(d|)|)";
        let all = [
            Expression::Atom("sat"),
            Expression::List(Some("model")),
            Expression::List(None),
            Expression::List(None),
            Expression::Atom("\"(b\"\" )\""),
            Expression::Atom("|c (|"),
            Expression::List(Some("d")),
        ];
        assert_eq!(split(text)[..6], all[..6]);
        assert_eq!(split("(d|)|)"), [all[6]]);
    }

    #[test]
    fn what_is_not_complete_is_malformed() {
        for text in ["(", "(a (b)", ")", "\"a", "\"\"\"", "|a", "(a \"b)", "(|b)"] {
            assert_eq!(split(text), [Expression::Malformed], "{text}");
        }
        assert_eq!(split(" ; end"), []);
    }

    #[test]
    fn depth_is_not_limited() {
        let text = "(".repeat(1_000_000) + &")".repeat(1_000_000);
        assert_eq!(split(&text), [Expression::List(None)]);
    }
}
