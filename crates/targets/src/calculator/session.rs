//! A session of the calculator: the values of its variables.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io;
use std::path::Path;
use std::ptr;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use metacov_core::{Facts, Input, Outcome, Value};
use metacov_exec::{LibraryMemory, Mark, MemoryMarks, OpenOptions, Session};

type Open = unsafe extern "C" fn() -> *mut c_void;
type Run = unsafe extern "C" fn(*mut c_void, *const c_char, *mut i64, *mut *const c_char) -> c_int;

pub(super) struct CalculatorSession {
    open: Open,
    run: Run,
    calculator: *mut c_void,
    marks: MemoryMarks,
}

impl CalculatorSession {
    #[expect(unsafe_code, reason = "code of a target is loaded")]
    pub(super) fn open(library: &Path, options: &OpenOptions<'_>) -> io::Result<Self> {
        // SAFETY: this process has no other purpose, and the types are those of calculator.c.
        let (open, run) = unsafe {
            let library =
                Library::open(Some(library), RTLD_NOW | RTLD_LOCAL).map_err(io::Error::other)?;
            let open: Open = *library.get(b"calculator_open\0").map_err(io::Error::other)?;
            let run: Run = *library.get(b"calculator_run\0").map_err(io::Error::other)?;
            std::mem::forget(library);
            (open, run)
        };
        let memory = LibraryMemory::at(open as *const c_void)?;
        if options.is_measured {
            memory.isolate()?;
        }
        let (calculator, marks) = (ptr::null_mut(), MemoryMarks::new(memory));
        Ok(CalculatorSession { open, run, calculator, marks })
    }

    #[expect(unsafe_code, reason = "the interface of the calculator")]
    fn statement(&self, statement: &str) -> Result<Option<Value>, String> {
        let text = CString::new(statement).map_err(|_| "a zero in a statement".to_owned())?;
        let (mut value, mut message) = (0, ptr::null());
        // SAFETY: the calculator is open, the text is terminated by zero, and both results have a
        // place. A message is a constant of the library.
        unsafe {
            match (self.run)(self.calculator, text.as_ptr(), &raw mut value, &raw mut message) {
                1 => Ok(Some(Value::Integer(value))),
                0 => Ok(None),
                _ => Err(CStr::from_ptr(message).to_string_lossy().into_owned()),
            }
        }
    }
}

impl Session for CalculatorSession {
    fn facts(&self) -> Facts {
        Facts::new()
    }

    #[expect(unsafe_code, reason = "the interface of the calculator")]
    fn begin(&mut self) -> io::Result<()> {
        // SAFETY: the function has no parameters.
        self.calculator = unsafe { (self.open)() };
        Ok(())
    }

    fn run(&mut self, input: &Input) -> io::Result<Outcome> {
        let mut rows = Vec::new();
        for statement in &input.statements {
            match self.statement(statement) {
                Ok(value) => rows.extend(value.map(|value| vec![value])),
                Err(message) => return Ok(Outcome::Error { code: 1, message }),
            }
        }
        // A setting applies to one input only.
        let _ = self.statement("optimise 1");
        Ok(Outcome::Rows(rows))
    }

    fn keep(&mut self, mark: Mark) -> io::Result<()> {
        self.marks.keep(mark)
    }

    fn restore(&mut self, mark: Mark) -> io::Result<()> {
        self.marks.restore(mark);
        Ok(())
    }
}
