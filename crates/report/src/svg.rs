//! Plots, as SVG that needs nothing else: no script, no font, no browser to make it.
//!
//! A plot paints its own background and follows the reader's colour scheme, so that it can be read
//! in a Markdown page, a job summary or a browser, by day and by night. Series differ in colour and
//! in stroke or mark, and each has its name as a tooltip. The same data gives the same bytes.

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
    /// What they are called.
    pub name: String,
    /// The points, `(x, y)`.
    pub points: Vec<(f64, f64)>,
}

/// What stands on and beside a plot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// On top.
    pub title: String,
    /// Below.
    pub x: String,
    /// Above the vertical axis.
    pub y: String,
}
