//! Plots, compared with files that a browser can show: `tests/plots/*.svg`.

use std::fs;
use std::path::Path;

use metacov_report::svg::{Bar, Bars, Boxes, Curves, Labels, Scatter, Series, badge};
use proptest::prelude::*;

/// Compares a plot with its file. With `METACOV_PLOTS=1` the file is written, to be inspected.
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

/// An irregular number that is the same in each run.
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
    let labels = labels("MC against pairs", "pairs", "MC, in % of all lines");
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
    let labels = labels("MC of ten suites", "", "MC, in % of all lines");
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
    let labels = labels("MC, and Cov", "", "lines, in % of all");
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
    let series = vec![series("Cov", 0.2, 6.0), series("MC", 0.5, 2.0)];
    let labels = labels("Coverage against bugs", "bugs", "in % of all lines");
    check("scatter.svg", &Scatter { labels, series }.to_svg());
}

#[test]
fn badges() {
    check("badge.svg", &badge("MC of lines", "20.02 %"));
    assert!(badge("<a>", "&").contains("&lt;a&gt;"));
}

/// The numbers of an attribute, of the elements with this name.
fn numbers(svg: &str, element: &str, attribute: &str) -> Vec<f64> {
    let (start, name) = (format!("<{element} "), format!(" {attribute}=\""));
    let value = |rest: &str| {
        let rest = rest.split('>').next().unwrap().split(&name).nth(1)?;
        rest.split('"').next().unwrap().parse().ok()
    };
    svg.split(&start).skip(1).filter_map(value).collect()
}

/// The texts in a plot.
fn words(svg: &str) -> Vec<&str> {
    let inner =
        |rest: &'_ str| rest.split_once('>').unwrap().1.split_once("</text>").unwrap().0.len();
    svg.split("<text")
        .skip(1)
        .map(|rest| {
            let start = rest.find('>').unwrap() + 1;
            &rest[start..start + inner(rest)]
        })
        .collect()
}

fn scatter_of(points: &[(f64, f64)]) -> String {
    let series = vec![Series { name: "s".to_owned(), points: points.to_vec() }];
    Scatter { labels: labels("Few", "x", "y"), series }.to_svg()
}

fn curves_of(points: &[(f64, f64)], logarithmic: bool) -> String {
    let series = vec![Series { name: "s".to_owned(), points: points.to_vec() }];
    Curves { labels: labels("Few", "x", "y"), series, logarithmic }.to_svg()
}

#[test]
fn a_scatter_without_points_has_axes() {
    let svg = scatter_of(&[]);
    assert_eq!(svg.matches("<circle").count(), 0);
    assert_eq!(words(&svg).iter().filter(|word| **word == "0.2").count(), 2, "{svg}");
}

#[test]
fn equal_points_have_one_position() {
    let one = scatter_of(&[(3.0, 7.0)]);
    assert_eq!(one.matches("<circle").count(), 1);
    let equal = scatter_of(&[(3.0, 7.0), (3.0, 7.0), (3.0, 7.0)]);
    let places: Vec<_> =
        numbers(&equal, "circle", "cx").into_iter().zip(numbers(&equal, "circle", "cy")).collect();
    assert_eq!(places.len(), 3);
    assert!(places.iter().all(|place| *place == places[0]));
    assert_eq!(numbers(&one, "circle", "cx"), [places[0].0]);
}

#[test]
fn a_box_of_one_value_is_flat_and_of_equal_values_too() {
    for values in [vec![2.0], vec![2.0; 5], vec![0.0; 3]] {
        let count = values.len();
        let svg =
            Boxes { labels: labels("", "", ""), samples: vec![("s".to_owned(), values)] }.to_svg();
        assert_eq!(svg.matches("<circle").count(), count);
        assert_eq!(numbers(&svg, "rect", "height"), [0.0], "{svg}");
    }
}

#[test]
fn whiskers_end_at_the_last_value_within_reach() {
    let values = vec![1.0, 2.0, 3.0, 4.0, 100.0];
    let svg =
        Boxes { labels: labels("", "", ""), samples: vec![("s".to_owned(), values)] }.to_svg();
    assert!(
        svg.contains("<title>s: median 3.000, quartiles 2.000 and 4.000, n = 5</title>"),
        "{svg}"
    );
    let dots = numbers(&svg, "circle", "cy");
    let whisker = |value: f64| format!("{value:.1}L");
    let ends: Vec<&str> =
        svg.lines().filter(|line| line.starts_with("<path class=\"c0 line\"")).collect();
    // The dots are sorted: that of 4 is the fourth, the outlier the fifth.
    let reaches = |dot: f64| ends.iter().any(|line| line.contains(&format!(" {}", whisker(dot))));
    assert!(reaches(dots[0]) && reaches(dots[3]) && !reaches(dots[4]), "{svg}");
}

