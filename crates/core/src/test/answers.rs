//! Judging the answers of solvers: rows with one text each, `sat`, `unsat` or `unknown`; or, if
//! several solvers have run an input, with the name and the answer of each.
//!
//! What a solver does not decide is never a violation.

use crate::{Invalid, Value, Verdict};

type Rows = [Vec<Value>];

/// All answers of the first side are the expected one, and so must those of the second be.
pub(super) fn expected(expected: &str, a: &Rows, b: &Rows) -> Verdict {
    judged(a, b, |a, b| {
        if a.iter().any(|answer| *answer != expected) {
            return Verdict::Invalid(Invalid::OtherAnswer);
        }
        match b.iter().find(|answer| **answer != expected) {
            Some(answer) => Verdict::Violated(format!("a is {expected}, b is {answer}")),
            None => Verdict::Holds,
        }
    })
}

/// If the first side has this answer, so must the second.
pub(super) fn ordered(answer: &str, a: &Rows, b: &Rows) -> Verdict {
    judged(
        a,
        b,
        |a, b| if a == [answer] && b != [answer] { violated(a, b) } else { Verdict::Holds },
    )
}

/// Both sides have the same answers.
pub(super) fn same(a: &Rows, b: &Rows) -> Verdict {
    judged(a, b, |a, b| if a == b { Verdict::Holds } else { violated(a, b) })
}

fn violated(a: &[&str], b: &[&str]) -> Verdict {
    Verdict::Violated(format!("a is {}, b is {}", a.join(" "), b.join(" ")))
}

/// Compares the answers of each solver, if they are decisions. Solvers that contradict each other on
/// one input are a violation too.
fn judged(a: &Rows, b: &Rows, compare: impl Fn(&[&str], &[&str]) -> Verdict) -> Verdict {
    if let Some(how) = contradiction("a", a).or_else(|| contradiction("b", b)) {
        return Verdict::Violated(how);
    }
    let mut verdict = None;
    for (at, name) in solvers(a).into_iter().enumerate() {
        let of_solver = match (decided(a, at, 0), decided(b, at, 1)) {
            (Err(invalid), _) | (_, Err(invalid)) => Verdict::Invalid(invalid),
            (Ok(a), Ok(b)) => compare(&a, &b),
        };
        match (of_solver, name) {
            (Verdict::Violated(how), Some(name)) => {
                return Verdict::Violated(format!("{name}: {how}"));
            }
            (Verdict::Violated(how), None) => return Verdict::Violated(how),
            (Verdict::Holds, _) => verdict = Some(Verdict::Holds),
            (other, _) => verdict = verdict.or(Some(other)),
        }
    }
    verdict.unwrap_or(Verdict::Invalid(Invalid::Undecided(0)))
}

/// The names of the solvers that have run a side, as they are known.
fn solvers(rows: &Rows) -> Vec<Option<String>> {
    let names = |row: &Vec<Value>| match row.len() {
        0 | 1 => vec![None],
        _ => row.iter().step_by(2).map(|name| Some(text(name))).collect(),
    };
    rows.first().map_or_else(|| vec![None], names)
}

fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
        other => other.to_string(),
    }
}

/// Two solvers that answer an input of a side differently.
fn contradiction(side: &str, rows: &Rows) -> Option<String> {
    let by = |row: &Vec<Value>, answer: &str| {
        let mut solvers = row.chunks_exact(2).filter(|solver| text(&solver[1]) == answer);
        solvers.next().map(|solver| text(&solver[0]))
    };
    let found = |row: &Vec<Value>| Some((by(row, "sat")?, by(row, "unsat")?));
    let (sat, unsat) = rows.iter().find_map(found)?;
    Some(format!("{side} is sat for {sat}, unsat for {unsat}"))
}

