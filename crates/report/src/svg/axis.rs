//! Axes: convert values to positions, and choose round ticks.

use metacov_core::thousands;

/// An axis: a range of values, and the positions of its ends.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    step: f64,
    /// Whether each step multiplies by ten.
    logarithmic: bool,
}

impl Axis {
    /// Creates an axis that contains all these values; from zero if `starts_at_zero`. Its ends are
    /// round.
    pub fn of(values: impl IntoIterator<Item = f64>, starts_at_zero: bool) -> Self {
        let (mut low, mut high) = range(values);
        if starts_at_zero {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        if high - low <= f64::EPSILON * high.abs().max(1.0) {
            // A single value is placed in the middle, or at the bottom if it is zero.
            let room = if high == 0.0 { 1.0 } else { high.abs() / 2.0 };
            high += room;
            low -= if low == 0.0 { 0.0 } else { room };
        }
        let step = round_step((high - low) / 7.0);
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        Axis { low, high, from: 0.0, to: 1.0, step, logarithmic: false }
    }

    /// The same, ending exactly at the last value: for counts.
    pub fn tight(values: impl IntoIterator<Item = f64>) -> Self {
        let (_, high) = range(values);
        let axis = Axis::of([high], true);
        Axis { high: if high > 0.0 { high } else { axis.high }, ..axis }
    }

    /// An axis of powers of ten, for positive values that differ widely.
    pub fn logarithmic(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = range(values.into_iter().filter(|value| *value > 0.0).map(f64::log10));
        let (low, high) = (low, high.max(low + 1e-9));
        Axis { low, high, from: 0.0, to: 1.0, step: 1.0, logarithmic: true }
    }

    /// Sets the positions of its ends.
    pub fn between(self, from: f64, to: f64) -> Self {
        Axis { from, to, ..self }
    }

    /// Returns the position of a value.
    pub fn place(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.log10() } else { value };
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Returns the round values.
    pub fn ticks(&self) -> Vec<f64> {
        if self.logarithmic {
            let steps = [1.0, 2.0, 5.0];
            let powers = (-3..=9).flat_map(|power| steps.map(|step| step * 10_f64.powi(power)));
            let (low, high) = (10_f64.powf(self.low - 1e-9), 10_f64.powf(self.high + 1e-9));
            return powers.filter(|value| (low..=high).contains(value)).collect();
        }
        let mut ticks = Vec::new();
        let mut at = (self.low / self.step).ceil();
        while at * self.step <= self.high + self.step * 1e-6 {
            ticks.push(at * self.step);
            at += 1.0;
        }
        ticks
    }

    /// Formats a round value with as many digits as the steps need.
    pub fn written(&self, tick: f64) -> String {
        if self.logarithmic && tick < 1.0 {
            return format!("{tick}");
        }
        let digits = if self.logarithmic { 0 } else { self.digits() };
        if digits > 0 {
            return format!("{tick:.digits$}");
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "rounded, not negative"
        )]
        let whole = tick.abs().round() as u64;
        let sign = if tick < 0.0 && whole > 0 { "-" } else { "" };
        format!("{sign}{}", thousands(whole))
    }

    fn digits(&self) -> usize {
        (0..9)
            .find(|digits| (self.step * 10_f64.powi(*digits)).fract().abs() < 1e-6)
            .and_then(|digits| usize::try_from(digits).ok())
            .unwrap_or(9)
    }
}

/// The smallest and the largest; both zero if there is nothing.
fn range(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let mut values = values.into_iter().filter(|value| value.is_finite());
    let Some(first) = values.next() else { return (0.0, 0.0) };
    values.fold((first, first), |(low, high), value| (low.min(value), high.max(value)))
}

/// The smallest of 1, 2, 5, 10, 20, ... that is not smaller than this.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(axis: Axis) -> String {
        axis.ticks().into_iter().map(|tick| axis.written(tick)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_round_and_enclose_the_data() {
        assert_eq!(ticks(Axis::of([0.0, 13.81], true)), "0 2 4 6 8 10 12 14");
        assert_eq!(ticks(Axis::of([9.31, 9.64], false)), "9.30 9.35 9.40 9.45 9.50 9.55 9.60 9.65");
        assert_eq!(ticks(Axis::of([7.0], true)), "0 1 2 3 4 5 6 7");
        assert_eq!(ticks(Axis::of([-0.5, 1.0], false)), "-0.5 0.0 0.5 1.0");
        assert_eq!(ticks(Axis::of([], true)), "0.0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(ticks(Axis::tight([1.0, 99.0])), "0 20 40 60 80");
        assert_eq!(ticks(Axis::tight([12_000.0])), "0 2,000 4,000 6,000 8,000 10,000 12,000");
        let sizes = "50 100 200 500 1,000 2,000 5,000 10,000";
        assert_eq!(ticks(Axis::logarithmic([50.0, 10_000.0])), sizes);
    }
}
