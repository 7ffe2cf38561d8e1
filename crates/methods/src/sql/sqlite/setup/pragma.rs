//! PRAGMA.

use super::Draft;
use crate::sql::ast::Statement;

/// Settings that must come before the first table.
const FIRST: &[(&str, &[&str])] = &[
    ("encoding", &["'UTF-8'", "'UTF-16'", "'UTF-16le'", "'UTF-16be'"]),
    ("page_size", &["512", "1024", "4096", "65536"]),
    ("auto_vacuum", &["0", "1", "2"]),
    // If changed later, it would corrupt indexes that use LIKE.
    ("case_sensitive_like", &["on"]),
    ("cache_size", &["10", "-2000"]),
    // If changed later, it would drop all temporary tables.
    ("temp_store", &["memory", "file"]),
    ("synchronous", &["off", "normal"]),
    ("legacy_file_format", &["on", "off"]),
];

/// Settings and commands for any time. None of them changes the meaning of a query.
const ANY_TIME: &[(&str, &[&str])] = &[
    ("analysis_limit", &["0", "5", "100"]),
    ("application_id", &["0", "7"]),
    ("automatic_index", &["on", "off"]),
    ("cache_size", &["0", "5", "100"]),
    ("cache_spill", &["on", "off", "1"]),
    ("busy_timeout", &["0"]),
    ("cell_size_check", &["on", "off"]),
    ("checkpoint_fullfsync", &["on", "off"]),
    ("collation_list", &[]),
    ("compile_options", &[]),
    ("data_version", &[]),
    ("default_cache_size", &["0", "50"]),
    ("defer_foreign_keys", &["on", "off"]),
    ("database_list", &[]),
    ("foreign_key_check", &[]),
    ("freelist_count", &[]),
    ("foreign_keys", &["on", "off"]),
    ("fullfsync", &["on", "off"]),
    ("ignore_check_constraints", &["on", "off"]),
    ("incremental_vacuum", &["1", "5"]),
    ("integrity_check", &["", "10"]),
    ("journal_size_limit", &["-1", "0"]),
    ("max_page_count", &[]),
    ("mmap_size", &["0", "65536"]),
    ("optimize", &["", "0xfffe", "-1", "0x10002"]),
    ("page_count", &[]),
    ("quick_check", &["", "1"]),
    ("read_uncommitted", &["on", "off"]),
    ("recursive_triggers", &["on", "off"]),
    ("reverse_unordered_selects", &["on", "off"]),
    ("secure_delete", &["on", "off", "fast"]),
    ("shrink_memory", &[]),
    ("soft_heap_limit", &["0"]),
    ("stats", &[]),
    ("table_list", &[]),
    ("threads", &["0", "2"]),
    ("trusted_schema", &["on"]),
    ("user_version", &["0", "9"]),
    ("wal_autocheckpoint", &["0", "10"]),
    ("wal_checkpoint", &["", "passive", "truncate"]),
];

/// Queries about a table.
const ABOUT_TABLES: &[&str] = &[
    "table_info",
    "table_xinfo",
    "index_list",
    "foreign_key_list",
    "foreign_key_check",
    "integrity_check",
];

/// Queries about an index.
const ABOUT_INDEXES: &[&str] = &["index_info", "index_xinfo"];

/// Settings that a transaction refuses.
const OUTSIDE: &[(&str, &[&str])] = &[
    ("journal_mode", &["delete", "truncate", "persist", "memory"]),
    ("locking_mode", &["normal", "exclusive"]),
];

impl Draft<'_> {
    /// A setting of a database that is still empty.
    pub fn first_pragma(&mut self) -> Statement {
        let pragma = self.pragma_of(FIRST);
        if let Statement::Pragma { name: "encoding", value: Some(value), .. } = &pragma {
            self.schema.blobs = !value.contains("16");
        }
        pragma
    }

    /// Attaches another database.
    pub fn attach(&mut self) -> Option<Statement> {
        // Not in a transaction, and only once.
        if self.in_transaction || self.schema.attached {
            return None;
        }
        self.schema.attached = true;
        Some(Statement::Attach)
    }

    /// A setting or a command.
    pub fn pragma(&mut self) -> Statement {
        let subject = if self.rng.chance(20) {
            (ABOUT_TABLES, self.schema.tables.iter().map(|table| table.name.clone()).collect())
        } else if self.rng.chance(10) {
            (ABOUT_INDEXES, self.schema.indexes.iter().map(|index| index.name.clone()).collect())
        } else {
            (ABOUT_TABLES, Vec::new())
        };
        if let (about, names) = subject
            && !names.is_empty()
        {
            let value = Some(self.rng.pick(&names).clone());
            return Statement::Pragma { schema: "", name: self.rng.pick::<&str>(about), value };
        }
        let outside = !self.in_transaction && self.rng.chance(10);
        self.pragma_of(if outside { OUTSIDE } else { ANY_TIME })
    }

    fn pragma_of(&mut self, pragmas: &[(&'static str, &[&'static str])]) -> Statement {
        let (name, values) = *self.rng.pick(pragmas);
        let value = if values.is_empty() { "" } else { *self.rng.pick(values) };
        let schema = match self.rng.below(20) {
            0..=2 => "main.",
            3 => "temp.",
            _ => "",
        };
        Statement::Pragma { schema, name, value: (!value.is_empty()).then(|| value.to_owned()) }
    }
}
