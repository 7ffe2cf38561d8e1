//! Line plots.

use std::fmt::Write as _;

use super::axis::Axis;
use super::canvas::Canvas;
use super::{Labels, Series};

/// A curve for each series. The legend has the order in which they end.
pub struct Curves {
    /// The texts around them.
    pub labels: Labels,
    /// The curves, with points from left to right.
    pub series: Vec<Series>,
    /// Whether the horizontal axis is logarithmic.
    pub logarithmic: bool,
}

impl Curves {
    /// Draws the plot.
    pub fn to_svg(&self) -> String {
        // Zero has no place on a logarithmic axis.
        let has_place = |point: &&(f64, f64)| !self.logarithmic || point.0 > 0.0;
        let placed = |series: &Series| Series {
            name: series.name.clone(),
            points: series.points.iter().filter(has_place).copied().collect(),
        };
        let mut series: Vec<Series> = self.series.iter().map(placed).collect();
        let end = |series: &Series| series.points.last().map_or(f64::NEG_INFINITY, |end| end.1);
        series.sort_by(|left, right| end(right).total_cmp(&end(left)));
        let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
        let points = || series.iter().flat_map(|series| &series.points);
        let xs = points().map(|point| point.0);
        let x = if self.logarithmic { Axis::logarithmic(xs) } else { Axis::tight(xs) };
        let y = Axis::of(points().map(|point| point.1), true);
        let (mut canvas, x, y) = Canvas::with_axes(&self.labels, &names, x, y);
        for (at, series) in series.iter().enumerate() {
            canvas.curve(at, &path(&series.points, x, y), &series.name);
            if series.points.len() == 1 || self.logarithmic {
                for point in &series.points {
                    canvas.dot(
                        x.place(point.0),
                        y.place(point.1),
                        3.0,
                        &super::canvas::fill(at, "area"),
                    );
                }
            }
        }
        canvas.finish()
    }
}

/// The path through the points. Points that are nearer than half a pixel to the last one are left
/// out, except for the end, so that the size of a curve of a million points is bounded by its
/// visible part.
fn path(points: &[(f64, f64)], x: Axis, y: Axis) -> String {
    let mut path = String::new();
    let mut last: Option<f64> = None;
    for (at, point) in points.iter().enumerate() {
        let (left, top) = (x.place(point.0), y.place(point.1));
        let is_end = at + 1 == points.len();
        if last.is_some_and(|last| (left - last).abs() < 0.5) && !is_end {
            continue;
        }
        let _ = write!(path, "{}{left:.1} {top:.1}", if last.is_none() { 'M' } else { 'L' });
        last = Some(left);
    }
    path
}
