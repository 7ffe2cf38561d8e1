//! Go's profiles, compared with the shares of statements that `go tool cover -func` reports.

use std::collections::{BTreeMap, BTreeSet};

use metacov_formats::Scope;

use crate::sets::{Sets, data, read};

/// `(file, first line, last line)` of the functions of the program, by name.
const FUNCTIONS: [(&str, &str, u32, u32); 4] = [
    ("Total", "fixture/parcel/parcel.go", 12, 30),
    ("neverCalled", "fixture/parcel/parcel.go", 32, 34),
    ("Weight", "fixture/parcel/rate/rate.go", 5, 14),
    ("Express", "fixture/parcel/rate/rate.go", 17, 17),
];

fn profile(name: &str) -> Sets {
    read(&Scope::default(), &[data(&format!("go/1.19/{name}.out"))]).unwrap()
}

/// The statements of each block, named as in [`Sets`], from the profile's text.
fn statements(name: &str) -> BTreeMap<String, u32> {
    let text = std::fs::read_to_string(data(&format!("go/1.19/{name}.out"))).unwrap();
    let blocks = text.lines().filter(|line| !line.starts_with("mode:")).map(|line| {
        let mut words = line.split(' ');
        let place = words.next().unwrap().replace('.', ":").replace(":go:", ".go:");
        let place = place.replace(',', "-");
        (format!("region {place}"), words.next().unwrap().parse().unwrap())
    });
    blocks.collect()
}

/// The share of statements that ran, as Go prints it.
fn share<'s>(sets: &Sets, blocks: impl Iterator<Item = (&'s String, &'s u32)>) -> String {
    let (mut ran, mut all) = (0, 0);
    for (block, count) in blocks {
        assert!(sets.known.contains(block), "{block} was not read");
        all += count;
        ran += if sets.executed.contains(block) { count } else { &0 };
    }
    format!("{:.1}%", 100.0 * f64::from(ran) / f64::from(all))
}

#[test]
fn regions_give_the_shares_of_go_tool_cover() {
    for name in ["a", "b", "a-set", "b-set", "a-coverpkg", "b-coverpkg"] {
        let (sets, blocks) = (profile(name), statements(name));
        let oracle = std::fs::read_to_string(data(&format!("go/1.19/{name}.func.txt"))).unwrap();
        let mut rows = oracle.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        for (function, file, first, last) in FUNCTIONS {
            let row = rows.next().unwrap();
            assert_eq!(row[..2], [&format!("{file}:{first}:"), function], "{name}");
            let within = |block: &str| {
                let rest = block.strip_prefix(&format!("region {file}:"));
                let line = rest.and_then(|rest| rest.split(':').next()?.parse::<u32>().ok());
                line.is_some_and(|line| (first..=last).contains(&line))
            };
            assert_eq!(row[2], share(&sets, blocks.iter().filter(|(block, _)| within(block))));
        }
        assert_eq!(rows.next().unwrap()[2], share(&sets, blocks.iter()), "{name}");
    }
}

#[test]
fn modes_differ_only_in_counts() {
    assert_eq!(profile("a"), profile("a-set"));
    assert_eq!(profile("a"), profile("a-atomic"));
}

#[test]
fn a_block_that_ran_in_any_package_ran() {
    let (one, all) = (profile("a"), profile("a-coverpkg"));
    assert_eq!(one.known, all.known);
    let more: Vec<&String> = all.executed.difference(&one.executed).collect();
    assert_eq!(
        more,
        ["line fixture/parcel/rate/rate.go:17", "region fixture/parcel/rate/rate.go:17:29-17:49"]
    );
}

#[test]
fn a_line_ran_if_any_block_on_it_ran() {
    // Derived by hand from the program: 11kg took the first return of `Weight`; the loop was not
    // reached.
    let lines = |set: &BTreeSet<String>| -> Vec<u32> {
        let rest =
            set.iter().filter_map(|site| site.strip_prefix("line fixture/parcel/parcel.go:"));
        let mut lines: Vec<u32> = rest.map(|line| line.parse().unwrap()).collect();
        lines.sort_unstable();
        lines
    };
    let b = profile("b");
    let known: Vec<u32> = (12..=24).chain([26, 29, 32, 33, 34]).collect();
    assert_eq!(lines(&b.known), known);
    assert_eq!(lines(&b.executed), [12, 13, 14, 15, 16, 17, 20, 21, 22, 26, 29]);
}

fn read_text(text: &str) -> Result<Sets, String> {
    crate::sets::read_text(&Scope::default(), text)
}

#[test]
fn paths_may_contain_separators() {
    let sets = read_text("mode: set\r\nC:\\a b\\x,1.go:3.1,4.2 1 1\r\n").unwrap();
    let expected = ["line C:/a b/x,1.go:3", "line C:/a b/x,1.go:4", "region C:/a b/x,1.go:3:1-4:2"];
    assert_eq!(sets.executed, expected.map(str::to_owned).into());
}

#[test]
fn profiles_may_be_concatenated() {
    let both =
        read_text("mode: set\nx.go:1.1,1.9 1 0\nmode: set\ny.go:1.1,1.9 1 1\nx.go:1.1,1.9 1 1\n");
    let other = read_text("\u{feff}mode: set\ny.go:1.1,1.9 1 1\nx.go:1.1,1.9 1 1\n");
    assert_eq!(both, other);
}

#[test]
fn broken_profiles_are_refused_with_their_position() {
    for (block, message) in [
        (
            "x.go:1.1,2.1 1 -1",
            "line 2: `x.go:1.1,2.1 1 -1` is not `FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS COUNT`",
        ),
        (
            "x.go:1.1,2.1 1",
            "line 2: `x.go:1.1,2.1 1` is not `FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS COUNT`",
        ),
        ("x.go:2.1,1.1 1 1", "line 2: a block from line 2 to 1: not 1 to 1000000 lines"),
        (
            "x.go:1.1,1000001.1 1 1",
            "line 2: a block from line 1 to 1000001: not 1 to 1000000 lines",
        ),
        ("x.go:1.1,900000.1 1 1", "line 2: the blocks up to here touch more lines than code has"),
        ("", "the file lists no code, so the side was not measured"),
    ] {
        assert_eq!(read_text(&format!("mode: set\n{block}\n")).unwrap_err(), message);
    }
    let other = read_text("mode: set\nx.go:1.1,2.1 1 1\nx.go:1.1,2.1 2 1\n").unwrap_err();
    assert!(other.ends_with("x.go:1 is not the same code"), "{other}");
    assert!(
        read_text("mode: some\nx.go:1.1,2.1 1 1\n")
            .unwrap_err()
            .contains("not a recognised coverage format")
    );
}
