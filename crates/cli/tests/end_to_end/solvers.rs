//! SMT solvers. The first run needs cargo's and pip's package indexes, and compiles Boolector, which
//! takes a minute.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use crate::gcov_program::{GcovProgram, Lines, counted_lines};
use crate::run::{self, Run, repository};

/// Solvers that were built or fetched, which outlive a run of the tests.
static CACHE: LazyLock<PathBuf> =
    LazyLock::new(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("solvers"));

static BOOLECTOR: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    metacov(folder.path(), &["target", "build", "boolector"]).ok();
    PathBuf::from(metacov(folder.path(), &["target", "path", "boolector"]).ok().stdout.trim())
});

static RELEASES: LazyLock<()> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    for name in ["z3", "z3@4.8.6"] {
        metacov(folder.path(), &["target", "build", name, "--no-coverage"]).ok();
    }
});

fn metacov(folder: &Path, args: &[&str]) -> Run {
    metacov_with(&CACHE, folder, args)
}

fn metacov_with(cache: &Path, folder: &Path, args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    run::of(command.env("METACOV_CACHE", cache).current_dir(folder).args(args))
}

#[test]
fn a_solver_that_is_not_there_is_named() {
    let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
        let command = command.env("METACOV_CACHE", cache.path()).current_dir(folder.path());
        run::of(command.args(args))
    };
    let said = run(&["measure", "z3", "--no-coverage"]).failed(2);
    assert!(said.contains("metacov target build z3"), "{said}");
    let said = run(&["target", "build", "z3"]);
    assert!(said.stderr.contains("--no-coverage fetches the release"), "{said:?}");
    let installed: [&[&str]; 2] = [&["smt"], &["smt", "--no-coverage"]];
    for words in installed {
        let said = run(&[&["target", "build"], words].concat());
        assert!(said.stderr.contains("--command 'z3 -smt2 @@'"), "{said:?}");
    }
    let said =
        run(&["measure", "smt", "--no-coverage", "--command", "no-such-solver @@"]).failed(2);
    assert!(said.contains("there is no program `no-such-solver`"), "{said}");
    let list = run(&["target", "list"]).ok().stdout;
    assert!(list.contains("z3@4.8.6    not built\n"), "{list}");
}

/// CVC4 with counters needs programs, which are looked for in an empty folder.
#[test]
fn what_a_build_needs_is_named() {
    let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    command.env("METACOV_CACHE", cache.path()).env("PATH", folder.path());
    let said = run::of(command.args(["target", "build", "cvc4"]));
    assert_ne!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("apt-get install antlr3 cmake make patch"), "{said:?}");
}

#[test]
fn relations_hold_on_a_release_and_on_a_command() {
    LazyLock::force(&RELEASES);
    let folder = tempfile::tempdir().unwrap();
    let program = metacov(folder.path(), &["target", "path", "z3"]).ok().stdout;
    let command = format!("{}/z3 -smt2 @@", program.trim());
    let small = ["--no-coverage", "--count", "5", "--databases", "2", "-j", "2", "--timeout", "20"];
    let release = metacov(folder.path(), &[&["measure", "z3"], &small[..]].concat()).ok();
    let row = release.row(&["all", "20"]);
    assert_eq!(row[3], "0", "violated: {row:?}");
    assert!(row[2].parse::<u32>().unwrap() >= 10, "held: {row:?}");
    let by_command = ["measure", "smt", "--command", &command, "--relation", "sae"];
    let by_command = metacov(folder.path(), &[&by_command[..], &small].concat()).ok();
    assert_eq!(by_command.row(&["sae", "5"]), release.row(&["sae", "5"]));
}

#[test]
fn campaigns_run_with_and_without_coverage() {
    LazyLock::force(&RELEASES);
    LazyLock::force(&BOOLECTOR);
    let folder = tempfile::tempdir().unwrap();
    let small = ["--count", "24", "--database-pairs", "12", "-j", "2", "--timeout", "20"];
    let fuzz = ["fuzz", "boolector", "-o", "boolector.metacov"];
    metacov(folder.path(), &[&fuzz[..], &small].concat()).ok();
    let fuzz = ["fuzz", "z3", "--no-coverage", "--guidance", "none", "-o", "z3.metacov"];
    metacov(folder.path(), &[&fuzz[..], &small].concat()).ok();
}

