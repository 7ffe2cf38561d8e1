//! How the outcomes of two sides must relate.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{BuildHasher as _, Hasher as _};

use foldhash::fast::{FixedState, FoldHasher};
use serde::{Deserialize, Serialize};

use super::answers;
use crate::{Invalid, Outcome, Pair, Value, Verdict, counted};

/// How the outcomes of two sides must relate. Plain data, stored with every case.
///
/// Whole rows are compared. NULL equals NULL here, as these are results and not predicates. The
/// only different values that count as equal are `0.0` and `-0.0`: SQLite stores some reals as
/// integers, which have no negative zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Judge {
    /// The same rows, each equally often, in any order.
    Bag,
    /// As many rows, and the same set of them up to the choice among equal values, which is left to
    /// the database: letter case and trailing spaces (collations), integers and reals.
    Representatives,
    /// The first side's number of rows is the only value of the second (no value: 0).
    RowsCounted,
    /// The only values of both are the same number (no value: 0).
    Number,
    /// A solver answers `sat` to all inputs of the first side, and must to the second.
    Sat,
    /// A solver answers `unsat` to all inputs of the first side, and must to the second.
    Unsat,
    /// The second formula is weaker: if the first is `sat`, so is the second.
    WeakerAnswer,
    /// The second formula is stronger: if the first is `unsat`, so is the second.
    StrongerAnswer,
    /// The answers to both formulas are the same.
    SameAnswer,
}

impl Judge {
    /// All of them.
    pub const ALL: [Judge; 9] = [
        Self::Bag,
        Self::Representatives,
        Self::RowsCounted,
        Self::Number,
        Self::Sat,
        Self::Unsat,
        Self::WeakerAnswer,
        Self::StrongerAnswer,
        Self::SameAnswer,
    ];

    /// Returns its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bag => "bag",
            Self::Representatives => "representatives",
            Self::RowsCounted => "rows-counted",
            Self::Number => "number",
            Self::Sat => "sat",
            Self::Unsat => "unsat",
            Self::WeakerAnswer => "weaker-answer",
            Self::StrongerAnswer => "stronger-answer",
            Self::SameAnswer => "same-answer",
        }
    }

    /// Returns the judge of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }

    /// Judges the outcomes of two sides.
    ///
    /// An error is never a violation: SQL does not say how much of a predicate is evaluated, so one
    /// side may meet a value that the other never evaluates. Such pairs are invalid, with a reason
    /// to count.
    pub fn judge(self, sides: &Pair<Vec<Outcome>>) -> Verdict {
        match (rows(&sides.a), rows(&sides.b)) {
            (Ok(a), Ok(b)) => self.compare(&a, &b),
            (Err(code), Ok(_)) => Verdict::Invalid(Invalid::FirstFailed(code)),
            (Ok(_), Err(code)) => Verdict::Invalid(Invalid::SecondFailed(code)),
            (Err(a), Err(b)) => Verdict::Invalid(Invalid::BothFailed(a, b)),
        }
    }
}

type Rows = [Vec<Value>];

/// The rows of all inputs of a side, or the code of the first that failed.
fn rows(outcomes: &[Outcome]) -> Result<Cow<'_, Rows>, i32> {
    fn rows_of(outcome: &Outcome) -> Result<&Rows, i32> {
        match outcome {
            Outcome::Rows(rows) => Ok(rows),
            Outcome::Error { code, .. } => Err(*code),
        }
    }
    match outcomes {
        [outcome] => rows_of(outcome).map(Cow::Borrowed),
        outcomes => {
            let rows = outcomes.iter().map(rows_of).collect::<Result<Vec<_>, _>>()?;
            Ok(Cow::Owned(rows.concat()))
        }
    }
}

