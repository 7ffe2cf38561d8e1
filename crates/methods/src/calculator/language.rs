//! Statements of the calculator, as text.

use std::collections::BTreeSet;

use metacov_core::{
    Case, Effort, Input, Language, Pair, Reduction, ReductionStopped, StillFails, Variant,
};

/// The language of the calculator: one statement on each line.
pub(super) struct Expressions;

impl Language for Expressions {
    fn extension(&self) -> &'static str {
        "calc"
    }

    fn comment(&self) -> &'static str {
        "#"
    }

    fn statements(&self, script: &str) -> Vec<String> {
        script.lines().filter(|line| !line.starts_with('#')).map(ToOwned::to_owned).collect()
    }

    fn words(&self, statement: &str) -> Vec<String> {
        words(statement)
    }

    fn is_setting(&self, statement: &str) -> bool {
        statement.starts_with("optimise ")
    }

    fn reproducer(&self, case: &Case, heading: &[String]) -> String {
        let heading = heading.iter().flat_map(|line| ["# ", line, "\n"]);
        let mut text: String = heading.collect();
        text.push_str(&self.script(&case.setup));
        for (name, side) in [("a", &case.sides.a), ("b", &case.sides.b)] {
            text.extend(["# side ", name, "\n"]);
            text.extend(side.iter().map(|input| self.script(&input.statements)));
        }
        text
    }

    fn reduce(
        &self,
        case: &Case,
        effort: Effort,
        candidates_max: usize,
        fails: &mut StillFails<'_>,
    ) -> Result<Reduction, ReductionStopped> {
        let (mut case, mut candidates) = (case.clone(), 0);
        loop {
            let smaller = smaller(&case, effort);
            let mut found = None;
            for candidate in smaller {
                if candidates == candidates_max {
                    return Ok(Reduction { case, candidates });
                }
                candidates += 1;
                if fails(std::slice::from_ref(&candidate))? == [true] {
                    found = Some(candidate);
                    break;
                }
            }
            match found {
                Some(candidate) => case = candidate,
                None => return Ok(Reduction { case, candidates }),
            }
        }
    }

    fn variants(&self, case: &Case, count_max: usize) -> Vec<Variant> {
        let same: Vec<Option<usize>> = (0..case.setup.len()).map(Some).collect();
        let numbers: BTreeSet<String> = case.statements().flat_map(|text| words(text)).collect();
        let numbers = numbers.iter().filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let mut variants = Vec::new();
        for number in numbers {
            for other in ["0", "1", "2", "5"].into_iter().filter(|other| other != number) {
                let setup = case.setup.iter().map(|text| replaced(text, number, other)).collect();
                variants.push(Variant {
                    setup,
                    origins: same.clone(),
                    sides: edited(&case.sides, |text| replaced(text, number, other)),
                });
            }
        }
        for (sign, other) in [("+", "-"), ("-", "+"), ("*", "+")] {
            variants.push(Variant {
                setup: case.setup.iter().map(|text| text.replace(sign, other)).collect(),
                origins: same.clone(),
                sides: case.sides.clone(),
            });
        }
        variants.truncate(count_max);
        variants
    }

    fn features(&self, case: &Case, _: &BTreeSet<String>, _: bool) -> BTreeSet<String> {
        let texts = case.sides.a.iter().chain(&case.sides.b).flat_map(|input| &input.statements);
        let words = texts.flat_map(|text| words(text));
        words.filter(|word| ["+", "-", "*", "less"].contains(&word.as_str())).collect()
    }

    fn normal_form(&self, case: &Case) -> Vec<String> {
        let kind = |word: String| match word.chars().next() {
            Some(first) if first.is_ascii_digit() => "0".to_owned(),
            Some('v') => "v".to_owned(),
            _ => word,
        };
        let normal =
            |text: &String| words(text).into_iter().map(kind).collect::<Vec<_>>().join(" ");
        case.statements().map(normal).collect()
    }
}