/// The releases are shell scripts, two of which always give the same answer.
#[test]
fn answers_of_several_solvers_are_compared_on_each_test() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let releases = [
        ("z3-4.8.6-release/z3", "sat"),
        ("z3-5.4.0-release/z3", "unsat"),
        ("cvc4-1.8-release/usr/bin/cvc4", "unsat"),
    ];
    for (program, answer) in releases {
        let program = cache.join(program);
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        fs::write(&program, format!("#!/bin/sh\necho {answer}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
        run::of(command.current_dir(folder.path()).env("METACOV_CACHE", &cache).args(words))
    };
    let small = ["--no-coverage", "--guidance", "none", "--relation", "sae", "-j", "1"];
    let fuzz = |solvers: &[&str], output: &str| {
        let limits = ["--count", "2", "--database-pairs", "2", "-o", output];
        run(&[&["fuzz"], solvers, &small, &limits].concat())
    };
    fuzz(&["z3", "cvc4"], "same.metacov").ok();
    let found = fuzz(&["z3@4.8.6", "cvc4"], "other.metacov");
    assert_eq!(found.code, 6, "{found:?}");
    let replayed = run(&["replay", "other.findings"]);
    let how = "a is sat for z3@4.8.6, unsat for cvc4";
    let text = format!("{}{}{}{}", found.stdout, found.stderr, replayed.stdout, replayed.stderr);
    assert!(text.contains(how), "{text}");
    let one = ["fuzz", "z3", "cvc4", "--library", "x", "--no-coverage"];
    let said = run(&one).failed(2);
    assert!(said.contains("--library and --command go with one target"), "{said}");
    let said = run(&["fuzz", "z3", "sqlite", "--no-coverage", "--guidance", "none"]).failed(2);
    assert!(said.contains("z3 and sqlite cannot run the same tests"), "{said}");
}

#[test]
fn seeds_of_the_user_are_used() {
    LazyLock::force(&RELEASES);
    let folder = tempfile::tempdir().unwrap();
    for (label, operator) in [("sat", ">"), ("unsat", "distinct marker")] {
        let seeds = folder.path().join("seeds").join(label);
        fs::create_dir_all(&seeds).unwrap();
        let formula = format!("(declare-fun marker () Int)\n(assert ({operator} marker 3))\n");
        fs::write(seeds.join("a.smt2"), format!("{formula}(check-sat)\n")).unwrap();
    }
    let args =
        ["gen", "z3", "--seeds", "seeds", "--relation", "sae", "--count", "4", "--out", "out"];
    metacov(folder.path(), &args).ok();
    let text = fs::read_to_string(folder.path().join("out/sae/0/a.smt2")).unwrap();
    assert!(text.contains("marker"), "{text}");
    let none = ["measure", "z3", "--no-coverage", "--seeds", "no-folder", "--count", "1"];
    let said = metacov(folder.path(), &none);
    assert!(said.code != 0 && said.stderr.contains("no-folder"), "{said:?}");
}

/// The study of the repository, with smaller suites.
#[test]
fn a_quick_study_runs() {
    LazyLock::force(&BOOLECTOR);
    let folder = tempfile::tempdir().unwrap();
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/smt.toml");
    let study = fs::read_to_string(study).unwrap().replace("[10, 50, 100]", "[2, 4]");
    fs::write(folder.path().join("smt.toml"), study).unwrap();
    let args = ["study", "run", "smt.toml", "--quick", "--out", "results"];
    let run = metacov(folder.path(), &args).ok();
    assert!(run.stdout.contains("yinyang-unsat"), "{run:?}");
}

/// Z3 4.8.6 answers wrongly to a formula that later versions decide: from the public report
/// Z3Prover/z3#3220.
#[test]
fn a_known_bug_is_replayed_on_releases() {
    LazyLock::force(&RELEASES);
    let folder = tempfile::tempdir().unwrap();
    let finding = folder.path().join("finding");
    fs::create_dir_all(&finding).unwrap();
    let a = "'(assert (exists ((p Bool) (q Bool)) (and (xor p q) p q)))'";
    let b = "'(declare-fun p () Bool)', '(declare-fun q () Bool)', '(assert (and (xor p q) p q))'";
    let [a, b] = [a, b]
        .map(|side| format!("['(set-option :sat.local_search true)', {side}, '(check-sat)']"));
    let text = format!(
        "format = 'metacov-finding'\nversion = 1\nsignature = ''\nshape = []\n\
         target = 'z3@4.8.6'\nmetacov = ''\nrelation = 'sae'\ncomparison = 'unsat'\nhow = ''\n\
         seed = 1\ndatabase = 1\npair = 1\nstatements_before = 1\nbytes_before = 1\n\
         candidates = 1\nsetup = []\na = {a}\nb = {b}\nfailure = 'violation'\n"
    );
    fs::write(finding.join("finding.toml"), text).unwrap();
    let old = metacov(folder.path(), &["replay", "finding"]);
    assert_eq!(old.code, 6, "{old:?}");
    metacov(folder.path(), &["replay", "finding", "--target", "z3"]).ok();
}

/// The bug of Z3 4.8.6 in the repository's corpus fails on that release, and not in the newest.
#[test]
fn a_known_bug_of_a_corpus_is_bisected_on_releases() {
    LazyLock::force(&RELEASES);
    let folder = tempfile::tempdir().unwrap();
    let corpus = fs::read_to_string(repository().join("examples/bugs/found.json")).unwrap();
    let bugs: Vec<Value> = serde_json::from_str(&corpus).unwrap();
    let bugs: Vec<&Value> = bugs.iter().filter(|bug| bug["id"] == "z3-str-le").collect();
    fs::write(folder.path().join("bugs.json"), serde_json::to_string(&bugs).unwrap()).unwrap();
    let old = metacov(folder.path(), &["replay", "bugs.json"]);
    assert_eq!(old.code, 6, "{old:?}");
    assert!(old.row(&["z3-str-le"])[3].starts_with("fails: "), "{old:?}");
    let bisected = metacov(folder.path(), &["replay", "bugs.json", "--bisect"]).ok();
    assert_eq!(bisected.row(&["z3-str-le"])[2], "z3@4.8.6", "{bisected:?}");
}

/// The objects of the build are linked with libgcov, and run as a program, with a process for each
/// input: the same lines.
#[test]
fn lines_are_those_of_real_gcov() {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("main.c");
    let text = "int boolector_main(int, char **);\n\
                int main(int n, char **words) { return boolector_main(n, words); }\n";
    fs::write(&main, text).unwrap();
    let gcov = GcovProgram::link(&BOOLECTOR, &main, &["-lstdc++", "-lm"], folder.path());
    compare_with_gcov("boolector", "--smt2", &gcov, folder.path(), &CACHE);
}

/// The same for ten inputs of Z3, which is compiled in most of an hour of processor time, unless
/// `METACOV_CACHE` has it.
#[test]
#[ignore = "compiles Z3: cargo test -p metacov --test end_to_end lines_of_z3 -- --ignored"]
fn lines_of_z3_are_those_of_real_gcov() {
    let cache = std::env::var_os("METACOV_CACHE").map_or(CACHE.clone(), PathBuf::from);
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| metacov_with(&cache, folder.path(), args).ok().stdout;
    run(&["target", "build", "z3@4.8.6"]);
    let build = run(&["target", "path", "z3@4.8.6"]);
    // The objects of Z3 have a `main`.
    let main = folder.path().join("main.c");
    fs::write(&main, "").unwrap();
    let links = ["-lstdc++", "-lm", "-lpthread"];
    let gcov = GcovProgram::link(Path::new(build.trim()), &main, &links, folder.path());
    compare_with_gcov("z3@4.8.6", "-smt2", &gcov, folder.path(), &cache);
}

/// Measures five pairs of two inputs, and compares the lines of their difference.
fn compare_with_gcov(target: &str, option: &str, gcov: &GcovProgram, folder: &Path, cache: &Path) {
    let suite = ["--relation", "sae", "--count", "5", "--databases", "1", "--seed", "2"];
    let run = |args: &[&str]| metacov_with(cache, folder, &[args, &suite[..]].concat()).ok();
    run(&["gen", target, "--out", "pairs"]);
    let mut right = Lines::new();
    for number in 0..5 {
        let side = |name: &str| {
            let script = folder.join(format!("pairs/sae/{number}/{name}"));
            gcov.lines(&[option, script.to_str().unwrap()])
        };
        let (a, b) = (side("a.smt2"), side("b.smt2"));
        assert!(a.len() > 1000 && b.len() > 1000, "{} and {} lines", a.len(), b.len());
        right.extend(a.symmetric_difference(&b).cloned());
    }
    let run = run(&["measure", target, "-o", "mc.info"]);
    assert_eq!(run.row(&["sae", "5", "line"])[1], "5", "pairs without a verdict: {run:?}");
    assert_eq!(counted_lines(&folder.join("mc.info")), right);
}

/// The quick form of what `docs/mutants.md` shows for solvers.
#[test]
fn mutants_of_boolector_have_the_verdicts_of_new_processes() {
    LazyLock::force(&BOOLECTOR);
    let folder = tempfile::tempdir().unwrap();
    let metacov = |args: &[&str]| metacov(folder.path(), args);
    let measure = ["measure", "boolector", "--relation", "sae,yinyang-unsat", "--count", "3"];
    metacov(&[&measure[..], &["-o", "run.metacov"]].concat()).ok();
    let done = metacov(&["mutants", "run.metacov", "--sample", "150", "--compare"]).ok();
    let row = done.row(&["all"]);
    let [pairs, reached]: [u32; 2] = [1, 2].map(|at| row[at].parse().unwrap());
    assert!(pairs > 0 && reached > 10, "{}", done.stdout);
    assert!(done.stderr.contains(" 0 of them different in a new process"), "{}", done.stderr);
}
