//! `metacov measure sqlite`: generated databases and pairs, compared with real gcov.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use metacov_runtime::COUNTING_LEVEL;
use serde_json::Value;

use crate::run::{Run, of, repository};

/// How many pairs of each relation are compared with gcov, which takes seconds for each;
/// `METACOV_PAIRS=50` changes the number.
fn pairs() -> String {
    std::env::var("METACOV_PAIRS").unwrap_or_else(|_| "1".to_owned())
}

/// A folder that all tests share, with SQLite's source and a separate cache.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sqlite");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        metacov_targets::sqlite::unpack(&folder.join("cache")).unwrap();
        folder
    })
}

fn measure(args: &[&str]) -> Run {
    in_folder(&[&["measure", "sqlite", "-q"], args].concat())
}

/// Runs metacov with a separate cache.
pub fn in_folder(args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    command.env("METACOV_CACHE", folder().join("cache"));
    of(command.current_dir(folder()).args(args))
}

#[test]
fn the_same_seed_gives_the_same_bytes_whatever_the_number_of_workers() {
    let run = |jobs: &str| {
        let args = ["--count", "6", "--databases", "3", "--seed", "7", "-j", jobs];
        let run = measure(&[&args[..], &["--format", "json", "-o", jobs]].concat()).ok();
        (run.stdout, fs::read_to_string(folder().join(jobs)).unwrap())
    };
    let first = run("1");
    assert!(first.0.contains("norec") && first.0.contains("tlp-aggregate"), "{}", first.0);
    assert_eq!(first, run("2"));
    assert_eq!(first, run("3"));
    let other = measure(&["--count", "6", "--databases", "3", "--seed", "8"]).ok();
    assert_ne!(other.stdout, first.0, "another seed makes other tests");
}

#[test]
fn an_interrupted_run_resumes_to_the_same_result() {
    let suite = ["--relation", "norec,tlp-where", "--count", "100", "--databases", "10"];
    let whole = measure(&suite).ok().stdout;
    let cut = folder().join("cut.metacov");
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    command.current_dir(folder()).env("METACOV_CACHE", folder().join("cache"));
    command.args(["measure", "sqlite", "-q", "-j", "1"]).args(suite);
    let mut child = command.args(["-o", "cut.metacov"]).spawn().unwrap();
    while child.try_wait().unwrap().is_none() && !cut.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // Killed after a pair is stored, and before all of them are.
    let stored = || {
        let file = rusqlite::Connection::open(&cut).unwrap();
        let count = file.query_row("SELECT count(*) FROM pair", [], |row| row.get::<_, i64>(0));
        count.unwrap_or(0)
    };
    while child.try_wait().unwrap().is_none() && stored() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!((1..200).contains(&stored()), "{} pairs were stored", stored());
    let go_on = [&suite[..], &["-o", "cut.metacov", "--resume"]].concat();
    assert_eq!(measure(&go_on).ok().stdout, whole);
}

/// The pairs as files, each side in a separate process, counted by libgcov and reported by gcov:
/// the same lines, for each relation.
#[test]
fn lines_are_those_of_real_gcov_with_a_process_for_each_side() {
    let program = Program::build("gcc", &["--coverage"], "plain");
    let pairs = pairs();
    let suite = ["--count", &pairs, "--databases", "2", "--seed", "3"];
    let written = [&["gen", "sqlite", "--out", "gcov-pairs"][..], &suite].concat();
    in_folder(&written).ok();
    let mut compared = Vec::new();
    for relation in fs::read_dir(folder().join("gcov-pairs")).unwrap() {
        let relation = relation.unwrap();
        let name = relation.file_name().into_string().unwrap();
        let mut right = BTreeSet::new();
        let mut valid = 0;
        for pair in fs::read_dir(relation.path()).unwrap() {
            let side = |name: &str| program.lines(&pair.as_ref().unwrap().path().join(name));
            let (a, b) = (side("a.sql"), side("b.sql"));
            right.extend(a.symmetric_difference(&b).copied());
            valid += 1;
        }
        let output = format!("{name}.info");
        let only = ["--relation", &name, "-o", &output];
        let run = measure(&[&suite[..], &only].concat()).ok();
        // A pair without a verdict is left out, which gcov does not know. A single pair has no
        // column.
        let has_column = run.stdout.lines().next().unwrap().contains(" pairs ");
        let measured = if has_column { run.row(&[&name])[1].clone() } else { "1".to_owned() };
        if measured != valid.to_string() {
            continue;
        }
        let text = fs::read_to_string(folder().join(output)).unwrap();
        let counted = text.lines().filter_map(|line| line.strip_prefix("DA:")?.split_once(','));
        let ours: BTreeSet<u64> = counted
            .filter(|(_, count)| *count != "0")
            .map(|(line, _)| line.parse().unwrap())
            .collect();
        assert_eq!(ours, right, "{name}");
        compared.push(name);
    }
    assert!(compared.len() >= 6, "only of {compared:?} all pairs could be compared");
}

