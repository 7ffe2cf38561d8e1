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
    assert_eq!(
        verdict,
        Verdict::Violated("a returns 3 rows, b returns 3 rows; a has (1) 2x, b 1x".into())
    );
    let verdict = judge(Judge::Bag, rows(&[&[ONE]]), rows(&[&[ONE], &[ONE]]));
    assert_eq!(
        verdict,
        Verdict::Violated("a returns 1 row, b returns 2 rows; a has (1) 1x, b 2x".into())
    );
}

/// The report of a finding said "0 rows against 1" where each side returned one row.
#[test]
fn a_violation_says_what_each_side_returned() {
    let how = |judge: Judge, a: Outcome, b: Outcome| match judge
        .judge(&Pair { a: vec![a], b: vec![b] })
    {
        Verdict::Violated(how) => how,
        other => panic!("{other:?}"),
    };
    let row = |value: Value| rows(&[&[value]]);
    assert_eq!(how(Judge::Number, row(Value::Null), row(ONE)), "a returns NULL, b returns 1");
    assert_eq!(how(Judge::Number, row(Value::Integer(-4)), row(TWO)), "a returns -4, b returns 2");
    assert_eq!(
        how(Judge::RowsCounted, row(text("x")), row(Value::Null)),
        "a returns 1 row, b counts NULL"
    );
    assert_eq!(
        how(Judge::Bag, row(text("x")), row(Value::Real(1.5))),
        "a returns ('x'), b returns (1.5)"
    );
    assert_eq!(
        how(Judge::Bag, rows(&[]), row(ONE)),
        "a returns 0 rows, b returns 1 row; only b has (1)"
    );
    assert_eq!(
        how(Judge::Representatives, row(text("x ")), row(text("Y"))),
        "a returns ('x '), b returns ('Y')"
    );
    let (a, b) = (rows(&[&[ONE], &[ONE], &[ONE]]), rows(&[&[ONE], &[ONE], &[TWO]]));
    assert_eq!(
        how(Judge::Representatives, a, b),
        "a returns 3 rows, b returns 3 rows; only b has (2)"
    );
}

#[test]
fn a_violation_is_a_short_text_whatever_the_rows_are() {
    let long = |byte: u8| rows(&[&[Value::Blob(vec![byte; 100_000])]]);
    let Verdict::Violated(how) = judge(Judge::Bag, long(1), long(2)) else { panic!() };
    assert!(how.len() < 500 && how.contains("..., b returns (x'0202"), "{how}");
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
    assert_eq!(verdict, Verdict::Violated("a returns 2 rows, b returns 1 row".into()));
}

#[test]
fn counted_rows_are_a_number() {
    let three = || rows(&[&[ONE], &[ONE], &[TWO]]);
    assert_eq!(judge(Judge::RowsCounted, three(), rows(&[&[Value::Integer(3)]])), Verdict::Holds);
    let verdict = judge(Judge::RowsCounted, three(), rows(&[&[TWO]]));
    assert_eq!(verdict, Verdict::Violated("a returns 3 rows, b counts 2".into()));
    assert_eq!(judge(Judge::RowsCounted, rows(&[]), rows(&[&[Value::Null]])), Verdict::Holds);
}

#[test]
fn a_missing_number_is_zero() {
    assert_eq!(
        judge(Judge::Number, rows(&[&[Value::Integer(0)]]), rows(&[&[Value::Null]])),
        Verdict::Holds
    );
}

/// DuckDB 0.1.7 sums integers as DOUBLE.
#[test]
fn a_real_without_a_fraction_is_a_number() {
    let judged = |a: Value, b: f64| judge(Judge::Number, rows(&[&[a]]), rows(&[&[Value::Real(b)]]));
    assert_eq!(judged(ONE, 1.0), Verdict::Holds);
    assert_eq!(judged(Value::Integer(0), -0.0), Verdict::Holds);
    assert_eq!(judged(TWO, 1.0), Verdict::Violated("a returns 2, b returns 1.0".into()));
    // Another integer has the same real.
    let large = 1_i64 << 53;
    for (a, b) in [(ONE, 1.5), (ONE, f64::NAN), (Value::Integer(large), 9_007_199_254_740_992.0)] {
        assert_eq!(judged(a, b), Verdict::Invalid(Invalid::Shape), "{b}");
    }
    let counted = judge(Judge::RowsCounted, rows(&[&[ONE]]), rows(&[&[Value::Real(1.0)]]));
    assert_eq!(counted, Verdict::Holds);
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
