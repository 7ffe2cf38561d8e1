//! Every command that the documents show is one that the command line accepts.

#[path = "../end_to_end/markdown.rs"]
#[expect(dead_code, reason = "the tests of the binary use the rest")]
mod markdown;

use std::path::Path;

use clap::CommandFactory;
use clap::error::ErrorKind;

use crate::Args;

#[test]
fn commands_in_code_blocks_are_accepted() {
    let mut accepted = 0;
    for document in markdown::documents() {
        let name = document.path.display();
        for block in &document.blocks {
            let text = match &*block.language {
                "sh" => block.text.clone(),
                "console" => {
                    let commands = block.text.lines().filter_map(|line| line.strip_prefix("$ "));
                    commands.collect::<Vec<_>>().join("\n")
                }
                _ => continue,
            };
            for command in simple_commands(&text) {
                match our_arguments(&command) {
                    Some(arguments) => {
                        let outcome = parse(arguments);
                        assert!(outcome.is_ok(), "{name}: {command:?}: {}", outcome.unwrap_err());
                        accepted += 1;
                    }
                    None => check_other(&command, &name.to_string()),
                }
            }
        }
    }
    assert!(accepted > 80, "{accepted}");
}

#[test]
fn commands_in_the_text_are_accepted() {
    let mut accepted = 0;
    for document in markdown::documents() {
        let code = document.inline_code();
        for code in code.iter().filter(|code| code.starts_with("metacov ")) {
            for command in simple_commands(code) {
                let Some(arguments) = our_arguments(&command) else { continue };
                // The text may name a command without its required arguments.
                match parse(arguments) {
                    Err(error) if error.kind() != ErrorKind::MissingRequiredArgument => {
                        panic!("{}: {code}: {error}", document.path.display())
                    }
                    _ => accepted += 1,
                }
            }
        }
    }
    assert!(accepted > 20, "{accepted}");
}

fn parse(arguments: &[String]) -> Result<(), clap::Error> {
    let words = ["metacov"].into_iter().chain(arguments.iter().map(String::as_str));
    match Args::command().try_get_matches_from(words) {
        Err(error) if error.use_stderr() => Err(error),
        _ => Ok(()),
    }
}

/// The arguments of metacov, if the command runs it: by name, with cargo, or through another program.
fn our_arguments(command: &[String]) -> Option<&[String]> {
    let is_run = command.starts_with(&["cargo".to_owned(), "run".to_owned()]);
    let start = if is_run { "--" } else { "metacov" };
    // Its name is also that of a package: `cargo test -p metacov`.
    if command.first().is_some_and(|first| first == "cargo") && !is_run {
        return None;
    }
    Some(&command[command.iter().position(|word| word == start)? + 1..])
}

/// Scripts, packages and tests that a command names exist.
fn check_other(command: &[String], document: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let first = &*command[0];
    if ["scripts/", "benches/", ".ci/"].iter().any(|folder| first.starts_with(folder)) {
        assert!(root.join(first).is_file(), "{document}: {command:?}");
    }
    if first != "cargo" {
        return;
    }
    let value = |option| {
        let at = command.iter().position(|word| word == option)?;
        Some(command[at + 1].as_str())
    };
    if let Some(package) = value("-p") {
        let folder = package.strip_prefix("metacov-").unwrap_or("cli");
        let folder = root.join("crates").join(folder);
        assert!(folder.is_dir(), "{document}: {command:?}");
        if let Some(test) = value("--test") {
            let tests = folder.join("tests");
            let is_there = tests.join(test).is_dir() || tests.join(format!("{test}.rs")).is_file();
            assert!(is_there, "{document}: {command:?}");
        }
    }
}

/// The words of each simple command of a shell script, without assignments, redirections and keywords. A variable stands
/// for 1.
fn simple_commands(script: &str) -> Vec<Vec<String>> {
    let commands = split(&script.replace("\\\n", " ").replace("$(", "\n"));
    let commands = commands.into_iter().map(|command| {
        let is_prefix = |word: &String| {
            let name = word.split_once('=').map_or("", |(name, _)| name);
            let is_name = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
            !name.is_empty() && name.chars().all(is_name) || ["do", "then"].contains(&word.as_str())
        };
        let command = command.into_iter().skip_while(is_prefix);
        let command = command.take_while(|word| !word.starts_with(['<', '>']));
        let value = |word: String| if word.starts_with('$') { "1".to_owned() } else { word };
        command.map(value).collect::<Vec<_>>()
    });
    commands.filter(|command| !command.is_empty()).collect()
}

/// Splits a script into commands and words, as a shell does with quotes and comments.
fn split(script: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let (mut quote, mut is_comment) = (None, false);
    for letter in script.chars().chain(['\n']) {
        match letter {
            _ if quote == Some(letter) => quote = None,
            _ if quote.is_some() => word.get_or_insert_default().push(letter),
            '\n' | ' ' | ';' | '|' | '&' | '(' | ')' => {
                is_comment &= letter != '\n';
                commands.last_mut().expect("a command").extend(word.take());
                if letter != ' ' {
                    commands.push(Vec::new());
                }
            }
            _ if is_comment => {}
            '#' if word.is_none() => is_comment = true,
            '\'' | '"' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            _ => word.get_or_insert_default().push(letter),
        }
    }
    commands
}
