//! The input, arguments and environment of one execution.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use metacov_core::{Fingerprint, StoredInput};
use metacov_formats::{Error, Fault};

use crate::error::ExecError;

/// The placeholder of the input in a command.
const INPUT: &str = "@@";

/// Names and values of variables.
pub(crate) type Environment = Vec<(OsString, OsString)>;

/// An input, and what is specific to its execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// The input file. It replaces `@@` in the command; without `@@` it is the standard input.
    pub input: Option<PathBuf>,
    /// Arguments after those of the command.
    pub arguments: Vec<OsString>,
    /// Variables to add to the environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The standard input, if it is not the input.
    pub stdin: Option<PathBuf>,
}

/// An invocation, and what was read for it.
pub(super) struct Execution<'i> {
    pub(super) invocation: &'i Invocation,
    /// The content of its only input, if it was read as a whole.
    content: Option<&'i [u8]>,
}

impl<'i> Execution<'i> {
    /// `stored` is the first of its inputs, if they were read.
    pub(super) fn of(invocation: &'i Invocation, stored: Option<&'i StoredInput>) -> Self {
        let is_whole = |input: &&StoredInput| {
            input.hash.is_some() && input.content.len() as u64 == input.bytes
        };
        let stored = stored.filter(|_| invocation.only_input().is_some()).filter(is_whole);
        Execution { invocation, content: stored.map(|input| &*input.content) }
    }

    /// The content of an input, which is not read again if it was before.
    pub(super) fn content(&self, input: &Path) -> io::Result<Cow<'i, [u8]>> {
        self.content.map_or_else(|| std::fs::read(input).map(Cow::Owned), |known| Ok(known.into()))
    }

    /// The error with the name of the input in front.
    pub(super) fn named(&self, error: impl Into<ExecError>) -> ExecError {
        error.into().of(self.invocation.name())
    }
}

impl Invocation {
    /// An input alone.
    pub fn of(input: PathBuf) -> Self {
        Invocation { input: Some(input), ..Invocation::default() }
    }

    /// The input, if there is nothing else.
    pub fn only_input(&self) -> Option<&Path> {
        let Invocation { input, arguments, environment, stdin } = self;
        let has_more = !arguments.is_empty() || !environment.is_empty() || stdin.is_some();
        input.as_deref().filter(|_| !has_more)
    }

    /// The name for messages: the path of its input.
    pub fn name(&self) -> String {
        let path = self.input.as_ref().or(self.stdin.as_ref());
        path.map(|path| path.display().to_string()).unwrap_or_default()
    }

    /// The input files, as they are stored. Arguments and environment are added to the name of the
    /// first.
    pub fn inputs(&self) -> Result<Vec<StoredInput>, Error> {
        self.read_inputs().map_err(|error| Fault::Io(error).of(self.name()))
    }

    fn read_inputs(&self) -> io::Result<Vec<StoredInput>> {
        let environment = self
            .environment
            .iter()
            .map(|(name, value)| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()));
        let arguments = self.arguments.iter().map(|word| word.to_string_lossy().into_owned());
        let more: Vec<String> = environment.chain(arguments).collect();
        let files = self.input.iter().chain(self.stdin.as_ref());
        let mut inputs = files.map(|path| read_input(path)).collect::<io::Result<Vec<_>>>()?;
        match inputs.first_mut() {
            Some(first) if !more.is_empty() => {
                first.name = format!("{} {}", first.name, more.join(" "));
            }
            Some(_) => {}
            None => inputs.push(StoredInput::new(more.join(" "), Vec::new())),
        }
        Ok(inputs)
    }

    /// The complete command, and its standard input if it has one.
    pub(crate) fn command(&self, command: &[OsString]) -> (Vec<OsString>, Option<&Path>) {
        let words = command.iter().chain(&self.arguments);
        let takes_file = words.clone().any(|word| holds_input(word));
        let input = self.input.as_deref();
        let words = words.map(|word| input.map_or(word.clone(), |input| with_input(word, input)));
        let stdin = self.stdin.as_deref().or_else(|| input.filter(|_| !takes_file));
        (words.collect(), stdin)
    }
}

/// A file, up to the size that is stored.
fn read_input(path: &Path) -> io::Result<StoredInput> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let metadata = std::fs::metadata(path)?;
    // A pipe can be read only once, by the program.
    if !metadata.is_file() {
        return Ok(StoredInput { name, content: Vec::new(), bytes: metadata.len(), hash: None });
    }
    let mut file = File::open(path)?;
    let known = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
    // One byte more, so that the end of the file is seen without growing.
    let mut content = Vec::with_capacity(known.min(StoredInput::BYTES_MAX) + 1);
    file.by_ref().take(StoredInput::BYTES_MAX as u64).read_to_end(&mut content)?;
    let mut fingerprint = Fingerprint::new();
    fingerprint.bytes(&content);
    let mut bytes = content.len() as u64;
    if content.len() == StoredInput::BYTES_MAX {
        let mut rest = vec![0; StoredInput::BYTES_MAX];
        loop {
            let count = file.read(&mut rest)?;
            if count == 0 {
                break;
            }
            fingerprint.bytes(&rest[..count]);
            bytes += count as u64;
        }
    }
    Ok(StoredInput { name, content, bytes, hash: Some(fingerprint.hash()) })
}

fn holds_input(argument: &OsStr) -> bool {
    argument.to_str().is_some_and(|argument| argument.contains(INPUT))
}

fn with_input(argument: &OsStr, input: &Path) -> OsString {
    match argument.to_str().and_then(|argument| argument.split_once(INPUT)) {
        Some((before, after)) => {
            let mut argument = OsString::from(before);
            argument.push(input);
            argument.push(after);
            argument
        }
        None => argument.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_replace_their_placeholder() {
        let check = |command: &[&str], words: &[&str], stdin: Option<&str>| {
            let command: Vec<OsString> = command.iter().map(OsString::from).collect();
            let invocation =
                Invocation { arguments: vec!["-x".into()], ..Invocation::of("in".into()) };
            let (found, found_stdin) = invocation.command(&command);
            assert_eq!(found, words);
            assert_eq!(found_stdin, stdin.map(Path::new));
        };
        check(&["prog", "--file=@@"], &["prog", "--file=in", "-x"], None);
        check(&["prog"], &["prog", "-x"], Some("in"));
    }
}
