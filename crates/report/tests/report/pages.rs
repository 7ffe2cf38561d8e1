//! The pages of a small run, without a browser.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use metacov_core::{Criterion, Failure};
use metacov_report::digest::{Digest, Outline, PairEnd};
use metacov_report::html::{self, WrittenPages};
use metacov_store::Header;
use proptest::prelude::*;
use serde_json::Value;

use crate::support::{
    Pair, Place, Program, any_pairs, digest, digest_with, header, lines, two_files,
};

pub type Files = BTreeMap<String, String>;

fn pages(digest: &Digest, library: impl Fn(&str) -> Option<Vec<u8>>) -> (Files, WrittenPages) {
    let mut files = Files::new();
    let written = html::write(digest, &library, &mut |path, bytes| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        assert!(files.insert(path.to_owned(), text).is_none(), "{path} is written twice");
        Ok(())
    });
    (files, written.unwrap())
}

fn is_of(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|of| of == extension)
}

fn html_pages(files: &Files) -> impl Iterator<Item = (&String, &String)> {
    files.iter().filter(|(path, _)| is_of(path, "html"))
}

pub fn without_sources(digest: &Digest) -> Files {
    pages(digest, |_| None).0
}

/// The data that a script passes on.
pub fn data(files: &Files, name: &str) -> Value {
    let text = &files[&format!("data/{name}.js")];
    let json = text.strip_prefix(&format!("metacov.take(\"{name}\", ")).unwrap();
    serde_json::from_str(json.strip_suffix(")\n").unwrap()).unwrap()
}

/// Decodes ranges like `metacov.stretches` of the scripts: the start and end of each, and its
/// number.
fn stretches(text: &str) -> Vec<(usize, usize, usize)> {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut numbers, mut value, mut shift) = (Vec::new(), 0, 0);
    for letter in text.chars() {
        let digit = letters.find(letter).unwrap();
        value += (digit & 31) << shift;
        shift += 5;
        if digit & 32 == 0 {
            numbers.push(std::mem::take(&mut value));
            shift = 0;
        }
    }
    assert_eq!(shift, 0, "{text} ends within a number");
    let mut end = 0;
    let (found, rest) = numbers.as_chunks::<2>();
    assert!(rest.is_empty(), "{text} ends within a stretch");
    let stretch = |[distance, what]: &[usize; 2]| {
        let start = end + distance;
        end = start + what / 8;
        (start, end, what % 8)
    };
    found.iter().map(stretch).collect()
}

fn run() -> Digest {
    digest(
        two_files(),
        &[
            Pair::ran("swap", &[1, 2, 3], &[1, 2, 4]).on("CREATE", ["SELECT 1", "SELECT 2"]),
            Pair::ran("shift", &[1, 2, 3, 6], &[1, 2, 3, 6]),
            Pair::failed("shift", Failure::Crashed, "segmentation fault"),
            Pair::ran("shift", &[1, 6, 7], &[1, 6, 8]).violated("a returns 1, b returns 2"),
        ],
    )
}

#[test]
fn every_page_and_all_data_is_written_once() {
    let files = without_sources(&run());
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let expected = [
        "assets/code.js",
        "assets/gaps.js",
        "assets/metacov.js",
        "assets/pairs.js",
        "assets/source.js",
        "assets/style.css",
        "code.html",
        "curve.svg",
        "data/cases-0.js",
        "data/cover-0-0.js",
        "data/cover-1-0.js",
        "data/file-0.js",
        "data/file-1.js",
        "data/functions.js",
        "data/gaps.js",
        "data/numbers-branch.js",
        "data/numbers-function.js",
        "data/numbers-line.js",
        "data/pairs.js",
        "data/run.js",
        "data/setup-0.js",
        "data/text-0-0.js",
        "data/text-1-0.js",
        "gaps.html",
        "index.html",
        "pairs.html",
        "source.html",
    ];
    assert_eq!(names, expected);
    for name in names.iter().filter_map(|name| name.strip_prefix("data/")?.strip_suffix(".js")) {
        data(&files, name);
    }
}

