//! Judging the answers of a solver: rows with one text each, `sat`, `unsat` or `unknown`.
//!
//! What a solver does not decide is never a violation.

use crate::{Invalid, Value, Verdict};

type Rows = [Vec<Value>];

/// All answers of the first side are the expected one, and so must those of the second be.
pub(super) fn expected(expected: &str, a: &Rows, b: &Rows) -> Verdict {
    match (decided(a, 0), decided(b, 1)) {
        (Err(invalid), _) | (_, Err(invalid)) => Verdict::Invalid(invalid),
        (Ok(a), Ok(_)) if a.iter().any(|answer| *answer != expected) => {
            Verdict::Invalid(Invalid::OtherAnswer)
        }
        (Ok(_), Ok(b)) => match b.iter().find(|answer| **answer != expected) {
            Some(answer) => Verdict::Violated(format!("a is {expected}, b is {answer}")),
            None => Verdict::Holds,
        },
    }
}

/// If the first side has this answer, so must the second.
pub(super) fn ordered(answer: &str, a: &Rows, b: &Rows) -> Verdict {
    match (decided(a, 0), decided(b, 1)) {
        (Err(invalid), _) | (_, Err(invalid)) => Verdict::Invalid(invalid),
        (Ok(a), Ok(b)) if a == [answer] && b != [answer] => violated(&a, &b),
        (Ok(_), Ok(_)) => Verdict::Holds,
    }
}

/// Both sides have the same answers.
pub(super) fn same(a: &Rows, b: &Rows) -> Verdict {
    match (decided(a, 0), decided(b, 1)) {
        (Err(invalid), _) | (_, Err(invalid)) => Verdict::Invalid(invalid),
        (Ok(a), Ok(b)) if a != b => violated(&a, &b),
        (Ok(_), Ok(_)) => Verdict::Holds,
    }
}

fn violated(a: &[&str], b: &[&str]) -> Verdict {
    Verdict::Violated(format!("a is {}, b is {}", a.join(" "), b.join(" ")))
}

/// The answers of a side, if each is a decision.
fn decided(rows: &Rows, side: usize) -> Result<Vec<&'static str>, Invalid> {
    let answer = |row: &Vec<Value>| match &row[..] {
        [Value::Text(text)] => match &text[..] {
            b"sat" => Ok("sat"),
            b"unsat" => Ok("unsat"),
            b"unknown" => Err(Invalid::Undecided(side)),
            _ => Err(Invalid::Shape),
        },
        _ => Err(Invalid::Shape),
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
