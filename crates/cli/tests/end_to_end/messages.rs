//! The messages that users read when something is wrong: what, where, and what to do. The table
//! below is all of standard error.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run::{data, of};

/// Commands that fail, in a folder with the files of [`prepare`].
const COMMANDS: &[&str] = &[
    // diff
    "diff a.json",
    "diff a.json b.json --pairs pairs.jsonl",
    "diff a.json nowhere.json",
    "diff a.json empty",
    "diff a.json text",
    "diff a.json folder",
    "diff a.json b.json --criterion region",
    "diff a.json b.json --criterion word",
    "diff a.json b.json --filter (",
    "diff a.json b.json --prefix-map old",
    "diff a.json b.json --fail-under line",
    "diff a.json b.json --fail-under line=200",
    "diff a.json b.json --fail-under line=99",
    "diff a.json b.json -j 0",
    "diff a.json b.json -o out.xyz",
    "diff a.json b.json -o out.json -o out.info --format csv",
    "diff a.json b.json -o one.metacov -o two.metacov",
    "diff a.json b.json -o nowhere/out.json",
    "diff a.json b.json -o folder",
    "diff a.json b.json -o curve.svg",
    "diff a.json b.json --resume -o out.json",
    "diff --pairs nowhere.jsonl",
    "diff --pairs empty.jsonl",
    "diff --pairs pairs.jsonl",
    "diff --pairs sides.jsonl",
    "diff --pairs twice.jsonl",
    "diff --pairs twice.jsonl -o run.metacov",
    "diff --pairs all.jsonl",
    "diff --pairs -",
    "diff - -",
    "diff a.json b.json --universe -",
    "diff a.json b.json --gcovr-format 0.14 -o out.info",
    // measure, gen
    "measure",
    "measure mysql",
    "measure sqlite --pairs folder",
    "measure sqlite --count 0",
    "measure sqlite --repeat 2",
    "measure sqlite --relation nothing",
    "measure sqlite -- ./prog",
    "measure sqlite@1.0",
    "measure calculator",
    "measure -- true",
    "measure --count 5 -- true",
    "measure --no-coverage -- true",
    "measure --pairs folder --seed 1 -- true",
    "measure --pairs folder --databases 1 -- true",
    "measure --pairs folder --library x.so -- true",
    "measure --pairs inputs --relation nothing -- true",
    "measure --pairs twins -- true",
    "measure --pairs - -- true",
    "measure --pairs folder -- ./text",
    "measure sqlite --no-coverage --filter x",
    "measure sqlite --notes folder",
    "measure --pairs nowhere -- true",
    "measure --pairs folder -- true",
    "measure --pairs folder -- ./nowhere",
    "measure --pairs folder -- nowhere",
    "measure --pairs folder --mode inline -- true",
    "measure --pairs folder --mode exec -- ./library.so",
    "measure --pairs folder --setup nowhere -- true",
    "measure --pairs folder --timeout 0 -- true",
    "measure --pairs folder --timeout soon -- true",
    "measure --pairs folder --memory much -- true",
    "gen sqlite --out full",
    "gen mysql --out pairs",
    // run files
    "report nowhere.metacov",
    "report folder",
    "report empty",
    "report text",
    "report other.db",
    "report -",
    "compare - -",
    "merge -o all.metacov - -",
    "compare nowhere.metacov",
    "compare text -o table.pdf",
    "merge -o all.metacov nowhere.metacov",
    "merge -o all.metacov text folder",
    "locate text",
    "locate sqlite",
    "locate sqlite --a nowhere.sql --b nowhere.sql",
    "locate run.metacov --count 5",
    "locate run.metacov --compare value",
    "overlap text --fix nowhere.diff",
    "overlap text --fix nowhere.diff -j 2",
    "overlap",
    "replay nowhere",
    // studies, fuzz, targets
    "study run nowhere.toml",
    "study run empty",
    "study run kind.toml",
    "study report folder",
    "study bugs nowhere.json",
    "fuzz mysql",
    "fuzz sqlite --duration soon",
    "fuzz sqlite --guidance nothing",
    "fuzz sqlite --known nowhere.toml -o new.metacov",
    "fuzz sqlite --known nowhere.toml --no-findings",
    "target build mysql@1",
    "target build sqlite@1.0",
    "target path calculator@9",
    "nonsense",
];

