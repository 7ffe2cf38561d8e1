//! Compiles the SQLite that travels inside of the binary.

#[path = "src/builder.rs"]
mod builder;
#[path = "src/sqlite/build.rs"]
mod sqlite;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use builder::FAST;
use sqlite::{HEADER, LIBRARIES, NOTES, SOURCE};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=src/sqlite/build.rs");
    println!("cargo:rerun-if-changed=src/builder.rs");
    println!("cargo:rerun-if-env-changed=METACOV_CC");
    let variable = |name: &str| env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let (source, out) = (variable("DEP_SQLITE3_INCLUDE"), variable("OUT_DIR"));
    let folder = out.join("sqlite");
    fs::create_dir_all(&folder)?;
    let compiler = env::var_os("METACOV_CC").unwrap_or_else(|| "gcc".into());
    sqlite::compile(&metacov_runtime::Compiler::of(&compiler), &source, &folder)?;
    let (library, plain) = (LIBRARIES.library, LIBRARIES.plain_library);
    for name in [library, plain, NOTES, SOURCE, HEADER] {
        pack(&folder.join(name), &out.join(format!("{name}.zst")))?;
    }
    for name in [library, NOTES] {
        pack(&folder.join(FAST).join(name), &out.join(format!("{FAST}-{name}.zst")))?;
    }
    let header = fs::read_to_string(folder.join("sqlite3.h"))?;
    println!("cargo:rustc-env=METACOV_SQLITE_VERSION={}", version(&header));
    println!("cargo:rustc-env=METACOV_SQLITE_FOLDER={}", folder.display());
    Ok(())
}

fn pack(from: &Path, to: &Path) -> io::Result<()> {
    fs::write(to, zstd::encode_all(fs::File::open(from)?, 12)?)
}

fn version(header: &str) -> &str {
    let line = header.lines().find_map(|line| line.strip_prefix("#define SQLITE_VERSION "));
    line.map_or("", |line| line.trim().trim_matches('"'))
}
