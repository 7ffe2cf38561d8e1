//! Help pages fit on a screen, and describe everything.

use super::*;

/// The number of lines that fit on a screen.
const LINES: usize = 40;

/// All commands with their names, including hidden ones.
fn all(name: &str, command: &Command) -> Vec<(String, Command)> {
    let below = command.get_subcommands().filter(|one| one.get_name() != "help");
    let below = below.flat_map(|one| all(&format!("{name} {}", one.get_name()), one));
    [(name.to_owned(), command.clone())].into_iter().chain(below).collect()
}

fn commands() -> Vec<(String, Command)> {
    let mut root = crate::command().term_width(WIDTH);
    root.build();
    all("metacov", &root)
}

#[test]
fn every_line_has_at_most_100_columns() {
    for (name, mut command) in commands() {
        for help in [command.render_help(), command.render_long_help()] {
            for line in help.to_string().lines() {
                let columns = line.chars().count();
                assert!(columns <= WIDTH, "{name}: {columns} columns: {line}");
            }
        }
    }
}

#[test]
fn short_help_fits_on_a_screen() {
    for (name, mut command) in commands() {
        let help = command.render_help().to_string();
        let lines = help.lines().count();
        assert!(lines <= LINES, "{name}: {lines} lines:\n{help}");
    }
}

/// Text that is broken by hand would be broken again in a narrower terminal. Commands and
/// tables are not broken at all.
#[test]
fn text_is_not_broken_by_hand_and_commands_are_never_broken() {
    for (name, command) in commands() {
        let texts = [
            command.get_before_help(),
            command.get_before_long_help(),
            command.get_after_help(),
            command.get_after_long_help(),
        ];
        for text in texts.into_iter().flatten() {
            let text = text.to_string();
            let lines: Vec<&str> = text.lines().collect();
            for line in lines.iter().filter(|line| line.starts_with(' ')) {
                assert!(line.chars().count() <= WIDTH, "{name}: {line}");
            }
            for two in lines.windows(2) {
                let is_prose = |line: &str| line.starts_with(char::is_alphabetic);
                assert!(
                    !is_prose(two[0]) || !is_prose(two[1]) || two[0].ends_with(['.', ':']),
                    "{name}: {} / {}",
                    two[0],
                    two[1]
                );
            }
        }
    }
}

#[test]
fn everything_is_described() {
    for (name, command) in commands() {
        assert!(command.get_about().is_some(), "{name}");
        for argument in command.get_arguments() {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(!help.is_empty(), "{name}: {}", argument.get_id());
            for value in argument.get_possible_values() {
                assert!(!value.get_name().is_empty(), "{name}: {}", argument.get_id());
            }
        }
    }
}
