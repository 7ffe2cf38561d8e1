//! The pairs of a run file: a list of them, and one in full.

mod difference;
mod full;
mod list;
mod rerun;

pub use full::FullPair;
pub use list::{PairFilter, PairIndex, VERDICTS};

use metacov_core::{Cover, Criterion, Group, Reading, SiteTable};

/// The criterion that differences are shown in: lines, where there are any.
fn primary(table: &SiteTable) -> Criterion {
    let has = |wanted: &Criterion| table.sites().any(|(_, site)| site.criterion() == *wanted);
    Criterion::ALL.into_iter().find(has).unwrap_or(Criterion::Line)
}

/// The sites that do not count.
fn excluded(table: &SiteTable) -> Cover {
    let mut excluded = Cover::of(table);
    for (id, _) in table.all_sites().filter(|(id, _)| table.is_excluded(*id)) {
        excluded.insert(id);
    }
    excluded
}

/// By criterion: how many sites a pair differs in.
fn mc_sites(table: &SiteTable, group: &Group<Reading>, excluded: &Cover) -> Vec<(Criterion, u64)> {
    let mut difference = group.difference();
    difference -= excluded;
    let mut counts = [0; Criterion::ALL.len()];
    for id in difference.iter() {
        counts[table.get(id).criterion() as usize] += 1;
    }
    let counts =
        Criterion::ALL.into_iter().map(|criterion| (criterion, counts[criterion as usize]));
    counts.filter(|(_, count)| *count > 0).collect()
}
