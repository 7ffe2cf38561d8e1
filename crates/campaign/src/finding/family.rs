//! Families: groups of findings that are most likely one bug.
//!
//! A reducer cannot remove everything that does not matter: where a fault needs an expression, it
//! is left to chance which one remains. So if a group has all words of another group, and more, it
//! belongs to the family of that smaller group.

use std::collections::{BTreeMap, BTreeSet};

/// A group with fewer words than this, its kind of failure included, is too unspecific to be the
/// head of a family.
const WORDS_MIN: usize = 3;

/// The name of a group: the kind of failure, and the words that it needs.
pub(super) fn name(what: &str, shape: &BTreeSet<String>) -> String {
    let words: Vec<&str> = shape.iter().map(String::as_str).filter(|word| *word != what).collect();
    if words.is_empty() { what.to_owned() } else { format!("{what}: {}", words.join(", ")) }
}

/// Returns the families: all groups, by the smallest group of their family.
pub fn families<'g>(groups: impl IntoIterator<Item = &'g str>) -> BTreeMap<&'g str, Vec<&'g str>> {
    let groups: BTreeMap<&str, BTreeSet<&str>> =
        groups.into_iter().map(|group| (group, words(group))).collect();
    let mut families: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (group, needed) in &groups {
        let needs_less = |(_, words): &(&&str, &BTreeSet<&str>)| {
            words.len() >= WORDS_MIN && words.len() < needed.len() && words.is_subset(needed)
        };
        // No other group is contained in the one with the fewest words.
        let head =
            groups.iter().filter(needs_less).min_by_key(|(name, words)| (words.len(), *name));
        families.entry(head.map_or(group, |(head, _)| head)).or_default().push(group);
    }
    families
}

fn words(group: &str) -> BTreeSet<&str> {
    let (what, needed) = group.split_once(": ").unwrap_or((group, ""));
    needed.split(", ").filter(|word| !word.is_empty()).chain([what]).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_group_joins_the_smaller_group_that_it_contains() {
        let groups = [
            "crash: LEFT, comparison, index",
            "violation: LEFT, comparison",
            "violation: LEFT, comparison, row value",
            "violation: LEFT, comparison, index, row value",
            "violation: comparison",
            "violation: comparison, rtree",
            "hang",
        ];
        let families = families(groups);
        let sizes: Vec<(&str, usize)> =
            families.iter().map(|(head, family)| (*head, family.len())).collect();
        assert_eq!(
            sizes,
            [
                ("crash: LEFT, comparison, index", 1),
                ("hang", 1),
                ("violation: LEFT, comparison", 3),
                ("violation: comparison", 1),
                ("violation: comparison, rtree", 1),
            ]
        );
    }

    fn any_group() -> impl Strategy<Value = String> {
        let words =
            prop::collection::btree_set(prop::sample::select(vec!["A", "B", "C", "D"]), 0..4);
        words.prop_map(|words| {
            name("violation", &words.into_iter().map(ToOwned::to_owned).collect())
        })
    }

    proptest! {
        /// Each group is in one family, and the heads depend only on the set of groups.
        #[test]
        fn families_divide_groups(groups in prop::collection::vec(any_group(), 0..12)) {
            let families_of = |groups: &[String]| {
                let families = families(groups.iter().map(String::as_str));
                families.into_iter().map(|(head, family)| (head.to_owned(), family.join(";"))).collect::<Vec<_>>()
            };
            let families = families_of(&groups);
            let distinct: BTreeSet<&String> = groups.iter().collect();
            let members: usize = families.iter().map(|(_, family)| family.split(';').count()).sum();
            prop_assert_eq!(members, distinct.len());
            let reversed: Vec<String> = groups.iter().rev().cloned().collect();
            prop_assert_eq!(families_of(&reversed), families.clone());
            // Heads alone are families of one.
            let heads: Vec<String> = families.iter().map(|(head, _)| head.clone()).collect();
            prop_assert_eq!(families_of(&heads).len(), heads.len());
        }
    }
}
