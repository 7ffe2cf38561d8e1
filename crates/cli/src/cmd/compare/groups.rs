//! Groups of run files on the command line.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, value_parser};

/// Run files in groups. Each `--against` begins another one, so that the shell can fill in names.
pub struct Groups(pub Vec<Vec<PathBuf>>);

impl clap::Args for Groups {
    fn augment_args(command: Command) -> Command {
        let paths = || Arg::new("runs").value_parser(value_parser!(PathBuf)).num_args(1..);
        command
            .arg(
                paths()
                    .value_name("RUN.metacov")
                    .required(true)
                    .help("Run files of a group, or a folder of them"),
            )
            .arg(
                paths()
                    .id("against")
                    .long("against")
                    .value_name("RUN.metacov")
                    .action(ArgAction::Append)
                    .help("Run files of another group, or a folder of them; repeatable"),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Groups {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let groups = ["runs", "against"].into_iter().flat_map(|name| {
            let occurrences = matches.get_occurrences::<PathBuf>(name);
            occurrences.into_iter().flatten().map(|paths| paths.cloned().collect())
        });
        Ok(Groups(groups.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
