//! Bar charts.

use super::Labels;
use super::axis::Axis;
use super::canvas::{Canvas, WIDTH, cut, fill, real, width};

/// A bar: an amount, a highlighted part of it, and a note.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The name.
    pub name: String,
    /// The length.
    pub amount: f64,
    /// The part that is drawn in full colour; the rest is pale. None means all of it.
    pub part: Option<f64>,
    /// The text at its end.
    pub note: String,
}

/// Horizontal bars, so that names of any length are readable.
pub struct Bars {
    /// The texts around them; the label of the vertical axis says what the bars count.
    pub labels: Labels,
    /// The bars, from top to bottom.
    pub bars: Vec<Bar>,
}

impl Bars {
    /// Draws the plot.
    pub fn to_svg(&self) -> String {
        let height = 92.0 + 28.0 * real(self.bars.len());
        let mut canvas = Canvas::new(&self.labels, height, &[]);
        canvas.text(16.0, 48.0, "dim", &self.labels.y);
        let widest = |words: &mut dyn Iterator<Item = &str>| {
            words.map(|word| width(&cut(word))).fold(0.0, f64::max)
        };
        let left = 28.0 + widest(&mut self.bars.iter().map(|bar| bar.name.as_str()));
        let notes = self.bars.iter().map(|bar| width(&bar.note)).fold(0.0, f64::max);
        let x = Axis::of(self.bars.iter().map(|bar| bar.amount), true)
            .between(left, WIDTH - 32.0 - notes);
        let bottom = height - 28.0;
        for tick in x.ticks() {
            let at = x.place(tick);
            canvas.line(at, 60.0, at, bottom, if tick == 0.0 { "axis" } else { "grid" });
            canvas.text(at, bottom + 16.0, "middle dim", &x.written(tick));
        }
        for (at, bar) in self.bars.iter().enumerate() {
            let top = 66.0 + 28.0 * real(at);
            let (start, end) = (x.place(0.0), x.place(bar.amount));
            let tip = format!("{}: {}", bar.name, bar.note);
            let pale = if bar.part.is_some() { "soft" } else { "area" };
            canvas.rectangle((start, top), (end - start, 18.0), &fill(0, pale), &tip);
            if let Some(part) = bar.part {
                canvas.rectangle(
                    (start, top),
                    (x.place(part) - start, 18.0),
                    &fill(0, "area"),
                    &tip,
                );
            }
            canvas.text(left - 10.0, top + 13.0, "end", &cut(&bar.name));
            canvas.text(end + 8.0, top + 13.0, "dim", &bar.note);
        }
        canvas.finish()
    }
}
