//! Ordinary C++ programs: the standard library, templates in headers, several translation units, a
//! shared library, and a source that is compiled twice. The measurement agrees with gcov, and the
//! run file with the measurement.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::run::{metacov_in, of, repository};
use crate::trial::cache;

const SIDES: [(&str, &str); 3] = [
    ("alpha beta 12 alpha ?long ?digits", "alpha beta 12 alpha ?lower"),
    ("one two - three", "one - - three"),
    ("one ?none", "one two three four five six"),
];

/// The sources and options of a unit.
const UNITS: [(&str, &str, &[&str]); 6] = [
    ("words", "words.cpp", &[]),
    ("run", "run.cpp", &[]),
    ("main", "main.cpp", &[]),
    ("fuzz", "fuzz.cpp", &[]),
    ("narrow", "width.c", &[]),
    ("wide", "width.c", &["-DWIDE"]),
];

/// A build of the target at a level of optimisation: the same objects linked as a program and as a
/// library that fuzzers can call, with metacov's runtime; and as a program with libgcov.
struct Words {
    temporary: tempfile::TempDir,
}

impl Words {
    fn build(level: &str) -> Self {
        let words = Words { temporary: tempfile::tempdir().unwrap() };
        let folder = words.folder();
        for file in fs::read_dir(repository().join("tests/targets/words")).unwrap().flatten() {
            fs::copy(file.path(), folder.join(file.file_name())).unwrap();
        }
        for (name, source, options) in UNITS {
            let object = format!("{name}.o");
            let common = ["-std=c++17", level, "-fPIC", "-c", source, "-o", &object];
            let common = if source == "width.c" { &common[1..] } else { &common[..] };
            words.compile(source == "width.c", &[common, options].concat());
        }
        let shared = ["-std=c++17", level, "-fPIC", "-c", "shared.cpp"];
        words.compile(false, &shared);
        words.compile(false, &["-shared", "shared.o", "-o", "libshared.so"]);
        let link =
            ["words.o", "run.o", "narrow.o", "wide.o", "-L.", "-lshared", "-Wl,-rpath,$ORIGIN"];
        words.compile(false, &[&["-o", "program", "main.o"], &link[..]].concat());
        words.compile(false, &[&["-shared", "-o", "fuzz.so", "fuzz.o"], &link[..]].concat());
        // The twin, which is linked with libgcov.
        let twin = folder.join("twin");
        fs::create_dir(&twin).unwrap();
        let gcc = |args: &[&str]| {
            of(Command::new("g++").arg("--coverage").args(args).current_dir(&folder)).ok();
        };
        gcc(&["-shared", "shared.o", "-o", "twin/libshared.so"]);
        let link = link.map(|word| if word == "-L." { "-Ltwin" } else { word });
        gcc(&[&["-o", "twin/program", "main.o"], &link[..]].concat());
        for (number, (a, b)) in SIDES.iter().enumerate() {
            let pair = folder.join(format!("pairs/words{number}/1"));
            fs::create_dir_all(&pair).unwrap();
            fs::write(pair.join("a.txt"), a).unwrap();
            fs::write(pair.join("b.txt"), b).unwrap();
        }
        words
    }

    fn folder(&self) -> PathBuf {
        self.temporary.path().canonicalize().unwrap()
    }

    fn compile(&self, is_c: bool, args: &[&str]) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
        command.arg(if is_c { "cc" } else { "c++" }).args(args);
        of(command.env("METACOV_CACHE", cache()).current_dir(self.folder())).ok();
    }

    /// What gcov reports for each side of a pair.
    fn gcov(&self, relation: usize) -> [Sites; 2] {
        ["a", "b"].map(|side| {
            let folder = self.folder();
            let data = folder.join(format!("gcov-{relation}-{side}"));
            let input = format!("pairs/words{relation}/1/{side}.txt");
            let mut twin = Command::new("twin/program");
            twin.arg(input).env("GCOV_PREFIX", &data).current_dir(&folder).output().unwrap();
            let below = data.join(folder.strip_prefix("/").unwrap());
            let names = ["words", "run", "main", "narrow", "wide", "shared"];
            let mut gcov = Command::new("gcov");
            gcov.args(["--json-format", "--branch-probabilities", "--stdout"]);
            for name in names {
                fs::copy(
                    folder.join(name).with_extension("gcno"),
                    below.join(name).with_extension("gcno"),
                )
                .unwrap();
                gcov.arg(below.join(name).with_extension("gcda"));
            }
            let json = of(gcov.current_dir(&folder)).ok().stdout;
            fs::write(data.with_extension("json"), &json).unwrap();
            Sites::of_gcov(json.as_bytes(), &folder)
        })
    }
}

