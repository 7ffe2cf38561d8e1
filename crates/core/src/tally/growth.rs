//! How coverage grows, pair by pair.

use std::collections::BTreeMap;

use crate::{Cover, Criterion, Group, Reading, SiteTable};

/// How many sites are executed, and how many are MC sites, after each pair, by relation.
#[derive(Clone, Debug, Default)]
pub struct Growth {
    /// By the name of the relation.
    pub relations: BTreeMap<String, Curve>,
}

/// The growth of one relation.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// One point after each measured group of sides.
    pub points: Vec<Point>,
    seen: Option<(Cover, Cover)>,
}

/// The counts after some pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// How many pairs.
    pub pairs: u64,
    executed: [u64; Criterion::ALL.len()],
    mc_sites: [u64; Criterion::ALL.len()],
}

impl Point {
    /// How many sites ran.
    pub fn executed(&self, criterion: Criterion) -> u64 {
        self.executed[criterion as usize]
    }

    /// How many sites are in the difference of some pair.
    pub fn mc_sites(&self, criterion: Criterion) -> u64 {
        self.mc_sites[criterion as usize]
    }
}

impl Growth {
    /// Adds the next group of a relation. Excluded sites do not count.
    pub fn add(&mut self, table: &SiteTable, relation: &str, group: &Group<Reading>) {
        if !self.relations.contains_key(relation) {
            self.relations.insert(relation.to_owned(), Curve::default());
        }
        if let Some(curve) = self.relations.get_mut(relation) {
            curve.add(table, group);
        }
    }
}

impl Curve {
    fn add(&mut self, table: &SiteTable, group: &Group<Reading>) {
        let mut point = self.points.last().copied().unwrap_or_default();
        point.pairs += group.pair_count();
        let (executed, mc_sites) =
            self.seen.get_or_insert_with(|| (Cover::of(table), Cover::of(table)));
        for side in group.sides() {
            count_new(table, executed, &side.executed, &mut point.executed);
        }
        count_new(table, mc_sites, &group.difference(), &mut point.mc_sites);
        self.points.push(point);
    }
}

/// Adds new sites to the seen ones, and counts them.
fn count_new(table: &SiteTable, seen: &mut Cover, cover: &Cover, counts: &mut [u64]) {
    let mut new = cover.clone();
    new -= seen;
    for id in new.iter().filter(|id| !table.is_excluded(*id)) {
        counts[table.get(id).criterion() as usize] += 1;
    }
    *seen |= &new;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Element, Operation, Pair, Site, Symbol, Tally, total};

    #[test]
    fn the_last_point_equals_the_tally() {
        let mut table = SiteTable::new();
        let file = table.file("a.c");
        let ids: Vec<_> = (1..=6)
            .map(|line| {
                table.site(Site { file, line, element: Element::Line, instance: Symbol::NONE })
            })
            .collect();
        table.exclude(ids[5]);
        let reading = |lines: &[usize]| {
            let mut reading = Reading::of(&table);
            for line in lines {
                reading.executed.insert(ids[*line]);
            }
            reading
        };
        let pairs = [(reading(&[0, 1, 5]), reading(&[0, 2])), (reading(&[0, 1]), reading(&[0, 3]))];
        let (mut growth, mut tally) = (Growth::default(), Tally::of(&table));
        for (a, b) in pairs {
            let group = Group::from(Pair { a, b });
            growth.add(&table, "swap", &group);
            tally.add(&group, Operation::Xor);
        }
        let points = &growth.relations["swap"].points;
        let counts: Vec<_> = points
            .iter()
            .map(|at| (at.pairs, at.executed(Criterion::Line), at.mc_sites(Criterion::Line)))
            .collect();
        assert_eq!(counts, [(1, 3, 2), (2, 4, 3)]);
        let summary = total(&table, &tally)[Criterion::Line];
        assert_eq!((summary.executed(), summary.mc_sites()), (4, 3));
    }
}
