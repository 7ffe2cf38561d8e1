//! What metacov and its supervisor say to each other: words of bytes, and descriptors that travel
//! with them.

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::time::Duration;

use metacov_core::Exit;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// No list of arguments is longer.
const MESSAGE_BYTES_MAX: usize = 16 << 20;

/// What stands for a number that is not given.
const NONE: u64 = u64::MAX;

/// A process to start. Its standard input, output and error travel with it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The program and its arguments.
    pub(crate) command: Vec<OsString>,
    /// What to add to the environment.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// How long it may take; for ever, if none is given.
    pub(crate) wall: Option<Duration>,
    /// How long it may go on after it was asked to end.
    pub(crate) grace: Duration,
    /// How much processor time it may take.
    pub(crate) cpu: Option<Duration>,
    /// How many bytes of memory it may have.
    pub(crate) memory_bytes: Option<u64>,
}

/// How a process ended, or why it did not start.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Ended(Exit),
    /// An error of the system, by its number.
    NotStarted(i32),
}

impl Request {
    pub(crate) fn send(&self, to: BorrowedFd<'_>, stdio: [BorrowedFd<'_>; 3]) -> io::Result<()> {
        let mut words = Words::default();
        words.number(self.command.len() as u64);
        self.command.iter().for_each(|word| words.word(word.as_bytes()));
        words.number(self.environment.len() as u64);
        for (name, value) in &self.environment {
            words.word(name.as_bytes());
            words.word(value.as_bytes());
        }
        words.optional(self.wall.map(micros));
        words.number(micros(self.grace));
        words.optional(self.cpu.map(micros));
        words.optional(self.memory_bytes);
        send(to, &words.0, &stdio)
    }

    /// The next request; none if there is nobody any more to ask for something.
    pub(crate) fn receive(from: BorrowedFd<'_>) -> io::Result<Option<(Self, [OwnedFd; 3])>> {
        let mut descriptors = Vec::new();
        let Some(bytes) = receive(from, &mut descriptors)? else { return Ok(None) };
        let stdio = <[OwnedFd; 3]>::try_from(descriptors).map_err(|_| malformed())?;
        let request = Request::parse(Reader(&bytes)).ok_or_else(malformed)?;
        Ok(Some((request, stdio)))
    }

    fn parse(mut words: Reader<'_>) -> Option<Self> {
        let command = (0..words.number()?).map(|_| words.os_word()).collect::<Option<_>>()?;
        let variables = 0..words.number()?;
        let environment =
            variables.map(|_| Some((words.os_word()?, words.os_word()?))).collect::<Option<_>>()?;
        let given = |number: u64| Some(number).filter(|number| *number != NONE);
        let wall = given(words.number()?).map(Duration::from_micros);
        let grace = Duration::from_micros(words.number()?);
        let cpu = given(words.number()?).map(Duration::from_micros);
        let memory_bytes = given(words.number()?);
        Some(Request { command, environment, wall, grace, cpu, memory_bytes })
    }
}

impl Reply {
    pub(crate) fn send(&self, to: BorrowedFd<'_>) -> io::Result<()> {
        let (kind, number) = match *self {
            Reply::Ended(Exit::Success) => (0, 0),
            Reply::Ended(Exit::Failure(code)) => (1, code),
            Reply::Ended(Exit::Signalled(signal)) => (2, signal),
            Reply::Ended(Exit::Timeout) => (3, 0),
            Reply::NotStarted(error) => (4, error),
        };
        let mut words = Words::default();
        words.number(kind);
        words.number(u64::from(number.cast_unsigned()));
        send(to, &words.0, &[])
    }

