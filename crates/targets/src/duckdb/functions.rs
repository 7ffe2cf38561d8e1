//! The part of DuckDB's C interface that metacov uses.

use std::ffi::{CStr, c_char, c_int, c_void};

use libloading::os::unix::Library;

pub(super) type Handle = *mut c_void;

/// `duckdb_result`, which has grown over the versions: room for any of them.
pub(super) type RawResult = [usize; 16];

type OfResult<T> = unsafe extern "C" fn(*mut RawResult) -> T;
type OfColumn<T> = unsafe extern "C" fn(*mut RawResult, u64) -> T;
type OfValue<T> = unsafe extern "C" fn(*mut RawResult, u64, u64) -> T;

/// The functions of DuckDB that metacov calls.
pub(super) struct Functions {
    open: unsafe extern "C" fn(*const c_char, *mut Handle) -> c_int,
    configured: Option<Configured>,
    pub(super) connect: unsafe extern "C" fn(Handle, *mut Handle) -> c_int,
    pub(super) query: unsafe extern "C" fn(Handle, *const c_char, *mut RawResult) -> c_int,
    pub(super) destroy_result: OfResult<()>,
    pub(super) value_boolean: OfValue<bool>,
    pub(super) value_int64: OfValue<i64>,
    pub(super) value_double: OfValue<f64>,
    pub(super) value_varchar: OfValue<*mut c_char>,
    pub(super) accessors: Option<Accessors>,
}

/// Opening with options, since 0.3.
struct Configured {
    open: unsafe extern "C" fn(*const c_char, *mut Handle, Handle, *mut *mut c_char) -> c_int,
    create: unsafe extern "C" fn(*mut Handle) -> c_int,
    set: unsafe extern "C" fn(Handle, *const c_char, *const c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut Handle),
    count: unsafe extern "C" fn() -> usize,
    flag: unsafe extern "C" fn(usize, *mut *const c_char, *mut *const c_char) -> c_int,
}

/// Functions that read a result. Versions before 0.2.9 lack them: the fields of the result are read
/// instead.
pub(super) struct Accessors {
    pub(super) row_count: OfResult<u64>,
    pub(super) column_count: OfResult<u64>,
    pub(super) column_type: OfColumn<c_int>,
    pub(super) is_null: OfValue<bool>,
    pub(super) error: OfResult<*const c_char>,
    pub(super) free: unsafe extern "C" fn(*mut c_void),
}

/// One thread, nothing outside the database, and clean errors before memory runs out. Options that
/// a version does not list are left out: it would not open.
const OPTIONS: &[(&CStr, &CStr)] = &[
    (c"threads", c"1"),
    (c"async_threads", c"0"),
    (c"enable_external_access", c"false"),
    (c"autoinstall_known_extensions", c"false"),
    (c"autoload_known_extensions", c"false"),
    (c"memory_limit", c"1GB"),
    (c"temp_directory", c""),
];

impl Functions {
    #[expect(unsafe_code, reason = "symbols of a library have the types that we give them")]
    pub(super) unsafe fn of(library: &Library) -> Result<Self, libloading::Error> {
        macro_rules! find {
            // SAFETY: the caller guarantees the type.
            ($name:literal) => {
                *unsafe { library.get($name) }?
            };
        }
        // SAFETY: the address is not used.
        let has = |name: &[u8]| unsafe { library.get::<*const c_void>(name) }.is_ok();
        let configured = if has(b"duckdb_open_ext\0") {
            Some(Configured {
                open: find!(b"duckdb_open_ext\0"),
                create: find!(b"duckdb_create_config\0"),
                set: find!(b"duckdb_set_config\0"),
                destroy: find!(b"duckdb_destroy_config\0"),
                count: find!(b"duckdb_config_count\0"),
                flag: find!(b"duckdb_get_config_flag\0"),
            })
        } else {
            None
        };
        let accessors = if has(b"duckdb_value_is_null\0") {
            Some(Accessors {
                row_count: find!(b"duckdb_row_count\0"),
                column_count: find!(b"duckdb_column_count\0"),
                column_type: find!(b"duckdb_column_type\0"),
                is_null: find!(b"duckdb_value_is_null\0"),
                error: find!(b"duckdb_result_error\0"),
                free: find!(b"duckdb_free\0"),
            })
        } else {
            None
        };
        Ok(Functions {
            open: find!(b"duckdb_open\0"),
            configured,
            connect: find!(b"duckdb_connect\0"),
            query: find!(b"duckdb_query\0"),
            destroy_result: find!(b"duckdb_destroy_result\0"),
            value_boolean: find!(b"duckdb_value_boolean\0"),
            value_int64: find!(b"duckdb_value_int64\0"),
            value_double: find!(b"duckdb_value_double\0"),
            value_varchar: find!(b"duckdb_value_varchar\0"),
            accessors,
        })
    }

    /// Opens an empty database in memory. Returns null if that fails.
    #[expect(unsafe_code, reason = "the interface of DuckDB")]
    pub(super) fn open(&self) -> Handle {
        let mut database = std::ptr::null_mut();
        // SAFETY: texts are terminated by zero, results have a place, and the options are destroyed
        // once.
        unsafe {
            let Some(configured) = &self.configured else {
                (self.open)(std::ptr::null(), &raw mut database);
                return database;
            };
            let mut options = std::ptr::null_mut();
            (configured.create)(&raw mut options);
            for (name, value) in OPTIONS.iter().filter(|(name, _)| configured.has(name)) {
                (configured.set)(options, name.as_ptr(), value.as_ptr());
            }
            let message = std::ptr::null_mut();
            (configured.open)(std::ptr::null(), &raw mut database, options, message);
            (configured.destroy)(&raw mut options);
        }
        database
    }
}

impl Configured {
    /// Whether an option of this name exists.
    #[expect(unsafe_code, reason = "the interface of DuckDB")]
    fn has(&self, option: &CStr) -> bool {
        // SAFETY: the function has no parameters.
        let count = unsafe { (self.count)() };
        (0..count).any(|at| {
            let (mut name, mut about) = (std::ptr::null(), std::ptr::null());
            // SAFETY: the texts are constants of the library, and terminated by zero.
            unsafe {
                (self.flag)(at, &raw mut name, &raw mut about) == 0
                    && !name.is_null()
                    && CStr::from_ptr(name) == option
            }
        })
    }
}
