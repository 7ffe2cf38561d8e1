//! Reports for people: curves, badges, numbers, and the code that a change leaves unchecked.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run::{metacov_in, of};
use crate::suites::report;

fn git(folder: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(folder).args(["-c", "user.name=x", "-c", "user.email=x"]).args(args);
    of(git.env("GIT_CONFIG_GLOBAL", "/dev/null")).ok();
}

/// A repository with a file of ten lines, of which 4 to 8 are new, and a run of two pairs in it: 1,
/// 3, 4, 5 and 8 are executed by both, 2 and 7 are MC sites.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
    fs::write(path.join("x.c"), text.replace("4\n5\n6\n7\n8\n", "")).unwrap();
    git(path, &["init", "-q", "-b", "main"]);
    git(path, &["add", "x.c"]);
    git(path, &["commit", "-q", "-m", "first"]);
    fs::write(path.join("x.c"), text).unwrap();
    report(path, "1a", &[1, 2, 3, 4, 5, 8]);
    report(path, "1b", &[1, 3, 4, 5, 8]);
    report(path, "2a", &[1, 7]);
    report(path, "2b", &[1]);
    let manifest = r#"{"relation": "swap", "pair": 1, "a": "1a", "b": "1b"}
{"relation": "swap", "pair": 2, "a": "2a", "b": "2b"}
"#;
    fs::write(path.join("pairs.jsonl"), manifest).unwrap();
    metacov_in(path, &["diff", "--pairs", "pairs.jsonl", "-o", "run.metacov"]).ok();
    folder
}

#[test]
fn only_changed_lines_count() {
    let folder = repository();
    let run = metacov_in(folder.path(), &["report", "run.metacov", "--diff", "main"]).ok();
    let row = run.row(&["swap"]);
    // Of five changed lines, one is an MC site, three are executed by both and one is not executed.
    assert_eq!(row[3..], ["5", "1", "0", "3", "1", "1", "20.00 %", "25.00 %"], "{row:?}");
}

#[test]
fn annotations_name_changed_lines_that_run_and_never_differ() {
    let folder = repository();
    let args = ["report", "run.metacov", "--diff", "main", "-o", "-", "--format", "github"];
    let run = metacov_in(folder.path(), &args).ok();
    insta::assert_snapshot!(run.stdout, @"
    ::warning file=x.c,line=4,endLine=5,title=Executed%2C no difference::These 2 lines run, but no pair of tests differs in them. Nothing was checked: the pairs have no judge.
    ::warning file=x.c,line=8,endLine=8,title=Executed%2C no difference::This line runs, but no pair of tests differs in it. Nothing was checked: the pairs have no judge.
    ");
    let args = ["report", "run.metacov", "--diff", "main", "-o", "-", "--format", "markdown"];
    let run = metacov_in(folder.path(), &args).ok();
    assert!(run.stdout.contains("Only code that was changed since `main` counts."));
    assert!(
        run.stdout.contains("### Executed, no difference: 3 lines\n\n- `x.c:4-5`\n- `x.c:8`\n")
    );
}

#[test]
fn no_changed_lines_and_unknown_revisions_are_reported() {
    let folder = repository();
    git(folder.path(), &["commit", "-q", "-a", "-m", "second"]);
    let run = metacov_in(folder.path(), &["report", "run.metacov", "--diff", "main"]).ok();
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("no code of this run was changed since main"));
    // Requested files are written, also if there is nothing in them, and no threshold applies.
    let files = ["-o", "empty.md", "-o", "empty.csv", "--html", "empty", "--fail-under", "line=90"];
    metacov_in(folder.path(), &[&["report", "run.metacov", "--diff", "main"], &files[..]].concat())
        .ok();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("empty.md").contains("Only code that was changed since `main` counts."));
    assert_eq!(read("empty.csv").lines().skip(1).filter(|line| !line.contains(",0,0,")).count(), 0);
    assert!(read("empty/index.html").contains("</html>"));
    let annotations = ["report", "run.metacov", "--diff", "main", "-o", "-", "--format", "github"];
    assert_eq!(metacov_in(folder.path(), &annotations).ok().stdout, "");
    let said = metacov_in(folder.path(), &["report", "run.metacov", "--diff", "nowhere"]).failed(2);
    assert!(said.contains("nowhere"), "{said}");
    let said = metacov_in(folder.path(), &["report", "run.metacov", "--diff=-x"]).failed(2);
    assert!(said.contains("--diff -x: not a commit or branch"), "{said}");
}

#[test]
fn curves_badges_and_numbers_are_written_with_the_summary() {
    let folder = repository();
    let outputs = ["-o", "summary.md", "-o", "curve.svg", "-o", "our-badge.svg", "-o", "n.csv"];
    metacov_in(folder.path(), &[&["report", "run.metacov"][..], &outputs].concat()).ok();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("summary.md").contains("![Metamorphic coverage against pairs](curve.svg)"));
    assert!(read("curve.svg").contains("MC, in % of all lines"));
    assert!(read("our-badge.svg").contains("MC: 20.0 % of lines"));
    insta::assert_snapshot!(read("n.csv"), @"
    relation,criterion,pairs,judged,violated,crashed,timed_out,invalid,no_counters,did_not_run,sites,executed,a_only,b_only,either,both,mc_sites,flaky
    swap,line,2,0,0,0,0,0,0,0,10,7,2,0,0,5,2,0
    ");
    let pairs = ["diff", "--pairs", "pairs.jsonl", "-o", "curve.svg"];
    let said = metacov_in(folder.path(), &pairs).failed(2);
    assert!(said.contains("a plot (.svg) needs a run file: add -o RUN.metacov"), "{said}");
    let with_run = [&pairs[..], &["-o", "again.metacov", "--quiet"]].concat();
    let drawn = read("curve.svg");
    metacov_in(folder.path(), &with_run).ok();
    assert_eq!(read("curve.svg"), drawn, "the same run is the same picture");
}

/// The same lines count if the file was edited after it was measured, and it is said.
#[test]
fn lines_are_those_of_the_source_as_it_was_measured() {
    let folder = repository();
    let args = ["report", "run.metacov", "--diff", "main", "-o", "-", "--format", "github"];
    let before = metacov_in(folder.path(), &args).ok();
    let file = folder.path().join("x.c");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("new\nnew\n{text}")).unwrap();
    let after = metacov_in(folder.path(), &args).ok();
    assert_eq!(after.stdout, before.stdout);
    assert!(!before.stderr.contains("changed since measured"), "{}", before.stderr);
    assert!(
        after.stderr.contains("note: changed since measured: x.c; lines are"),
        "{}",
        after.stderr
    );
    // A file that git does not know yet has no changed lines, as in git.
    git(folder.path(), &["rm", "-q", "--cached", "x.c"]);
    git(folder.path(), &["commit", "-q", "-m", "second"]);
    let run = metacov_in(folder.path(), &["report", "run.metacov", "--diff", "main"]).ok();
    assert!(run.stderr.contains("no code of this run was changed"), "{}", run.stderr);
}
