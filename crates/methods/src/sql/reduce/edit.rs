//! Texts that are one step smaller than another, with brackets as the only structure.

use std::ops::Range;

use crate::sql::token::{Kind, Token, is_keyword, pretty, tokens};

/// Values that may replace a bracket.
const VALUES: [&str; 4] = ["0", "1", "NULL", "''"];
/// The most words inside a bracket that may replace it.
const NAMES_MAX: usize = 3;
/// The most inner brackets that may replace a bracket.
const INNER_MAX: usize = 10;
/// Stretches up to this length are removed at any position, longer ones at multiples of their
/// length.
const STRETCH_MAX: usize = 8;

/// The texts in which something smaller replaces a bracket, the outermost first. If `is_whole`, the
/// whole text is treated as a bracket too.
pub(super) fn replacements(words: &[Token], is_whole: bool) -> Vec<String> {
    if words.is_empty() {
        return Vec::new();
    }
    let groups = groups(words);
    let mut units: Vec<Range<usize>> = Vec::new();
    if is_whole {
        units.push(0..words.len());
    }
    for group in &groups {
        let is_called = group.start > 0 && is_function(&words[group.start - 1]);
        units.extend(is_called.then(|| group.start - 1..group.end));
        units.push(group.clone());
    }
    let mut texts = Vec::new();
    for unit in &units {
        let mut replace = |instead: &[Token]| {
            texts.push(replaced(words, unit, instead));
        };
        for value in VALUES {
            replace(&tokens(value));
        }
        let mut names: Vec<&Token> = Vec::new();
        for at in unit.clone() {
            let is_called = words.get(at + 1).is_some_and(|next| next.text == "(");
            let is_name = words[at].kind == Kind::Word && !is_keyword(&words[at]) && !is_called;
            if is_name && !names.contains(&&words[at]) && names.len() < NAMES_MAX {
                names.push(&words[at]);
            }
        }
        for name in names {
            replace(std::slice::from_ref(name));
        }
        let inner = units
            .iter()
            .filter(|other| *other != unit && unit.start <= other.start && other.end <= unit.end);
        for other in inner.take(INNER_MAX) {
            replace(&words[other.clone()]);
        }
        if words[unit.start].text == "(" && unit.len() > 2 {
            replace(&words[unit.start + 1..unit.end - 1]);
        }
    }
    texts
}

/// The texts without a stretch of balanced brackets, the longest stretch first.
pub(super) fn deletions(words: &[Token]) -> Vec<String> {
    let mut texts = Vec::new();
    for level in levels(words) {
        let segments: Vec<Range<usize>> = segments(words, &level);
        for length in halves(segments.len()) {
            for at in (0..segments.len()).step_by(length) {
                let last = (at + length).min(segments.len()) - 1;
                let (mut start, mut end) = (segments[at].start, segments[last].end);
                // One of the commas is removed too.
                if at > 0 {
                    start -= 1;
                } else if last + 1 < segments.len() {
                    end += 1;
                } else {
                    continue;
                }
                texts.push(replaced(words, &(start..end), &[]));
            }
        }
        let long = halves(level.len()).filter(|length| *length > STRETCH_MAX);
        let short = (1..=STRETCH_MAX.min(level.len().saturating_sub(1))).rev();
        for length in long.chain(short) {
            let step = if length > STRETCH_MAX { length } else { 1 };
            for at in (0..=level.len() - length).step_by(step) {
                let stretch = level[at].start..level[at + length - 1].end;
                texts.push(replaced(words, &stretch, &[]));
            }
        }
    }
    texts
}

/// Operators, simplest first: each may replace those after it.
const OPERATORS: [&str; 12] =
    ["=", "<", ">", "<=", ">=", "!=", "<>", "==", "IS", "LIKE", "GLOB", "BETWEEN"];

/// The texts with a simpler operator: findings that differ only in irrelevant operators should
/// become equal.
pub(super) fn operators(words: &[Token]) -> Vec<String> {
    let mut texts = Vec::new();
    for level in levels(words) {
        let is = |at: usize, text: &str| {
            level.get(at).is_some_and(|item| item.len() == 1 && words[item.start].is(text))
        };
        for (at, item) in level.iter().enumerate() {
            let word = &words[item.start];
            let mut replace = |items: usize, instead: &[Token]| {
                let end = level[at + items - 1].end;
                texts.push(replaced(words, &(item.start..end), instead));
            };
            let rank = OPERATORS.iter().position(|known| word.is(known)).unwrap_or(0);
            if is(at, "BETWEEN") && is(at + 2, "AND") && at + 3 < level.len() {
                let bounds = [&level[at + 1], &level[at + 3]].map(|bound| &words[bound.clone()]);
                for operator in ["=", "<", ">", "<=", ">="] {
                    for bound in bounds {
                        replace(4, &[tokens(operator), bound.to_vec()].concat());
                    }
                }
            } else if is(at, "IN") && at + 1 < level.len() {
                replace(1, &tokens("="));
            } else if is(at, "IS") && is(at + 1, "NOT") {
                replace(2, &tokens("!="));
            } else {
                OPERATORS[..rank].iter().for_each(|known| replace(1, &tokens(known)));
            }
        }
    }
    texts
}

/// Whether they are a word, a bracket, or a call.
pub(super) fn is_operand(words: &[Token]) -> bool {
    let items = levels(words).into_iter().next().unwrap_or_default();
    match items.as_slice() {
        [] | [_] => true,
        [name, arguments] => is_function(&words[name.start]) && words[arguments.start].text == "(",
        _ => false,
    }
}