#[test]
fn bars_are_as_long_as_their_amounts() {
    let bar = |amount: f64, part| Bar { name: "b".to_owned(), amount, part, note: String::new() };
    let bars = vec![bar(10.0, Some(5.0)), bar(5.0, None), bar(0.0, None)];
    let svg = Bars { labels: labels("", "", ""), bars }.to_svg();
    let widths = numbers(&svg, "rect", "width");
    let [whole, part, half, nothing] = widths[..] else { panic!("{widths:?}") };
    assert!((whole - 2.0 * part).abs() < 0.11 && (part - half).abs() < 0.11, "{widths:?}");
    assert!(nothing.abs() < 0.01);
}

#[test]
fn names_are_escaped_and_cut_in_every_plot() {
    let name = "<b>&\"quoted\" and much longer than fits";
    let series = vec![Series { name: name.to_owned(), points: vec![(1.0, 1.0)] }; 2];
    let curves =
        Curves { labels: labels(name, name, name), series: series.clone(), logarithmic: false };
    let bar = Bar { name: name.to_owned(), amount: 1.0, part: None, note: name.to_owned() };
    let plots = [
        curves.to_svg(),
        Scatter { labels: labels(name, name, name), series }.to_svg(),
        Bars { labels: labels(name, "", name), bars: vec![bar] }.to_svg(),
        Boxes { labels: labels(name, "", name), samples: vec![(name.to_owned(), vec![1.0])] }
            .to_svg(),
    ];
    for svg in plots {
        assert!(!svg.contains("<b>") && !svg.contains("&\""), "{svg}");
        assert!(svg.contains(">&lt;b&gt;&amp;&quot;quoted&quot; and much lon…</text>"), "{svg}");
    }
}

/// A curve of many points is drawn with those that are visible, and to its end.
#[test]
fn long_curves_are_thinned_and_keep_their_end() {
    let points: Vec<(f64, f64)> = (0..=100_000).map(|at| (f64::from(at), f64::from(at))).collect();
    let svg = curves_of(&points, false);
    let path = svg.lines().find(|line| line.contains("<title>s</title>")).unwrap();
    let steps = path.matches('L').count();
    assert!((1000..1500).contains(&steps), "{steps} steps");
    assert!(path.contains("L736.0 68.0\""), "{path}");
}

#[test]
fn a_legend_of_many_names_is_within_the_plot() {
    for count in [2, 17, 18, 40] {
        let series = vec![Series { name: "s".to_owned(), points: vec![(1.0, 1.0)] }; count];
        let svg = Curves { labels: labels("Many", "x", "y"), series, logarithmic: false }.to_svg();
        let height = numbers(&svg, "svg", "height")[0];
        let lowest = numbers(&svg, "text", "y").into_iter().fold(0.0, f64::max);
        assert!(lowest < height, "{count} names: {lowest} of {height}");
    }
}

#[test]
fn a_logarithmic_axis_has_no_zero() {
    let svg = curves_of(&[(0.0, 1.0), (10.0, 2.0), (1000.0, 3.0)], true);
    assert!(!svg.contains("inf") && !svg.contains("NaN"), "{svg}");
    assert_eq!(svg.matches("<circle").count(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// All points are within the axes, whose numbers are in order.
    #[test]
    fn points_are_within_the_plot(points in prop::collection::vec((0.0..1e6f64, -1e4..1e6f64), 0..20)) {
        let svg = scatter_of(&points);
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
        let (xs, ys) = (numbers(&svg, "circle", "cx"), numbers(&svg, "circle", "cy"));
        prop_assert_eq!(xs.len(), points.len());
        prop_assert!(xs.iter().all(|x| (64.0..=736.0).contains(x)), "{:?}", xs);
        prop_assert!(ys.iter().all(|y| (68.0..=364.0).contains(y)), "{:?}", ys);
        // Higher values are higher.
        let places: Vec<(f64, f64)> = points.iter().map(|point| point.1).zip(ys).collect();
        for two in places.windows(2) {
            let ((left, y), (right, z)) = (two[0], two[1]);
            prop_assert!((left <= right) == (y >= z) || (y - z).abs() < 0.11);
        }
    }

    /// Ticks are few, at even distances, and enclose the data.
    #[test]
    fn ticks_are_even_and_enclose_the_data(values in prop::collection::vec(0.0..1e5f64, 1..10)) {
        let samples = vec![("s".to_owned(), values.clone())];
        let svg = Boxes { labels: labels("", "", ""), samples }.to_svg();
        let ticks: Vec<f64> = svg
            .lines()
            .filter_map(|line| line.split_once("class=\"end dim\">")?.1.strip_suffix("</text>"))
            .map(|tick| tick.replace(',', "").parse().unwrap())
            .collect();
        prop_assert!((3..=12).contains(&ticks.len()), "{:?}", ticks);
        let steps: Vec<f64> = ticks.windows(2).map(|two| two[1] - two[0]).collect();
        let last_digit = 1e-6 * ticks[ticks.len() - 1].abs().max(1.0);
        prop_assert!(steps.iter().all(|step| (step - steps[0]).abs() < last_digit), "{:?}", ticks);
        let (first, last) = (ticks[0], ticks[ticks.len() - 1]);
        prop_assert!(values.iter().all(|value| (first..=last).contains(value)), "{:?}", ticks);
    }
}
