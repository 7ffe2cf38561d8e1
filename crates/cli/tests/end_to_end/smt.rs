//! `metacov gen smt`: tests of solvers.

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
    let unknown = metacov_in(folder, &["gen", "smt", "--relation", "norec", "--out", "new"]);
    let said = unknown.failed(2);
    assert!(said.contains("`norec` is not a relation (all, yinyang-sat, "), "{said}");
}
