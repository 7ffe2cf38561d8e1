//! The statistics agree with scipy.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use metacov_core::Rng;
use metacov_study::stats::{
    coefficient_of_variation, kendall, mann_whitney, mean, pearson, spearman, standard_deviation,
};
use serde_json::{Value, json};

type Samples = (Vec<f64>, Vec<f64>);

/// Samples of all sizes that use different methods, with and without ties.
fn cases() -> Vec<Samples> {
    let mut rng = Rng::new(11);
    let mut cases = Vec::new();
    for (first, second) in [(3, 4), (5, 5), (8, 7), (10, 10), (25, 25), (30, 40), (200, 100)] {
        for (range, shift) in [(9, 0), (9, 2), (1_000_000, 0), (1_000_000, 300_000)] {
            let mut sample = |size: usize, shift: i32| -> Vec<f64> {
                (0..size).map(|_| f64::from(rng.number(1, range) + shift)).collect()
            };
            cases.push((sample(first, 0), sample(second, shift)));
        }
    }
    cases
}

fn answers(cases: &[Samples]) -> Vec<Value> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = here.join("../../target/oracles/scipy/bin/python");
    assert!(python.exists(), "{} is missing: run scripts/oracles first", python.display());
    let mut child = Command::new(python)
        .arg(here.join("tests/oracles/statistics.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let cases: Vec<Value> = cases.iter().map(|(x, y)| json!({"x": x, "y": y})).collect();
    child.stdin.take().unwrap().write_all(json!(cases).to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_statistic_agrees_with_scipy() {
    let cases = cases();
    let mut exact = 0;
    for ((x, y), answer) in cases.iter().zip(answers(&cases)) {
        let points: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
        let test = mann_whitney(x, y).unwrap();
        let ours = [
            ("mean", mean(x)),
            ("sd", standard_deviation(x)),
            ("cv", coefficient_of_variation(x)),
            ("u", Some(test.u)),
            ("p", Some(test.p)),
            ("pearson", pearson(&points)),
            ("spearman", spearman(&points)),
            ("kendall", kendall(&points)),
        ];
        exact += usize::from(test.exact && !answer["p"].is_null());
        for (name, ours) in ours {
            let (Some(ours), Some(theirs)) = (ours, answer[name].as_f64()) else { continue };
            let tolerance = 1e-9 * theirs.abs().max(1e-3);
            assert!((ours - theirs).abs() < tolerance, "{name}: {ours} {theirs} of {x:?} {y:?}");
        }
    }
    assert!(exact >= 14, "{exact} exact tests were compared with scipy");
}
