//! The options of the scope: which code counts.

use std::path::PathBuf;

use metacov_formats::{LeftOut, NotesSearch, Scope};
use metacov_run::RunError;
use regex::Regex;

#[derive(clap::Args)]
#[command(next_help_heading = "Which code counts")]
pub struct ScopeArgs {
    /// Count only files whose path starts with a match of this.
    #[arg(long, value_name = "REGEX")]
    filter: Vec<Regex>,
    /// Do not count files whose path starts with a match of this.
    #[arg(long, value_name = "REGEX")]
    exclude: Vec<Regex>,
    /// Show paths relative to this folder [default: the current folder].
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    root: Option<PathBuf>,
    /// Replace the folder OLD by NEW at the start of paths.
    #[arg(long, value_name = "OLD=NEW", value_parser = prefix, hide_short_help = true)]
    prefix_map: Vec<(String, String)>,
    /// Also count lines that the source marks as excluded (`LCOV_EXCL_LINE` and similar).
    #[arg(long, hide_short_help = true)]
    no_markers: bool,
    /// Count each instance of a C++ template separately.
    #[arg(long, hide_short_help = true)]
    per_instance: bool,
    /// Where gcc's notes (`.gcno`) are [default: beside the counters or where the program was built].
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    notes: Option<PathBuf>,
}

impl ScopeArgs {
    /// Whether a folder of notes was given.
    pub fn has_notes(&self) -> bool {
        self.notes.is_some()
    }

    pub fn scope(self) -> Result<Scope, RunError> {
        let root = self.root.unwrap_or_else(|| PathBuf::from("."));
        let root = std::path::absolute(&root)
            .map_err(|_| RunError::Failed("cannot find the current folder".to_owned()))?;
        Ok(Scope {
            root,
            prefix_map: self.prefix_map,
            filter: self.filter,
            exclude: self.exclude,
            markers: !self.no_markers,
            left_out: LeftOut::default(),
            per_instance: self.per_instance,
            blocks: false,
            notes: self.notes,
            notes_search: NotesSearch::default(),
            notes_cache: Some(metacov_targets::cc::cache().join("notes")),
        })
    }
}

fn prefix(text: &str) -> Result<(String, String), String> {
    let (old, new) = text.split_once('=').ok_or("expected OLD=NEW")?;
    if old.is_empty() { Err("OLD is empty".into()) } else { Ok((old.into(), new.into())) }
}