/// The same pairs through `measure --pairs`, with an ordinary program.
#[test]
fn written_pairs_give_the_same_measurements() {
    let program = Program::build(env!("CARGO_BIN_EXE_metacov"), &["cc"], "counting");
    let suite = ["--relation", "norec", "--count", "6", "--databases", "2"];
    in_folder(&[&["gen", "sqlite", "--out", "norec-pairs"][..], &suite].concat()).ok();
    let filter = ["--filter", "(.*/)?sqlite3.c"];
    let target = ["--", program.path.to_str().unwrap(), "@@"];
    let by_files = ["measure", "-q", "--pairs", "norec-pairs"];
    let by_files = in_folder(&[&by_files[..], &filter, &target].concat()).ok();
    let embedded = measure(&suite).ok();
    for criterion in ["line", "branch", "function"] {
        let difference = |run: &Run| {
            let mut rows = run.stdout.lines().filter(|line| line.contains(criterion));
            let cells: Vec<String> =
                rows.next().unwrap().split_whitespace().map(str::to_owned).collect();
            let at = cells.iter().position(|cell| cell == criterion).unwrap();
            // All sites, and those that differ. The executed sites may differ in one or two places,
            // where SQLite compares addresses, which are those of another process.
            (cells[at + 1].clone(), cells[at + 5].clone())
        };
        assert_eq!(difference(&by_files), difference(&embedded), "{criterion}");
    }
}

/// A library that treats NULL as true where it is false: its violations are reported with their
/// queries, both by the run and by the report of its file.
#[test]
fn violations_are_reported_by_the_run_and_by_its_file() {
    let library = faulty();
    let suite = ["--relation", "tlp-where", "--count", "20", "--databases", "2"];
    let faulty = ["--library", library, "-o", "faulty.metacov"];
    let run = in_folder(&[&["measure", "sqlite"], &suite[..], &faulty].concat());
    let (code, said) = (run.code, run.stderr);
    assert_eq!(code, 6, "{said}");
    assert!(said.contains("violated: pair ") && said.contains("a: SELECT "), "{said}");
    let violations = |said: &str| -> Vec<String> {
        let lines = said.lines().skip_while(|line| !line.contains("violated: "));
        lines.map(str::to_owned).collect()
    };
    let reported = in_folder(&["report", "faulty.metacov"]);
    assert_eq!((reported.code, reported.stdout), (6, run.stdout));
    assert_eq!(violations(&reported.stderr), violations(&said));
}

/// The engine in `tests/targets/engine` crashes or hangs on some pairs. All others are measured or
/// checked, for any number of workers.
#[test]
fn an_engine_that_crashes_or_hangs_does_not_affect_other_pairs() {
    let folder = folder().join("engine");
    fs::create_dir_all(&folder).unwrap();
    for source in ["engine/engine.c", "interface/sqlite.h"] {
        let source = repository().join("tests/targets").join(source);
        fs::copy(&source, folder.join(source.file_name().unwrap())).unwrap();
    }
    in_folder(&["cc", "-O0", "-fPIC", "-shared", "engine/engine.c", "-o", "engine/libengine.so"])
        .ok();
    let suite = ["--relation", "tlp-where", "--count", "80", "--databases", "16", "--seed", "4"];
    let run = |options: &[&str]| {
        let library = ["--library", "engine/libengine.so", "--timeout", "1", "-v"];
        let run = in_folder(&[&["measure", "sqlite"], &suite[..], &library, options].concat());
        (run.stdout, run.stderr)
    };
    let (alone, said) = run(&["--no-coverage", "-j", "1"]);
    assert_eq!(run(&["--no-coverage", "-j", "3"]).0, alone);
    let cells: Vec<u64> = alone
        .lines()
        .last()
        .unwrap()
        .split_whitespace()
        .filter_map(|cell| cell.parse().ok())
        .collect();
    let [pairs, held, violated, invalid, crashed, late] = cells[..] else { panic!("{alone}") };
    assert_eq!((pairs, violated, invalid), (80, 0, 0), "{alone}");
    assert!(held > 20 && crashed > 5 && late > 0, "{alone}");
    assert_eq!(held + crashed + late, pairs, "{alone}");
    assert!(said.contains(" pairs of tlp-where: while its database was made"), "{said}");
    // The same with coverage; the side and the place of each failure are reported.
    let (measured, said) = run(&["-j", "2", "--criterion", "line"]);
    let failures = |what: &str| said.matches(&format!("note: {what}: pair ")).count() as u64;
    assert_eq!((failures("crashed"), failures("timed out")), (crashed, late), "{said}");
    let row = measured.lines().last().unwrap();
    assert!(row.starts_with("tlp-where") && row.contains(&format!(" {held} ")), "{measured}");
}

