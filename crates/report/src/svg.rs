//! Plots as self-contained SVG: no script, no font, no browser to generate it.
//!
//! A plot has a background and follows the reader's colour scheme, so that it is readable in a
//! Markdown page, a job summary or a browser, in light and in dark mode. Series differ in colour
//! and in stroke or mark, and each has its name as a tooltip. The same data gives the same bytes.

mod axis;
mod badge;
mod bars;
mod boxes;
mod canvas;
mod curves;
mod scatter;

pub use badge::badge;
pub use bars::{Bar, Bars};
pub use boxes::Boxes;
pub use curves::Curves;
pub use scatter::Scatter;

/// Points with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name.
    pub name: String,
    /// The points, `(x, y)`.
    pub points: Vec<(f64, f64)>,
}

/// The texts around a plot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The title.
    pub title: String,
    /// The label of the horizontal axis.
    pub x: String,
    /// The label of the vertical axis.
    pub y: String,
}
