//! Box plots.

use super::Labels;
use super::axis::Axis;
use super::canvas::{Canvas, fill, stroke};

/// A box for each sample: quartiles, median, whiskers to the last value within one and a half times
/// the box (Tukey), and each value as a dot.
pub struct Boxes {
    /// The texts around them. There is no label below, where the names are.
    pub labels: Labels,
    /// The samples, with their names.
    pub samples: Vec<(String, Vec<f64>)>,
}

impl Boxes {
    /// Draws the plot.
    pub fn to_svg(&self) -> String {
        let names: Vec<&str> = self.samples.iter().map(|(name, _)| name.as_str()).collect();
        let values = self.samples.iter().flat_map(|(_, sample)| sample.iter().copied());
        let (mut canvas, places, y) =
            Canvas::with_places(&self.labels, &names, Axis::of(values, false));
        let room = places.windows(2).map(|two| two[1] - two[0]).fold(160.0, f64::min);
        let half = (room * 0.3).min(36.0);
        for (at, ((name, sample), middle)) in self.samples.iter().zip(places).enumerate() {
            draw(&mut canvas, at, name, sample, y, (middle, half));
        }
        canvas.finish()
    }
}

fn draw(
    canvas: &mut Canvas,
    at: usize,
    name: &str,
    sample: &[f64],
    y: Axis,
    (middle, half): (f64, f64),
) {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (Some(low), Some(median), Some(high)) =
        (quantile(&sorted, 0.25), quantile(&sorted, 0.5), quantile(&sorted, 0.75))
    else {
        return;
    };
    let reach = 1.5 * (high - low);
    let within = |value: &&f64| (low - reach..=high + reach).contains(*value);
    let lowest = sorted.iter().find(within).copied().unwrap_or(low);
    let highest = sorted.iter().rev().find(within).copied().unwrap_or(high);
    let line = stroke(at);
    canvas.line(middle, y.place(lowest), middle, y.place(low), &line);
    canvas.line(middle, y.place(high), middle, y.place(highest), &line);
    for end in [lowest, highest] {
        canvas.line(middle - half / 2.0, y.place(end), middle + half / 2.0, y.place(end), &line);
    }
    let (top, bottom) = (y.place(high), y.place(low));
    let tip = format!(
        "{name}: median {median:.3}, quartiles {low:.3} and {high:.3}, n = {}",
        sorted.len()
    );
    let class = format!("{} line", fill(at, "soft"));
    canvas.rectangle((middle - half, top), (2.0 * half, bottom - top), &class, &tip);
    let median = y.place(median);
    canvas.line(middle - half, median, middle + half, median, &format!("{line} curve"));
    for value in sorted {
        canvas.dot(middle, y.place(value), 2.5, &fill(at, "dot"));
    }
}

/// The value below which this share of the sorted values lies, with linear interpolation.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = share * super::canvas::real(last);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in the list"
    )]
    let below = place.floor() as usize;
    Some(sorted[below] + (sorted[(below + 1).min(last)] - sorted[below]) * place.fract())
}
