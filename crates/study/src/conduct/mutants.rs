//! Runs the pairs of a run file with mutants of their target, and stores the verdicts in the file.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use metacov_campaign::{
    GeneratedMutants, Launch, MutantCase, MutantChoice, MutantComparison, MutantPairs,
    MutantRunOptions, ProgramCase, ProgramMutants, TargetList, WorkerConfig, WorkerOptions,
    missing_mutants, run_mutants,
};
use metacov_core::Element;
use metacov_exec::{Flavour, Target};
use metacov_formats::Scope;
use metacov_mutants::MutantTable;
use metacov_run::{ProgramSuite, RunError};
use metacov_store::{MeasuredSources, MutantRun, MutantWriter, Run, StoredPair};

use super::{Message, Shard, keep_changed};

/// Pairs to run with mutants, and which mutants.
pub struct MutantsRun<'m> {
    /// The run file of the pairs.
    pub path: &'m Path,
    /// Which mutants are run. Without a choice, they are those that the run file has results of.
    pub choice: MutantChoice,
    /// Only mutants on lines that were changed since this commit or branch are run.
    pub changed_since: Option<&'m str>,
    /// Which of the pairs are run.
    pub shard: Shard,
    /// The program with mutants and its arguments, if the pairs are those of a program.
    pub command: &'m [OsString],
    /// How the pairs are run.
    pub options: MutantRunOptions,
}

/// What a run with mutants needs of its caller.
pub struct MutantsContext<'m> {
    /// All targets.
    pub targets: &'m TargetList,
    /// Returns a flag that an interrupt sets from now on. An interrupt while a target is built ends the process.
    pub interrupted: &'m dyn Fn() -> io::Result<Arc<AtomicBool>>,
    /// Builds a version of a target with mutants.
    pub build: &'m dyn Fn(&dyn Target, &str) -> Result<PathBuf, RunError>,
    /// Called with how many pairs are done, and how many there are.
    pub on_progress: &'m (dyn Fn(usize, usize) + Sync),
    /// Messages for the user.
    pub on_message: &'m dyn Fn(Message),
}

/// How a run with mutants ended.
#[derive(Default)]
pub struct MutantsEnd {
    /// Whether it was interrupted. If not, all pairs have results.
    pub is_interrupted: bool,
    /// What a comparison with new processes has shown, if there was one.
    pub compared: Option<MutantComparison>,
}