impl Judge {
    /// Compares the rows of two sides.
    fn compare(self, a: &Rows, b: &Rows) -> Verdict {
        match self {
            // Results nearly always agree, so this is checked without sorting: in the same order,
            // or by hashes of their rows. Two different bags have the same hashes with a
            // probability of 2^-64.
            Self::Bag if a == b || digests(a, exact_digest) == digests(b, exact_digest) => {
                Verdict::Holds
            }
            Self::Bag => bags([a, b], exact, false),
            Self::Representatives => {
                if a.len() != b.len() {
                    return Verdict::Violated(returned(a, b));
                }
                if a == b {
                    return Verdict::Holds;
                }
                let mut sets = [a, b].map(|rows| digests(rows, coarse_digest));
                sets.iter_mut().for_each(Vec::dedup);
                if sets[0] == sets[1] {
                    return Verdict::Holds;
                }
                bags([a, b], coarse, true)
            }
            Self::RowsCounted => match number(b) {
                Some(count) if i64::try_from(a.len()) == Ok(count) => Verdict::Holds,
                Some(_) => {
                    Verdict::Violated(format!("a returns {}, b counts {}", size(a), value(b)))
                }
                None => Verdict::Invalid(Invalid::Shape),
            },
            Self::Number => match (number(a), number(b)) {
                (Some(x), Some(y)) if x == y => Verdict::Holds,
                (Some(_), Some(_)) => {
                    Verdict::Violated(format!("a returns {}, b returns {}", value(a), value(b)))
                }
                _ => Verdict::Invalid(Invalid::Shape),
            },
            Self::Sat => answers::expected("sat", a, b),
            Self::Unsat => answers::expected("unsat", a, b),
            Self::WeakerAnswer => answers::ordered("sat", a, b),
            Self::StrongerAnswer => answers::ordered("unsat", a, b),
            Self::SameAnswer => answers::same(a, b),
        }
    }
}

/// The only value of a result, as an integer. A real is one if it is exact: DuckDB 0.1.7 sums integers
/// as DOUBLE.
fn number(rows: &Rows) -> Option<i64> {
    match rows {
        [row] => match row[..] {
            [Value::Null] => Some(0),
            [Value::Integer(value)] => Some(value),
            [Value::Real(value)] => exact_integer(value),
            _ => None,
        },
        _ => None,
    }
}

/// The integer that a real is, if it has no fraction and is so small that no other integer is
/// rounded to it.
#[expect(clippy::cast_possible_truncation, reason = "the value is an integer below 2^53")]
fn exact_integer(value: f64) -> Option<i64> {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    (value.abs() <= LARGEST && value.fract() == 0.0).then_some(value as i64)
}

/// The only value of a result, as text.
fn value(rows: &Rows) -> String {
    rows.iter().flatten().map(ToString::to_string).collect()
}

fn size(rows: &Rows) -> String {
    counted(rows.len() as u64, "row", "rows")
}

/// What both sides return: the rows if each has one, else how many there are.
fn returned(a: &Rows, b: &Rows) -> String {
    match (a, b) {
        ([a], [b]) => format!("a returns {}, b returns {}", text(a), text(b)),
        _ => format!("a returns {}, b returns {}", size(a), size(b)),
    }
}

/// Compares rows in any order, as bags or as sets.
fn bags(results: [&Rows; 2], canonical: fn(&Value) -> Value, as_sets: bool) -> Verdict {
    let [a, b] = results.map(|rows| {
        let mut rows = sorted(rows, canonical);
        if as_sets {
            rows.dedup_by(|x, y| order(x, y).is_eq());
        }
        rows
    });
    let first = a.iter().zip(&b).position(|(a, b)| order(a, b).is_ne());
    let at = first.unwrap_or(a.len().min(b.len()));
    // The lesser one of the first rows that differ is missing on the other side, or is there less often.
    let row = match (a.get(at), b.get(at)) {
        (None, None) => return Verdict::Holds,
        (Some(a), Some(b)) if order(a, b).is_lt() => a,
        (Some(row), None) | (_, Some(row)) => row,
    };
    let how = returned(results[0], results[1]);
    if results.iter().all(|rows| rows.len() == 1) {
        return Verdict::Violated(how);
    }
    let is_row = |of: &Vec<Value>| order(of, row).is_eq();
    let [in_a, in_b] = [&a, &b].map(|rows| rows.iter().filter(|of| is_row(of)).count());
    let as_returned =
        results.into_iter().flatten().find(|of| is_row(&of.iter().map(canonical).collect()));
    let row = text(as_returned.unwrap_or(row));
    Verdict::Violated(match (in_a, in_b) {
        (_, 0) => format!("{how}; only a has {row}"),
        (0, _) => format!("{how}; only b has {row}"),
        _ => format!("{how}; a has {row} {in_a}x, b {in_b}x"),
    })
}

