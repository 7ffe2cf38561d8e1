//! Writes the pages of a run to a folder.

use std::io;
use std::path::Path;

use metacov_core::Operation;
use metacov_formats::Fault;
use metacov_report::digest::Digest;
use metacov_report::html::{self, Written};

use super::source_texts::{ReportSources, some};
use crate::console::Console;
use crate::exit_code::{Unwritten, bail_usage};

/// Writes the pages of a run to a folder.
pub fn write(
    digest: &Digest,
    sources: &ReportSources,
    folder: &Path,
    console: &Console,
) -> anyhow::Result<()> {
    if digest.header.operation != Operation::Xor {
        bail_usage!(
            "--html shows differences (--op xor), and this run was made with --op {}",
            digest.header.operation
        );
    }
    let unwritten = |error: io::Error| Unwritten(Fault::Io(error).of(folder.display().to_string()));
    let library = |path: &str| sources.text(path);
    let Written { missing, stale } =
        html::write_folder(digest, &library, folder).map_err(unwritten)?;
    name_some(&missing, "no source found for", console);
    name_some(&stale, "source differs from the one that was compiled, and is left out:", console);
    console.note(&format!("pages in {}", folder.join("index.html").display()));
    Ok(())
}

fn name_some(files: &[String], what: &str, console: &Console) {
    if files.is_empty() {
        return;
    }
    console.warning(&format!("{what} {}", some(files)));
}
