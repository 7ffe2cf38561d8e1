//! Which runs are compared, and what is kept of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, value_parser};
use metacov_core::Operation;
use metacov_formats::{Fault, Location};
use metacov_store::{Run, Settings};
use metacov_study::{SuiteGroup, SuiteNumbers, Validated};

use crate::args::output::RUN_FILE;
use crate::console::Console;

/// Run files in groups. Each `--against` begins another one, so that the shell can fill in names.
pub struct Groups(Vec<Vec<PathBuf>>);

impl clap::Args for Groups {
    fn augment_args(command: Command) -> Command {
        let paths = || Arg::new("runs").value_parser(value_parser!(PathBuf)).num_args(1..);
        command
            .arg(
                paths()
                    .value_name("RUN.metacov")
                    .required(true)
                    .help("The run files of a group, or a folder of them"),
            )
            .arg(
                paths()
                    .id("against")
                    .long("against")
                    .value_name("RUN.metacov")
                    .action(ArgAction::Append)
                    .help(
                        "The run files of another group, or a folder of them; once for each group",
                    ),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Groups {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let groups = ["runs", "against"].into_iter().flat_map(|name| {
            let occurrences = matches.get_occurrences::<PathBuf>(name);
            occurrences.into_iter().flatten().map(|paths| paths.cloned().collect())
        });
        Ok(Groups(groups.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Groups {
    /// The groups with their names: files instead of folders, and two files as two groups.
    pub fn split(self) -> anyhow::Result<Vec<(String, Vec<PathBuf>)>> {
        let groups = match &self.0[..] {
            [two] if two.len() == 2 && two.iter().all(|path| !path.is_dir()) => {
                two.iter().map(|path| vec![path.clone()]).collect()
            }
            _ => self.0,
        };
        let mut taken = BTreeSet::new();
        let mut result = Vec::new();
        for paths in groups {
            let mut name = name(&paths);
            while !taken.insert(name.clone()) {
                name.push('\'');
            }
            let files = paths.iter().map(|path| files(path)).collect::<anyhow::Result<Vec<_>>>()?;
            result.push((name, files.concat()));
        }
        Ok(result)
    }
}

/// A folder's run files by name, or the file itself.
fn files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
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
        return Err(Fault::malformed(Location::Whole, what).of(path.display().to_string()).into());
    }
    Ok(files)
}

/// What a group is called: what its files' names begin with, or the folder that they are in.
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

/// What is kept of the runs.
pub struct Compared {
    pub groups: Vec<SuiteGroup>,
    /// What each of two groups validates; empty if there are more or fewer.
    pub validated: Vec<Validated>,
}

/// Reads all runs, one after the other; of these relations, if any are named.
pub fn read(
    groups: Vec<(String, Vec<PathBuf>)>,
    relations: &[String],
    console: &Console,
) -> anyhow::Result<Compared> {
    let two = groups.len() == 2;
    let mut compared = Compared { groups: Vec::new(), validated: Vec::new() };
    let mut unmet: BTreeSet<&String> = relations.iter().collect();
    let mut other_build = None;
    for (name, paths) in groups {
        let mut group = SuiteGroup { name, records: Vec::new() };
        let mut validated = Validated::default();
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
                console
                    .warning(&format!("{name} is not complete: the numbers are of what is there"));
            }
            if let Some((_, earlier)) =
                made.iter().find(|(settings, _)| *settings == header.settings)
            {
                console.warning(&format!(
                    "{earlier} and {name} were measured with the same settings: suites of a group should differ by chance"
                ));
            }
            unmet.retain(|name| !suite.relations.contains_key(*name));
            if !relations.is_empty() {
                suite.relations.retain(|name, _| relations.contains(name));
            }
            if two && other_build.is_none() {
                other_build = validated.add(&suite).err();
            }
            group.records.push(SuiteNumbers::of(name.clone(), &suite));
            made.push((header.settings, name));
        }
        compared.groups.push(group);
        compared.validated.push(validated);
    }
    if let Some(name) = unmet.first() {
        return Err(anyhow!("no run has pairs of the relation `{name}`"));
    }
    if let Some(mismatch) = &other_build {
        console.note(&format!("what only one of them validates is not shown: {mismatch}"));
    }
    if !two || other_build.is_some() {
        compared.validated.clear();
    }
    if compared.groups.iter().all(|group| group.records.iter().all(|of| of.measurements.is_empty()))
    {
        bail!("no pair of these runs could be measured");
    }
    Ok(compared)
}
