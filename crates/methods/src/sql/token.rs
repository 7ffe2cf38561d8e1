//! SQL text as tokens, as far as edits need them.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A number.
    Number,
    /// A text.
    Text,
    /// Bytes.
    Blob,
    /// A name or a keyword; a qualified name such as `t0.c0` is one.
    Word,
    /// Anything else.
    Sign,
}

/// A word of SQL.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Token {
    /// Its kind.
    pub kind: Kind,
    /// Its text.
    pub text: String,
}

impl Token {
    /// Whether it is this keyword.
    pub fn is(&self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword)
    }
}

/// Operators that are longer than one character.
const LONG_SIGNS: [&str; 10] = ["->>", "->", "<=", ">=", "<>", "!=", "==", "||", "<<", ">>"];

/// What square brackets are in a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brackets {
    /// Quotes of a name, as in SQLite.
    Quote,
    /// Signs around a list, as in DuckDB.
    List,
}

/// Returns the tokens of a statement of SQLite.
pub fn tokens(sql: &str) -> Vec<Token> {
    Brackets::Quote.tokens(sql)
}

impl Brackets {
    /// Returns the tokens of a statement, without comments and without the semicolon at its end.
    pub fn tokens(self, sql: &str) -> Vec<Token> {
        let mut tokens: Vec<Token> =
            lexemes(sql, self).map(|(kind, text)| Token { kind, text: text.to_owned() }).collect();
        while tokens.last().is_some_and(|last| last.text == ";") {
            tokens.pop();
        }
        tokens
    }

    /// Splits a script into statements, as SQLite's shell does: a semicolon ends a statement, in a
    /// trigger only the one after its `END`; a command of the shell, which begins with a dot, ends
    /// at the end of its line.
    pub fn statements(self, script: &str) -> Vec<String> {
        let mut statements = Vec::new();
        let mut rest = skip_comments(script);
        while !rest.is_empty() {
            let length = if rest.starts_with('.') {
                rest.find('\n').unwrap_or(rest.len())
            } else {
                statement(rest, self)
            };
            let statement = rest[..length].trim_end().trim_end_matches(';').trim_end();
            if lexemes(statement, self).next().is_some() {
                statements.push(statement.to_owned());
            }
            rest = skip_comments(&rest[length..]);
        }
        statements
    }
}

/// The length of the first statement, including its semicolon.
fn statement(script: &str, brackets: Brackets) -> usize {
    let mut words: Vec<&str> = Vec::new();
    let mut is_trigger = false;
    for (_, text) in lexemes(script, brackets) {
        if words.len() < 4 && text.eq_ignore_ascii_case("TRIGGER") {
            is_trigger = words.first().is_some_and(|first| first.eq_ignore_ascii_case("CREATE"));
        }
        let is_end = match words[..] {
            [.., ";", last] => last.eq_ignore_ascii_case("END"),
            _ => false,
        };
        if text == ";" && (!is_trigger || is_end) {
            return text.as_ptr() as usize - script.as_ptr() as usize + text.len();
        }
        words.push(text);
    }
    script.len()
}

/// The tokens of a script, without comments.
fn lexemes(sql: &str, brackets: Brackets) -> impl Iterator<Item = (Kind, &str)> {
    let mut rest = sql;
    std::iter::from_fn(move || {
        rest = skip_comments(rest);
        let (kind, length) = lexeme(rest, brackets)?;
        let (text, after) = rest.split_at(length);
        rest = after;
        Some((kind, text))
    })
}

/// The text after leading spaces and comments.
fn skip_comments(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        let comment = if text.starts_with("--") {
            text.find('\n').unwrap_or(text.len())
        } else if text.starts_with("/*") {
            text.find("*/").map_or(text.len(), |end| end + 2)
        } else {
            return text;
        };
        text = &text[comment..];
    }
}

