//! All modes of running inputs give the same result.

use crate::run::of;
use crate::trial::{Measured, Trial, Way, built, cache};

fn sites(measured: &Measured) -> (Vec<String>, Vec<String>) {
    let lines = measured.lines().iter().map(ToString::to_string).collect();
    (lines, measured.functions().into_iter().map(str::to_owned).collect())
}

const SETUP: &str = "new\nset a 1\nset b -2\n";

const SCRIPTS: [(&str, &str); 6] = [
    ("get a\n", "get b\n"),
    ("get a\n", "get c\n"),
    ("set a 5\nget a\n", "get a\n"),
    ("drop a\nget a\n", "get a\n"),
    ("set c 1\ndrop c\n", "drop c\n"),
    ("", "get a\nget b\nget c\n"),
];

#[test]
fn all_modes_agree() {
    let whole = |text: &str| format!("{SETUP}{text}");
    let whole: Vec<_> = SCRIPTS.iter().map(|(a, b)| (whole(a), whole(b))).collect();
    let whole: Vec<_> = whole.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let trial = Trial::new("store", &whole);
    let right = sites(&trial.measure(Way::Exec, &[]));
    assert!(right.0.len() > 10 && right.1 == ["drop", "get"], "{right:?}");
    for way in Way::ALL {
        assert_eq!(sites(&trial.measure(way, &[])), right, "{way:?}");
    }
    // The same, if the common start of all inputs is given once.
    let trial = Trial::new("store", &SCRIPTS);
    std::fs::write(trial.folder().join("setup"), SETUP).unwrap();
    for way in Way::ALL {
        assert_eq!(sites(&trial.measure(way, &["--setup", "setup"])), right, "{way:?}");
    }
}

/// As shown by `metacov cc --help`.
#[test]
fn a_build_by_cmake_uses_metacov_as_its_compiler() {
    let trial = Trial::new("endings", &[("A", "B")]);
    let folder = trial.folder();
    let files = [
        (
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.13)\nproject(two C CXX)\nadd_executable(two one.c \
             other.cpp)\n",
        ),
        (
            "one.c",
            "#include <stdio.h>\nint other(int);\nint main(int n, char **words) { return \
             other(fgetc(fopen(words[n - 1], \"r\"))); }\n",
        ),
        (
            "other.cpp",
            "static int is_a() { return 0; }\nextern \"C\" int other(int letter) { return letter == \
             'A' ? is_a() : 1; }\n",
        ),
    ];
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let metacov = env!("CARGO_BIN_EXE_metacov");
    for words in [&["-B", "build"], &["--build", "build"]] {
        let mut cmake = std::process::Command::new("cmake");
        cmake.args(words).env("CC", format!("{metacov} cc")).env("CXX", format!("{metacov} c++"));
        of(cmake.env("METACOV_CACHE", cache()).current_dir(&folder)).ok();
    }
    let measured = trial.outcome(&mut trial.command_for("build/two".as_ref(), &[]));
    assert_eq!(measured.functions(), ["_ZL4is_av"]);
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let mut pairs: Vec<(&str, &str)> = SCRIPTS.iter().copied().cycle().take(30).collect();
    let store = Trial::new("store", &pairs);
    std::fs::write(store.folder().join("setup"), SETUP).unwrap();
    pairs.extend([("segv", "4"), ("4", "7"), ("return -1", "4"), ("exit 1", "4")]);
    let wild = Trial::new("endings", &pairs);
    for (trial, options) in [(store, &["--setup", "setup"][..]), (wild, &[])] {
        for way in Way::ALL {
            let stdout = |jobs: &str| {
                of(&mut trial.command(way, &[&["-j", jobs], options].concat())).ok().stdout
            };
            let right = stdout("1");
            for jobs in ["2", "4"] {
                assert_eq!(stdout(jobs), right, "{way:?}, {jobs} at once");
            }
        }
    }
}

#[test]
fn a_command_without_a_placeholder_reads_the_input() {
    let trial = Trial::new("endings", &[("4", "7"), ("move", "4")]);
    let right = sites(&trial.measure(Way::Exec, &[]));
    for mode in ["exec", "fork"] {
        let mut command = trial.command_for("true".as_ref(), &[]);
        let words: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
        let at = words.iter().position(|word| word == "--").unwrap();
        command = std::process::Command::new(env!("CARGO_BIN_EXE_metacov"));
        command.args(&words[..at]).args(["--mode", mode, "--"]);
        command.arg(built("endings", false)).current_dir(trial.folder());
        assert_eq!(sites(&trial.outcome(&mut command)).1, right.1, "{mode}");
    }
}