/// Names, numbers and operators.
fn words(statement: &str) -> Vec<String> {
    let is_of_word = |letter: &char| letter.is_ascii_alphanumeric();
    let letters: Vec<char> = statement.chars().collect();
    let words = letters.chunk_by(|a, b| is_of_word(a) && is_of_word(b));
    words.map(|word| word.iter().collect()).filter(|word: &String| word != " ").collect()
}

/// Replaces all occurrences of a word in a text.
fn replaced(text: &str, word: &str, other: &str) -> String {
    let words =
        words(text).into_iter().map(|known| if known == word { other.to_owned() } else { known });
    words.collect::<Vec<_>>().join(" ")
}

fn edited(sides: &Pair<Vec<Input>>, edit: impl Fn(&str) -> String) -> Pair<Vec<Input>> {
    let input = |input: &Input| Input {
        statements: input.statements.iter().map(|text| edit(text)).collect(),
    };
    sides.as_ref().map(|side| side.iter().map(input).collect())
}

/// Smaller cases: without a statement of the setup, or with a shorter part in all its places.
fn smaller(case: &Case, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    if effort == Effort::Whole {
        for at in 0..case.setup.len() {
            let mut setup = case.setup.clone();
            setup.remove(at);
            cases.push(Case { setup, ..case.clone() });
        }
    }
    for (at, part) in case.parts.iter().enumerate() {
        for shorter in shorter(part) {
            let sides = edited(&case.sides, |text| text.replace(part.as_str(), &shorter));
            let mut parts = case.parts.clone();
            parts[at] = shorter;
            cases.push(Case { sides, parts, ..case.clone() });
        }
    }
    cases
}

/// Shorter replacements for an operand: its parenthesised parts, its words, and small numbers.
fn shorter(part: &str) -> Vec<String> {
    let mut open = Vec::new();
    let mut operands: Vec<String> = words(part)
        .into_iter()
        .filter(|word| word != "less" && word.starts_with(|c: char| c.is_ascii_alphanumeric()))
        .collect();
    for (at, letter) in part.char_indices() {
        match letter {
            '(' => open.push(at),
            ')' => operands.extend(open.pop().map(|start| part[start..=at].to_owned())),
            _ => {}
        }
    }
    operands.extend(["0".to_owned(), "1".to_owned()]);
    // A list of arguments is not an operand.
    operands.retain(|operand| operand.len() < part.len() && !operand.contains(','));
    operands.sort_by_key(String::len);
    operands.dedup();
    operands
}

#[cfg(test)]
mod tests {
    use metacov_core::Judge;

    use super::*;

    #[test]
    fn a_part_is_reduced_in_all_its_places() {
        let text = |text: &str| text.to_owned();
        let case = Case {
            relation: text("distribute"),
            setup: vec![text("let v0 = 5"), text("let v1 = 7")],
            sides: Pair {
                a: vec![Input::of(text("(v0 - (3 + v1)) * (2 + 4)"))],
                b: vec![Input::of(text("(v0 - (3 + v1)) * 2 + (v0 - (3 + v1)) * 4"))],
            },
            parts: vec![text("(v0 - (3 + v1))"), text("2"), text("4")],
            judge: Judge::Bag,
        };
        let needs_variable = |case: &Case| {
            let sides = case.sides.a.iter().chain(&case.sides.b);
            sides.flat_map(|input| &input.statements).all(|text| text.contains("v1"))
        };
        let mut fails =
            |cases: &[Case]| Ok(cases.iter().map(needs_variable).collect::<Vec<bool>>());
        let reduced = Expressions.reduce(&case, Effort::Whole, 100, &mut fails).unwrap();
        assert_eq!(reduced.case.setup, Vec::<String>::new());
        assert_eq!(reduced.case.sides.a[0].statements, ["v1 * (2 + 4)"]);
        assert_eq!(reduced.case.sides.b[0].statements, ["v1 * 2 + v1 * 4"]);
        assert!(reduced.candidates < 100);
    }

    #[test]
    fn a_script_has_the_statements_that_it_was_made_of() {
        let statements = ["let v0 = 1", "optimise 0", "v0 * 2"].map(ToOwned::to_owned);
        assert_eq!(Expressions.statements(&Expressions.script(&statements)), statements);
    }
}
