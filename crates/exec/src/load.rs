//! `metacov load`: a process that loads a shared library and calls it for each input.
//!
//! The library has the function that fuzzers call, `LLVMFuzzerTestOneInput`, and may have
//! `LLVMFuzzerInitialize`. This is the one place that runs code of a target, and it does nothing
//! else.

use std::ffi::{CString, OsString, c_char, c_int};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::time::{Duration, Instant};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use metacov_runtime::{LIMITS_VARIABLE, READY, SERVE_VARIABLE};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{
    Pid, Resource, Rlimit, WaitOptions, getpid, set_child_subreaper, setpgid, setrlimit, wait,
    waitpid,
};

type TestOneInput = unsafe extern "C" fn(*const u8, usize) -> c_int;
type Initialize = unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char) -> c_int;

/// Loads the library that the first word names and serves until nobody asks any more; the other
/// words are its arguments.
pub fn load(words: Vec<OsString>) -> io::Result<()> {
    let (mut requests, mut answers) = (aside(io::stdin())?, aside(io::stdout())?);
    // What the library reads and says is its own: nothing, and what is kept of its output.
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    let limits = Limits::take();
    let run = open(words)?;
    set_child_subreaper(Some(getpid()))?;
    answers.write_all(&READY.to_ne_bytes())?;
    let mut input = Vec::new();
    let mut head = [0; 5];
    while requests.read_exact(&mut head).is_ok() {
        let [kind, length @ ..] = head;
        input.resize(u32::from_ne_bytes(length) as usize, 0);
        requests.read_exact(&mut input)?;
        if kind == b'f' {
            forked(&run, &input, &limits, &mut answers)?;
        } else {
            let code = run(&input);
            if answers.write_all(&code.to_ne_bytes()).is_err() {
                // The library has closed all descriptors: the end of the process has to tell.
                std::process::exit(code);
            }
        }
        answers.write_all(&i32::from(limits.leave_behind()).to_ne_bytes())?;
    }
    Ok(())
}

/// What metacov allows an execution.
struct Limits {
    /// For how long what it leaves behind may go on.
    grace: Duration,
    cpu_seconds: Option<u64>,
}

impl Limits {
    /// As the environment tells, where nobody finds them afterwards.
    #[expect(unsafe_code, reason = "the environment is changed")]
    fn take() -> Self {
        let text = std::env::var(LIMITS_VARIABLE).unwrap_or_default();
        // SAFETY: this process has one thread.
        unsafe { std::env::remove_var(LIMITS_VARIABLE) };
        let mut numbers = text.split(' ').map(|number| number.parse().unwrap_or_default());
        Limits {
            grace: Duration::from_millis(numbers.next().unwrap_or_default()),
            cpu_seconds: numbers.next().filter(|seconds| *seconds > 0),
        }
    }

    /// Whether something of an execution that has ended, which has become ours, is still there
    /// after the grace; metacov ends all of us then.
    #[expect(clippy::disallowed_methods, reason = "limits are by the clock; results are not")]
    fn leave_behind(&self) -> bool {
        let mut end = None;
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) => {
                    let end = *end.get_or_insert_with(|| Instant::now() + self.grace);
                    if Instant::now() >= end {
                        return true;
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(_) => return false,
            }
        }
    }
}

/// A descriptor that targets are not likely to meet, closed when they execute another program.
fn aside(stream: impl AsFd) -> io::Result<File> {
    Ok(File::from(fcntl_dupfd_cloexec(stream, 900)?))
}

/// The library's function.
#[expect(unsafe_code, reason = "code of a target is loaded and called: see the safety comments")]
fn open(words: Vec<OsString>) -> io::Result<impl Fn(&[u8]) -> i32> {
    let path = words.first().cloned().unwrap_or_default();
    let failed = |error: libloading::Error| io::Error::other(error.to_string());
    // SAFETY: the library's constructors run here, and whatever they do, they do to this process,
    // which serves no other purpose. All that metacov takes from it is checked.
    let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_GLOBAL) }.map_err(failed)?;
    // SAFETY: this process has one thread. Programs that the library executes must not serve.
    unsafe { std::env::remove_var(SERVE_VARIABLE) };
    // SAFETY: the types are those that the interface of fuzzers gives these names.
    let (run, initialize) = unsafe {
        let run = library.get::<TestOneInput>(b"LLVMFuzzerTestOneInput\0").map_err(failed)?;
        (*run, library.get::<Initialize>(b"LLVMFuzzerInitialize\0").ok().map(|symbol| *symbol))
    };
    // It stays loaded as long as the process lives.
    std::mem::forget(library);
    if let Some(initialize) = initialize {
        let words = words.into_iter().map(|word| CString::new(word.into_vec()).unwrap_or_default());
        let mut words: Vec<*mut c_char> = words.map(CString::into_raw).collect();
        let mut count = c_int::try_from(words.len()).unwrap_or(c_int::MAX);
        words.push(std::ptr::null_mut());
        let mut words = words.leak().as_mut_ptr();
        // SAFETY: a list of arguments as `main` gets it, never freed, for the library may keep it.
        unsafe { initialize(&raw mut count, &raw mut words) };
    }
    // SAFETY: the interface promises to look at so many bytes from there, and to change nothing.
    Ok(move |input: &[u8]| unsafe { run(input.as_ptr(), input.len()) })
}

/// Runs an input in a child, and tells how that ended.
#[expect(unsafe_code, reason = "forking is not in the safe part of any library")]
fn forked(
    run: &impl Fn(&[u8]) -> i32,
    input: &[u8],
    limits: &Limits,
    answers: &mut File,
) -> io::Result<()> {
    // SAFETY: this process has one thread, unless the library has started more; those are not in
    // the child, which is for the library to know.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let _ = setpgid(None, None);
        if let Some(seconds) = limits.cpu_seconds {
            let limit = Rlimit { current: Some(seconds), maximum: Some(seconds + 1) };
            let _ = setrlimit(Resource::Cpu, limit);
        }
        let code = run(input);
        // SAFETY: an end without the ceremonies that belong to the parent.
        unsafe { libc::_exit(code & 0xff) };
    }
    answers.write_all(&child.to_ne_bytes())?;
    let mut status = 0;
    if let Some(child) = Pid::from_raw(child)
        && let Some((_, ended)) = waitpid(Some(child), WaitOptions::empty())?
    {
        status = ended.as_raw();
    }
    answers.write_all(&status.to_ne_bytes())
}
