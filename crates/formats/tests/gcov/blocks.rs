//! Compares blocks with gcov, which only reports their number.

use std::collections::BTreeMap;
use std::path::Path;

use metacov_core::{Element, Reading, SiteTable};

use crate::oracle::File;

/// Fails at the first function of a unit whose blocks differ from those that gcov counts.
#[track_caller]
pub fn assert_same(table: &SiteTable, reading: &Reading, right: &[File], what: &str) {
    let mut blocks: BTreeMap<(&str, &str), BTreeMap<u32, bool>> = BTreeMap::new();
    for id in table.ordered().into_iter().filter(|id| reading.known.contains(*id)) {
        if let Element::Block { function, number } = table.get(id).element {
            let key = (table.path(table.get(id).file), table.name(function));
            blocks.entry(key).or_default().insert(number, reading.executed.contains(id));
        }
    }
    for (path, _, functions) in right {
        for function in functions {
            let path = Path::new(path).file_name().unwrap().to_str().unwrap();
            let mut ours = blocks
                .iter()
                .filter(|((known, name), _)| known.ends_with(path) && *name == function.name);
            let (Some((_, ours)), None) = (ours.next(), ours.next()) else {
                panic!("{what}: blocks of {}", function.name);
            };
            assert_eq!(ours.len() as u64, function.blocks, "{what}: {}", function.name);
            // gcov counts the exit block instead of the last one.
            let last = u64::from(*ours.last_key_value().unwrap().1);
            let ran = ours.values().filter(|ran| **ran).count() as u64;
            let is_left = function.blocks_executed + last - ran;
            assert!(is_left <= u64::from(function.count > 0), "{what}: {}", function.name);
        }
    }
}
