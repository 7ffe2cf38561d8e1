//! Every command that the documents show is run: those of a document in order and in one folder, as a reader would run them.
//! What a document shows as output is compared. `exceptions` is the list of commands that are not run as they are shown.
//!
//! `tests/documents/prepare` writes what the reader of a document is assumed to have. A code block with a file name after
//! its language (`json pairs.jsonl`) is written to that file.

mod exceptions;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use exceptions::{EXCEPTIONS, Exception};

use crate::faults::build_version;
use crate::markdown::{Block, Document, documents};
use crate::run::{Run, of, repository};
use crate::sqlite;

/// A test for each document.
macro_rules! documents {
    ($($test:ident: $document:literal,)+) => {
        const TESTED: &[&str] = &[$($document),+];
        $(
            #[test]
            fn $test() {
                run_all_of($document);
            }
        )+
    };
}

documents! {
    readme: "README.md",
    contributing: "CONTRIBUTING.md",
    benchmarks: "benches/README.md",
    adding_a_target: "docs/adding-a-target.md",
    comparing: "docs/comparing.md",
    corpus: "docs/corpus.md",
    evaluating_your_method: "docs/evaluating-your-method.md",
    faults: "docs/faults.md",
    formats: "docs/formats.md",
    fuzzing: "docs/fuzzing.md",
    getting_started: "docs/getting-started.md",
    locate: "docs/locate.md",
    mutants: "docs/mutants.md",
    own_program: "docs/own-program.md",
    reports: "docs/reports.md",
    run_files: "docs/run-files.md",
    scaling_out: "docs/scaling-out.md",
    solvers: "docs/solvers.md",
    sql_engines: "docs/sql-engines.md",
}

/// A command that a document shows.
#[derive(Debug)]
struct Shown {
    /// Its text, without a comment after it.
    command: String,
    /// What it prints, if the document shows that.
    output: Option<String>,
}

#[test]
fn every_document_and_every_exception_is_tested() {
    let root = repository();
    for document in documents() {
        let name = document.path.strip_prefix(&root).unwrap().to_str().unwrap();
        let has_commands = document.blocks.iter().any(|block| !commands(block).is_empty());
        assert_eq!(TESTED.contains(&name), has_commands, "{name}");
    }
    for (document, _) in EXCEPTIONS {
        assert!(TESTED.contains(document), "{document}");
    }
}

#[test]
fn blocks_are_split_into_commands() {
    let block = |language: &str, text: &str| Block {
        language: language.to_owned(),
        file: None,
        text: text.to_owned(),
        heading: String::new(),
    };
    let split = |language, text| {
        let shown = commands(&block(language, text)).into_iter();
        shown.map(|shown| (shown.command, shown.output)).collect::<Vec<_>>()
    };
    let only = |command: &str| (command.to_owned(), None);
    assert_eq!(
        split(
            "sh",
            "# first\na 'x\ny'   # why\n\nb |\n    c\nfor i in 1; do\n    d $i  # e\ndone\n"
        ),
        [only("a 'x\ny'"), only("b |\n    c"), only("for i in 1; do\n    d $i  # e\ndone")]
    );
    let with = |command: &str, output: &str| (command.to_owned(), Some(output.to_owned()));
    assert_eq!(split("console", "$ a\n1\n2\n$ b\n"), [with("a", "1\n2\n"), with("b", "")]);
    assert_eq!(split("text", "a\n"), []);
}

/// Runs all commands of a document.
fn run_all_of(name: &str) {
    let document = Document::read(repository().join(name));
    let blocks = document.blocks.iter();
    let shown: Vec<Shown> = blocks.clone().flat_map(commands).collect();
    let of_document = EXCEPTIONS.iter().find(|(document, _)| *document == name);
    let exceptions: &[Exception] = of_document.map_or(&[], |(_, exceptions)| exceptions);
    for exception in exceptions {
        let is_shown = shown.iter().any(|shown| shown.command == exception.command);
        assert!(is_shown, "{name} no longer shows this: {exception:?}");
    }
    // Built once for all tests.
    let needs_old_sqlite = |block: &Block| {
        let names = ["@3.29.0", "study plan studies/guidance.toml"];
        names.iter().any(|name| block.text.contains(name))
    };
    let reader = Reader::of(name, blocks.clone().any(needs_old_sqlite));
    for block in blocks {
        if let Some(file) = &block.file {
            fs::write(reader.folder.path().join(file), &block.text).unwrap();
        }
        for shown in commands(block) {
            let exception = exceptions.iter().find(|exception| exception.command == shown.command);
            reader.run(&shown, exception);
        }
    }
}

/// Someone who reads a document and runs its commands.
struct Reader {
    folder: tempfile::TempDir,
    path: String,
}