impl MutantsRun<'_> {
    /// Runs all pairs that have no results yet.
    pub fn run(&self, context: &MutantsContext<'_>) -> Result<MutantsEnd, RunError> {
        let run = Run::open(self.path)?;
        let known = run.mutants()?;
        if !self.command.is_empty() {
            return self.run_program(run, known.as_ref(), context);
        }
        let Some(name) = run.header.known_target().map(str::to_owned) else {
            // A merged file has results, and does not say of which target.
            if known.is_some() {
                return Ok(MutantsEnd::default());
            }
            return Err(RunError::Invalid(format!(
                "{}: not pairs of a target: give the program, built with metacov cc --mutants (metacov mutants {} -- ./prog @@)",
                run.name, run.name
            )));
        };
        self.run_generated(run, known.as_ref(), &name, context)
    }

    fn run_generated(
        &self,
        run: Run,
        known: Option<&MutantRun>,
        name: &str,
        context: &MutantsContext<'_>,
    ) -> Result<MutantsEnd, RunError> {
        let (target, version) = context.targets.parse(name)?;
        let language = target.method().language();
        let stored = self.stored(&run)?;
        let cases = missing_mutants(&stored, known, |pair| MutantCase::of(&run, pair, language))?;
        if cases.is_empty() && known.is_some() {
            return Ok(MutantsEnd::default());
        }
        (context.on_message)(Message::Detail(format!("building {name} with mutants")));
        let library = &*(context.build)(target, version).map_err(|error| error.of(name))?;
        let (table, wanted, writer) = self.chosen(library, run, known, context)?;
        let config = WorkerConfig::of_library(target, library, Flavour::Plain, &Scope::default())?;
        let interrupted = (context.interrupted)()?;
        let options = WorkerOptions::new(target, &config, &interrupted);
        let workers = &WorkerOptions { launch: Launch::MutantProcess, ..options };
        let (cases, table, wanted) = (&*cases, &table, &*wanted);
        let pairs = GeneratedMutants { cases, library, table, wanted, workers };
        self.run_pairs(&pairs, &writer, &interrupted, context)
    }

    /// Runs pairs of the user on their program.
    fn run_program(
        &self,
        run: Run,
        known: Option<&MutantRun>,
        context: &MutantsContext<'_>,
    ) -> Result<MutantsEnd, RunError> {
        let interrupted = (context.interrupted)()?;
        let stored = self.stored(&run)?;
        let setup = stored.iter().find_map(|pair| pair.setup);
        let setup = setup.map(|hash| run.setup(hash)).transpose()?;
        let (settings, command) = (&run.header.settings, self.command.to_vec());
        let suite = ProgramSuite::of_settings(settings, setup, command, Arc::clone(&interrupted));
        let Some(suite) = suite else {
            return Err(RunError::Invalid(format!(
                "{}: not pairs of a program (metacov measure --pairs PAIRS --judge equal -o RUN.metacov -- ./prog @@)",
                run.name
            )));
        };
        suite.check()?;
        let specs = suite.list()?.specs.collect::<Result<Vec<_>, _>>()?;
        let specs: BTreeMap<(&str, &str), _> =
            specs.iter().map(|spec| ((&*spec.relation, &*spec.pair), spec)).collect();
        let to_case = |pair: &StoredPair| {
            let spec = specs.get(&(&*pair.relation, &*pair.name));
            Ok(spec.and_then(|spec| ProgramCase::of(spec, pair)))
        };
        let cases = &*missing_mutants(&stored, known, to_case)?;
        if cases.is_empty() {
            if known.is_some() {
                return Ok(MutantsEnd::default());
            }
            let what = format!("{}: no pair was judged and holds: measure with --judge", run.name);
            return Err(RunError::Invalid(what));
        }
        let program = &suite.runs.target;
        let (table, wanted, writer) =
            self.chosen(Path::new(&program.name()), run, known, context)?;
        let (table, wanted) = (&table, &*wanted.into_iter().map(u8::from).collect::<Vec<_>>());
        let pairs = ProgramMutants { cases, program, table, wanted };
        self.run_pairs(&pairs, &writer, &interrupted, context)
    }

    fn stored(&self, run: &Run) -> Result<Vec<StoredPair>, RunError> {
        Ok(self.shard.of(run.pairs()?).collect::<Result<_, _>>()?)
    }

    /// The mutants of a program or library, which of them are run, and the writer of their verdicts.
    fn chosen(
        &self,
        built: &Path,
        mut run: Run,
        known: Option<&MutantRun>,
        context: &MutantsContext<'_>,
    ) -> Result<(MutantTable, Vec<bool>, MutantWriter), RunError> {
        let table = MutantTable::of_file(built)
            .map_err(|error| RunError::Failed(format!("{}: {error}", built.display())))?;
        let is_free = self.choice == MutantChoice::default() && self.changed_since.is_none();
        let wanted = match known {
            Some(known) if is_free => known.wanted.clone(),
            _ => self.wanted(&table, &mut run, context)?,
        };
        drop(run);
        let writer = MutantWriter::open(self.path, &table.mutants, &wanted)?;
        Ok((table, wanted, writer))
    }

    fn wanted(
        &self,
        table: &MutantTable,
        run: &mut Run,
        context: &MutantsContext<'_>,
    ) -> Result<Vec<bool>, RunError> {
        let lines =
            self.changed_since.map(|base| self.changed_lines(base, run, context)).transpose()?;
        let wanted = MutantChoice { lines, ..self.choice.clone() }.of(&table.mutants);
        if !wanted.contains(&true) {
            let what = "no mutant of the target fits these options";
            return Err(RunError::Invalid(what.to_owned()));
        }
        Ok(wanted)
    }

    /// The lines of code that were changed, by path.
    fn changed_lines(
        &self,
        base: &str,
        run: &mut Run,
        context: &MutantsContext<'_>,
    ) -> Result<BTreeSet<(String, u32)>, RunError> {
        let (table, root) = (&mut run.table, &run.header.root);
        let sources = MeasuredSources::open(self.path, None, root)?;
        keep_changed(table, base, root, &|path| sources.changed_text(path), context.on_message)?;
        let lines = table.sites().filter(|(_, site)| site.element == Element::Line);
        Ok(lines.map(|(_, site)| (table.path(site.file).to_owned(), site.line)).collect())
    }

    fn run_pairs<P: MutantPairs>(
        &self,
        pairs: &P,
        writer: &MutantWriter,
        interrupted: &AtomicBool,
        context: &MutantsContext<'_>,
    ) -> Result<MutantsEnd, RunError> {
        let (done, all) = (AtomicUsize::new(0), pairs.count());
        (context.on_progress)(0, all);
        let on_pair = || (context.on_progress)(done.fetch_add(1, Relaxed) + 1, all);
        match run_mutants(pairs, self.options, writer, &on_pair) {
            Err(RunError::Interrupted) => Ok(MutantsEnd { is_interrupted: true, compared: None }),
            Err(error) => Err(error),
            Ok(compared) => {
                let compared = self.options.compares.then_some(compared);
                Ok(MutantsEnd { is_interrupted: interrupted.load(Relaxed), compared })
            }
        }
    }
}
