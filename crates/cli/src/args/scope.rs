//! Which code counts, in the words of users.

use std::path::PathBuf;

use anyhow::Context as _;
use metacov_formats::{LeftOut, NotesSearch, Scope};
use regex::Regex;

#[derive(clap::Args)]
#[command(next_help_heading = "Which code counts")]
pub struct ScopeArgs {
    /// Show paths below this folder relative to it [default: the current folder].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Count only files whose path matches this regular expression from its start.
    #[arg(long, value_name = "REGEX")]
    filter: Vec<Regex>,
    /// Do not count files whose path matches this regular expression from its start.
    #[arg(long, value_name = "REGEX")]
    exclude: Vec<Regex>,
    /// Take paths that start with the folder OLD to start with NEW.
    #[arg(long, value_name = "OLD=NEW", value_parser = prefix)]
    prefix_map: Vec<(String, String)>,
    /// Count lines with exclusion markers (`LCOV_EXCL_LINE` and so on) in their source too.
    #[arg(long)]
    no_markers: bool,
    /// Keep the instances of a template apart instead of counting source lines.
    #[arg(long)]
    per_instance: bool,
    /// Where the notes (`.gcno`) of counters (`.gcda`) are, if neither beside them nor where the
    /// program was built.
    #[arg(long, value_name = "DIR")]
    notes: Option<PathBuf>,
}

impl ScopeArgs {
    pub fn scope(self) -> anyhow::Result<Scope> {
        let root = self.root.unwrap_or_else(|| PathBuf::from("."));
        let root = std::path::absolute(&root).context("the current folder cannot be told")?;
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
        })
    }
}

fn prefix(text: &str) -> Result<(String, String), String> {
    let (old, new) = text.split_once('=').ok_or("OLD=NEW is needed")?;
    if old.is_empty() { Err("OLD is empty".into()) } else { Ok((old.into(), new.into())) }
}