/// The values of an attribute in all pages.
fn attributes<'f>(files: &'f Files, name: &str) -> Vec<(&'f str, &'f str)> {
    let (mut values, start) = (Vec::new(), format!(" {name}=\""));
    for (page, text) in html_pages(files) {
        let found = text.split(&start).skip(1);
        values.extend(found.map(|rest| (page.as_str(), rest.split('"').next().unwrap())));
    }
    values
}

#[test]
fn all_links_lead_to_files_that_are_written() {
    let files = without_sources(&run());
    let links = [attributes(&files, "href"), attributes(&files, "src")].concat();
    assert!(links.len() > 30, "{links:?}");
    for (page, link) in links {
        let path = link.split('#').next().unwrap();
        assert!(files.contains_key(path), "{page} links to {link}");
    }
    for page in ["code.html", "gaps.html", "pairs.html", "source.html"] {
        let to_page = attributes(&files, "href").iter().any(|(_, link)| link.starts_with(page));
        assert_eq!(to_page, page != "source.html", "sources are linked to by scripts: {page}");
    }
}

#[test]
fn pages_have_no_inline_scripts_and_styles() {
    let files = without_sources(&run());
    for (page, text) in html_pages(&files) {
        assert!(!text.contains("<style") && !text.contains(" style="), "{page}");
        for script in text.split("<script").skip(1) {
            assert!(
                script.starts_with(" src=\"assets/") && script.contains(" defer></script>"),
                "{page}"
            );
        }
        assert!(text.contains("Content-Security-Policy"), "{page}");
    }
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    // Only the time at which the run was begun is that of the clock.
    let files = || {
        let mut files = without_sources(&run());
        let index = files.get_mut("index.html").unwrap();
        let (before, begun) = index.split_once("<dt>begun</dt>").unwrap();
        let (_, after) = begun.split_once("</dd>").unwrap();
        *index = format!("{before}{after}");
        files
    };
    assert_eq!(files(), files());
}

const HOSTILE: &str = "<b>&\"'</script>ü数\u{2028}";

#[test]
fn names_are_inserted_as_text_everywhere() {
    let program = Program::default().file(&format!("{HOSTILE}.c"), 1..=3).function(
        &format!("{HOSTILE}.c"),
        HOSTILE,
        1,
        3,
    );
    let side = |of: &[u32]| lines(&format!("{HOSTILE}.c"), of);
    let pair = |relation: &str| Pair::of(relation, vec![side(&[1, 2]), side(&[1, 3])]);
    let pairs = [
        pair(HOSTILE).named(HOSTILE).violated(HOSTILE).on(HOSTILE, [HOSTILE, HOSTILE]),
        pair("swap"),
        Pair::failed("swap", Failure::Invalid, HOSTILE),
    ];
    let settings =
        [("--library".to_owned(), HOSTILE.to_owned()), (HOSTILE.to_owned(), HOSTILE.to_owned())];
    let header =
        Header { command: HOSTILE.to_owned(), settings: settings.into(), ..header(&pairs) };
    let digest = digest_with(program, &header, true, &pairs);
    let (files, _) = pages(&digest, |_| Some(format!("{HOSTILE}\n").repeat(3).into_bytes()));
    for (path, text) in &files {
        if is_of(path, "html") || is_of(path, "svg") {
            assert!(!text.contains("<b>") && !text.contains("&\""), "{path}: {text}");
            let scripts = text.matches("</script>").count();
            assert_eq!(scripts, text.matches("<script ").count(), "{path}");
        }
    }
    let escaped = "&lt;b&gt;&amp;&quot;'&lt;/script&gt;ü数";
    assert!(files["index.html"].contains(&format!("<h1>{escaped}")), "{}", files["index.html"]);
    assert!(files["index.html"].contains("relation=%3Cb%3E%26%22%27%3C%2Fscript%3E%C3%BC"));
    assert!(files["curve.svg"].contains(escaped));
    assert_eq!(data(&files, "run")["relations"][0], HOSTILE);
    assert_eq!(data(&files, "functions")[0][2], HOSTILE);
    assert_eq!(data(&files, "pairs")[0][1], HOSTILE);
    let case = &data(&files, "cases-0")[0];
    assert_eq!((&case["words"], &case["inputs"][0][0][1]), (&HOSTILE.into(), &HOSTILE.into()));
    assert_eq!(data(&files, "setup-0"), HOSTILE);
    // Characters that change lines or the direction of writing are not in the text of sources.
    let text = data(&files, "text-0-0")["text"].as_str().unwrap().to_owned();
    assert_eq!(text, format!("{}\n", HOSTILE.replace('\u{2028}', "\u{fffd}")).repeat(3));
}

