//! The report of a run file.

use std::collections::BTreeMap;
use std::path::Path;

use metacov_campaign::{History, TargetList};
use metacov_core::{Operation, counted};
use metacov_formats::Fault;
use metacov_run::RunError;
use metacov_store::{MeasuredSources, Run};
use metacov_study::conduct::{Message, keep_changed};

use crate::digest::Digest;
use crate::{
    Conclusion, Gates, Origin, PairOrigin, Presentation, Screen, html, left_out_note,
    show_campaign, show_violations,
};

/// A run file to report on.
pub struct RunReport<'r> {
    /// The run file.
    pub path: &'r Path,
    /// The folder for web pages, if there are any.
    pub pages: Option<&'r Path>,
    /// Only lines that were changed since this commit or branch count.
    pub since: Option<&'r str>,
    /// Whether flaky sites do not count.
    pub leave_out_flaky: bool,
    /// All targets, whose builds may have the source.
    pub targets: &'r TargetList,
}

impl RunReport<'_> {
    /// Opens the run, without flaky sites if requested. It may be longer when it is opened again.
    pub fn open(&self) -> Result<Run, RunError> {
        if !self.leave_out_flaky {
            return Ok(Run::open(self.path)?);
        }
        let flaky = Run::open(self.path)?.suite()?.0.total().flaky;
        let mut run = Run::open(self.path)?;
        flaky.iter().for_each(|site| run.table.exclude(site));
        Ok(run)
    }

    /// Shows an opened run, and writes its files.
    pub fn show(
        &self,
        mut run: Run,
        mut presentation: Presentation,
        screen: &dyn Screen,
    ) -> Result<Conclusion, RunError> {
        let (groups, header) = (run.groups()?, run.header.clone());
        let history = History::of(&run)?;
        let is_campaign = !history.curve.is_empty();
        // The findings of a campaign say more than its pairs.
        let violations = if is_campaign { BTreeMap::new() } else { run.violations()? };
        let found = show_campaign(&history, self.path, screen)?;
        if !header.complete {
            let (name, pairs) = (&run.name, |count| counted(count, "pair", "pairs"));
            let of = match header.planned {
                Some(planned) => format!("{groups} of {}", pairs(planned)),
                None => pairs(groups),
            };
            let what = format!("{name} is not complete: the numbers are of {of}");
            screen.message(Message::Warning(what));
        }
        if groups == 0 {
            return self.without_pairs(&run, &presentation).map(|()| found);
        }
        if let Some(note) = left_out_note(header.provenance.left_out.values().sum()) {
            screen.note(&note);
        }
        let target = header.known_target().and_then(|name| self.targets.find(name).ok());
        let folder = target.map(|(_, artifact)| artifact.folder);
        let pair_origin =
            if header.target().is_some() { PairOrigin::Generated } else { PairOrigin::Files };
        let sources = MeasuredSources::open(self.path, folder, &header.root)?;
        sources.changes().iter().for_each(|note| screen.note(note));
        if let Some(base) = self.since
            && !keep_changed(
                &mut run.table,
                base,
                &header.root,
                &|path| sources.changed_text(path),
                &|message| screen.message(message),
            )?
        {
            screen.note(&format!("no code of this run was changed since {base}"));
            if presentation.outputs.is_empty() && self.pages.is_none() {
                return Ok(show_violations(&violations, pair_origin, screen));
            }
            // Files are written without code; no number can be too low.
            presentation.gates = Gates::default();
        }
        let suite = match self.pages {
            Some(folder) => {
                let digest = Digest::of(run)?;
                write_pages(&digest, &sources, folder, screen)?;
                digest.suite
            }
            None => run.suite()?.0,
        };
        sources.finish()?;
        let needs_pairs = presentation.needs_pairs();
        let origin = Origin {
            root: &header.root,
            run: Some(self.path),
            since: self.since,
            provenance: &header.provenance.rows(),
            violations: &violations,
            pairs: &if needs_pairs { Run::open(self.path)?.results()? } else { Vec::new() },
        };
        let shown = presentation.show(&suite, &origin, screen)?;
        Ok(shown.max(found).max(show_violations(&violations, pair_origin, screen)))
    }

    /// Refuses to write files of a run without pairs.
    fn without_pairs(&self, run: &Run, presentation: &Presentation) -> Result<(), RunError> {
        let files = presentation.outputs.iter().map(|(output, _)| output.name());
        let files: Vec<String> =
            files.chain(self.pages.iter().map(|folder| folder.display().to_string())).collect();
        if files.is_empty() {
            return Ok(());
        }
        let (files, name) = (files.join(", "), &run.name);
        Err(RunError::Failed(format!(
            "cannot write {files}: {name} has no measured pairs (a campaign keeps those with new coverage)"
        )))
    }
}

/// Writes the pages of a run to a folder.
fn write_pages(
    digest: &Digest,
    sources: &MeasuredSources,
    folder: &Path,
    screen: &dyn Screen,
) -> Result<(), RunError> {
    if digest.header.operation != Operation::Xor {
        return Err(RunError::Invalid(format!(
            "--html shows differences (--op xor), and this run was made with --op {}",
            digest.header.operation
        )));
    }
    let written = html::write_folder(digest, &|path| sources.text(path), folder)
        .map_err(|error| RunError::Output(Fault::Io(error).of(folder.display().to_string())))?;
    written.warnings().for_each(|warning| screen.message(Message::Warning(warning)));
    screen.note(&format!("pages in {}", folder.join("index.html").display()));
    Ok(())
}
