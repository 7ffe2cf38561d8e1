//! `metacov load`: a process that loads a shared library and calls it for each input.
//!
//! The library has libFuzzer's interface: `LLVMFuzzerTestOneInput` and, optionally,
//! `LLVMFuzzerInitialize`. Only this process runs code of the library, and does nothing else.

use std::ffi::{CString, OsString, c_char, c_int};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::time::{Duration, Instant};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use metacov_runtime::{LIMITS_VARIABLE, OUTPUT_VARIABLE, READY, SERVE_VARIABLE};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::process::{
    Pid, Resource, Rlimit, WaitOptions, getpid, set_child_subreaper, setpgid, setrlimit, wait,
    waitpid,
};

use crate::process::fork::keep_memory;
use crate::process::helper::OWN_DESCRIPTORS;

type TestOneInput = unsafe extern "C" fn(*const u8, usize) -> c_int;
type Initialize = unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char) -> c_int;

/// Loads a library, given with its arguments, and serves until metacov closes the connection.
pub fn load(command: Vec<OsString>) -> io::Result<()> {
    let (mut requests, mut answers) = (out_of_the_way(io::stdin())?, out_of_the_way(io::stdout())?);
    // The library has an empty standard input, and its output is captured.
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    match take_variable(OUTPUT_VARIABLE) {
        Some(path) => rustix::stdio::dup2_stdout(File::options().append(true).open(path)?)?,
        None => rustix::stdio::dup2_stdout(io::stderr())?,
    }
    let limits = ServerLimits::take()?;
    let run = open(command)?;
    set_child_subreaper(Some(getpid()))?;
    send(&mut answers, &[READY])?;
    keep_memory();
    let mut request = Request::default();
    while let Some((kind, input)) = request.read(&mut requests)? {
        if kind == b'f' {
            match forked(&run, input, &limits)? {
                Ok(ended) => limits.answer(&mut answers, &ended)?,
                Err(error) => send(&mut answers, &[-error])?,
            }
        } else {
            let code = run(input);
            if limits.answer(&mut answers, &[code]).is_err() {
                // The library has closed all descriptors: report by the exit code.
                std::process::exit(code);
            }
        }
    }
    Ok(())
}

/// The last request. Its memory is used for the next one, which metacov sends after the answer.
#[derive(Default)]
struct Request {
    bytes: Vec<u8>,
}

impl Request {
    /// A letter for what is to be done, and the length of the input.
    const HEAD_BYTES: usize = 5;

    /// Most inputs are read at once with their head.
    const USUAL_BYTES: usize = 64 << 10;