#[test]
fn lines_are_in_chunks_of_a_thousand() {
    let chunks = |last: u32| {
        let digest = digest(
            Program::of_lines([1, 1000, 1001, last]),
            &[Pair::ran("swap", &[1, 1000], &[1001, last])],
        );
        let (files, _) = pages(&digest, |_| Some("x\n".repeat(last as usize).into_bytes()));
        let mut rows = Vec::new();
        for number in 0.. {
            let Some(_) = files.get(&format!("data/text-0-{number}.js")) else { break };
            let text = data(&files, &format!("text-0-{number}"));
            let lines: Vec<u64> = text["lines"]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| row[0].as_u64().unwrap())
                .collect();
            rows.push((text["text"].as_str().unwrap().lines().count(), lines));
        }
        rows
    };
    assert_eq!(chunks(2000), [(1000, vec![0, 999]), (1000, vec![0, 999])]);
    assert_eq!(chunks(2001), [(1000, vec![0, 999]), (1000, vec![0]), (1, vec![0])]);
    // A chunk without code has text, but no cover.
    let digest = digest(Program::of_lines([1, 2001]), &[Pair::ran("swap", &[1], &[2001])]);
    let (files, _) = pages(&digest, |_| Some("x\n".repeat(2001).into_bytes()));
    assert_eq!(data(&files, "text-0-1")["lines"], Value::Array(Vec::new()));
    assert!(!files.contains_key("data/cover-0-1.js") && files.contains_key("data/cover-0-2.js"));
}

#[test]
fn a_file_has_a_letter_for_the_state_of_each_line() {
    let digest = digest(
        Program::of_lines([1, 2, 3, 4, 5, 7]),
        &[Pair::ran("swap", &[1, 2, 4], &[1, 3]), Pair::ran("swap", &[1], &[1, 4, 3])],
    );
    let files = without_sources(&digest);
    assert_eq!(data(&files, "file-0")["states"], "xaben n");
    let (files, _) = pages(&digest, |_| Some(b"\n".repeat(9)));
    assert_eq!(data(&files, "file-0")["states"], "xaben n  ", "as long as the text");
}

#[test]
fn a_line_of_several_instances_has_the_most_significant_state() {
    let program =
        Program::default().instance("a.c", "f<double>", 1..=4).instance("a.c", "f<int>", 1..=4);
    let side = |double: &[u32], int: &[u32]| {
        [lines("a.c#f<double>", double), lines("a.c#f<int>", int)].concat()
    };
    // Line 1: one instance on each side. Line 2: executed and not. Lines 3 and 4: in the
    // difference, and not.
    let pair = Pair::of("swap", vec![side(&[1, 2], &[3, 4]), side(&[2, 4], &[1, 4])]);
    let files = without_sources(&digest(program, &[pair]));
    assert_eq!(data(&files, "file-0")["states"], "exab");
    let differing = data(&files, "cases-0")[0]["differing"].clone();
    let of_file = stretches(differing[0][1].as_str().unwrap());
    assert_eq!(of_file, [(1, 2, 1), (3, 4, 1), (4, 5, 2)], "each line once");
}

