//! Starts the process of a request.
//!
//! The standard library would do, but takes 150 system calls, most of them for signals, and a copy
//! of the environment: a tenth of the time of a small program.

use std::ffi::{CStr, CString, OsStr, OsString, c_char, c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::process::{Pid, WaitOptions, waitpid};

use super::limits::whole_seconds;
use super::wire::Request;

/// More than the functions that a new process calls need before it executes the program.
const STACK_BYTES: usize = 64 << 10;

/// Where programs are searched for without `PATH`, as by the C library.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// Runs a script that does not say what runs it, as by the C library.
const SHELL: &CStr = c"/bin/sh";

/// A started process.
pub(super) struct Started {
    pub(super) pid: Pid,
    /// Becomes readable when it ends.
    pub(super) pidfd: OwnedFd,
}

/// Starts processes, all of them with the environment that this one has now and that of their
/// request.
pub(super) struct Spawner {
    environment: Vec<(OsString, CString)>,
    stack: Vec<u128>,
}

impl Spawner {
    pub(super) fn new() -> Self {
        let entry = |(name, value): (OsString, OsString)| {
            let entry = c_entry(&name, &value).ok()?;
            Some((name, entry))
        };
        let environment = std::env::vars_os().filter_map(entry).collect();
        Spawner { environment, stack: vec![0; STACK_BYTES / size_of::<u128>()] }
    }

    /// Starts a process in a separate process group, with its limits in place from the start.
    #[expect(unsafe_code, reason = "not in the safe part of any library")]
    pub(super) fn spawn(&mut self, request: &Request, stdio: &[OwnedFd; 3]) -> io::Result<Started> {
        let arguments = c_strings(&request.command)?;
        let added = added(request)?;
        let is_replaced = |name: &OsString| request.environment.iter().any(|(own, _)| own == name);
        let kept = self.environment.iter().filter(|(name, _)| !is_replaced(name));
        let paths = paths(request)?;
        let mut start = Start {
            paths: pointers(&paths),
            arguments: pointers(&arguments),
            // The second one becomes the path of the script.
            shell_arguments: [SHELL.as_ptr(); 2]
                .into_iter()
                .chain(pointers(arguments.iter().skip(1)))
                .collect(),
            environment: pointers(kept.map(|(_, entry)| entry).chain(&added)),
            stdio: stdio.each_ref().map(AsRawFd::as_raw_fd),
            cpu: request.cpu.map(|cpu| (whole_seconds(cpu), whole_seconds(cpu) + 1)),
            memory: request.memory_bytes.map(|bytes| (bytes, bytes)),
            error: 0,
        };
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD;
        let mut pidfd: RawFd = -1;
        // SAFETY: the child has a separate stack, whose end is aligned. It shares all other memory,
        // but this process has one thread, which waits until the child executes the program or
        // exits. `run` does nothing before that but call functions that are safe then. There are no
        // signal handlers but those for crashes of this process.
        let pid = unsafe {
            let stack = self.stack.as_mut_ptr_range().end;
            let start: *mut Start = &raw mut start;
            libc::clone(run, stack.cast::<c_void>(), flags, start.cast::<c_void>(), &raw mut pidfd)
        };
        let Some(pid) = (pid > 0).then(|| Pid::from_raw(pid)).flatten() else {
            return Err(io::Error::last_os_error());
        };
        // SAFETY: the system has opened it for us.
        let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
        if start.error != 0 {
            let _ = waitpid(Some(pid), WaitOptions::empty());
            return Err(io::Error::from_raw_os_error(start.error));
        }
        Ok(Started { pid, pidfd })
    }
}

/// The entries of a request's environment. The last one of a name counts.
fn added(request: &Request) -> io::Result<Vec<CString>> {
    let all = request.environment.iter().enumerate();
    let is_last = |(at, (name, _)): &(usize, &(OsString, OsString))| {
        request.environment[at + 1..].iter().all(|(later, _)| later != name)
    };
    all.filter(is_last).map(|(_, (name, value))| c_entry(name, value)).collect()
}

/// The files that may be the program, in the order in which they are tried.
fn paths(request: &Request) -> io::Result<Vec<CString>> {
    let Some(name) = request.command.first().filter(|name| !name.is_empty()) else {
        return Err(io::ErrorKind::NotFound.into());
    };
    if name.as_bytes().contains(&b'/') {
        return c_strings([name]);
    }
    let given = request.environment.iter().rev().find(|(variable, _)| variable == "PATH");
    let folders = given.map(|(_, folders)| folders.clone()).or_else(|| std::env::var_os("PATH"));
    let folders = folders.unwrap_or_else(|| DEFAULT_PATH.into());
    let paths = std::env::split_paths(&folders).map(|folder| folder.join(name).into_os_string());
    // Without a folder, it is in the current one.
    let in_here = |path: OsString| {
        if path == *name { Path::new(".").join(path).into_os_string() } else { path }
    };
    c_strings(paths.map(in_here))
}

/// What a child needs to execute the program. All memory is allocated, since a child that shares
/// its parent's cannot do so.
struct Start {
    /// Pointers end with a null pointer.
    paths: Vec<*const c_char>,
    arguments: Vec<*const c_char>,
    shell_arguments: Vec<*const c_char>,
    environment: Vec<*const c_char>,
    stdio: [RawFd; 3],
    /// Soft and hard.
    cpu: Option<(u64, u64)>,
    memory: Option<(u64, u64)>,
    /// Set if the program cannot be executed.
    error: c_int,
}

/// The child: executes the program, or sets the error and returns, which ends it.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
extern "C" fn run(start: *mut c_void) -> c_int {
    // SAFETY: the parent waits and has passed a valid `Start`. Only functions that are safe after
    // `vfork` are called; none of them allocates.
    unsafe {
        let start = &mut *start.cast::<Start>();
        for (target, fd) in (0..).zip(start.stdio) {
            // The numbers differ: the standard library has opened 0, 1 and 2 before anything else.
            if libc::dup2(fd, target) < 0 {
                return fail(start);
            }
        }
        libc::setpgid(0, 0);
        // The standard library ignores it in this process.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        for (resource, limit) in [(libc::RLIMIT_CPU, start.cpu), (libc::RLIMIT_DATA, start.memory)]
        {
            if let Some((rlim_cur, rlim_max)) = limit {
                // Fails if the limit is lower already, which is fine.
                libc::setrlimit(resource, &libc::rlimit { rlim_cur, rlim_max });
            }
        }
        let mut is_denied = false;
        for path in &start.paths[..start.paths.len() - 1] {
            libc::execve(*path, start.arguments.as_ptr(), start.environment.as_ptr());
            match *libc::__errno_location() {
                libc::ENOENT | libc::ENOTDIR => {}
                libc::EACCES => is_denied = true,
                libc::ENOEXEC => {
                    start.shell_arguments[1] = *path;
                    let (arguments, environment) = (&start.shell_arguments, &start.environment);
                    libc::execve(SHELL.as_ptr(), arguments.as_ptr(), environment.as_ptr());
                    return fail(start);
                }
                _ => return fail(start),
            }
        }
        fail(start);
        if is_denied {
            start.error = libc::EACCES;
        }
        1
    }
}

#[expect(unsafe_code, reason = "not in the safe part of any library")]
fn fail(start: &mut Start) -> c_int {
    // SAFETY: always valid.
    start.error = unsafe { *libc::__errno_location() };
    1
}

fn c_strings(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> io::Result<Vec<CString>> {
    let words = words.into_iter().map(|word| Ok(CString::new(word.as_ref().as_bytes())?));
    words.collect()
}

fn c_entry(name: &OsStr, value: &OsStr) -> io::Result<CString> {
    Ok(CString::new([name.as_bytes(), b"=", value.as_bytes()].concat())?)
}

fn pointers<'s>(strings: impl IntoIterator<Item = &'s CString>) -> Vec<*const c_char> {
    let pointers = strings.into_iter().map(|string| string.as_ptr());
    pointers.chain([std::ptr::null()]).collect()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;
    use std::time::Duration;

    use rustix::pipe::{PipeFlags, pipe_with};

    use super::*;

    fn request(command: &[&str], environment: &[(&str, &str)]) -> Request {
        let pair = |(name, value): &(&str, &str)| (name.into(), value.into());
        Request {
            command: command.iter().map(OsString::from).collect(),
            environment: environment.iter().map(pair).collect(),
            wall: None,
            grace: Duration::ZERO,
            cpu: Some(Duration::from_secs(7)),
            memory_bytes: Some(1 << 30),
        }
    }

    /// The exit code and the output of a command.
    fn run(request: &Request) -> io::Result<(Option<i32>, String)> {
        let null = || OwnedFd::from(File::open("/dev/null").unwrap());
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let stdio = [null(), writer, null()];
        let started = Spawner::new().spawn(request, &stdio)?;
        drop(stdio);
        let mut output = String::new();
        File::from(reader).read_to_string(&mut output).unwrap();
        let (_, status) = waitpid(Some(started.pid), WaitOptions::empty()).unwrap().unwrap();
        Ok((ExitStatus::from_raw(status.as_raw()).code(), output))
    }

    #[test]
    fn a_process_has_its_arguments_environment_limits_and_group() {
        let script = "echo $1 $A $B; ulimit -t; ulimit -d; [ $$ = $(ps -o pgid= -p $$) ] || echo group; exit 3";
        let command = ["/bin/sh", "-c", script, "sh", "word"];
        let request = request(&command, &[("A", "one"), ("B", "x"), ("B", "two")]);
        let (code, output) = run(&request).unwrap();
        assert_eq!(output, "word one two\n7\n1048576\n");
        assert_eq!(code, Some(3));
    }

    #[test]
    fn broken_pipes_end_it() {
        let script = "kill -PIPE $$; echo ignored";
        assert_eq!(run(&request(&["sh", "-c", script], &[])).unwrap(), (None, String::new()));
    }

    #[test]
    fn programs_are_searched_for_in_the_path_of_the_request() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metacov-says");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"#!/bin/sh\necho found\n").unwrap();
        drop(file);
        let folders = format!("/nonexistent:{}", folder.path().display());
        let request = request(&["metacov-says"], &[("PATH", &folders)]);
        assert_eq!(run(&request).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(run(&request).unwrap(), (Some(0), "found\n".to_owned()));
    }

    #[test]
    fn a_script_without_an_interpreter_is_run_by_the_shell() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("script");
        std::fs::write(&path, "echo $0 $1; exit 4\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = path.to_str().unwrap();
        let said = (Some(4), format!("{path} word\n"));
        assert_eq!(run(&request(&[path, "word"], &[])).unwrap(), said);
    }

    #[test]
    fn a_program_that_cannot_be_executed_is_an_error() {
        let kind = |command: &[&str]| run(&request(command, &[])).unwrap_err().kind();
        assert_eq!(kind(&["/nonexistent/program"]), io::ErrorKind::NotFound);
        assert_eq!(kind(&["metacov-no-such-program"]), io::ErrorKind::NotFound);
        assert_eq!(kind(&["/dev/null"]), io::ErrorKind::PermissionDenied);
        assert_eq!(kind(&["sh\0"]), io::ErrorKind::InvalidInput);
    }
}
