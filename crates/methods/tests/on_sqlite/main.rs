//! Generated tests on the real SQLite: they work, the relations hold, and faults are detected.

#![expect(clippy::print_stdout, reason = "tables and counts are what one looks at")]

mod faults;
mod following;
mod known_faults;
mod reduction;
mod soundness;
mod sqlite;
mod success;