/// A definition of a virtual table, as that of an ordinary table with the same columns.
pub(super) fn usual_table(words: &[Token]) -> Vec<String> {
    let using =
        words.iter().position(|word| word.is("USING")).filter(|using| using + 1 < words.len());
    match (words.get(1), using) {
        (Some(second), Some(using)) if second.is("VIRTUAL") => {
            vec![pretty(&[&words[..1], &words[2..using], &words[using + 2..]].concat())]
        }
        _ => Vec::new(),
    }
}

/// The texts with a simpler literal.
pub(super) fn literals(words: &[Token]) -> Vec<String> {
    let mut texts = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let simple: &[&str] = match word.kind {
            Kind::Number => &["0", "1"],
            Kind::Text => &["''", "'a'"],
            Kind::Blob => &["x''"],
            Kind::Word if word.is("TRUE") => &["1"],
            Kind::Word if word.is("FALSE") => &["0"],
            Kind::Word | Kind::Sign => &[],
        };
        let rank = simple.iter().position(|known| word.is(known)).unwrap_or(simple.len());
        let mut replace = |instead: &str| {
            if instead.len() <= word.text.len() {
                texts.push(replaced(words, &(at..at + 1), &tokens(instead)));
            }
        };
        simple[..rank].iter().for_each(|known| replace(known));
        if word.kind == Kind::Text {
            let inside: Vec<char> = word.text.chars().collect();
            let inside = &inside[1..inside.len().saturating_sub(1).max(1)];
            for half in [&inside[..inside.len() / 2], &inside[inside.len() / 2..]] {
                let half: String = half.iter().collect();
                if !half.is_empty() && !half.contains('\'') && half.len() < inside.len() {
                    replace(&format!("'{half}'"));
                }
            }
        }
    }
    texts
}

fn replaced(words: &[Token], range: &Range<usize>, instead: &[Token]) -> String {
    pretty(&[&words[..range.start], instead, &words[range.end..]].concat())
}

/// Half of a number, half of that, down to one.
pub(super) fn halves(number: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(number / 2), |half| Some(half / 2)).take_while(|half| *half > 0)
}

fn is_function(word: &Token) -> bool {
    word.kind == Kind::Word && !is_keyword(word)
}

/// The ranges of brackets with their contents, by start.
pub(super) fn groups(words: &[Token]) -> Vec<Range<usize>> {
    let mut open = Vec::new();
    let mut groups = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if opens(word) {
            open.push(at);
        } else if closes(word) {
            groups.extend(open.pop().map(|start| start..at + 1));
        }
    }
    groups.sort_by_key(|group: &Range<usize>| (group.start, std::cmp::Reverse(group.end)));
    groups
}

fn opens(word: &Token) -> bool {
    matches!(&*word.text, "(" | "[") || word.is("CASE") || word.is("BEGIN")
}

fn closes(word: &Token) -> bool {
    matches!(&*word.text, ")" | "]") || word.is("END")
}

/// The words of the text and of each bracket, the outermost first. An inner bracket is one item.
pub(super) fn levels(words: &[Token]) -> Vec<Vec<Range<usize>>> {
    let groups = groups(words);
    let mut levels = Vec::new();
    let insides = groups.iter().map(|group| group.start + 1..group.end - 1);
    for inside in std::iter::once(0..words.len()).chain(insides) {
        let mut items = Vec::new();
        let mut at = inside.start;
        while at < inside.end {
            let group = groups.iter().find(|group| group.start == at && group.end <= inside.end);
            let end = group.map_or(at + 1, |group| group.end);
            items.push(at..end);
            at = end;
        }
        if !items.is_empty() {
            levels.push(items);
        }
    }
    levels
}

/// The segments between the commas of a level.
pub(super) fn segments(words: &[Token], level: &[Range<usize>]) -> Vec<Range<usize>> {
    let between = level.split(|item| item.len() == 1 && words[item.start].text == ",");
    let ends = |items: &[Range<usize>]| Some(items.first()?.start..items.last()?.end);
    between.filter_map(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::token::Brackets;

    #[test]
    fn brackets_are_replaced_by_smaller_text() {
        let texts = replacements(&tokens("a AND (ABS(b) > (c))"), false);
        for expected in
            ["a AND 0", "a AND b", "a AND ABS(b)", "a AND ABS(b) > (c)", "a AND (1 > (c))"]
        {
            assert!(texts.contains(&expected.to_owned()), "{expected}: {texts:?}");
        }
    }

    #[test]
    fn stretches_and_list_items_are_removed() {
        let texts = deletions(&tokens("INSERT INTO t VALUES (1, 2 + 3), (4, 5)"));
        for expected in [
            "INSERT INTO t VALUES (1, 2 + 3)",
            "INSERT INTO t VALUES (4, 5)",
            "INSERT INTO t VALUES (1), (4, 5)",
        ] {
            assert!(texts.contains(&expected.to_owned()), "{expected}: {texts:?}");
        }
    }

    #[test]
    fn items_of_lists_are_removed() {
        let texts = deletions(&Brackets::List.tokens("list_contains([1, c0], 2)"));
        for expected in ["list_contains([1], 2)", "list_contains([c0], 2)"] {
            assert!(texts.contains(&expected.to_owned()), "{expected}: {texts:?}");
        }
    }

    #[test]
    fn arbitrary_text_is_edited_without_panics() {
        for text in
            ["", "(", ")", "CASE", "END END", "a,,b", ",", "((", "'", "x'", "1.", "()", "f()"]
        {
            let words = tokens(text);
            let texts = [replacements(&words, true), deletions(&words), literals(&words)].concat();
            assert!(texts.len() < 1000, "{text}");
        }
    }
}
