//! Known faults: `metacov locate` and `metacov overlap`, compared with real gcov.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::run::{Run, repository};
use crate::sqlite::{Program, faulty, folder, in_folder};

/// How many bugs of a corpus are compared with gcov, which takes seconds for each.
const SAMPLE: usize = 4;

/// The bugs: those of the corpus that `METACOV_CORPUS` names, or the two that the paper prints.
#[expect(clippy::print_stderr, reason = "what is not run is said")]
fn corpus() -> PathBuf {
    let paper = repository().join("examples/bugs/paper.json");
    let corpus = std::env::var_os("METACOV_CORPUS").map(PathBuf::from);
    if corpus.is_none() {
        eprintln!("not run: bugs other than the paper's; METACOV_CORPUS=FILE names a corpus");
    }
    corpus.unwrap_or(paper)
}

fn bugs(path: &PathBuf) -> Vec<Value> {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn text<'v>(bug: &'v Value, field: &str) -> &'v str {
    bug[field].as_str().unwrap()
}

/// Builds the versions of SQLite that bugs need.
fn build(bugs: &[Value]) {
    let versions: BTreeSet<&str> = bugs.iter().map(|bug| text(bug, "version")).collect();
    versions.into_iter().for_each(build_version);
}

/// Builds a version of SQLite; one at a time, because each takes long.
pub fn build_version(version: &str) {
    static BUILDING: Mutex<()> = Mutex::new(());
    let _building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    in_folder(&["target", "build", &format!("sqlite@{version}")]).ok();
}

fn overlap(corpus: &str) -> Run {
    in_folder(&["overlap", "--corpus", corpus]).ok()
}

/// "1 of 2", as in the table.
fn count(executed: usize, differing: usize) -> String {
    if executed == 0 { "-".to_owned() } else { format!("{differing} of {executed}") }
}

#[test]
fn overlap_of_known_bugs_is_that_of_real_gcov() {
    let all = bugs(&corpus());
    // Some of one version, from the first to the last: each version requires a compilation.
    let version = "3.29.0";
    let known: Vec<&Value> = all
        .iter()
        .filter(|bug| text(bug, "version") == version)
        .filter(|bug| !bug["fix_lines"].as_array().unwrap().is_empty())
        .collect();
    let step = known.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<Value> = known.into_iter().step_by(step).cloned().collect();
    assert!(!sample.is_empty());
    build(&sample);
    let path = folder().join("sample.json");
    fs::write(&path, serde_json::to_vec(&sample).unwrap()).unwrap();
    let run = overlap("sample.json");
    let source = in_folder(&["target", "path", &format!("sqlite@{version}")]).ok().stdout;
    let program = Program::of(source.trim().as_ref(), "gcc", &["--coverage"], "known");
    for bug in &sample {
        let id = text(bug, "id");
        let lines = |side: &str| {
            let setup = bug["setup"].as_array().unwrap();
            let statements = setup.iter().map(|statement| statement.as_str().unwrap());
            let statements: Vec<&str> = statements
                .chain([text(bug, side)])
                .map(|statement| statement.trim_end().trim_end_matches(';'))
                .collect();
            let input = folder().join(format!("{id}-{side}.sql"));
            fs::write(&input, format!("{};\n", statements.join(";\n"))).unwrap();
            program.lines(&input)
        };
        let (a, b) = (lines("a"), lines("b"));
        let hits = |kinds: &[&str]| {
            let fix = bug["fix_lines"].as_array().unwrap();
            let of_kind = fix.iter().filter(|fix| kinds.contains(&text(fix, "kind")));
            let numbers = of_kind.flat_map(|fix| {
                let end = |at: usize| fix["amalgamation"][at].as_u64().unwrap();
                end(0)..=end(1)
            });
            let ran: BTreeSet<u64> =
                numbers.filter(|line| a.contains(line) || b.contains(line)).collect();
            let differing = ran.iter().filter(|line| a.contains(line) != b.contains(line)).count();
            count(ran.len(), differing)
        };
        let row = run.row(&[id]);
        let expected = [hits(&["modified"]), hits(&["modified", "insertion-context"])];
        assert_eq!([&row[1], &row[5]], [&expected[0], &expected[1]], "{id}");
    }
}