    pub(crate) fn receive(from: BorrowedFd<'_>) -> io::Result<Self> {
        let bytes = receive(from, &mut Vec::new())?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut words = Reader(&bytes);
        let (kind, number) = (words.number(), words.number());
        let number = number.and_then(|number| u32::try_from(number).ok()).map(u32::cast_signed);
        Ok(match (kind, number) {
            (Some(0), Some(_)) => Reply::Ended(Exit::Success),
            (Some(1), Some(code)) => Reply::Ended(Exit::Failure(code)),
            (Some(2), Some(signal)) => Reply::Ended(Exit::Signalled(signal)),
            (Some(3), Some(_)) => Reply::Ended(Exit::Timeout),
            (Some(4), Some(error)) => Reply::NotStarted(error),
            _ => return Err(malformed()),
        })
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(NONE - 1)
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a message that makes no sense")
}

/// Numbers and words, one behind the other.
#[derive(Default)]
struct Words(Vec<u8>);

impl Words {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_ne_bytes());
    }

    fn word(&mut self, word: &[u8]) {
        self.number(word.len() as u64);
        self.0.extend(word);
    }

    fn optional(&mut self, number: Option<u64>) {
        self.number(number.unwrap_or(NONE));
    }
}

struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_ne_bytes(*number))
    }

    fn os_word(&mut self) -> Option<OsString> {
        let length = usize::try_from(self.number()?).ok()?;
        let (word, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(OsString::from_vec(OsStr::from_bytes(word).as_bytes().to_vec()))
    }
}

/// Sends the length, with the descriptors, and then the bytes.
fn send(to: BorrowedFd<'_>, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    let length = (bytes.len() as u64).to_ne_bytes();
    let mut rest = &[&length[..], bytes].concat()[..];
    while !rest.is_empty() {
        match sendmsg(to, &[IoSlice::new(rest)], &mut ancillary, SendFlags::NOSIGNAL) {
            Ok(sent) => rest = &rest[sent..],
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        ancillary = SendAncillaryBuffer::default();
    }
    Ok(())
}

/// None if the other end is closed.
fn receive(from: BorrowedFd<'_>, descriptors: &mut Vec<OwnedFd>) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    if !receive_exactly(from, &mut length, descriptors)? {
        return Ok(None);
    }
    let length = usize::try_from(u64::from_ne_bytes(length)).unwrap_or(usize::MAX);
    if length > MESSAGE_BYTES_MAX {
        return Err(malformed());
    }
    let mut bytes = vec![0; length];
    Ok(receive_exactly(from, &mut bytes, descriptors)?.then_some(bytes))
}

fn receive_exactly(
    from: BorrowedFd<'_>,
    mut bytes: &mut [u8],
    descriptors: &mut Vec<OwnedFd>,
) -> io::Result<bool> {
    while !bytes.is_empty() {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let flags = RecvFlags::CMSG_CLOEXEC;
        let received = match recvmsg(from, &mut [IoSliceMut::new(bytes)], &mut ancillary, flags) {
            Ok(message) => message.bytes,
            Err(rustix::io::Errno::INTR) => continue,
            Err(rustix::io::Errno::CONNRESET) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(rights) = message {
                descriptors.extend(rights);
            }
        }
        if received == 0 {
            return Ok(false);
        }
        bytes = &mut bytes[received..];
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn what_is_sent_arrives_with_its_descriptors() {
        let (here, there) = UnixStream::pair().unwrap();
        let request = Request {
            command: vec!["prog".into(), OsString::from_vec(vec![b'-', 0xff])],
            environment: vec![("A".into(), "".into())],
            wall: Some(Duration::from_millis(1500)),
            grace: Duration::from_secs(1),
            cpu: None,
            memory_bytes: Some(1 << 30),
        };
        let null = std::fs::File::open("/dev/null").unwrap();
        request.send(here.as_fd(), [null.as_fd(); 3]).unwrap();
        assert_eq!(Request::receive(there.as_fd()).unwrap().unwrap().0, request);
        for reply in [Reply::Ended(Exit::Failure(-1)), Reply::NotStarted(2)] {
            reply.send(there.as_fd()).unwrap();
            assert_eq!(Reply::receive(here.as_fd()).unwrap(), reply);
        }
        drop(here);
        assert!(Request::receive(there.as_fd()).unwrap().is_none());
    }
}