/// The kind and length of the first token.
fn lexeme(rest: &str, brackets: Brackets) -> Option<(Kind, usize)> {
    let first = rest.chars().next()?;
    let starts_next = |what: fn(char) -> bool| rest[first.len_utf8()..].starts_with(what);
    Some(if first == '\'' {
        (Kind::Text, quoted(rest, '\''))
    } else if matches!(first, 'x' | 'X') && starts_next(|next| next == '\'') {
        (Kind::Blob, 1 + quoted(&rest[1..], '\''))
    } else if first.is_ascii_digit() || first == '.' && starts_next(|next| next.is_ascii_digit()) {
        (Kind::Number, number(rest))
    } else if is_start_of_word(first, brackets) {
        (Kind::Word, word(rest, brackets))
    } else {
        let long = LONG_SIGNS.iter().find(|sign| rest.starts_with(**sign));
        (Kind::Sign, long.map_or(first.len_utf8(), |sign| sign.len()))
    })
}

/// Joins tokens to text.
pub fn text(tokens: &[Token]) -> String {
    let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    texts.join(" ")
}

/// Joins tokens to text, with conventional spaces.
pub fn pretty(tokens: &[Token]) -> String {
    let mut text = String::new();
    let mut last: Option<&Token> = None;
    for token in tokens {
        let is_close = match (last, token.text.as_str()) {
            (None, _) | (_, ")" | "]" | "," | ";") => true,
            (Some(last), "(" | "[") => {
                matches!(&*last.text, "(" | "[") || last.kind == Kind::Word && !is_keyword(last)
            }
            (Some(last), _) => matches!(&*last.text, "(" | "["),
        };
        if !is_close {
            text.push(' ');
        }
        text.push_str(&token.text);
        last = Some(token);
    }
    text
}

/// Whether a word precedes a bracket, an operand or a clause, and names nothing.
pub fn is_keyword(token: &Token) -> bool {
    token.kind == Kind::Word && KEYWORDS.iter().any(|keyword| token.is(keyword))
}

/// Words that are not names of functions, tables and columns.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "ADD", "ALL", "ALTER", "ALWAYS", "ANALYZE", "AND", "AS", "ASC", "BEGIN", "BETWEEN", "BY", "CASE", "CHECK",
    "COLLATE", "COLUMN", "COMMIT", "CONFLICT", "CREATE", "CROSS", "DEFAULT", "DELETE", "DESC", "DISTINCT", "DO",
    "DROP", "ELSE", "END", "ESCAPE", "EXCEPT", "EXISTS", "EXPLAIN", "FALSE", "FILTER", "FOREIGN", "FROM", "FULL",
    "GENERATED", "GLOB", "GROUP", "HAVING", "IF", "IGNORE", "IN", "INDEX", "INNER", "INSERT", "INTERSECT", "INTO",
    "IS", "ISNULL", "JOIN", "KEY", "LEFT", "LIKE", "LIMIT", "MATCH", "MATERIALIZED", "NATURAL", "NOT", "NOTHING",
    "NOTNULL", "NULL", "NULLS", "OFFSET", "ON", "OR", "ORDER", "OUTER", "OVER", "PARTITION", "PRAGMA", "PRIMARY",
    "RECURSIVE", "REFERENCES", "REINDEX", "REPLACE", "RETURNING", "RIGHT", "SELECT", "SET", "STORED", "TABLE", "TEMP",
    "THEN", "TRIGGER", "TRUE", "UNION", "UNIQUE", "UPDATE", "USING", "VACUUM", "VALUES", "VIEW", "VIRTUAL", "WHEN",
    "WHERE", "WINDOW", "WITH", "WITHOUT",
];

fn is_start_of_word(letter: char, brackets: Brackets) -> bool {
    let is_quote = letter == '[' && brackets == Brackets::Quote;
    letter.is_alphabetic() || matches!(letter, '_' | '"' | '`') || is_quote
}

