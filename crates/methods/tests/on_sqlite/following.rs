//! The schema follows the database, even if statements fail.

use metacov_core::{Outcome, Rng};
use metacov_methods::sql::sqlite::{Database, Dialect, Kind};

use crate::sqlite::{self, Sqlite};

/// The tables of the schema that do not exist.
fn missing(sqlite: &Sqlite, database: &Database) -> Vec<String> {
    let is_missing = |name: &&str| match sqlite.run(&format!("SELECT * FROM {name} LIMIT 0")) {
        Outcome::Rows(_) => false,
        Outcome::Error { message, .. } => message.contains("no such table"),
    };
    database.schema().names().filter(is_missing).map(ToOwned::to_owned).collect()
}

#[test]
fn all_tables_of_the_schema_exist() {
    for seed in 0..150 {
        let built = sqlite::build(&mut Rng::new(seed));
        assert_eq!(missing(&built.sqlite, &built.database), [""; 0], "seed {seed}");
    }
}

#[test]
fn statements_that_are_not_run_do_not_change_the_schema() {
    for seed in 0..100 {
        let (mut rng, mut coin) = (Rng::new(seed), Rng::new(!seed));
        let sqlite = Sqlite::new();
        let mut database = Database::new(Dialect::SQLITE);
        while let Some(statement) = database.next_statement(&mut rng) {
            // The end of a transaction fails only if it fails in SQLite too, so these are always
            // run.
            let run = statement.kind == Kind::Transaction || coin.chance(60);
            if run && matches!(sqlite.run(&statement.sql), Outcome::Rows(_)) {
                database.accept();
            } else {
                database.reject();
            }
        }
        assert_eq!(missing(&sqlite, &database), [""; 0], "seed {seed}");
    }
}

#[test]
fn every_kind_of_statement_can_be_requested() {
    for (seed, &kind) in (0..).zip(Kind::ALL) {
        let mut rng = Rng::new(seed);
        let mut built = sqlite::build(&mut rng);
        let mut kinds = Vec::new();
        // Prerequisites of some kinds: statistics, a virtual table, a table without triggers.
        let first = [Kind::Analyze, Kind::CreateRtree, Kind::CreateIndex, Kind::CreateTable];
        for kind in first.into_iter().chain([kind; 60]) {
            let statement = built.database.statement_of(kind, &mut rng);
            match built.sqlite.run(&statement.sql) {
                Outcome::Rows(_) => built.database.accept(),
                Outcome::Error { .. } => built.database.reject(),
            }
            kinds.push(statement.kind);
        }
        assert_eq!(missing(&built.sqlite, &built.database), [""; 0], "{kind:?}");
        assert!(kinds.contains(&kind), "{kind:?}: {kinds:?}");
    }
}
