//! Each option of `metacov measure` means something for a target, for a command, or for both.

use clap::{CommandFactory, Parser};

use super::*;

#[derive(Parser)]
struct Words {
    #[command(flatten)]
    measure: Args,
}

/// Options that mean something for a target only, with a value.
const FOR_TARGETS: &[(&str, &str)] = &[
    ("count", "1"),
    ("databases", "1"),
    ("seed", "1"),
    ("library", "x"),
    ("no_coverage", ""),
    ("command", "true"),
    ("seeds", "x"),
];

/// Options that mean something for a command only.
const FOR_COMMANDS: &[(&str, &str)] = &[
    ("judge", "equal"),
    ("setup", "x"),
    ("mode", "exec"),
    ("cpu_timeout", "1"),
    ("valid_exit", "0"),
    ("repeat", "2"),
    ("notes", "x"),
];

/// Options that both use, and `--pairs` with its `--pair`, which a command needs and a target refuses.
const FOR_BOTH: &[&str] = &[
    "relation",
    "pairs",
    "pair",
    "jobs",
    "timeout",
    "memory",
    "no_flaky",
    "output",
    "by",
    "criterion",
    "format",
    "gcovr_format",
    "fail_under",
    "fail_on",
    "fail_drop",
    "resume",
    "filter",
    "exclude",
    "root",
    "prefix_map",
    "no_markers",
    "per_instance",
];

/// What a command line with this option is refused with.
fn refusal(before: &[&str], (id, value): (&str, &str), after: &[&str]) -> String {
    let option = format!("--{}", id.replace('_', "-"));
    let value = Some(value).filter(|value| !value.is_empty());
    let words = ["measure"].iter().chain(before).copied().chain([&*option]).chain(value);
    let args = Words::try_parse_from(words.chain(after.iter().copied())).unwrap().measure;
    let refused = args.config().map(drop);
    refused.expect_err(&option).to_string()
}

/// `--relation`, `--seed`, `--databases` and `--library` were accepted next to a command, and did nothing.
#[test]
fn each_option_is_used_or_refused() {
    for option in FOR_TARGETS {
        let said = refusal(&["--pairs", "x"], *option, &["--", "true"]);
        assert!(said.contains(" goes with a target"), "{option:?}: {said}");
    }
    for option in FOR_COMMANDS {
        let said = refusal(&["sqlite"], *option, &[]);
        assert!(said.contains(" a command"), "{option:?}: {said}");
    }
    let command = Words::command();
    let known = |id: &str| {
        // The other `command` has no name: what follows `--`.
        let id = if id == "solver_command" { "command" } else { id };
        let of = |list: &[(&str, &str)]| list.iter().any(|(known, _)| *known == id);
        of(FOR_TARGETS) || of(FOR_COMMANDS) || FOR_BOTH.contains(&id)
    };
    let options = command.get_arguments().filter(|option| !option.is_positional());
    let unknown: Vec<&str> =
        options.map(|option| option.get_id().as_str()).filter(|id| !known(id)).collect();
    assert!(unknown.is_empty(), "{unknown:?}: say what a command and a target do with them");
}
