//! The documents are correct. `shown_commands` runs the commands that they show.

use std::fs;
use std::process::Command;

use crate::markdown::{Document, documents};
use crate::run::{metacov, metacov_in, of, repository};

/// Every path that a document names in backquotes exists.
#[test]
fn paths_that_the_documents_name_exist() {
    let root = repository();
    for document in documents() {
        for code in document.inline_code() {
            let is_path = code.contains('/')
                && code.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
                && !code.starts_with(['/', '.'])
                && !code.starts_with("target/");
            if is_path {
                assert!(root.join(&code).exists(), "{} names {code}", document.path.display());
            }
        }
    }
}

/// Every link leads to a file that exists, and to a heading of it.
#[test]
fn links_lead_somewhere() {
    let mut checked = 0;
    for document in documents() {
        let name = document.path.display();
        for link in document.links() {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let path = match file {
                "" => document.path.clone(),
                _ => document.path.parent().unwrap().join(file),
            };
            assert!(path.exists(), "{name} links to {link}");
            if !anchor.is_empty() {
                let anchors = Document::read(path).anchors();
                assert!(anchors.iter().any(|known| known == anchor), "{name}: {link}: {anchors:?}");
            }
            checked += 1;
        }
    }
    assert!(checked > 40, "{checked}");
}

/// The README quotes figures from committed results, line by line.
#[test]
fn the_readmes_figures_are_those_of_the_last_runs() {
    let root = repository();
    let readme = Document::read(root.join("README.md"));
    let quotes = |sources: &[&str], lines: &[&str]| {
        let read = |name: &&str| fs::read_to_string(root.join(name)).unwrap();
        let sources: String = sources.iter().map(read).collect();
        assert!(lines.len() > 2, "{lines:?}");
        for line in lines {
            assert!(sources.lines().any(|known| known == *line), "not in a result: {line}");
        }
    };
    let is_speed = |heading: &str| heading == "How fast is it?";
    let speeds = readme.blocks.iter().filter(|block| is_speed(&block.heading));
    quotes(
        &["benches/README.md"],
        &speeds.flat_map(|block| block.text.lines()).collect::<Vec<_>>(),
    );
    let rows = readme.lines.iter().filter(|line| line.starts_with('|')).map(String::as_str);
    let reports = ["studies/results/sqlite/report.md", "studies/results/guidance/report.md"];
    quotes(&reports, &rows.collect::<Vec<_>>());
}

#[test]
fn help_completions_and_manual_pages_exist() {
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

/// Methods and targets are leaves: the code that runs, stores and reports tests cannot name one.
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
    assert_eq!(uses("metacov-methods"), ["cli", "targets"]);
    assert_eq!(uses("metacov-targets"), ["cli"]);
}
