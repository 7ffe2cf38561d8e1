//! Tests of solvers, and what they are derived from: `metacov gen smt`, `seeds`, `check-rules`.

use std::fs;
use std::path::Path;

use crate::run::metacov_in;

/// The files below a folder, with their content.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(below) = folders.pop() {
        for path in fs::read_dir(below).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.push((name, fs::read_to_string(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn tests_of_solvers_are_written_with_their_expected_answers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let generate = |out: &str, seed: &str| {
        let relations = "yinyang-sat,yinyang-unsat,sae,options";
        let words = ["gen", "smt", "--relation", relations, "--count", "3", "--seed", seed];
        metacov_in(folder, &[&words[..], &["--out", out]].concat())
    };
    assert_eq!(generate("one", "1").ok().stderr, "note: 12 pairs in one\n");
    generate("same", "1").ok();
    generate("other", "2").ok();
    let one = files(&folder.join("one"));
    assert_eq!(files(&folder.join("same")), one);
    assert_ne!(files(&folder.join("other")), one);
    let names: Vec<&str> = one.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"sae/2/a.smt2") && names.contains(&"options/0/b.smt2"), "{names:?}");
    let of_fusion = names.iter().filter(|name| name.starts_with("yinyang-sat/0/"));
    let of_fusion: Vec<&&str> = of_fusion.collect();
    let expected = ["yinyang-sat/0/a1.smt2", "yinyang-sat/0/a2.smt2", "yinyang-sat/0/b.smt2"];
    assert_eq!(of_fusion, expected.iter().collect::<Vec<_>>());
    for (name, script) in &one {
        let status = |answer: &str| script.contains(&format!("(set-info :status {answer})"));
        assert_eq!(script.matches("(check-sat)").count(), 1, "{name}");
        assert!(status("sat") || status("unsat"), "{name}");
        assert!(!name.starts_with("yinyang-sat") || status("sat"), "{name}");
        assert!(!name.starts_with("yinyang-unsat") || status("unsat"), "{name}");
    }
    let said = generate("one", "1").failed(2);
    assert!(said.contains("one: the folder is not empty"), "{said}");
    fs::create_dir(folder.join("seeds")).unwrap();
    for (label, bound) in [("sat", 5), ("unsat", 3)] {
        let seed = format!(
            "(set-info :status {label}) (declare-const mine Int) (assert (> mine 3)) \
             (assert (< mine {bound})) (check-sat)"
        );
        fs::write(folder.join(format!("seeds/{label}.smt2")), seed).unwrap();
    }
    let own =
        ["gen", "smt", "--relation", "sae", "--count", "3", "--seeds", "seeds", "--out", "own"];
    metacov_in(folder, &own).ok();
    let scripts = files(&folder.join("own"));
    assert!(scripts.len() == 6 && scripts.iter().all(|(_, script)| script.contains("mine")));
    let missing = ["gen", "smt", "--seeds", "no-such", "--out", "new"];
    let said = metacov_in(folder, &missing).failed(2);
    assert!(said.contains("--seeds no-such: "), "{said}");
    let command = ["gen", "smt", "--command", "z3 @@", "--out", "new"];
    let said = metacov_in(folder, &command).failed(2);
    assert!(said.contains("--command: no solver is run here"), "{said}");
    let unknown = metacov_in(folder, &["gen", "smt", "--relation", "norec", "--out", "new"]);
    let said = unknown.failed(2);
    assert!(said.contains("`norec` is not a relation (all, yinyang-sat, "), "{said}");
}