#[test]
fn the_papers_bugs_overlap_as_it_says() {
    let path = repository().join("examples/bugs/paper.json");
    build(&bugs(&path));
    let run = overlap(path.to_str().unwrap());
    assert_eq!(run.stderr, "", "both violate their relation, and run");
    assert_eq!(run.row(&["a6408d42"])[1], "1 of 1", "its fix is in the difference");
    assert_eq!(run.row(&["6ef984af"])[5], "0 of 1", "its fix is not");
    assert_eq!(run.row(&["all"])[5], "1 of 2 fixes");
    let bug = &bugs(&path)[0];
    let setup: Vec<&str> =
        bug["setup"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    fs::write(folder().join("setup.sql"), setup.join("\n")).unwrap();
    fs::write(folder().join("a.sql"), text(bug, "a")).unwrap();
    fs::write(folder().join("b.sql"), text(bug, "b")).unwrap();
    let locate = |jobs: &str| {
        let pair = ["--setup", "setup.sql", "--a", "a.sql", "--b", "b.sql", "--compare", "value"];
        let options =
            ["--count", "5", "--variants", "100", "--top", "5", "-j", jobs, "-o", "suspects.json"];
        let run = in_folder(&[&["locate", "sqlite@3.29.0"], &pair[..], &options].concat()).ok();
        let written = fs::read_to_string(folder().join("suspects.json")).unwrap();
        (run.stdout, run.stderr, written)
    };
    let once = locate("1");
    assert_eq!(once, locate("2"), "the same whatever the number of workers");
    let (shown, said, written) = once;
    assert!(
        said.contains("a returns 0, b returns 1; ") && said.contains(" are near misses, "),
        "{said}"
    );
    assert_eq!(shown.lines().count(), 13, "two tables of five with their headings: {shown}");
    let report: Value = serde_json::from_str(&written).unwrap();
    let functions = report["bugs"][0]["functions"].as_array().unwrap();
    let at = functions.iter().position(|suspect| suspect["function"] == "exprImpliesNotNull");
    assert!(at.is_some_and(|at| at < 20), "{at:?}");
    assert!(functions[0]["suspicion"].as_f64() >= functions[1]["suspicion"].as_f64());
    let small = ["--count", "2", "--variants", "20"];
    let corpus = ["locate", "--corpus", path.to_str().unwrap()];
    let evaluated = in_folder(&[&corpus[..], &small].concat()).ok();
    let totals = evaluated.stdout.lines().find(|line| line.starts_with("suspicion"));
    assert_eq!(totals.unwrap().split_whitespace().nth(1), Some("2"), "{}", evaluated.stdout);
}

#[test]
fn the_violations_of_a_run_lead_to_a_fault() {
    let library = faulty();
    let suite = ["--relation", "tlp-where", "--count", "20", "--databases", "2"];
    let to = ["--library", library, "--timeout", "120", "-o", "located.metacov"];
    let run = in_folder(&[&["measure", "sqlite", "-q"], &suite[..], &to].concat());
    assert_eq!(run.code, 6, "{}", run.stderr);
    let locate = ["locate", "located.metacov", "--library", library, "--variants", "20"];
    let located = in_folder(&[&locate[..], &["-o", "-"]].concat()).ok();
    let report: Value = serde_json::from_str(&located.stdout).unwrap();
    let pairs = report["bugs"][0]["pairs"].as_array().unwrap();
    assert!(!pairs.is_empty());
    let functions = report["bugs"][0]["functions"].as_array().unwrap();
    let is_at_fault = |suspect: &Value| suspect["function"] == "sqlite3VdbeBooleanValue";
    assert!(functions.iter().any(is_at_fault), "it ran");
    let name = pairs[0]["name"].as_str().unwrap();
    let one = in_folder(&[&locate[..], &["--pair", name, "-o", "one.html"]].concat()).ok();
    let page = fs::read_to_string(folder().join("one.html")).unwrap();
    assert!(page.contains("<h2>Functions</h2>") && page.contains("passing pairs"), "{page}");
    assert!(one.stderr.contains(&format!("note: {name}: ")), "{}", one.stderr);
    let said = in_folder(&[&locate[..], &["--pair", "tlp-where/x"]].concat()).failed(2);
    assert!(said.contains("no violating pair `tlp-where/x`"), "{said}");
    // The fix that its author would make.
    let source = fs::read_to_string(folder().join("faulty/sqlite3.c")).unwrap();
    let wrong = "if( pMem->flags & MEM_Null ) return !ifNull;";
    let line = source.lines().position(|line| line.contains(wrong)).unwrap() + 1;
    let diff = format!(
        "--- a/sqlite3.c\n+++ b/sqlite3.c\n@@ -{line} +{line} @@\n-  {wrong}\n+  {}\n",
        wrong.replace('!', "")
    );
    fs::write(folder().join("fix.diff"), diff).unwrap();
    fs::write(folder().join("lines.txt"), format!("sqlite3.c:{line}\n")).unwrap();
    let of_diff = in_folder(&["overlap", "--fix", "fix.diff", "located.metacov"]).ok();
    let of_list = in_folder(&["overlap", "--fix", "lines.txt", "located.metacov"]).ok();
    assert_eq!(of_diff.stdout, of_list.stdout);
    assert_eq!(of_diff.row(&["sqlite3.c"])[1], "1 of 1");
    let of_pair = ["overlap", "--fix", "fix.diff", "located.metacov", "--pair", name];
    assert!(in_folder(&of_pair).ok().row(&["sqlite3.c"])[1].ends_with("of 1"));
}

#[test]
fn invalid_arguments_of_locate_and_overlap_are_refused() {
    let check = |args: &[&str], code: i32, words: &str| {
        let said = in_folder(args).failed(code);
        assert!(said.contains(words), "{args:?}: {said}");
    };
    fs::write(folder().join("empty.sql"), "-- nothing\n").unwrap();
    fs::write(folder().join("one.sql"), "SELECT 1;\n").unwrap();
    fs::write(folder().join("bad.json"), "[{\"id\": 1}]").unwrap();
    fs::write(folder().join("nonsense.diff"), "--- a\n+++ b\n@@ -1 +1 @@\nx\n").unwrap();
    check(&["locate", "sqlite"], 2, "missing pair: give --a FILE and --b FILE");
    check(
        &["locate", "sqlite", "--a", "empty.sql", "--b", "one.sql"],
        2,
        "no statement in the script",
    );
    check(&["locate", "sqlite", "--a", "none.sql", "--b", "one.sql"], 3, "none.sql");
    let agree = ["locate", "sqlite", "--a", "one.sql", "--b", "one.sql", "--count", "1"];
    check(&agree, 2, "the relation holds: the sides agree");
    check(&["locate", "--corpus", "bad.json"], 3, "bad.json");
    check(&["locate", "none.metacov"], 3, "none.metacov");
    check(&["overlap", "--corpus", "bad.json"], 3, "line 1");
    check(&["overlap", "--fix", "nonsense.diff", "none.metacov"], 3, "line 4");
}