#[test]
fn missing_and_stale_sources_are_reported() {
    let digest = digest(two_files(), &[Pair::ran("swap", &[1], &[2])]);
    let write =
        |source: Option<&str>| pages(&digest, |_| source.map(|text| text.as_bytes().to_vec())).1;
    assert_eq!(write(None).missing, ["a.c", "b.c"]);
    assert_eq!(write(Some("too short\n")).stale, ["a.c", "b.c"]);
    let written = write(Some(&"line\n".repeat(10)));
    assert!(written.stale.is_empty() && written.missing.is_empty());
}

#[test]
fn sources_in_which_most_functions_moved_are_stale() {
    let program = |count: u32| {
        (0..count).fold(Program::of_lines(1..=60), |program, at| {
            program.function("a.c", &format!("ns::f{at}<int>(T)"), at * 10 + 1, at * 10 + 9)
        })
    };
    let stale = |count, text: &str| {
        let digest = digest(program(count), &[Pair::ran("swap", &[1], &[2])]);
        !pages(&digest, |_| Some(text.as_bytes().to_vec())).1.stale.is_empty()
    };
    let text = |moved: usize| {
        let mut lines = vec!["\n".to_owned(); 80];
        (0..6).for_each(|at| lines[at * 10 + moved] = format!("int f{at}() {{\n"));
        lines.concat()
    };
    assert!(!stale(6, &text(0)) && !stale(6, &text(2)), "a few lines apart is near enough");
    assert!(stale(6, &text(6)));
    assert!(!stale(4, &text(6)), "a few functions are not enough to tell");
}

#[test]
fn an_incomplete_run_says_how_far_it_is() {
    let pairs = [Pair::ran("swap", &[1], &[2])];
    let warning = |planned, complete| {
        let header = Header { planned, ..header(&pairs) };
        let digest = digest_with(Program::of_lines(1..=3), &header, complete, &pairs);
        let index = without_sources(&digest).remove("index.html").unwrap();
        let rest = index.split("<p class=\"warning\">").nth(1)?.to_owned();
        Some(rest.split("</p>").next().unwrap().to_owned())
    };
    let said = |of: &str| Some(format!("The run is not complete: the numbers are of {of}."));
    assert_eq!(warning(Some(1), true), None);
    assert_eq!(warning(Some(7000), false), said("1 of 7,000 pairs"));
    assert_eq!(warning(None, false), said("1 pair"));
}

