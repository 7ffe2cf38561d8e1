//! A study as figures.

use std::collections::BTreeMap;

use metacov_core::Criterion;
use metacov_study::{ALL, Results, SizeResult};

use super::what;
use crate::correlations;
use crate::svg::{Boxes, Curves, Labels, Series};

/// Returns the figures, by file name.
pub fn figures(results: &Results) -> BTreeMap<String, String> {
    let mut figures = BTreeMap::new();
    if let Some(of) = results.bugs.as_ref().and_then(|bugs| bugs.correlation.as_ref()) {
        figures.insert("bugs.svg".to_owned(), correlations::figure(of));
    }
    for target in results.targets() {
        let Some(cell) = results.main_cell(target) else { continue };
        let file = target.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
        let rows = cell.rows(Criterion::Line).filter(|row| row.relation != ALL);
        let samples = rows.map(|row| (row.relation.clone(), row.mc.values.clone())).collect();
        let labels =
            |title: String, x: &str, y: &str| Labels { title, x: x.to_owned(), y: y.to_owned() };
        let title = format!("Metamorphic coverage of suites, {}", what(cell));
        let boxes = Boxes { labels: labels(title, "", "MC, in % of all lines"), samples };
        figures.insert(format!("{file}-relations.svg"), boxes.to_svg());
        let cells: Vec<&SizeResult> =
            results.cells.iter().filter(|of| of.target == target).collect();
        if cells.len() < 2 {
            continue;
        }
        let by_size = |name: &str, of: &dyn Fn(&SizeResult) -> Option<f64>| Series {
            name: name.to_owned(),
            #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
            points: cells.iter().filter_map(|cell| Some((cell.size as f64, of(cell)?))).collect(),
        };
        let pairs = "pairs of each relation in a suite";
        let variation = vec![
            by_size("MC", &|cell| Some(cell.sensitivity(Criterion::Line)?.mc.value)),
            by_size("Cov", &|cell| Some(cell.sensitivity(Criterion::Line)?.coverage.value)),
        ];
        let title = format!("How well relations are distinguished, {target}");
        let labels_of_cv = labels(title, pairs, "coefficient of variation");
        let curves = Curves { labels: labels_of_cv, series: variation, logarithmic: true };
        figures.insert(format!("{file}-sizes.svg"), curves.to_svg());
        let relations = cell.rows(Criterion::Line).map(|row| row.relation.as_str());
        let growth = relations.map(|relation| {
            by_size(relation, &|cell| {
                cell.rows(Criterion::Line)
                    .find(|row| row.relation == relation)
                    .map(|row| row.mc.mean)
            })
        });
        let title = format!("Metamorphic coverage by size, {target}");
        let labels = labels(title, pairs, "MC, in % of all lines");
        let curves = Curves { labels, series: growth.collect(), logarithmic: true };
        figures.insert(format!("{file}-growth.svg"), curves.to_svg());
    }
    figures
}