/// A folder with these files.
fn folder_of(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn seeds_are_counted_by_label_and_the_others_by_reason() {
    let formula = "(set-logic QF_LIA)(declare-const x Int)(assert (< x 0))(check-sat)";
    let folder = folder_of(&[
        ("seeds/sat/a.smt2", formula),
        ("seeds/unsat/wrong.smt2", formula),
        ("seeds/b.smt2", formula),
        // z3 reports an answer that contradicts a status as an error.
        ("seeds/status.smt2", &format!("(set-info :status unsat){formula}")),
        ("seeds/twice.smt2", "(assert true)(check-sat)(check-sat)"),
        ("seeds/broken.smt2", "(assert\n(and"),
        ("seeds/long.smt2", &" ".repeat(100_001)),
        ("seeds/notes.txt", "no script"),
    ]);
    let index = |more: &[&str]| {
        metacov_in(folder.path(), &[&["seeds", "index", "seeds", "-v"], more].concat())
    };
    let run = index(&[]).ok();
    assert_eq!(run.row(&["QF_LIA"]), ["QF_LIA", "1", "2", "1"]);
    assert!(run.stdout.contains("left out: 1 (this ( is never closed)"), "{}", run.stdout);
    assert!(run.stdout.contains("left out: 1 (2 check-sat commands, not one)"), "{}", run.stdout);
    assert!(run.stderr.contains("broken.smt2: line 2: this ( is never closed"), "{}", run.stderr);
    assert!(run.stdout.contains("left out: 1 (longer than 100000 bytes)"), "{}", run.stdout);
    let tests = ["gen", "smt", "--seeds", "seeds", "--count", "1", "--out", "tests"];
    let run = metacov_in(folder.path(), &tests).ok();
    let used = "--seeds: 4 of 7 scripts can be used; `metacov seeds index seeds -v` says why";
    assert!(run.stderr.contains(used), "{}", run.stderr);
    fs::create_dir(folder.path().join("none")).unwrap();
    let none = ["gen", "smt", "--seeds", "none", "--out", "no-tests"];
    let said = metacov_in(folder.path(), &none).failed(2);
    assert!(said.contains("--seeds none: 0 scripts (*.smt2), none of use"), "{said}");
    let other = ["measure", "sqlite", "--seeds", "seeds", "--count", "1"];
    let said = metacov_in(folder.path(), &other).failed(2);
    assert!(said.contains("--seeds goes with solvers, not with sqlite"), "{said}");
    let run = index(&["--verify", "z3"]);
    assert_eq!(run.code, 3, "{} (is z3 installed? scripts/oracles)", run.stderr);
    let wrong = "unsat/wrong.smt2: the label is unsat, the solver contradicts it";
    assert!(run.stderr.contains(wrong), "{}", run.stderr);
    assert!(run.stderr.contains("status.smt2: the label is unsat"), "{}", run.stderr);
    let sum = "1 label is confirmed, 2 contradicted, 0 not decided";
    assert!(run.stderr.contains(sum), "{}", run.stderr);
    // Files that have not changed are not run again.
    let again = index(&["--verify", "z3"]);
    assert_eq!((again.code, &again.stderr), (3, &run.stderr));
    assert_eq!(metacov_in(folder.path(), &["seeds", "index", "missing"]).code, 3);
}

/// The solver needs an option, and answers wrongly if a formula is a fusion.
#[test]
fn a_finding_names_the_command_that_it_is_replayed_with() {
    let solver = "#!/bin/sh\n[ \"$1\" = --lie ] || exit 9\n\
                  if grep -q _fused \"$2\"; then echo unsat; else echo sat; fi\n";
    let folder = folder_of(&[("solver", solver)]);
    let run = |words: &[&str]| metacov_in(folder.path(), words);
    let command =
        |option: &str| format!("sh {} {option} @@", folder.path().join("solver").display());
    let lying = command("--lie");
    let fuzz = ["fuzz", "smt", "--command", &lying, "--no-coverage", "--guidance", "none"];
    let more = ["--relation", "yinyang-sat", "--count", "2", "-j1", "-o", "lies.metacov"];
    assert_eq!(run(&[&fuzz[..], &more].concat()).code, 6);
    let finding = fs::read_dir(folder.path().join("lies.findings")).unwrap().next().unwrap();
    let report = fs::read_to_string(finding.unwrap().path().join("report.md")).unwrap();
    assert!(report.contains("```smt2\n; side a, input 1\n(set-logic ALL)\n"), "{report}");
    assert!(report.contains("/solver --lie @@\n- relation: yinyang-sat"), "{report}");
    let said = run(&["replay", "lies.findings"]).failed(2);
    assert!(said.contains("replay lies.findings --command '"), "{said}");
    assert_eq!(run(&["replay", "lies.findings", "--command", &lying]).code, 6);
    let honest = run(&["replay", "lies.findings", "--command", &command("--other")]).ok();
    assert!(honest.stdout.contains("does not run"), "{}", honest.stdout);
}

#[test]
fn a_solver_that_always_gives_one_answer_proves_no_rules() {
    let folder = folder_of(&[("solver", "#!/bin/sh\necho unsat\n")]);
    let check = |solver: &str| metacov_in(folder.path(), &["check-rules", "--solver", solver]);
    let solver = folder.path().join("solver").display().to_string();
    let said = check(&format!("sh {solver}")).failed(6);
    assert!(said.contains("0 not decided, 5 contradicted"), "{said}");
    let said = check("no-such-solver").failed(2);
    assert!(said.contains("--solver: there is no program `no-such-solver`"), "{said}");
}