/// The words on each card.
fn cards(index: &str) -> Vec<String> {
    // The first is the section of all cards.
    let cards = index.split("class=\"card").skip(2);
    let text = |card: &str| {
        let mut text = String::new();
        let mut rest = card.split_once('>').unwrap().1;
        while let Some((before, after)) = rest.split_once('<') {
            text.push_str(before);
            text.push(' ');
            let Some((tag, more)) = after.split_once('>') else { break };
            if tag == "/a" || tag == "/section" {
                break;
            }
            rest = more;
        }
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    cards.map(text).collect()
}

#[test]
fn cards_agree_in_number() {
    let pages = |pair: Pair| {
        let program = Program::of_lines(1..=4)
            .function("a.c", "f", 1, 4)
            .function("a.c", "g", 5, 5)
            .file("a.c", [5]);
        without_sources(&digest(program, &[pair]))
    };
    let pair = Pair::ran("swap", &[1, 2, 5], &[2, 3, 5]);
    let expected = [
        "Cov: executed 80.00 % 4 of 5 lines",
        "MC: checked 40.00 % 2 of 5 lines",
        "MC/Cov 50.00 % 2 of 4",
        "executed, never checked 2 lines; 1 whole function",
        "violations 0 of 1 checked pair",
    ];
    assert_eq!(cards(&pages(pair.clone().holds())["index.html"]), expected);
    let files = pages(pair);
    let expected = [
        "Cov: executed 80.00 % 4 of 5 lines",
        "MC: differ 40.00 % 2 of 5 lines",
        "MC/Cov 50.00 % 2 of 4",
        "executed, never differ 2 lines; 1 whole function",
        "violations – nothing was checked",
    ];
    assert_eq!(cards(&files["index.html"]), expected);
    assert!(files["index.html"].contains("Nothing was checked: the pairs have no judge."));
    for (path, text) in &files {
        let text = text.replace("was checked", "");
        assert!(path.starts_with("assets/") || !text.contains("checked"), "{path}");
    }
    let facts = files["index.html"].split("<dt>code</dt>").nth(1).unwrap();
    assert!(facts.starts_with("<dd>1 file, 2 functions, 7 sites</dd>"), "{facts}");
}

#[test]
fn the_plural_of_branch_is_branches() {
    let program = Program::default().branches("a.c", 1, 2).function("a.c", "first", 1, 5);
    let digest = digest(program, &[Pair::ran("swap", &[1, 2], &[1, 3])]);
    for (path, text) in without_sources(&digest) {
        assert!(!text.contains("branchs"), "{path}");
    }
}

/// Whatever the operation between the sides is, MC is their difference: percentages and counts
/// agree.
#[test]
fn mc_is_of_the_difference_whatever_the_operation() {
    let pairs = [Pair::ran("swap", &[1, 2, 3], &[1, 2, 4]), Pair::ran("shift", &[1], &[1, 5])];
    let of = |operation| {
        let header = Header { operation, ..header(&pairs) };
        let digest = digest_with(Program::of_lines(1..=10), &header, true, &pairs);
        let index = without_sources(&digest).remove("index.html").unwrap();
        index.split("id=\"curve\"").next().unwrap().to_owned()
    };
    let difference = of(metacov_core::Operation::Xor);
    assert!(difference.contains(">30.00 %<") && difference.contains("3 of 10 lines"));
    assert_eq!(of(metacov_core::Operation::And), difference);
    assert_eq!(of(metacov_core::Operation::Or), difference);
}

fn digest_of_lines(last: u32) -> Digest {
    digest(Program::of_lines(1..=last), &[Pair::ran("swap", &[1, 2, 3], &[1, 2, 4])])
}

#[test]
fn shares_of_unlisted_code_are_on_no_page() {
    let mut program = Program::of_lines(1..=10);
    program.table.set_partial(Criterion::Line);
    let digest = digest(program, &[Pair::ran("swap", &[1, 2, 3], &[1, 2, 4])]);
    let index = without_sources(&digest).remove("index.html").unwrap();
    assert!(!index.contains("40.00 %") && !index.contains("20.00 %"), "{index}");
    assert!(index.contains("50.00 %"), "MC/Cov is known");
    assert!(!index.contains("<svg"), "a bar would be of all code");
    let known = digest_of_lines(10);
    assert!(
        without_sources(&known)["index.html"]
            .contains("aria-label=\"2 differ, 2 executed, never differ, 6 not executed\"")
    );
}

/// Decodes what a pair ran from its data, as the scripts do, and compares it with the plan.
fn check_covers(digest: &Digest, pairs: &[Pair]) {
    let files = without_sources(digest);
    let outline = Outline::of(digest);
    let table = &digest.suite.table;
    for (file, of) in outline.files.iter().enumerate() {
        let of_criterion = |wanted| {
            of.sites.iter().copied().filter(move |id| table.get(*id).criterion() == wanted)
        };
        let places: Vec<_> =
            of_criterion(Criterion::Line).chain(of_criterion(Criterion::Branch)).collect();
        let cover = data(&files, &format!("cover-{file}-0"));
        let base = cover["base"].as_str().unwrap();
        assert_eq!(base.len(), places.len());
        for (at, case) in digest.cases.iter().enumerate() {
            let PairEnd::Measured(_) = case.ended else { continue };
            let mut states: Vec<usize> = base.bytes().map(|of| usize::from(of - b'0')).collect();
            let own = cover["pairs"].as_array().unwrap().iter().find(|of| of[0] == at);
            for (start, end, state) in
                own.map_or(Vec::new(), |of| stretches(of[1].as_str().unwrap()))
            {
                states[start..end].fill(state);
            }
            let sides = pairs[at].outcome.as_ref().unwrap();
            for (id, state) in places.iter().zip(states) {
                let site = table.get(*id);
                if site.criterion() != Criterion::Line {
                    continue;
                }
                let place: Place = (of.path.clone(), site.line);
                assert_eq!(state, expected_state(sides, &place), "{place:?} of pair {at}");
            }
        }
    }
}

/// 0: no side, 1: all, 2: only an earlier one, 3: only a later one, 4: both.
fn expected_state(sides: &[Vec<Place>], place: &Place) -> usize {
    let ran: Vec<bool> = sides.iter().map(|side| side.contains(place)).collect();
    let ordered = |first: bool| {
        ran.iter().enumerate().any(|(at, a)| *a == first && ran[at + 1..].contains(&!first))
    };
    match (ordered(true), ordered(false)) {
        (true, true) => 4,
        (true, false) => 2,
        (false, true) => 3,
        (false, false) => usize::from(ran[0]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn covers_of_single_pairs_are_decoded_from_the_data(pairs in any_pairs()) {
        check_covers(&digest(two_files(), &pairs), &pairs);
    }

    /// The differing lines of a pair, by file, with the side that ran them.
    #[test]
    fn differing_lines_are_decoded_from_the_data(pairs in any_pairs()) {
        let digest = digest(two_files(), &pairs);
        let files = without_sources(&digest);
        let paths = ["a.c", "b.c"];
        for (at, pair) in pairs.iter().enumerate() {
            let case = &data(&files, "cases-0")[at];
            let mut found = BTreeSet::new();
            for of in case["differing"].as_array().unwrap() {
                let path = paths[usize::try_from(of[0].as_u64().unwrap()).unwrap()];
                for (start, end, side) in stretches(of[1].as_str().unwrap()) {
                    found.extend((start..end).map(|line| (path, line, side)));
                }
            }
            let mut expected = BTreeSet::new();
            for (path, last) in [("a.c", 10), ("b.c", 4)] {
                for line in 1..=last {
                    let Ok(sides) = &pair.outcome else { continue };
                    let side = match expected_state(sides, &(path.to_owned(), line)) {
                        2 => 1,
                        3 => 2,
                        4 => 3,
                        _ => continue,
                    };
                    expected.insert((path, line as usize, side));
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}

#[test]
fn pairs_beyond_fifty_are_in_another_file() {
    let pairs: Vec<Pair> = (0..51).map(|_| Pair::ran("swap", &[1], &[2])).collect();
    let files = without_sources(&digest(Program::of_lines(1..=2), &pairs));
    let count = |name| data(&files, name).as_array().unwrap().len();
    assert_eq!((count("pairs"), count("cases-0"), count("cases-1")), (51, 50, 1));
}

#[test]
fn numbers_of_functions_are_of_all_relations_and_of_each() {
    let files = without_sources(&run());
    let numbers: Vec<u64> = data(&files, "numbers-line")
        .as_array()
        .unwrap()
        .iter()
        .map(|of| of.as_u64().unwrap())
        .collect();
    // By function: sites; executed and MC sites of all, of shift, of swap.
    let rows: Vec<&[u64]> = numbers.chunks(7).collect();
    assert_eq!(rows, [[5, 4, 2, 3, 0, 4, 2], [5, 3, 2, 3, 2, 0, 0], [4, 0, 0, 0, 0, 0, 0]]);
    let pairs = data(&files, "pairs");
    let verdicts: Vec<&str> =
        pairs.as_array().unwrap().iter().map(|row| row[2].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["measured", "measured", "crashed", "violated"]);
    let shapes: Vec<&str> =
        pairs.as_array().unwrap().iter().map(|row| row[7].as_str().unwrap()).collect();
    assert_eq!(shapes, ["two-sided", "empty", "", "two-sided"]);
}

/// A browser does not show that a write failed, so the caller must.
#[test]
fn a_failed_write_is_returned() {
    let digest = run();
    let mut left = 10;
    let error = html::write(&digest, &|_| None, &mut |_, _| {
        left -= 1;
        if left == 0 { Err(std::io::Error::other("disk full")) } else { Ok(()) }
    });
    assert_eq!(error.unwrap_err().to_string(), "disk full");
}