#[test]
fn invalid_arguments_of_measure_are_refused() {
    let said = measure(&["--relation", "nonsense"]).failed(2);
    assert!(said.contains("`nonsense` is not a relation (all, norec, "), "{said}");
    let said = measure(&["--pairs", "folder"]).failed(2);
    assert!(said.contains("use --count N"), "{said}");
    let said = measure(&["--library", "nowhere.so", "--count", "1"]).failed(3);
    assert!(said.contains("nowhere.so"), "{said}");
    let said = measure(&["--setup", "schema.sql"]).failed(2);
    assert!(said.contains("--setup goes with a command"), "{said}");
    let said = in_folder(&["measure", "mysql"]).failed(2);
    assert!(said.contains("`mysql` is not a target"), "{said}");
    let said = in_folder(&["measure", "sqlite@3.24.0"]).failed(2);
    assert!(said.contains("metacov target build sqlite@3.24.0"), "{said}");
    let said = in_folder(&["measure", "sqlite", "--", "./prog"]).failed(2);
    assert!(said.contains("both a target and a command"), "{said}");
}

/// A library with an SQLite that treats NULL as the wrong truth value.
pub fn faulty() -> &'static str {
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = folder().join("faulty");
        fs::create_dir_all(&folder).unwrap();
        let unpacked = metacov_targets::sqlite::unpack(&self::folder().join("cache")).unwrap();
        let source = fs::read_to_string(unpacked.join("sqlite3.c")).unwrap();
        let right = "if( pMem->flags & MEM_Null ) return ifNull;";
        assert_eq!(source.matches(right).count(), 1);
        fs::write(
            folder.join("sqlite3.c"),
            source.replace(right, &right.replace("ifNull", "!ifNull")),
        )
        .unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
        command.current_dir(&folder).env("METACOV_CACHE", self::folder().join("cache"));
        command
            .args(["cc", "-O1", "-fPIC", "-w", "-shared"])
            .args(metacov_targets::sqlite::OPTIONS);
        of(command.args(["sqlite3.c", "-o", "libfaulty.so", "-lm"])).ok();
    });
    "faulty/libfaulty.so"
}

/// SQLite with a program that runs statements, as users would build it.
pub struct Program {
    path: PathBuf,
}

impl Program {
    fn build(compiler: &str, words: &[&str], name: &str) -> Self {
        let unpacked = metacov_targets::sqlite::unpack(&folder().join("cache")).unwrap();
        Program::of(&unpacked, compiler, words, name)
    }

    /// Builds it with the SQLite whose source is in a folder.
    pub fn of(source: &Path, compiler: &str, words: &[&str], name: &str) -> Self {
        let folder = folder().join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::copy(source.join("sqlite3.c"), folder.join("sqlite3.c")).unwrap();
        fs::copy(source.join("sqlite3.h"), folder.join("sqlite3.h")).unwrap();
        fs::write(folder.join("statements.c"), metacov_targets::sqlite::STATEMENTS).unwrap();
        let mut command = Command::new(compiler);
        command.current_dir(&folder).env("METACOV_CACHE", self::folder().join("cache"));
        command.args(words).args(COUNTING_LEVEL).args(["-fPIC", "-w"]);
        command.args(metacov_targets::sqlite::OPTIONS);
        command.args(["-c", "sqlite3.c", "statements.c"]);
        of(&mut command).ok();
        let mut command = Command::new(compiler);
        command.current_dir(&folder).env("METACOV_CACHE", self::folder().join("cache"));
        command.args(words).args(["sqlite3.o", "statements.o", "-o", "program", "-lm"]);
        of(&mut command).ok();
        Program { path: folder.join("program") }
    }

    /// The lines of SQLite that a file of statements runs, according to gcov.
    pub fn lines(&self, input: &Path) -> BTreeSet<u64> {
        let folder = self.path.parent().unwrap();
        for unit in ["sqlite3.gcda", "statements.gcda"] {
            let _ = fs::remove_file(folder.join(unit));
        }
        of(Command::new(&self.path).arg(input)).ok();
        let mut gcov = Command::new("gcov");
        gcov.current_dir(folder).args(["--json-format", "--stdout", "sqlite3.gcda"]);
        let report: Value = serde_json::from_str(&of(&mut gcov).ok().stdout).unwrap();
        let files = report["files"].as_array().unwrap();
        let lines = files.iter().flat_map(|file| file["lines"].as_array().unwrap());
        let ran = lines.filter(|line| line["count"].as_u64().unwrap() > 0);
        ran.map(|line| line["line_number"].as_u64().unwrap()).collect()
    }
}