#[test]
fn messages_say_what_is_wrong_where_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let mut said = String::new();
    for line in COMMANDS {
        let run = of(metacov(folder.path()).args(line.split(' ')));
        assert_ne!(run.code, 0, "{line}");
        // The parser adds hints and usage after an empty line.
        let message = run.stderr.split("\n\n").next().unwrap();
        let _ = writeln!(said, "$ metacov {line}\n{} [{}]", message.trim_end(), run.code);
        for line in message.lines().filter(|line| line.starts_with("error: ")) {
            let text = line.trim_start_matches("error: ");
            assert!(!text.ends_with('.'), "{line}");
            assert!(!text.starts_with(|first: char| first.is_ascii_uppercase()), "{line}");
            assert!(!text.contains("(os error"), "{line}");
            assert!(!text.contains(".metacov-"), "a temporary file: {line}");
        }
    }
    insta::assert_snapshot!(said.replace(folder.path().to_str().unwrap(), "FOLDER"));
}

/// A cache that cannot be used is named.
#[test]
fn a_bad_cache_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let cache = folder.path().join("file/cache");
    let run = of(metacov(folder.path()).env("METACOV_CACHE", &cache).args(["cc", "--print-flags"]));
    assert_ne!(run.code, 0);
    assert!(run.stderr.contains(cache.to_str().unwrap()), "{}", run.stderr);
    assert!(run.stderr.contains("METACOV_CACHE"), "{}", run.stderr);
}

/// git is called with options that the user has not typed.
#[test]
fn a_bad_revision_is_named_as_the_user_typed_it() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    of(Command::new("git").args(["init", "-q"]).current_dir(folder.path())).ok();
    let diff = ["diff", "a.json", "b.json", "-o", "run.metacov", "-q"];
    of(metacov(folder.path()).args(diff)).ok();
    let run = of(metacov(folder.path()).args(["report", "run.metacov", "--diff", "nowhere"]));
    assert_eq!(run.code, 2, "{}", run.stderr);
    let said = run.stderr.lines().find(|line| line.starts_with("error: ")).unwrap();
    assert!(said.starts_with("error: --diff nowhere: git says: "), "{said}");
}

fn metacov(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    command.env("METACOV_CACHE", folder.join("cache")).current_dir(folder);
    command
}

fn prepare(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    for side in ["a", "b"] {
        let name = format!("{side}.json");
        fs::copy(data(&format!("gcovr_json/8.7/{name}")), folder.join(&name)).unwrap();
    }
    write("empty", "");
    write("text", "this is text\n");
    write("library.so", "");
    write("empty.jsonl", "");
    let pair = |a: &str, b: &str| format!(r#"{{"relation":"r","pair":1,"a":{a},"b":{b}}}"#);
    write("pairs.jsonl", &format!("\n{}\n", pair("\"a.json\"", "\"nowhere.json\"")));
    write("sides.jsonl", &pair("\"a.json\"", "[]"));
    let same = pair("\"a.json\"", "\"b.json\"");
    write("twice.jsonl", &format!("{same}\n\n{}\n{same}\n", same.replace(":1", ":2")));
    write("all.jsonl", &same.replace("\"r\"", "\"all\""));
    for folders in ["twins/first", "twins/pair/first", "inputs/sort/first"] {
        fs::create_dir_all(folder.join(folders)).unwrap();
        write(&format!("{folders}/a"), "");
        write(&format!("{folders}/b"), "");
    }
    write("kind.toml", "kind = 'nothing'\n");
    fs::create_dir(folder.join("folder")).unwrap();
    fs::create_dir(folder.join("full")).unwrap();
    write("full/file", "");
    let database = rusqlite::Connection::open(folder.join("other.db")).unwrap();
    database.execute_batch("CREATE TABLE t (c)").unwrap();
}