    /// Reads the next request: what is to be done, and the input. None at the end.
    fn read(&mut self, requests: &mut File) -> io::Result<Option<(u8, &[u8])>> {
        self.bytes.resize(self.bytes.len().max(Self::USUAL_BYTES), 0);
        let mut have = 0;
        loop {
            let head = self.bytes[..have].first_chunk::<{ Self::HEAD_BYTES }>();
            let end = head
                .map(|[_, length @ ..]| Self::HEAD_BYTES + u32::from_ne_bytes(*length) as usize);
            match end {
                Some(end) if end <= have => {
                    return Ok(Some((self.bytes[0], &self.bytes[Self::HEAD_BYTES..end])));
                }
                Some(end) => self.bytes.resize(self.bytes.len().max(end), 0),
                None => {}
            }
            match requests.read(&mut self.bytes[have..]) {
                Ok(0) if have == 0 => return Ok(None),
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => have += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

fn send(answers: &mut File, numbers: &[i32]) -> io::Result<()> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    answers.write_all(&bytes)
}

/// Whether an execution that has ended left processes, now children of this one.
fn has_processes() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// The limits of an execution.
struct ServerLimits {
    /// How long orphaned descendants may keep running.
    grace: Duration,
    cpu_seconds: Option<u64>,
}

impl ServerLimits {
    /// Takes them out of the environment, where metacov has put them.
    fn take() -> io::Result<Self> {
        let text = take_variable(LIMITS_VARIABLE).unwrap_or_default();
        let invalid = || {
            let what = format!("{LIMITS_VARIABLE} is missing or invalid: `{}`", text.display());
            io::Error::new(io::ErrorKind::InvalidInput, what)
        };
        let numbers = text.to_str().and_then(|text| text.split_once(' '));
        let (grace, cpu_seconds) = numbers.ok_or_else(invalid)?;
        let [grace, cpu_seconds] = [grace, cpu_seconds].map(|number| number.parse().ok());
        Ok(ServerLimits {
            grace: Duration::from_millis(grace.ok_or_else(invalid)?),
            cpu_seconds: Some(cpu_seconds.ok_or_else(invalid)?).filter(|seconds| *seconds > 0),
        })
    }

    /// Sends how an execution has ended, and whether it has left processes that still run after the
    /// grace period. Metacov then ends the server with all of them.
    #[expect(clippy::disallowed_methods, reason = "limits are by the clock; results are not")]
    fn answer(&self, answers: &mut File, ended: &[i32]) -> io::Result<()> {
        if !has_processes() {
            return send(answers, &[ended, &[0]].concat());
        }
        // At once: the grace period is not part of the execution's time.
        send(answers, ended)?;
        let end = Instant::now() + self.grace;
        while has_processes() {
            if Instant::now() >= end {
                return send(answers, &[1]);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        send(answers, &[0])
    }
}

/// Removes a variable from the environment, so that the library does not see it.
#[expect(unsafe_code, reason = "the environment is changed")]
fn take_variable(name: &str) -> Option<OsString> {
    let value = std::env::var_os(name);
    // SAFETY: this process has one thread.
    unsafe { std::env::remove_var(name) };
    value
}

/// A duplicate with a number that libraries are unlikely to use, closed on exec.
fn out_of_the_way(stream: impl AsFd) -> io::Result<File> {
    Ok(File::from(fcntl_dupfd_cloexec(stream, OWN_DESCRIPTORS)?))
}

/// Loads and initialises the library, and returns its function.
#[expect(unsafe_code, reason = "code of a target is loaded and called: see the safety comments")]
fn open(command: Vec<OsString>) -> io::Result<impl Fn(&[u8]) -> i32> {
    let Some(path) = command.first().cloned() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no library to load"));
    };
    let failed = |error: libloading::Error| io::Error::other(error.to_string());
    // SAFETY: the library's constructors can do anything to this process, which has no other
    // purpose. Metacov checks all that it reads from it.
    let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_GLOBAL) }.map_err(failed)?;
    // SAFETY: this process has one thread. Programs that the library executes must not be servers.
    unsafe { std::env::remove_var(SERVE_VARIABLE) };
    // SAFETY: libFuzzer's interface defines the types of these functions.
    let (run, initialize) = unsafe {
        let run = library.get::<TestOneInput>(b"LLVMFuzzerTestOneInput\0").map_err(failed)?;
        (*run, library.get::<Initialize>(b"LLVMFuzzerInitialize\0").ok().map(|symbol| *symbol))
    };
    // Never unloaded.
    std::mem::forget(library);
    if let Some(initialize) = initialize {
        let words = command.into_iter().map(|word| CString::new(word.into_vec()));
        let words = words.collect::<Result<Vec<CString>, _>>()?;
        let mut words: Vec<*mut c_char> = words.into_iter().map(CString::into_raw).collect();
        let mut count = c_int::try_from(words.len()).unwrap_or(c_int::MAX);
        words.push(std::ptr::null_mut());
        let mut words = words.leak().as_mut_ptr();
        // SAFETY: arguments as for `main`, never freed, since the library may keep them.
        unsafe { initialize(&raw mut count, &raw mut words) };
    }
    Ok(move |input: &[u8]| {
        // SAFETY: by libFuzzer's interface, the function reads the given bytes and changes none.
        // All of C's output streams are flushed, so that the output of an input is attributed to
        // that input.
        unsafe {
            let code = run(input.as_ptr(), input.len());
            libc::fflush(std::ptr::null_mut());
            code
        }
    })
}

/// Runs an input in a child. Returns its process id and its wait status, or the error number of
/// fork.
#[expect(unsafe_code, reason = "forking is not in the safe part of any library")]
fn forked(
    run: &impl Fn(&[u8]) -> i32,
    input: &[u8],
    limits: &ServerLimits,
) -> io::Result<Result<[i32; 2], i32>> {
    // SAFETY: this process has one thread, unless the library has started more. Those are missing
    // in the child, which the library has to handle.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let _ = setpgid(None, None);
        if let Some(seconds) = limits.cpu_seconds {
            let limit = Rlimit { current: Some(seconds), maximum: Some(seconds + 1) };
            let _ = setrlimit(Resource::Cpu, limit);
        }
        let code = run(input);
        // SAFETY: exits without running the exit handlers, which belong to the parent.
        unsafe { libc::_exit(code & 0xff) };
    }
    let Some(id) = (child > 0).then(|| Pid::from_raw(child)).flatten() else {
        return Ok(Err(io::Error::last_os_error().raw_os_error().unwrap_or_default()));
    };
    loop {
        match waitpid(Some(id), WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(Ok([child, status.as_raw()])),
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
