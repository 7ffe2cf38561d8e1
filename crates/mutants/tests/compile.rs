//! Programs with mutants: which ones there are, and what each of them does.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use metacov_mutants::{Mutant, MutantTable, SourceLanguage, compile};

const C: &str = r#"#include <stdio.h>
#include <stdlib.h>
#define TWICE(x) ((x) + (x))

static int counted(int from, int to) {
    int count = 0;
    for (int at = from; at < to; at++) count++;
    return count;
}

int main(int argc, char **argv) {
    int a = atoi(argv[1]), b = atoi(argv[2]);
    unsigned u = (unsigned)a;
    double d = a;
    if (a == 7 && argc > 3) return 9;
    printf("%d %d %d\n", a + b, a - b, a * b);
    printf("%d %d %u\n", a / 3, a % 3, u / 2);
    printf("%d %d\n", -a, TWICE(a));
    printf("%.1f %.1f %d\n", d * 2.0, -d, d <= 2.5);
    printf("%d %d\n", counted(a, b), a != b);
    return a >= b;
}
"#;

const CPP: &str = r#"#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

template <class T> struct Sum {
    T total{};
    void add(T value) { total = total + value; }
};

static int depth(int left) {
    if (left > 2) throw std::runtime_error("deep");
    return left;
}

int main(int argc, char **argv) {
    Sum<int> whole;
    Sum<double> parts;
    for (int value : std::vector<int>{1, 2, argc}) {
        whole.add(value);
        parts.add(value * 0.5);
    }
    std::map<std::string, int> words;
    for (int at = 1; at < argc; ++at) words[argv[at]]++;
    std::cout << whole.total << ' ' << parts.total << ' ' << words.size() << '\n';
    try {
        std::cout << depth(argc) << '\n';
    } catch (const std::exception &error) {
        std::cout << error.what() << '\n';
    }
}
"#;

struct Built {
    _folder: tempfile::TempDir,
    plain: PathBuf,
    mutated: PathBuf,
    mutants: Vec<Mutant>,
}

fn built(language: SourceLanguage, text: &str, level: &str) -> Built {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (compiler, source) = match language {
        SourceLanguage::C => ("clang-19", at("a.c")),
        SourceLanguage::Cpp => ("clang++-19", at("a.cpp")),
    };
    std::fs::write(&source, text).unwrap();
    let (plain, mutated) = (at("plain"), at("mutated"));
    let words = |output: &Path| -> Vec<OsString> {
        vec![level.into(), source.clone().into(), "-o".into(), output.into()]
    };
    let status = Command::new(compiler).args(words(&plain)).status();
    assert!(status.expect("these tests need the package clang-19").success());
    let (code, count) = compile(language, &words(&mutated)).unwrap();
    assert_eq!(code, 0);
    let table = MutantTable::of_file(&mutated).unwrap();
    assert_eq!(table.mutants.len(), count);
    Built { _folder: folder, plain, mutated, mutants: table.mutants }
}

fn run(program: &Path, words: &[&str], mutant: Option<usize>) -> Output {
    let mut command = Command::new(program);
    if let Some(mutant) = mutant {
        command.env("METACOV_MUTANT", mutant.to_string());
    }
    command.args(words).output().unwrap()
}

impl Built {
    /// The output with the only mutant of an operator on a line.
    fn with(&self, operator: &str, line: u32, words: &[&str]) -> String {
        let is_it = |mutant: &Mutant| mutant.operator.name() == operator && mutant.line == line;
        let at = self.mutants.iter().position(is_it).expect("there is such a mutant");
        String::from_utf8(run(&self.mutated, words, Some(at)).stdout).unwrap()
    }

    fn operators(&self, line: u32) -> Vec<&'static str> {
        let on_line = self.mutants.iter().filter(|mutant| mutant.line == line);
        on_line.map(|mutant| mutant.operator.name()).collect()
    }
}

#[test]
fn a_c_program_has_the_known_mutants() {
    let built = built(SourceLanguage::C, C, "-O2");
    let expected: [(u32, &[&str]); 12] = [
        (
            7,
            &[
                "cxx_lt_to_ge",
                "cxx_lt_to_le",
                "cxx_post_inc_to_post_dec",
                "cxx_post_inc_to_post_dec",
            ],
        ),
        (12, &[]),
        (13, &[]),
        (15, &["cxx_eq_to_ne", "cxx_gt_to_le", "cxx_gt_to_ge"]),
        (16, &["cxx_add_to_sub", "cxx_sub_to_add", "cxx_mul_to_div"]),
        (17, &["cxx_div_to_mul", "cxx_rem_to_div", "cxx_div_to_mul"]),
        (18, &["cxx_minus_to_noop"]),
        (19, &["cxx_mul_to_div", "cxx_minus_to_noop", "cxx_le_to_gt", "cxx_le_to_lt"]),
        (20, &["cxx_ne_to_eq"]),
        (21, &["cxx_ge_to_lt", "cxx_ge_to_gt"]),
        (3, &[]),
        (8, &[]),
    ];
    for (line, operators) in expected {
        let mut found = built.operators(line);
        found.sort_unstable();
        let mut operators = operators.to_vec();
        operators.sort_unstable();
        assert_eq!(found, operators, "line {line}");
    }
    let all: usize = expected.iter().map(|(_, operators)| operators.len()).sum();
    assert_eq!(built.mutants.len(), all);
    let functions = built.mutants.iter().filter(|mutant| mutant.line == 7);
    assert!(functions.into_iter().all(|mutant| &*mutant.function == "counted"));
    let output = built.with("cxx_add_to_sub", 16, &["5", "0"]);
    assert_eq!(output.lines().next(), Some("5 5 0"));
    // A division by zero that is on ends the program before it has written anything.
    assert_eq!(built.with("cxx_mul_to_div", 16, &["5", "0"]), "");
    assert!(built.with("cxx_mul_to_div", 16, &["6", "2"]).starts_with("8 4 3\n"));
    assert!(built.with("cxx_minus_to_noop", 18, &["5", "0"]).contains("\n5 10\n"));
    assert!(built.with("cxx_lt_to_le", 7, &["1", "3"]).contains("\n3 1\n"));
}

#[test]
fn a_c_plus_plus_program_has_mutants_of_its_own_code_only() {
    let built = built(SourceLanguage::Cpp, CPP, "-O1");
    assert!(built.mutants.iter().all(|mutant| mutant.file.ends_with("a.cpp")));
    // Both instances of the template share one mutant.
    assert_eq!(built.operators(9), ["cxx_add_to_sub"]);
    assert_eq!(built.operators(13), ["cxx_gt_to_le", "cxx_gt_to_ge"]);
    assert_eq!(built.operators(25).len(), 4);
    assert_eq!(built.with("cxx_add_to_sub", 9, &["x"]), "-5 -2.5 1\n2\n");
    assert_eq!(built.with("cxx_gt_to_le", 13, &["x"]), "5 2.5 1\ndeep\n");
}

#[test]
fn a_program_whose_mutants_are_off_behaves_as_without_them() {
    for (language, text) in [(SourceLanguage::C, C), (SourceLanguage::Cpp, CPP)] {
        for level in ["-O0", "-O2"] {
            let built = built(language, text, level);
            for words in [["5", "0"], ["0", "5"], ["7", "7"], ["-3", "4"]] {
                let plain = run(&built.plain, &words, None);
                assert_eq!(run(&built.mutated, &words, None), plain, "{level} {words:?}");
                // There is no mutant of this number.
                let none = Some(built.mutants.len());
                assert_eq!(run(&built.mutated, &words, none), plain, "{level} {words:?}");
            }
        }
    }
}
