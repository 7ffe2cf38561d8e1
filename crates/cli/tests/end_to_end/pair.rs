//! `metacov pair`: the pairs of a run, and one of them, run again alone.

use serde_json::Value;

use crate::measure::folder;
use crate::run::metacov_in;

#[test]
fn a_pair_is_found_shown_and_run_again_alone() {
    let folder = folder(&[
        ("parity/differs", &[("a.txt", "4"), ("b.txt", "fail")]),
        ("parity/crashes", &[("a.txt", "crash"), ("b.txt", "7")]),
        ("same/same", &[("a.txt", "4"), ("b.txt", "6")]),
    ]);
    let metacov = |args: &[&str]| metacov_in(folder.path(), args);
    let program = ["--", "./program", "@@"];
    let measure = ["measure", "--pairs", "pairs", "--timeout", "60"];
    metacov(&[&measure[..], &["-o", "run.metacov"], &program].concat()).ok();
    let list = metacov(&["pair", "run.metacov"]).ok();
    insta::assert_snapshot!(list.stdout, @r"
    relation   name      verdict       MC sites (line)
    parity     crashes   crashed                     -
    parity     differs   not checked                 5
    same       same      not checked                 0
    ");
    let few = metacov(&["pair", "run.metacov", "--text", "^[47]$", "--limit", "1"]).ok();
    assert_eq!(few.row(&["parity"])[1], "crashes");
    assert!(few.stderr.contains("2 more pairs of 3: --limit 3 shows all"), "{}", few.stderr);
    let none = metacov(&["pair", "run.metacov", "--verdict", "violated"]).ok();
    assert_eq!(none.stdout, "");
    assert!(none.stderr.contains("no pair of run.metacov matches"), "{}", none.stderr);
    let crashed = metacov(&["pair", "run.metacov", "parity/crashes"]).ok().stdout;
    assert!(
        crashed.contains("side a (signal 6)") && crashed.contains("\n    crash\n"),
        "{crashed}"
    );

    // The command that it shows runs it alone.
    let one = metacov(&["pair", "run.metacov", "parity/differs", "--json"]).ok().stdout;
    let one: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(one["mc_sites"]["line"], 5, "{one}");
    assert_eq!(one["difference"]["a_only"][0]["file"], "outcomes.c");
    let again = one["rerun"]["command"].as_str().unwrap();
    let words: Vec<&str> = again.split(' ').skip(1).collect();
    let again = metacov(&words).ok();
    assert_eq!(again.row(&["parity", "line"])[5], "5", "{}", again.stdout);
    assert!(!again.stdout.contains("same"), "{}", again.stdout);

    let said = metacov(&["pair", "run.metacov", "parity/none"]).failed(2);
    assert!(said.contains("no pair `parity/none`"), "{said}");
    let wrong = [&measure[..], &["--pair", "parity/none"], &program].concat();
    let said = metacov(&wrong).failed(2);
    assert!(said.contains("pairs: no pair `parity/none`"), "{said}");
}
