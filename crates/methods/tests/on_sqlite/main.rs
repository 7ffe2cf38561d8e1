//! What is generated, on the real SQLite: it works, the relations hold, and faults are noticed.

#![expect(clippy::print_stdout, reason = "tables and counts are what one looks at")]

mod faults;
mod following;
mod known_faults;
mod reduction;
mod soundness;
mod sqlite;
mod success;
