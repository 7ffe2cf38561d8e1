//! A curve for each relation: what is validated, against the number of pairs.

use std::fmt::Write as _;

use maud::{Markup, html};

use crate::digest::Digest;
use crate::rows::thousands as grouped;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 300.0;
/// Left, top, right, bottom: the right one holds the names.
const MARGIN: (f64, f64, f64, f64) = (64.0, 12.0, 150.0, 40.0);
/// How far names stand apart.
const NAMES_APART: f64 = 15.0;
/// How many points of a curve are drawn.
const POINTS_MAX: usize = 200;

/// The curves of all relations.
pub(crate) fn curves(digest: &Digest) -> Markup {
    let most_pairs = digest.relations.iter().map(|of| of.curve.len()).max().unwrap_or(0);
    let most_sites = digest.relations.iter().filter_map(|of| of.curve.last()).max();
    let (across, up) = (Axis::of(most_pairs as u64), Axis::of(most_sites.copied().unwrap_or(0)));
    let x = |pairs: u64| MARGIN.0 + across.share(pairs) * (WIDTH - MARGIN.0 - MARGIN.2);
    let y = |sites: u64| HEIGHT - MARGIN.3 - up.share(sites) * (HEIGHT - MARGIN.1 - MARGIN.3);
    let mut names: Vec<(f64, usize)> = digest
        .relations
        .iter()
        .enumerate()
        .map(|(at, of)| (y(of.curve.last().copied().unwrap_or(0)), at))
        .collect();
    spread(&mut names);
    let (left, right, bottom) = (MARGIN.0, WIDTH - MARGIN.2, HEIGHT - MARGIN.3);
    let primary = digest.primary.name();
    html! {
        svg.curves viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ "Validated " (primary) "s against pairs, by relation" } {
            @for tick in up.ticks() {
                line.rule x1=(left) x2=(right) y1=(y(tick)) y2=(y(tick)) {}
                text.tick x=(left - 8.0) y=(y(tick) + 4.0) text-anchor="end" { (grouped(tick)) }
            }
            @for tick in across.ticks() {
                text.tick x=(x(tick)) y=(bottom + 18.0) text-anchor="middle" { (grouped(tick)) }
            }
            text.tick x=(right) y=(HEIGHT - 6.0) text-anchor="end" { "pairs" }
            @for (at, relation) in digest.relations.iter().enumerate() {
                path class={ "curve c" (at % 8) } d=(path(&relation.curve, x, y)) {
                    title { (relation.name) }
                }
            }
            @for (height, at) in &names {
                @let relation = &digest.relations[*at];
                text class={ "name c" (at % 8) } x=(right + 8.0) y=(height + 4.0) {
                    (relation.name) " " tspan.tick { (grouped(relation.curve.last().copied().unwrap_or(0))) }
                }
            }
        }
    }
}

fn path(curve: &[u64], x: impl Fn(u64) -> f64, y: impl Fn(u64) -> f64) -> String {
    let mut path = format!("M{:.1} {:.1}", x(0), y(0));
    let step = curve.len().div_ceil(POINTS_MAX).max(1);
    for (at, sites) in curve.iter().enumerate() {
        if (at + 1) % step == 0 || at + 1 == curve.len() {
            let _ = write!(path, "L{:.1} {:.1}", x(at as u64 + 1), y(*sites));
        }
    }
    path
}

/// Moves names apart that would stand upon each other.
fn spread(names: &mut [(f64, usize)]) {
    names.sort_by(|left, right| left.0.total_cmp(&right.0));
    let mut least = f64::MIN;
    for (height, _) in names.iter_mut() {
        *height = height.max(least);
        least = *height + NAMES_APART;
    }
    let mut most = HEIGHT - MARGIN.3;
    for (height, _) in names.iter_mut().rev() {
        *height = height.min(most);
        most = *height - NAMES_APART;
    }
}

/// An axis from zero to a round number.
struct Axis {
    step: u64,
    end: u64,
}

impl Axis {
    fn of(most: u64) -> Self {
        let mut step = 1;
        while most.max(1).div_ceil(step) > 5 {
            // 1, 2, 5, 10, 20, ...
            let leading = step / 10u64.pow(step.ilog10());
            step = if leading == 2 { step / 2 * 5 } else { step * 2 };
        }
        Axis { step, end: most.max(1).div_ceil(step) * step }
    }

    fn ticks(&self) -> impl Iterator<Item = u64> {
        (0..=self.end / self.step).map(|number| number * self.step)
    }

    #[expect(clippy::cast_precision_loss, reason = "a place on a picture is no exact number")]
    fn share(&self, value: u64) -> f64 {
        value as f64 / self.end as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        let ends = |most| (Axis::of(most).step, Axis::of(most).end);
        assert_eq!(ends(0), (1, 1));
        assert_eq!(ends(4), (1, 4));
        assert_eq!(ends(8864), (2000, 10_000));
        assert_eq!(ends(100), (20, 100));
    }
}
