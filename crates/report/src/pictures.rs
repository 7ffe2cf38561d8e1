//! A suite as a picture.

use std::io::{self, Write};

use metacov_core::{Criterion, Curve};
use metacov_formats::{Export, Writer};

use crate::svg::{Curves, Labels, Series, badge};

/// MC after each pair, a curve for each relation.
pub struct CurvePlot;

impl Writer for CurvePlot {
    fn name(&self) -> &'static str {
        "curve"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["svg"]
    }

    fn write(&self, export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
        let (Some(growth), Some(criterion)) = (export.growth, export.criteria.iter().next()) else {
            return Err(io::Error::other("a plot (.svg) needs a run file: add -o RUN.metacov"));
        };
        let sites = export.suite.table.sites();
        let sites = sites.filter(|(_, site)| site.criterion() == criterion).count();
        let curves = growth.relations.iter();
        let series = curves.map(|(name, curve)| one(name, curve, criterion, sites)).collect();
        let base = if export.suite.table.partial().contains(criterion) { "known" } else { "all" };
        let labels = Labels {
            title: "Metamorphic coverage against pairs".to_owned(),
            x: "pairs of a relation".to_owned(),
            y: format!("MC, in % of {base} {}", criterion.plural()),
        };
        out.write_all(Curves { labels, series, logarithmic: false }.to_svg().as_bytes())
    }
}

/// The curve of a relation, in percent of all sites.
pub(crate) fn one(name: &str, curve: &Curve, criterion: Criterion, sites: usize) -> Series {
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^32 sites and pairs")]
    let point =
        |pairs: u64, mc_sites: u64| (pairs as f64, 100.0 * mc_sites as f64 / sites.max(1) as f64);
    let points = curve.points.iter().map(|at| point(at.pairs, at.mc_sites(criterion)));
    Series { name: name.to_owned(), points: [point(0, 0)].into_iter().chain(points).collect() }
}

/// The result as a badge: for lines, or for the first criterion that is shown.
pub struct Badge;

impl Writer for Badge {
    fn name(&self) -> &'static str {
        "badge"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["badge.svg"]
    }

    fn write(&self, export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
        let criterion = export.criteria.iter().next().unwrap_or(Criterion::Line);
        let summary = metacov_core::total(&export.suite.table, export.total)[criterion];
        let unknown = export.suite.table.partial().contains(criterion);
        let percent = summary.result_of_sites().filter(|_| !unknown);
        let how_much = percent.map_or_else(
            || "unknown".to_owned(),
            |percent| format!("{percent:.1} % of {}", criterion.plural()),
        );
        out.write_all(badge("MC", &how_much).as_bytes())
    }
}
