//! The documents say what is so.

use std::fs;
use std::process::Command;

use crate::run::{metacov, metacov_in, of, repository};

/// Every path that a document names in backquotes is there.
#[test]
fn paths_that_the_documents_name_exist() {
    let root = repository();
    for document in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "benches/README.md",
        "docs/evaluating-your-method.md",
        "docs/corpus.md",
        "docs/fuzzing.md",
        "docs/locate.md",
        "docs/scaling-out.md",
    ] {
        let text = fs::read_to_string(root.join(document)).unwrap();
        for quoted in text.split('`').skip(1).step_by(2) {
            let is_path = quoted.contains('/')
                && quoted.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
                && !quoted.starts_with(['/', '.'])
                && !quoted.starts_with("target/");
            if is_path {
                assert!(root.join(quoted).exists(), "{document} names {quoted}");
            }
        }
    }
}

/// The transcript in the README is what the binary prints.
#[test]
fn the_readmes_transcript_is_real() {
    let text = fs::read_to_string(repository().join("README.md")).unwrap();
    let mut checked = 0;
    for block in text.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let (command, expected) = block.split_once('\n').unwrap();
        let args: Vec<&str> = command.strip_prefix("$ metacov ").unwrap().split(' ').collect();
        let run = metacov_in(&repository(), &args).ok();
        assert_eq!(run.stdout, expected, "{command}");
        checked += 1;
    }
    assert!(checked > 0);
}

#[test]
fn help_completions_and_manual_pages_are_there() {
    for command in [
        "",
        "diff",
        "measure",
        "report",
        "compare",
        "study",
        "merge",
        "locate",
        "overlap",
        "replay",
        "completions",
        "man",
    ] {
        let words = [command, "--help"];
        let run = metacov(&words[usize::from(command.is_empty())..]).ok();
        assert!(run.stdout.contains("Usage:"), "{command:?}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = metacov(&["completions", shell]).ok();
        assert!(run.stdout.contains("fail-under"), "{shell}");
    }
    assert!(metacov(&["man"]).ok().stdout.contains(".TH metacov 1"));
    let folder = tempfile::tempdir().unwrap();
    metacov_in(folder.path(), &["man", "--out", "pages"]).ok();
    let page = fs::read_to_string(folder.path().join("pages/metacov-diff.1")).unwrap();
    assert!(page.contains("fail\\-under"));
    let script = metacov(&["completions", "bash"]).ok().stdout;
    of(Command::new("bash").args(["-n", "-c", &script])).ok();
}
