//! Lists of pairs, and pairs in full.

use metacov_core::{Exit, Failure, SideOutput, StoredInput};
use metacov_report::{FullPair, PairFilter, PairIndex};
use metacov_store::{Header, Settings};
use serde_json::Value;

use crate::support::{Pair, header, run, two_files};

fn pairs() -> Vec<Pair> {
    let mut pairs = vec![
        Pair::ran("swap", &[1, 2, 3], &[1, 2, 4]).holds().on("", ["one", "two"]),
        Pair::ran("swap", &[1, 2, 3], &[1, 2, 3]),
        Pair::ran("shift", &[1, 2, 3, 4, 5, 8], &[1, 2, 6])
            .violated("1 row against 2")
            .on("CREATE\nTABLE", ["SELECT \u{1b}[2J1", "SELECT 2"])
            .named("a b"),
        Pair::failed("shift", Failure::Crashed, "no memory"),
    ];
    let output = |exit, text: &str| SideOutput {
        exits: vec![exit],
        content: text.as_bytes().to_vec(),
        bytes: text.len() as u64,
    };
    let outputs = vec![output(Exit::Success, "1\n"), output(Exit::Failure(3), "")];
    pairs[2].context.outputs = outputs;
    pairs
}

fn command(words: &str, setting: &str) -> Header {
    let settings: Settings = [(setting.to_owned(), String::new())].into();
    Header { command: words.to_owned(), settings, ..header(&pairs()) }
}

fn full(name: &str, header: &Header) -> FullPair {
    let (_folder, run) = run(two_files(), header, &pairs());
    let stored = run.find(name).unwrap().unwrap();
    FullPair::of(&run, &stored).unwrap()
}

#[test]
fn pairs_that_need_attention_come_first() {
    let (_folder, run) = run(two_files(), &header(&pairs()), &pairs());
    let table = |filter: PairFilter, limit| {
        PairIndex::of(&run, &filter).unwrap().table(limit).to_terminal(false)
    };
    insta::assert_snapshot!(table(PairFilter::default(), 10), @r"
    relation   name   verdict       MC sites (line)   violation
    shift      a b    violated                    5   1 row against 2
    shift      3      crashed                     -
    swap       1      not checked                 0
    swap       0      holds                       2
    ");
    let relations = vec!["swap".to_owned()];
    insta::assert_snapshot!(table(PairFilter { relations, ..PairFilter::default() }, 1), @r"
    relation   name   verdict       MC sites (line)
    swap       1      not checked                 0
    ");
    let verdicts = vec!["crashed".to_owned(), "violated".to_owned()];
    assert_eq!(table(PairFilter { verdicts, ..PairFilter::default() }, 10).lines().count(), 3);
    let text = Some(regex::bytes::Regex::new("^tw").unwrap());
    let filter = PairFilter { text, ..PairFilter::default() };
    insta::assert_snapshot!(table(filter, 10), @r"
    relation   name   verdict   MC sites (line)
    swap       0      holds                   2
    ");
}

#[test]
fn a_list_says_how_many_it_leaves_out() {
    let (_folder, run) = run(two_files(), &header(&pairs()), &pairs());
    let index = PairIndex::of(&run, &PairFilter::default()).unwrap();
    assert_eq!(index.note(4), None);
    assert_eq!(index.note(1).unwrap(), "3 more pairs of 4: --limit 4 shows all");
    let json: Value = serde_json::from_str(&index.to_json(1)).unwrap();
    assert_eq!((&json["all_pairs"], &json["matching_pairs"]), (&4.into(), &4.into()));
    assert_eq!(json["pairs"].as_array().unwrap().len(), 1);
    assert_eq!(json["pairs"][0]["mc_sites"]["line"], 5);
    let filter = PairFilter { relations: vec!["other".to_owned()], ..PairFilter::default() };
    let none = PairIndex::of(&run, &filter).unwrap().note(1).unwrap();
    assert_eq!(none, "no pair of run.metacov matches, of 4 pairs");
}

#[test]
fn a_pair_in_full_has_all_that_is_stored() {
    let made = "metacov measure --pairs dir -o run.metacov --resume -- ./prog '@@ x'";
    let pair = full("shift/a b", &command(made, "the command"));
    insta::assert_snapshot!(pair.to_terminal(), @r"
    pair shift/a b: violated: 1 row against 2

    setup
        CREATE
        TABLE

    a: in
        SELECT �[2J1

    a, output, exit code 0
        1

    b: in
        SELECT 2

    b, output, exit code 3 (empty)

    MC sites: 5 line, 2 branch, 1 function
      a only: a.c:3-5, 8
      b only: a.c:6

    run this pair again:
        metacov measure --pairs dir --pair 'shift/a b' -- ./prog '@@ x'
    ");
    let json: Value = serde_json::from_str(&pair.to_json()).unwrap();
    assert_eq!(json["difference"]["a_only"][0]["lines"][0], serde_json::json!([3, 5]));
    assert_eq!(json["sides"][1]["inputs"][0]["text"], "SELECT 2");
    assert_eq!(json["sides"][0]["output"]["text"], "1\n");
}

#[test]
fn a_pair_that_failed_says_how() {
    let text = full("shift/3", &header(&pairs())).to_terminal();
    insta::assert_snapshot!(text, @r"
    pair shift/3: crashed
    pair 3 of shift, side b (signal 11): no memory
    ");
}

#[test]
fn generated_pairs_are_run_again_with_those_of_their_relation() {
    let made = "metacov measure sqlite --seed 7 --relation swap,shift --output=run.metacov";
    let text = full("swap/1", &command(made, "the engine")).to_terminal();
    assert!(text.contains("MC sites: none, both sides run the same code\n"), "{text}");
    let again = "run all pairs of its relation again:\n    \
                 metacov measure sqlite --seed 7 --relation swap\n";
    assert!(text.ends_with(again), "{text}");
    // A campaign, and a file that a person has edited.
    for (made_by, command) in [("fuzz", made), ("measure", "metacov 'measure")] {
        let settings: Settings = [("the engine".to_owned(), String::new())].into();
        let command = command.to_owned();
        let header = Header { made_by: made_by.to_owned(), command, settings, ..header(&pairs()) };
        assert!(!full("swap/1", &header).to_terminal().contains("again"));
    }
}

#[test]
fn what_is_no_text_is_shown_in_hexadecimal() {
    let mut pairs = pairs();
    let input = |bytes: &[u8]| vec![StoredInput::new(String::new(), bytes.to_vec())];
    let mut long = vec![0xe4; StoredInput::BYTES_MAX + 1];
    pairs[0].context.inputs = vec![input(b"\x7fELF\0"), input(&long)];
    long.fill(b'x');
    pairs[1].context.inputs = vec![input(b""), input(&long)];
    let (_folder, run) = run(two_files(), &header(&pairs), &pairs);
    let text =
        |name: &str| FullPair::of(&run, &run.find(name).unwrap().unwrap()).unwrap().to_terminal();
    let hex = text("swap/0");
    assert!(hex.contains("a: (not text: 5 bytes)\n    7f454c4600\n"), "{hex}");
    let cut = format!("b: (not text: the first 32 of 65537 bytes)\n    {}\n", "e4".repeat(32));
    assert!(hex.contains(&cut), "{hex}");
    let long = text("swap/1");
    assert!(long.contains("a: (empty)\n"), "{long}");
    assert!(long.contains("b: (the first 65536 of 65537 bytes)\n"), "{long}");
}
