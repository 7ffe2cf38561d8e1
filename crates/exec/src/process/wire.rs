//! Messages between metacov and its supervisor: a length in 64 bits and a value encoded by
//! postcard, with the file descriptors that accompany it.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

use metacov_core::Exit;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// More than the longest list of arguments that the system accepts.
const MESSAGE_BYTES_MAX: usize = 16 << 20;

/// A process to start. Its standard input, output and error accompany the message.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Request {
    /// The program and its arguments.
    pub(crate) command: Vec<OsString>,
    /// Variables to add to the environment.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// Wall-clock time; unlimited if none is given.
    pub(crate) wall: Option<Duration>,
    /// Time between SIGTERM and SIGKILL.
    pub(crate) grace: Duration,
    /// Processor time.
    pub(crate) cpu: Option<Duration>,
    /// Memory.
    pub(crate) memory_bytes: Option<u64>,
}

/// How a process ended, or why it did not start.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reply {
    Ended(Exit),
    /// An error number of the system.
    NotStarted(i32),
}

impl Request {
    pub(crate) fn send(&self, to: BorrowedFd<'_>, stdio: [BorrowedFd<'_>; 3]) -> io::Result<()> {
        send(to, self, &stdio)
    }

    /// The next request; none once metacov has closed the socket.
    pub(crate) fn receive(from: BorrowedFd<'_>) -> io::Result<Option<(Self, [OwnedFd; 3])>> {
        let mut descriptors = Vec::new();
        let Some(request) = receive(from, &mut descriptors)? else { return Ok(None) };
        let stdio = <[OwnedFd; 3]>::try_from(descriptors).map_err(|_| malformed())?;
        Ok(Some((request, stdio)))
    }
}

impl Reply {
    pub(crate) fn send(&self, to: BorrowedFd<'_>) -> io::Result<()> {
        send(to, self, &[])
    }

    pub(crate) fn receive(from: BorrowedFd<'_>) -> io::Result<Self> {
        receive(from, &mut Vec::new())?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "malformed message between metacov and supervisor")
}

/// Sends the descriptors with the first byte of the message.
fn send(
    to: BorrowedFd<'_>,
    message: &impl Serialize,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let mut bytes = postcard::to_extend(message, vec![0; size_of::<u64>()])
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    let length = (bytes.len() - size_of::<u64>()) as u64;
    bytes[..size_of::<u64>()].copy_from_slice(&length.to_ne_bytes());
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    let mut rest = &bytes[..];
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

/// None if the other end is closed. A message with bytes after its value is malformed.
fn receive<T: DeserializeOwned>(
    from: BorrowedFd<'_>,
    descriptors: &mut Vec<OwnedFd>,
) -> io::Result<Option<T>> {
    let mut length = [0; size_of::<u64>()];
    if !receive_exactly(from, &mut length, descriptors)? {
        return Ok(None);
    }
    let length = usize::try_from(u64::from_ne_bytes(length)).unwrap_or(usize::MAX);
    if length > MESSAGE_BYTES_MAX {
        return Err(malformed());
    }
    let mut bytes = vec![0; length];
    if !receive_exactly(from, &mut bytes, descriptors)? {
        return Ok(None);
    }
    match postcard::take_from_bytes(&bytes) {
        Ok((message, [])) => Ok(Some(message)),
        _ => Err(malformed()),
    }
}

/// Whether the other end has sent all bytes before it was closed.
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
    use std::fs::File;
    use std::io::Write;
    use std::os::fd::AsFd;
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::net::UnixStream;

    use super::*;

    fn request() -> Request {
        Request {
            command: vec!["prog".into(), OsString::from_vec(vec![b'-', 0xff])],
            environment: vec![("A".into(), "".into())],
            wall: Some(Duration::from_millis(1500)),
            grace: Duration::from_secs(1),
            cpu: None,
            memory_bytes: Some(1 << 30),
        }
    }

    #[test]
    fn messages_arrive_with_their_descriptors() {
        let (here, there) = UnixStream::pair().unwrap();
        let null = File::open("/dev/null").unwrap();
        let longest = Request { wall: Some(Duration::MAX), ..request() };
        for request in [request(), longest] {
            request.send(here.as_fd(), [null.as_fd(); 3]).unwrap();
            assert_eq!(Request::receive(there.as_fd()).unwrap().unwrap().0, request);
        }
        for exit in [Exit::Success, Exit::Failure(-1), Exit::Signalled(11), Exit::Timeout] {
            Reply::Ended(exit).send(there.as_fd()).unwrap();
            assert_eq!(Reply::receive(here.as_fd()).unwrap(), Reply::Ended(exit));
        }
        Reply::NotStarted(2).send(there.as_fd()).unwrap();
        assert_eq!(Reply::receive(here.as_fd()).unwrap(), Reply::NotStarted(2));
        drop(here);
        assert!(Request::receive(there.as_fd()).unwrap().is_none());
    }

    #[test]
    fn requests_without_three_descriptors_are_refused() {
        let (here, there) = UnixStream::pair().unwrap();
        let null = File::open("/dev/null").unwrap();
        for count in [0, 1, 2] {
            send(here.as_fd(), &request(), &[null.as_fd(); 3][..count]).unwrap();
            let error = Request::receive(there.as_fd()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        }
    }

    #[test]
    fn malformed_replies_are_refused() {
        let whole = postcard::to_stdvec(&Reply::Ended(Exit::Failure(300))).unwrap();
        let longer = [&whole[..], &[0]].concat();
        let unknown_kind = [9];
        let too_long = (MESSAGE_BYTES_MAX as u64 + 1).to_ne_bytes().to_vec();
        let with_length = |bytes: &[u8]| [&(bytes.len() as u64).to_ne_bytes(), bytes].concat();
        let messages = [&whole[..whole.len() - 1], &longer, &unknown_kind, &[]].map(with_length);
        for bytes in messages.into_iter().chain([too_long]) {
            let (mut here, there) = UnixStream::pair().unwrap();
            here.write_all(&bytes).unwrap();
            let error = Reply::receive(there.as_fd()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{bytes:?}");
        }
    }

    #[test]
    fn lists_longer_than_their_message_are_refused() {
        let (mut here, there) = UnixStream::pair().unwrap();
        // A command of 2^63 words.
        let claim = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00];
        here.write_all(&(claim.len() as u64).to_ne_bytes()).unwrap();
        here.write_all(&claim).unwrap();
        let error = Request::receive(there.as_fd()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}
