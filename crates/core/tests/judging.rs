//! Verdicts on outcomes.

use metacov_core::{Invalid, Judge, Outcome, Pair, Value, Verdict};

fn judge(judge: Judge, a: Outcome, b: Outcome) -> Verdict {
    judge.judge(&Pair { a: vec![a], b: vec![b] })
}

fn rows(rows: &[&[Value]]) -> Outcome {
    Outcome::Rows(rows.iter().map(|row| row.to_vec()).collect())
}

fn text(text: &str) -> Value {
    Value::Text(text.as_bytes().to_vec())
}

fn error(code: i32) -> Outcome {
    Outcome::Error { code, message: "an error".into() }
}

const ONE: Value = Value::Integer(1);
const TWO: Value = Value::Integer(2);

#[test]
fn bags_have_no_order() {
    let verdict = judge(Judge::Bag, rows(&[&[ONE], &[TWO]]), rows(&[&[TWO], &[ONE]]));
    assert_eq!(verdict, Verdict::Holds);
}

#[test]
fn bags_count() {
    let verdict =
        judge(Judge::Bag, rows(&[&[ONE], &[ONE], &[TWO]]), rows(&[&[ONE], &[TWO], &[TWO]]));
    assert_eq!(verdict, Verdict::Violated("3 rows against 3; only the first has (1)".into()));
    let verdict = judge(Judge::Bag, rows(&[&[ONE]]), rows(&[&[ONE], &[ONE]]));
    assert_eq!(verdict, Verdict::Violated("1 row against 2".into()));
}

#[test]
fn all_columns_are_compared() {
    let verdict = judge(Judge::Bag, rows(&[&[ONE, ONE]]), rows(&[&[ONE, TWO]]));
    assert!(matches!(verdict, Verdict::Violated(_)));
}

#[test]
fn values_of_different_types_differ() {
    let values = [Value::Null, ONE, Value::Real(1.0), text("1"), Value::Blob(b"1".to_vec())];
    for (place, a) in values.iter().enumerate() {
        for (other, b) in values.iter().enumerate() {
            let verdict = judge(
                Judge::Bag,
                rows(&[std::slice::from_ref(a)]),
                rows(&[std::slice::from_ref(b)]),
            );
            assert_eq!(verdict == Verdict::Holds, place == other, "{a} and {b}");
        }
    }
}

#[test]
fn zero_has_no_sign() {
    let verdict = judge(Judge::Bag, rows(&[&[Value::Real(0.0)]]), rows(&[&[Value::Real(-0.0)]]));
    assert_eq!(verdict, Verdict::Holds);
}

#[test]
fn representatives_may_be_chosen_freely() {
    let same = [(text("a"), text("A")), (text("a "), text("a")), (ONE, Value::Real(1.0))];
    for (a, b) in same {
        let (a, b) = (rows(&[&[a]]), rows(&[&[b]]));
        assert_eq!(judge(Judge::Representatives, a, b), Verdict::Holds);
    }
    let different = [(text("a"), text("b")), (text(" a"), text("a")), (ONE, TWO), (text("1"), ONE)];
    for (a, b) in different {
        let (a, b) = (rows(&[&[a]]), rows(&[&[b]]));
        assert!(matches!(judge(Judge::Representatives, a, b), Verdict::Violated(_)));
    }
}

#[test]
fn representatives_are_as_many() {
    let verdict =
        judge(Judge::Representatives, rows(&[&[text("a")], &[text("A")]]), rows(&[&[text("a")]]));
    assert_eq!(verdict, Verdict::Violated("2 rows against 1".into()));
}

#[test]
fn counted_rows_are_a_number() {
    let three = || rows(&[&[ONE], &[ONE], &[TWO]]);
    assert_eq!(judge(Judge::RowsCounted, three(), rows(&[&[Value::Integer(3)]])), Verdict::Holds);
    let verdict = judge(Judge::RowsCounted, three(), rows(&[&[TWO]]));
    assert_eq!(verdict, Verdict::Violated("3 rows against 2".into()));
    assert_eq!(judge(Judge::RowsCounted, rows(&[]), rows(&[&[Value::Null]])), Verdict::Holds);
}

#[test]
fn a_missing_number_is_zero() {
    assert_eq!(
        judge(Judge::Number, rows(&[&[Value::Integer(0)]]), rows(&[&[Value::Null]])),
        Verdict::Holds
    );
}

#[test]
fn a_result_of_another_shape_is_invalid() {
    let verdict = judge(Judge::Number, rows(&[]), rows(&[&[ONE]]));
    assert_eq!(verdict, Verdict::Invalid(Invalid::Shape));
}

#[test]
fn errors_are_distinguished() {
    let good = || rows(&[&[ONE]]);
    assert_eq!(judge(Judge::Bag, error(1), good()), Verdict::Invalid(Invalid::FirstFailed(1)));
    assert_eq!(judge(Judge::Bag, good(), error(9)), Verdict::Invalid(Invalid::SecondFailed(9)));
    assert_eq!(judge(Judge::Bag, error(1), error(9)), Verdict::Invalid(Invalid::BothFailed(1, 9)));
    assert_eq!(Invalid::FirstFailed(1).to_string(), "only the first side failed (code 1)");
}
