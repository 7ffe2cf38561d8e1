//! `metacov measure sqlite`: measures generated tests.

use std::num::NonZero;
use std::path::PathBuf;

use metacov_run::ALL;

use crate::args::count::positive;
use crate::args::solver::SolverArgs;

#[derive(clap::Args)]
#[command(next_help_heading = "Generated pairs (TARGET)")]
pub struct EngineArgs {
    #[command(flatten)]
    pub relations: RelationArgs,
    /// Number of pairs of each relation [default: 100].
    #[arg(long, value_name = "N", value_parser = positive::<NonZero<u64>>)]
    pub count: Option<NonZero<u64>>,
    /// Number of databases that the pairs run on [default: 10].
    ///
    /// For targets that are no database, a database stands for any state of the target.
    #[arg(long, value_name = "N", value_parser = positive::<NonZero<u64>>, hide_short_help = true)]
    databases: Option<NonZero<u64>>,
    /// Random seed: the same seed gives the same pairs [default: 1].
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Use this build of the target: a library compiled with `metacov cc -shared`.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub library: Option<PathBuf>,
    #[command(flatten)]
    pub solver: SolverArgs,
}

/// Relations, in the words of users.
#[derive(clap::Args)]
pub struct RelationArgs {
    /// Relations to test [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    relation: Vec<String>,
}

impl RelationArgs {
    /// The names; `all` if none was given.
    pub fn names(&self) -> Vec<String> {
        match &*self.relation {
            [] => vec![ALL.to_owned()],
            names => names.to_vec(),
        }
    }
}

impl EngineArgs {
    /// An option that was given and means nothing for a command.
    pub fn only_for_targets(&self) -> Option<&'static str> {
        let given = [
            (self.databases.is_some(), "--databases"),
            (self.seed.is_some(), "--seed"),
            (self.library.is_some(), "--library"),
        ];
        let given = given.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name);
        given.or_else(|| self.solver.given())
    }

    pub fn databases(&self) -> u64 {
        self.databases.map_or(10, NonZero::get)
    }

    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }
}