/// A row, cut after [`TEXT_MAX`] characters: verdicts are stored and shown in tables.
fn text(row: &[Value]) -> String {
    let values: Vec<String> = row.iter().map(ToString::to_string).collect();
    let text = format!("({})", values.join(", "));
    match text.char_indices().nth(TEXT_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

const TEXT_MAX: usize = 200;

fn sorted(rows: &Rows, canonical: fn(&Value) -> Value) -> Vec<Vec<Value>> {
    let mut rows: Vec<Vec<Value>> =
        rows.iter().map(|row| row.iter().map(canonical).collect()).collect();
    rows.sort_by(|x, y| order(x, y));
    rows
}

/// A hash of each row, sorted.
fn digests(rows: &Rows, digest: fn(&Value, &mut FoldHasher<'_>)) -> Vec<u64> {
    let digest_of = |row: &Vec<Value>| {
        let mut hasher = FixedState::default().build_hasher();
        for value in row {
            digest(value, &mut hasher);
        }
        hasher.finish()
    };
    let mut digests: Vec<u64> = rows.iter().map(digest_of).collect();
    digests.sort_unstable();
    digests
}

/// Hashes a value, such that values for which `exact` returns the same have the same hash.
fn exact_digest(value: &Value, hasher: &mut FoldHasher<'_>) {
    match value {
        Value::Null => hasher.write_u8(0),
        Value::Integer(value) => {
            hasher.write_u8(1);
            hasher.write_i64(*value);
        }
        Value::Real(value) => {
            hasher.write_u8(2);
            hasher.write_u64(if *value == 0.0 { 0 } else { value.to_bits() });
        }
        Value::Text(bytes) => {
            hasher.write_u8(3);
            hasher.write(bytes);
            hasher.write_usize(bytes.len());
        }
        Value::Blob(bytes) => {
            hasher.write_u8(4);
            hasher.write(bytes);
            hasher.write_usize(bytes.len());
        }
    }
}

/// Hashes the representative of all equal values.
fn coarse_digest(value: &Value, hasher: &mut FoldHasher<'_>) {
    exact_digest(&coarse(value), hasher);
}

/// The value, without the sign of zero.
fn exact(value: &Value) -> Value {
    match value {
        Value::Real(value) if *value == 0.0 => Value::Real(0.0),
        other => other.clone(),
    }
}

/// The representative of all values that any collation or numeric comparison regards as equal.
#[expect(clippy::cast_precision_loss, reason = "coarser than equality is what is wanted")]
fn coarse(value: &Value) -> Value {
    match value {
        Value::Text(bytes) => {
            let end = bytes.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1);
            Value::Text(bytes[..end].to_ascii_lowercase())
        }
        Value::Integer(value) => Value::Real(*value as f64),
        other => exact(other),
    }
}

/// A total order of rows.
fn order(a: &[Value], b: &[Value]) -> Ordering {
    let class = |value: &Value| match value {
        Value::Null => 0,
        Value::Integer(_) => 1,
        Value::Real(_) => 2,
        Value::Text(_) => 3,
        Value::Blob(_) => 4,
    };
    let values = |x: &Value, y: &Value| match (x, y) {
        (Value::Integer(x), Value::Integer(y)) => x.cmp(y),
        (Value::Real(x), Value::Real(y)) => x.total_cmp(y),
        (Value::Text(x), Value::Text(y)) | (Value::Blob(x), Value::Blob(y)) => x.cmp(y),
        _ => class(x).cmp(&class(y)),
    };
    a.iter()
        .zip(b)
        .map(|(x, y)| values(x, y))
        .find(|order| order.is_ne())
        .unwrap_or_else(|| a.len().cmp(&b.len()))
}
