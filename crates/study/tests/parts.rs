//! Laws of uniting the parts of a study: neither order nor repetition matters.

use metacov_core::Criterion;
use metacov_study::{
    Efficiency, FileVersion, KnownBugs, LeftOut, Measurement, StudyShard, SuiteNumbers,
    SuiteResult, SuiteSpec, Time, unite,
};
use proptest::prelude::*;

/// A possible suite and its result. There are few of both, so that parts overlap.
fn outcome() -> impl Strategy<Value = SuiteResult> {
    (1..3_u64, 1..4_u64, 0..2_u64, 0..2_u64, 0..3_u32).prop_map(
        |(size, number, failed, mc_sites, seconds)| {
            let suite =
                SuiteSpec { target: "sqlite".to_owned(), size, number, seed: number, pairs: None };
            let measurement = Measurement {
                relation: "norec".to_owned(),
                criterion: Criterion::Line,
                pairs: size,
                failed,
                sites: 9,
                executed: 5,
                mc_sites,
            };
            let build = "build".to_owned();
            let record =
                SuiteNumbers { name: suite.name(), build, measurements: vec![measurement] };
            let wall = f64::from(seconds);
            SuiteResult::new(&suite, &record, Time { wall, processor: wall })
        },
    )
}

fn bugs() -> impl Strategy<Value = KnownBugs> {
    prop::collection::vec("[ab]", 0..2).prop_map(|lost| KnownBugs {
        version: FileVersion,
        corpus: "corpus.json".to_owned(),
        overlaps: Vec::new(),
        left_out: lost.into_iter().map(|id| LeftOut { id, why: "crashed".to_owned() }).collect(),
        correlation: None,
    })
}

fn efficiency() -> impl Strategy<Value = Efficiency> {
    (0..3_u32).prop_map(|seconds| Efficiency {
        version: FileVersion,
        target: "sqlite".to_owned(),
        build: "build".to_owned(),
        gcovr: "gcovr".to_owned(),
        pairs: Vec::new(),
        metacov: Time { wall: f64::from(seconds), processor: 0.0 },
    })
}

fn part() -> impl Strategy<Value = StudyShard> {
    let outcomes = prop::collection::vec(outcome(), 0..5);
    (outcomes, prop::option::of(bugs()), prop::option::of(efficiency())).prop_map(
        |(outcomes, bugs, efficiency)| StudyShard {
            study: "title = 'x'".to_owned(),
            outcomes,
            bugs,
            efficiency,
            ..StudyShard::default()
        },
    )
}

fn united(parts: &[&StudyShard]) -> StudyShard {
    let parts: Vec<StudyShard> = parts.iter().map(|part| (*part).clone()).collect();
    unite(&parts).unwrap().part
}

proptest! {
    #[test]
    fn order_steps_and_repetition_do_not_matter(a in part(), b in part(), c in part()) {
        let all = united(&[&a, &b, &c]);
        prop_assert_eq!(&all, &united(&[&c, &a, &b]));
        prop_assert_eq!(&all, &united(&[&b, &a, &c]));
        prop_assert_eq!(&all, &united(&[&united(&[&a, &b]), &c]));
        prop_assert_eq!(&all, &united(&[&a, &united(&[&b, &c])]));
        prop_assert_eq!(&all, &united(&[&all, &a, &all]));
        let disputed = |parts: &[&StudyShard]| {
            unite(&parts.iter().map(|part| (*part).clone()).collect::<Vec<_>>()).unwrap().disputed
        };
        prop_assert_eq!(disputed(&[&a, &b, &c]), disputed(&[&c, &b, &a]));
        prop_assert_eq!(disputed(&[&all, &all]), 0);
    }
}

#[test]
fn other_builds_studies_and_corpora_are_refused_with_both_names() {
    let refused = |change: fn(&mut StudyShard)| {
        let first = StudyShard {
            name: "first".to_owned(),
            bugs: Some(KnownBugs {
                version: FileVersion,
                corpus: "corpus.json".to_owned(),
                overlaps: Vec::new(),
                left_out: Vec::new(),
                correlation: None,
            }),
            efficiency: Some(Efficiency {
                version: FileVersion,
                target: "sqlite".to_owned(),
                build: "old".to_owned(),
                gcovr: String::new(),
                pairs: Vec::new(),
                metacov: Time::default(),
            }),
            ..StudyShard::default()
        };
        let mut second = StudyShard { name: "second".to_owned(), ..first.clone() };
        change(&mut second);
        unite(&[first, second]).unwrap_err().to_string()
    };
    let said = refused(|part| {
        part.efficiency =
            part.efficiency.take().map(|of| Efficiency { build: "new".to_owned(), ..of });
    });
    let place = "the pipeline on sqlite (build old there, new here)";
    assert_eq!(
        said,
        format!("second: made from another build than first: {place} is not the same code")
    );
    let said = refused(|part| part.study.push('x'));
    assert_eq!(said, "second: is not of the same study as first");
    let said = refused(|part| {
        part.bugs = part.bugs.take().map(|of| KnownBugs { corpus: "other.json".to_owned(), ..of });
    });
    assert_eq!(said, "second: has known bugs of another corpus than first");
}