/// The length of a quoted text. A doubled quote is a part of it.
fn quoted(text: &str, quote: char) -> usize {
    let mut inside = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = inside.next() {
        if letter == quote && inside.next_if(|(_, next)| *next == quote).is_none() {
            return at + quote.len_utf8();
        }
    }
    text.len()
}

fn number(text: &str) -> usize {
    let mut last = ' ';
    let is_part = |letter: char, last: char| {
        letter.is_ascii_alphanumeric()
            || letter == '.'
            || matches!(letter, '+' | '-') && matches!(last, 'e' | 'E')
    };
    let end = text.find(|letter: char| {
        let is_over = !is_part(letter, last);
        last = letter;
        is_over
    });
    end.unwrap_or(text.len())
}

/// The length of a word, including its qualifiers.
fn word(text: &str, brackets: Brackets) -> usize {
    let mut end = 0;
    loop {
        let rest = &text[end..];
        end += match rest.chars().next() {
            Some(quote @ ('"' | '`')) => quoted(rest, quote),
            Some('[') if brackets == Brackets::Quote => {
                rest.find(']').map_or(rest.len(), |end| end + 1)
            }
            _ => {
                let is_over =
                    |letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '$');
                rest.find(is_over).unwrap_or(rest.len())
            }
        };
        match text[end..].strip_prefix('.') {
            Some(next) if next.starts_with(|first| is_start_of_word(first, brackets)) => end += 1,
            _ => return end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(sql: &str) -> Vec<String> {
        tokens(sql).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn tokens_are_those_of_sqlite() {
        assert_eq!(
            texts("SELECT t0.c0,'it''s'||x'0f' FROM \"a b\".[c d] -- end\n WHERE .5e-3<=c1;"),
            [
                "SELECT",
                "t0.c0",
                ",",
                "'it''s'",
                "||",
                "x'0f'",
                "FROM",
                "\"a b\".[c d]",
                "WHERE",
                ".5e-3",
                "<=",
                "c1"
            ]
        );
    }

    #[test]
    fn brackets_are_signs_around_a_list_in_duckdb() {
        let sql = "SELECT CAST([t0.c0, 'a]'] AS VARCHAR[]), l[1] FROM t0";
        let tokens = Brackets::List.tokens(sql);
        assert_eq!(tokens[3].text, "[");
        assert_eq!(tokens[4].text, "t0.c0");
        assert_eq!(tokens[6].text, "'a]'");
        assert!(tokens.iter().all(|token| token.kind != Kind::Word || !token.text.contains('[')));
        assert_eq!(pretty(&tokens), sql);
        let script = "SELECT [1, 2; SELECT ']';";
        assert_eq!(Brackets::List.statements(script), ["SELECT [1, 2", "SELECT ']'"]);
    }

    #[test]
    fn a_script_is_split_into_statements() {
        let script = "CREATE TABLE t(a); -- one; two\n.testctrl optimizations 0x1\n\
                      CREATE TEMP TRIGGER r AFTER INSERT ON t BEGIN SELECT CASE 1 WHEN 1 THEN 2 END; \
                      DELETE FROM t; END;\n;; SELECT ';' /* ; */ ;SELECT 2";
        let found = Brackets::Quote.statements(script);
        assert_eq!(found.len(), 5, "{found:?}");
        assert_eq!(found[1], ".testctrl optimizations 0x1");
        assert!(found[2].ends_with("END"), "{found:?}");
        assert_eq!(found[4], "SELECT 2");
    }

    #[test]
    fn arbitrary_text_is_tokenized_without_panics() {
        for sql in [
            "'open",
            "\"open",
            "[open",
            "x'",
            "1e",
            "/* open",
            "ä.ö ♥ '♥",
            "x",
            "X",
            ".",
            "t.",
            "é'",
        ] {
            for brackets in [Brackets::Quote, Brackets::List] {
                let tokens = brackets.tokens(sql);
                assert!(!text(&tokens).is_empty() || sql.starts_with("/*"), "{sql}");
            }
        }
    }
}
