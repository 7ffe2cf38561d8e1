//! What plots look like, held in files that a browser shows: `tests/plots/*.svg`.

use std::fs;
use std::path::Path;

use metacov_report::svg::{Bar, Bars, Boxes, Curves, Labels, Scatter, Series, badge};

/// Holds a plot against its file. With `METACOV_PLOTS=1` the file is written; look at it then.
#[track_caller]
fn check(name: &str, svg: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plots").join(name);
    if std::env::var_os("METACOV_PLOTS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, svg).unwrap();
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    assert!(known == svg, "{} is another one: METACOV_PLOTS=1, and look", path.display());
}

fn labels(title: &str, x: &str, y: &str) -> Labels {
    Labels { title: title.to_owned(), x: x.to_owned(), y: y.to_owned() }
}

/// A number that jumps about, but is the same in each run.
fn jump(seed: u32) -> f64 {
    f64::from(seed.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24)
}

fn growth(name: &str, limit: f64, speed: f64) -> Series {
    let points = (1..=100).map(f64::from).map(|x| (x, limit * x / (x + speed)));
    Series { name: name.to_owned(), points: points.collect() }
}

#[test]
fn curves() {
    let relations = [
        ("norec", 7.1, 8.0),
        ("optimizer", 2.6, 9.0),
        ("tlp-aggregate", 9.2, 11.0),
        ("tlp-distinct", 9.7, 10.0),
        ("tlp-groupby", 7.3, 12.0),
        ("tlp-having", 4.4, 7.0),
        ("tlp-where", 9.4, 9.0),
        ("all", 14.0, 12.0),
        ("a relation with <hostile> & \"long\" name", 1.0, 3.0),
    ];
    let series = relations.map(|(name, limit, speed)| growth(name, limit, speed)).to_vec();
    let labels = labels("MC against pairs", "pairs", "lines validated, in % of all");
    check("curves.svg", &Curves { labels, series, logarithmic: false }.to_svg());
}

#[test]
fn curves_over_powers_of_ten() {
    let sizes = [50.0, 100.0, 200.0, 1_000.0, 10_000.0];
    let series = |name: &str, height: f64| Series {
        name: name.to_owned(),
        points: sizes.iter().map(|size: &f64| (*size, height * size.log10())).collect(),
    };
    let series = vec![series("MC", 0.08), series("Cov", 0.006)];
    let labels = labels("CV of relations, by size of suites", "pairs in a suite", "CV");
    check("sizes.svg", &Curves { labels, series, logarithmic: true }.to_svg());
}

#[test]
fn one_point_and_none() {
    let one = Series { name: "one".to_owned(), points: vec![(1.0, 0.0)] };
    let curves = |series| Curves { labels: labels("Few", "x", "y"), series, logarithmic: false };
    for series in [vec![], vec![one]] {
        let svg = curves(series).to_svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
    let boxes =
        Boxes { labels: labels("None", "", "y"), samples: vec![("none".to_owned(), vec![])] };
    assert!(!boxes.to_svg().contains("NaN"));
    let bars = Bars { labels: labels("None", "", ""), bars: vec![] };
    assert!(!bars.to_svg().contains("NaN"));
}

#[test]
fn boxes() {
    let names = ["norec", "optimizer", "tlp-aggregate", "tlp-distinct", "tlp-where"];
    let sample = |at: u32, name: &str| {
        let spread = 0.3 + 0.2 * f64::from(at);
        let values = (0..10).map(|run| 4.0 + f64::from(at) + spread * jump(run * 31 + at));
        (name.to_owned(), values.chain((at == 2).then_some(9.0)).collect())
    };
    let samples = (0..).zip(names).map(|(at, name)| sample(at, name)).collect();
    let labels = labels("MC of ten suites", "", "lines validated, in % of all");
    check("boxes.svg", &Boxes { labels, samples }.to_svg());
}

#[test]
fn bars() {
    let bar = |name: &str, amount: f64, part: f64| Bar {
        name: name.to_owned(),
        amount,
        part: Some(part),
        note: format!("{part:.2} of {amount:.2} %"),
    };
    let bars =
        vec![bar("norec", 48.01, 9.5), bar("tlp-where", 48.75, 12.43), bar("all", 52.4, 20.02)];
    let labels = labels("Executed, and validated", "", "lines, in % of all");
    check("bars.svg", &Bars { labels, bars }.to_svg());
}

#[test]
fn scatter() {
    let series = |name: &str, slope: f64, spread: f64| Series {
        name: name.to_owned(),
        points: (0..200)
            .map(|at| {
                let bugs = f64::from(at % 27 + 1);
                (bugs, 10.0 + slope * bugs + spread * jump(at))
            })
            .collect(),
    };
    let series = vec![series("line coverage", 0.2, 6.0), series("MC", 0.5, 2.0)];
    let labels = labels("Coverage against bugs", "bugs", "in % of all lines");
    check("scatter.svg", &Scatter { labels, series }.to_svg());
}

#[test]
fn badges() {
    check("badge.svg", &badge("validated lines", "20.02 %"));
    assert!(badge("<a>", "&").contains("&lt;a&gt;"));
}