/// All lines, branches and functions, and whether they ran.
#[derive(Debug, Default, PartialEq)]
struct Sites(BTreeMap<String, bool>);

impl Sites {
    fn of_gcov(json: &[u8], folder: &Path) -> Self {
        let mut sites = Sites::default();
        for document in serde_json::Deserializer::from_slice(json).into_iter::<Value>() {
            for file in array(&document.unwrap()["files"]) {
                let path = Path::new(file["file"].as_str().unwrap());
                let path = path.strip_prefix(folder).unwrap_or(path).display().to_string();
                for line in array(&file["lines"]) {
                    let at = format!("{path}:{}", line["line_number"]);
                    for (number, branch) in array(&line["branches"]).enumerate() {
                        sites.add(format!("{at}#{number}"), branch["count"] != 0);
                    }
                    sites.add(at, line["count"] != 0);
                }
                for function in array(&file["functions"]) {
                    let at = format!("{path}:{} {}", function["start_line"], function["name"]);
                    sites.add(at, function["execution_count"] != 0);
                }
            }
        }
        sites
    }

    fn add(&mut self, site: String, ran: bool) {
        *self.0.entry(site).or_default() |= ran;
    }
}

/// What metacov measured for one pair: all sites, and which of its sides ran them.
fn measured(document: &Value) -> [Sites; 2] {
    let mut sides = [Sites::default(), Sites::default()];
    for file in array(&document["files"]) {
        let path = file["path"].as_str().unwrap();
        for kind in ["lines", "branches", "functions"] {
            for entry in array(&file[kind]) {
                let at = match kind {
                    "lines" => format!("{path}:{}", entry["line"]),
                    "branches" => format!("{path}:{}#{}", entry["line"], entry["branch"]),
                    _ => format!("{path}:{} {}", entry["line"], entry["name"]),
                };
                let (a, b) = match entry["state"].as_str().unwrap() {
                    "a_only" => (true, false),
                    "b_only" => (false, true),
                    "both" => (true, true),
                    "not_executed" => (false, false),
                    other => panic!("{other} of one pair"),
                };
                sides[0].add(at.clone(), a);
                sides[1].add(at, b);
            }
        }
    }
    sides
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn at_level(level: &str) {
    let words = Words::build(level);
    let folder = words.folder();
    for relation in 0..SIDES.len() {
        let right = words.gcov(relation);
        let pairs = format!("pairs/words{relation}");
        let measure =
            |mode| ["measure", "--pairs", &pairs, "--mode", mode, "--", "./program", "@@"];
        let files = |end| ["a", "b"].map(|side| format!("gcov-{relation}-{side}{end}"));
        let ([counters_a, counters_b], [json_a, json_b]) = (files(""), files(".json"));
        let commands = [
            &measure("exec")[..],
            &measure("fork"),
            &["diff", &counters_a, &counters_b],
            &["diff", &json_a, &json_b],
        ];
        for command in commands {
            let all = [&command[..1], &["-o", "-", "--format", "json"], &command[1..]].concat();
            let run = metacov_in(&folder, &all).ok();
            let sides = measured(&serde_json::from_str(&run.stdout).unwrap());
            for (side, right) in sides.iter().zip(&right) {
                assert!(right.0.values().filter(|ran| **ran).count() > 30);
                for (site, ran) in &right.0 {
                    assert_eq!(side.0.get(site), Some(ran), "{level}, {command:?}: {site}");
                }
                assert_eq!(side.0.len(), right.0.len(), "{level}, {command:?}");
            }
        }
    }
    for (mode, target) in [
        ("exec", "./program"),
        ("fork", "./program"),
        ("fork", "./fuzz.so"),
        ("inline", "./fuzz.so"),
    ] {
        is_stored(&folder, mode, target);
    }
}

/// The report of the run file equals that of the run without a file, in all formats.
fn is_stored(folder: &Path, mode: &str, target: &str) {
    let measure = |more: &[&str]| {
        let all = ["measure", "--pairs", "pairs", "--mode", mode];
        metacov_in(folder, &[&all[..], more, &["--", target, "@@"]].concat()).ok().stdout
    };
    let file = format!("{mode}{}.metacov", target.replace(['.', '/'], "-"));
    let live = measure(&[]);
    assert_eq!(measure(&["-o", &file]), live, "{mode} {target}");
    assert_eq!(metacov_in(folder, &["report", &file]).ok().stdout, live, "{mode} {target}");
    for format in ["json", "lcov", "gcovr", "cobertura", "markdown", "csv"] {
        let show = ["-o", "-", "--format", format];
        let report = metacov_in(folder, &[&["report", &file][..], &show].concat()).ok();
        assert_eq!(report.stdout, measure(&show), "{mode} {target} {format}");
    }
}

#[test]
fn a_cpp_program_without_optimisation() {
    at_level("-O0");
}

#[test]
fn a_cpp_program_with_optimisation() {
    at_level("-O1");
    at_level("-O2");
}

/// Functions of one build differ from unit to unit; those of two builds are still refused.
#[test]
fn another_build_of_a_cpp_program_is_refused() {
    let [plain, optimised] = ["-O0", "-O2"].map(Words::build);
    for words in [&plain, &optimised] {
        let measure = ["measure", "--pairs", "pairs", "--root", ".", "-o", "run.metacov"];
        metacov_in(&words.folder(), &[&measure[..], &["--", "./program", "@@"]].concat()).ok();
    }
    let other = optimised.folder().join("run.metacov").display().to_string();
    let merge = ["merge", "-o", "all.metacov", "run.metacov", &other];
    let said = metacov_in(&plain.folder(), &merge).failed(4);
    assert!(said.contains("made from another build than run.metacov"), "{said}");
}

/// The compiled form of notes is kept between commands. Whatever happens to it, the measurement is
/// the same.
#[test]
fn notes_are_compiled_once() {
    let words = Words::build("-O0");
    let (folder, cache) = (words.folder(), words.folder().join("cache"));
    let measure = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
        command.args(["measure", "--pairs", "pairs", "-o", "-", "--format", "json"]);
        command.args(["--", "./program", "@@"]).env("METACOV_CACHE", &cache);
        of(command.current_dir(&folder)).ok().stdout
    };
    let kept = || {
        let files = fs::read_dir(cache.join("notes")).unwrap().flatten();
        let [file]: [PathBuf; 1] =
            files.map(|file| file.path()).collect::<Vec<_>>().try_into().unwrap();
        (fs::metadata(&file).unwrap().modified().unwrap(), file)
    };
    let fresh = measure();
    let (written, file) = kept();
    assert_eq!(measure(), fresh);
    assert_eq!(kept().0, written, "it was used");
    fs::write(&file, "damaged").unwrap();
    assert_eq!(measure(), fresh);
    assert!(fs::metadata(&file).unwrap().len() > 1000, "it was replaced");
    // Other notes of the same size, as after an edit of a comment and a build.
    let notes = folder.join("run.gcno");
    let bytes = fs::read(&notes).unwrap();
    fs::remove_file(&notes).unwrap();
    fs::write(&notes, bytes).unwrap();
    let before = kept().0;
    assert_eq!(measure(), fresh);
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(measure(), fresh);
    assert!(kept().0 > before, "the notes were read again");
}