impl Reader {
    fn of(document: &str, needs_old_sqlite: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = repository();
        for part in ["examples", "scripts", "studies"] {
            of(Command::new("cp").arg("-r").args([root.join(part), folder.path().join(part)])).ok();
        }
        let programs = folder.path().join(".programs");
        fs::create_dir(&programs).unwrap();
        let binary = Path::new(env!("CARGO_BIN_EXE_metacov"));
        std::os::unix::fs::symlink(binary, programs.join("metacov")).unwrap();
        let python = root.join("target/oracles/python/bin");
        let found = std::env::var("PATH").unwrap();
        let path = format!("{}:{}:{found}", programs.display(), python.display());
        if needs_old_sqlite {
            build_version("3.29.0");
        }
        let reader = Self { folder, path };
        let script: PathBuf = root.join("tests/documents/prepare");
        reader.shell(&format!("{} {document}", script.display())).ok();
        reader
    }

    /// Runs a command as it is shown, or as its exception says.
    fn run(&self, shown: &Shown, exception: Option<&Exception>) {
        let Shown { command, output } = shown;
        let run = match exception.map(|exception| &exception.run) {
            None | Some(exceptions::Run::AsShown) => self.shell(command),
            Some(exceptions::Run::Instead(instead)) => self.shell(instead),
            Some(exceptions::Run::By(file, text)) => {
                let file = fs::read_to_string(repository().join(file)).unwrap();
                assert!(file.contains(text), "{exception:?}");
                return;
            }
        };
        let (expected, why) = match exception {
            Some(exception) => (exception.exit_code, exception.why),
            None => (0, "run as it is shown"),
        };
        assert_eq!(run.code, expected, "{command}\n({why})\n{}{}", run.stdout, run.stderr);
        if let Some(output) = output {
            check_output(command, output, &run.stdout);
        }
    }

    fn shell(&self, command: &str) -> Run {
        let mut shell = Command::new("bash");
        shell.args(["-euo", "pipefail", "-c", command]).current_dir(self.folder.path());
        shell.env("PATH", &self.path).env("METACOV_CACHE", sqlite::folder().join("cache"));
        of(shell.stdin(Stdio::null()))
    }
}

/// Compares what a document shows with what was printed: all of it, or up to a line with three dots. SQLite compares
/// addresses in a few places, so another build may differ by some lines: numbers of its tables by up to 1 %.
#[track_caller]
fn check_output(command: &str, shown: &str, printed: &str) {
    let (shown, printed) = match shown.strip_suffix("...\n") {
        Some(start) => {
            let lines = printed.split_inclusive('\n').take(start.lines().count());
            (start, lines.collect::<String>())
        }
        None => (shown, printed.to_owned()),
    };
    let tolerance = if command.contains(" sqlite ") { 0.01 } else { 0.0 };
    let is_near = |shown: &str, printed: &str| {
        let number = |word: &str| word.replace(',', "").parse::<f64>().ok();
        match (number(shown), number(printed)) {
            (Some(shown), Some(printed)) => (shown - printed).abs() <= tolerance * printed,
            _ => shown == printed,
        }
    };
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let is_same_line = |(shown, printed): (&str, &str)| {
        let (shown, printed) = (words(shown), words(printed));
        shown.len() == printed.len() && shown.iter().zip(&printed).all(|(a, b)| is_near(a, b))
    };
    let is_same = if tolerance == 0.0 {
        shown == printed
    } else {
        shown.lines().count() == printed.lines().count()
            && shown.lines().zip(printed.lines()).all(is_same_line)
    };
    assert!(is_same, "{command}: the document shows\n{shown}but it prints\n{printed}");
}

/// The commands of a code block.
fn commands(block: &Block) -> Vec<Shown> {
    match &*block.language {
        "sh" => {
            let mut shown = Vec::new();
            let mut command = String::new();
            for line in block.text.lines().filter(|line| !line.is_empty()) {
                if !command.is_empty() {
                    command.push('\n');
                }
                command += line;
                if !is_complete(&command) {
                    continue;
                }
                let complete = without_comment(&std::mem::take(&mut command)).to_owned();
                if !complete.is_empty() {
                    shown.push(Shown { command: complete, output: None });
                }
            }
            assert!(command.is_empty(), "not complete: {command}");
            shown
        }
        "console" => {
            let mut shown = Vec::<Shown>::new();
            for line in block.text.split_inclusive('\n') {
                match line.strip_prefix("$ ") {
                    Some(command) => {
                        let (command, output) = (command.trim_end().to_owned(), String::new());
                        shown.push(Shown { command, output: Some(output) });
                    }
                    None => *shown.last_mut().unwrap().output.as_mut().unwrap() += line,
                }
            }
            shown
        }
        _ => Vec::new(),
    }
}

/// Whether a shell would run it, and not wait for another line.
fn is_complete(command: &str) -> bool {
    !command.ends_with('\\') && of(Command::new("bash").args(["-n", "-c", command])).code == 0
}

/// The command without a comment on its last line.
fn without_comment(command: &str) -> &str {
    let start = command.rfind('\n').map_or(0, |end| end + 1);
    let comment = command[start..]
        .find("# ")
        .filter(|at| *at == 0 || command[start..start + at].ends_with(' '));
    command[..comment.map_or(command.len(), |at| start + at)].trim_end()
}
