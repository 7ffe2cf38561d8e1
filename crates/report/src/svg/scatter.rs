//! Scatter plots.

use super::axis::Axis;
use super::canvas::{Canvas, fill};
use super::{Labels, Series};

/// Points for each series.
pub struct Scatter {
    /// The texts around them.
    pub labels: Labels,
    /// The points.
    pub series: Vec<Series>,
}

impl Scatter {
    /// Draws the plot.
    pub fn to_svg(&self) -> String {
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Axis::of(points().map(|point| point.0), true);
        let y = Axis::of(points().map(|point| point.1), true);
        let (mut canvas, x, y) = Canvas::with_axes(&self.labels, &names, x, y);
        for (at, series) in self.series.iter().enumerate() {
            for point in &series.points {
                canvas.dot(x.place(point.0), y.place(point.1), 3.0, &fill(at, "dot"));
            }
        }
        canvas.finish()
    }
}