/// The answers of the solver at this position to a side, if each is a decision.
fn decided(rows: &Rows, at: usize, side: usize) -> Result<Vec<&'static str>, Invalid> {
    let answer = |row: &Vec<Value>| {
        let answer = if row.len() == 1 { row.first() } else { row.get(2 * at + 1) };
        match answer {
            Some(Value::Text(text)) => match &text[..] {
                b"sat" => Ok("sat"),
                b"unsat" => Ok("unsat"),
                b"unknown" => Err(Invalid::Undecided(side)),
                _ => Err(Invalid::Shape),
            },
            _ => Err(Invalid::Shape),
        }
    };
    if rows.is_empty() {
        return Err(Invalid::Undecided(side));
    }
    rows.iter().map(answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Judge, Outcome, Pair};

    fn judge(judge: Judge, a: &[&str], b: &[&str]) -> Verdict {
        let outcome =
            |text: &&str| Outcome::Rows(vec![vec![Value::Text(text.as_bytes().to_vec())]]);
        let side = |texts: &[&str]| texts.iter().map(outcome).collect::<Vec<_>>();
        judge.judge(&Pair { a: side(a), b: side(b) })
    }

    fn violated(how: &str) -> Verdict {
        Verdict::Violated(how.to_owned())
    }

    #[test]
    fn a_fusion_has_the_answer_of_both_seeds() {
        assert_eq!(judge(Judge::Sat, &["sat", "sat"], &["sat"]), Verdict::Holds);
        assert_eq!(
            judge(Judge::Sat, &["sat", "sat"], &["unsat"]),
            violated("a is sat, b is unsat")
        );
        assert_eq!(
            judge(Judge::Unsat, &["unsat", "unsat"], &["sat"]),
            violated("a is unsat, b is sat")
        );
        let wrong_label = judge(Judge::Sat, &["sat", "unsat"], &["unsat"]);
        assert_eq!(wrong_label, Verdict::Invalid(Invalid::OtherAnswer));
    }

    #[test]
    fn what_is_not_decided_is_no_violation() {
        for judged in [
            Judge::Sat,
            Judge::Unsat,
            Judge::WeakerAnswer,
            Judge::StrongerAnswer,
            Judge::SameAnswer,
        ] {
            let undecided = |side| Verdict::Invalid(Invalid::Undecided(side));
            assert_eq!(judge(judged, &["unknown"], &["sat"]), undecided(0));
            assert_eq!(judge(judged, &["unsat"], &["unknown"]), undecided(1));
            assert_eq!(judge(judged, &[], &["sat"]), undecided(0));
            assert_eq!(judge(judged, &["rubbish"], &["sat"]), Verdict::Invalid(Invalid::Shape));
        }
    }

    #[test]
    fn each_of_several_solvers_is_judged_and_they_must_agree() {
        let judge = |a: [&str; 2], b: [&str; 2]| {
            let row = |[x, y]: [&str; 2]| {
                let words = ["x", x, "y", y];
                vec![words.map(|word| Value::Text(word.into())).to_vec()]
            };
            let side = |answers| vec![Outcome::Rows(row(answers))];
            Judge::Sat.judge(&Pair { a: side(a), b: side(b) })
        };
        assert_eq!(judge(["sat"; 2], ["sat"; 2]), Verdict::Holds);
        assert_eq!(judge(["sat"; 2], ["unsat"; 2]), violated("x: a is sat, b is unsat"));
        assert_eq!(judge(["sat"; 2], ["sat", "unsat"]), violated("b is sat for x, unsat for y"));
        assert_eq!(
            judge(["unsat", "sat"], ["unknown"; 2]),
            violated("a is sat for y, unsat for x")
        );
        // One solver is enough.
        assert_eq!(judge(["sat"; 2], ["unknown", "sat"]), Verdict::Holds);
        assert_eq!(judge(["sat"; 2], ["unknown", "unsat"]), violated("y: a is sat, b is unsat"));
        let undecided = Verdict::Invalid(Invalid::Undecided(1));
        assert_eq!(judge(["sat"; 2], ["unknown"; 2]), undecided);
    }

    #[test]
    fn approximations_are_ordered() {
        for (a, b, weaker, stronger) in [
            ("sat", "sat", true, true),
            ("sat", "unsat", false, true),
            ("unsat", "sat", true, false),
            ("unsat", "unsat", true, true),
        ] {
            let holds = |judged| judge(judged, &[a], &[b]) == Verdict::Holds;
            assert_eq!(holds(Judge::WeakerAnswer), weaker, "{a} {b}");
            assert_eq!(holds(Judge::StrongerAnswer), stronger, "{a} {b}");
            assert_eq!(holds(Judge::SameAnswer), a == b, "{a} {b}");
        }
    }

    #[test]
    fn every_judge_has_its_name() {
        for known in Judge::ALL {
            assert_eq!(Judge::named(known.name()), Some(known));
        }
    }
}
