//! Reads the runs to compare.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use metacov_core::Operation;
use metacov_formats::{Error, Fault, Location};
use metacov_run::RunError;
use metacov_store::{MeasuredProgram, RUN_FILE, Run, Settings};

use super::Message;
use crate::{McSites, SuiteGroup, SuiteNumbers};

/// Groups run files and names the groups: folders are replaced by their files, and two files become
/// two groups.
pub fn name_groups(groups: Vec<Vec<PathBuf>>) -> Result<Vec<(String, Vec<PathBuf>)>, Error> {
    let groups = match &groups[..] {
        [two] if two.len() == 2 && two.iter().all(|path| !path.is_dir()) => {
            two.iter().map(|path| vec![path.clone()]).collect()
        }
        _ => groups,
    };
    let mut taken = BTreeSet::new();
    let mut result = Vec::new();
    for paths in groups {
        let mut name = name(&paths);
        while !taken.insert(name.clone()) {
            name.push('\'');
        }
        let files = paths.iter().map(|path| files(path)).collect::<Result<Vec<_>, _>>()?;
        result.push((name, files.concat()));
    }
    Ok(result)
}

/// The run files of a folder, sorted by name, or the file itself.
fn files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |error: std::io::Error| Fault::Io(error).of(path.display().to_string());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension().is_some_and(|ending| ending == RUN_FILE) {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        let what = format!("there are no run files (.{RUN_FILE}) in it");
        return Err(Fault::malformed(Location::Whole, what).of(path.display().to_string()));
    }
    Ok(files)
}

/// The name of a group: the common prefix of its files' names, or their folder.
fn name(paths: &[PathBuf]) -> String {
    let stems: Vec<String> = paths
        .iter()
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    let Some((first, others)) = stems.split_first() else { return "(none)".to_owned() };
    let shared = |other: &String| {
        first.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
    };
    let length = others.iter().map(shared).min().unwrap_or(usize::MAX);
    let start: String = first.chars().take(length).collect();
    let start =
        if others.is_empty() { &*start } else { start.trim_end_matches(['-', '_', '.', ' ']) };
    let folder = paths[0].parent().and_then(|folder| folder.file_name());
    match (start, folder) {
        ("", Some(folder)) => folder.to_string_lossy().into_owned(),
        ("", None) => first.clone(),
        (start, _) => start.to_owned(),
    }
}

/// The runs to compare.
pub struct RunGroups {
    /// The numbers of their suites.
    pub groups: Vec<SuiteGroup>,
    /// The MC sites of each of two groups of one build; otherwise empty.
    pub mc_sites: Vec<McSites>,
}

/// Reads all runs, one after the other; only these relations, if any are named.
pub fn read_groups(
    groups: Vec<(String, Vec<PathBuf>)>,
    relations: &[String],
    on_message: &dyn Fn(Message),
) -> Result<RunGroups, RunError> {
    let two = groups.len() == 2;
    let mut compared = RunGroups { groups: Vec::new(), mc_sites: Vec::new() };
    let mut unmet: BTreeSet<&String> = relations.iter().collect();
    let mut other_build = None;
    let mut first: Option<MeasuredProgram> = None;
    for (name, paths) in groups {
        let mut group = SuiteGroup { name, records: Vec::new() };
        let mut mc_sites = McSites::default();
        let mut made: Vec<(Settings, String)> = Vec::new();
        for path in paths {
            let run = Run::open(&path)?;
            let name = run.name.clone();
            let (mut suite, header) = run.suite()?;
            if header.operation != Operation::Xor {
                let what =
                    format!("holds `{}`, not differences: MC is a difference", header.operation);
                return Err(Fault::malformed(Location::Whole, what).of(&name).into());
            }
            if !header.complete {
                on_message(Message::Warning(format!(
                    "{name} is not complete: the numbers are of what is there"
                )));
            }
            if let Some((_, earlier)) =
                made.iter().find(|(settings, _)| *settings == header.settings)
            {
                on_message(Message::Warning(format!(
                    "{earlier} and {name} were measured with the same settings: suites of a group should differ by chance"
                )));
            }
            let program = MeasuredProgram::new(&name, &header, &suite.table);
            program.check_related(first.get_or_insert_with(|| program.clone()))?;
            unmet.retain(|name| !suite.relations.contains_key(*name));
            if !relations.is_empty() {
                suite.relations.retain(|name, _| relations.contains(name));
            }
            if two && other_build.is_none() {
                other_build = mc_sites.add(&suite).err();
            }
            group.records.push(SuiteNumbers::of(name.clone(), &suite));
            made.push((header.settings, name));
        }
        compared.groups.push(group);
        compared.mc_sites.push(mc_sites);
    }
    if let Some(name) = unmet.first() {
        let what = format!("no run has pairs of the relation `{name}`");
        return Err(RunError::Invalid(what));
    }
    if let Some(mismatch) = &other_build {
        on_message(Message::Note(format!("MC sites of only one group are not shown: {mismatch}")));
    }
    if !two || other_build.is_some() {
        compared.mc_sites.clear();
    }
    if compared.groups.iter().all(|group| group.records.iter().all(|of| of.measurements.is_empty()))
    {
        let what = "no pair of these runs could be measured".to_owned();
        return Err(RunError::Invalid(what));
    }
    Ok(compared)
}
