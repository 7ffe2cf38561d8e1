//! The documents say what is so.

use std::fs;
use std::process::Command;

use crate::run::{metacov, metacov_in, of, repository};

/// Every path that a document names in backquotes is there.
#[test]
fn paths_that_the_documents_name_exist() {
    let root = repository();
    let docs = fs::read_dir(root.join("docs")).unwrap().flatten().map(|file| file.path());
    let docs: Vec<_> =
        docs.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    assert!(docs.len() >= 6, "{docs:?}");
    let others = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "benches/README.md"];
    for document in others.map(|name| root.join(name)).into_iter().chain(docs) {
        let text = fs::read_to_string(&document).unwrap();
        let document = document.display();
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
    // All commands that the help lists.
    let help = metacov(&["--help"]).ok().stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let commands: Vec<&str> = listed
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')))
        .filter_map(|line| line.split(' ').next().filter(|command| *command != "help"))
        .collect();
    for command in ["diff", "measure", "fuzz", "cc", "c++", "gen", "target", "man"] {
        assert!(commands.contains(&command), "{command}: {commands:?}");
    }
    for command in commands {
        let run = metacov(&[command, "--help"]).ok();
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

/// Methods and targets are leaves: what runs, stores and reports tests cannot name one.
#[test]
fn only_the_command_line_links_methods_and_targets() {
    let uses = |package: &str| {
        let crates = fs::read_dir(repository().join("crates")).unwrap().flatten();
        let mut users: Vec<String> = crates
            .filter(|folder| {
                let manifest = fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
                // Tests may use a target.
                let manifest = manifest.split("[dev-dependencies]").next().unwrap();
                manifest.lines().any(|line| line.starts_with(&format!("{package}.")))
            })
            .map(|folder| folder.file_name().into_string().unwrap())
            .collect();
        users.sort();
        users
    };
    assert_eq!(uses("metacov-methods"), ["targets"]);
    assert_eq!(uses("metacov-targets"), ["cli"]);
}
