//! Writes the pages of a run to a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use metacov_core::Operation;
use metacov_formats::Fault;
use metacov_report::digest::Digest;
use metacov_report::html::{self, Written};
use metacov_store::Header;

use super::target;
use crate::console::Console;
use crate::exit_code::{Unwritten, bail_usage};

/// How many files a message lists.
const NAMED_MAX: usize = 3;

/// Writes the pages of a run to a folder.
pub fn write(digest: &Digest, folder: &Path, console: &Console) -> anyhow::Result<()> {
    if digest.header.operation != Operation::Xor {
        bail_usage!(
            "--html shows differences (--op xor), and this run was made with --op {}",
            digest.header.operation
        );
    }
    let unwritten = |error: io::Error| Unwritten(Fault::Io(error).of(folder.display().to_string()));
    let folders = folders(&digest.header);
    let library = |path: &str| {
        let found = folders.iter().map(|folder| folder.join(path)).find(|path| path.is_file());
        found.and_then(|path| fs::read(path).ok())
    };
    let Written { missing, stale } =
        html::write_folder(digest, &library, folder).map_err(unwritten)?;
    name_some(&missing, "no source found for", console);
    name_some(&stale, "source differs from the one that was compiled, and is left out:", console);
    console.note(&format!("pages in {}", folder.join("index.html").display()));
    Ok(())
}

/// The folders where the source of a run may be: the engine's folder, the folder where the run was
/// started, or any other.
fn folders(header: &Header) -> Vec<PathBuf> {
    let engine = header.settings.get("the engine").and_then(|name| target::list().find(name).ok());
    let engine = engine.map(|(_, artifact)| artifact.folder);
    let engine = engine.filter(|_| !header.settings.contains_key("--library"));
    engine.into_iter().chain([header.root.clone(), PathBuf::from("/")]).collect()
}

fn name_some(files: &[String], what: &str, console: &Console) {
    if files.is_empty() {
        return;
    }
    let named = files.iter().take(NAMED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = match files.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    console.warning(&format!("{what} {named}{more}"));
}
