//! Compiles the SQLite that is included in the binary.

#[path = "src/builder.rs"]
mod builder;
#[path = "src/sqlite/build.rs"]
mod sqlite;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use metacov_runtime::{COUNTING_LEVEL, Compiler};
use sqlite::{HEADER, LIBRARIES, NOTES, OPTIONS, SOURCE};

/// The files to include in the binary, compressed.
const FILES: [&str; 5] = [LIBRARIES.library, LIBRARIES.plain_library, NOTES, SOURCE, HEADER];

/// The file that holds the path of the folder in which SQLite was compiled, as its notes name it.
const COMPILED_IN: &str = "folder";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/sqlite/build.rs");
    println!("cargo:rerun-if-changed=src/builder.rs");
    println!("cargo:rerun-if-env-changed=METACOV_CC");
    let variable = |name: &str| env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let (source, out) = (variable("DEP_SQLITE3_INCLUDE"), variable("OUT_DIR"));
    let compiler = env::var_os("METACOV_CC").unwrap_or_else(|| "gcc".into());
    let compiler = Compiler::of(&compiler);
    if !compiler.knows_exact_lines() {
        println!("cargo:warning=the compiler has no {COUNTING_LEVEL:?}: SQLite counts at -O0");
    }
    let folder = compiled(&compiler, &source, &out)?;
    for name in FILES {
        fs::copy(folder.join(packed(name)), out.join(packed(name)))?;
    }
    let header = fs::read_to_string(source.join(HEADER))?;
    println!("cargo:rustc-env=METACOV_SQLITE_VERSION={}", version(&header));
    let compiled_in = fs::read_to_string(folder.join(COMPILED_IN))?;
    println!("cargo:rustc-env=METACOV_SQLITE_FOLDER={compiled_in}");
    Ok(())
}

/// Compiles and packs SQLite, unless the folder exists, and returns that folder. It is in the
/// target folder, outside the profiles, so that tests, clippy and release builds compile it once.
fn compiled(compiler: &Compiler, source: &Path, out: &Path) -> io::Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    for name in [SOURCE, HEADER] {
        fs::read(source.join(name))?.hash(&mut hasher);
    }
    let version = compiler.command().arg("--version").output()?.stdout;
    (version, compiler, OPTIONS, COUNTING_LEVEL).hash(&mut hasher);
    include_str!("src/builder.rs").hash(&mut hasher);
    (metacov_runtime::SOURCE, metacov_runtime::LINKER_SCRIPT).hash(&mut hasher);
    // The output folder is TARGET/PROFILE/build/PACKAGE/out.
    let target = out.ancestors().nth(4).unwrap_or(out);
    let folder = target.join(format!("sqlite-{:016x}", hasher.finish()));
    if folder.is_dir() {
        return Ok(folder);
    }
    // Builds of two profiles may run at once, so the folder appears complete or not at all.
    let unfinished = folder.with_extension(std::process::id().to_string());
    fs::create_dir_all(&unfinished)?;
    sqlite::compile(compiler, source, &unfinished)?;
    for name in FILES {
        let content = zstd::encode_all(fs::File::open(unfinished.join(name))?, 12)?;
        fs::write(unfinished.join(packed(name)), content)?;
        fs::remove_file(unfinished.join(name))?;
    }
    fs::write(unfinished.join(COMPILED_IN), &*unfinished.to_string_lossy())?;
    match fs::rename(&unfinished, &folder) {
        Err(_) if folder.is_dir() => fs::remove_dir_all(&unfinished)?,
        renamed => renamed?,
    }
    Ok(folder)
}

fn packed(name: &str) -> String {
    format!("{name}.zst")
}

fn version(header: &str) -> &str {
    let line = header.lines().find_map(|line| line.strip_prefix("#define SQLITE_VERSION "));
    line.map_or("", |line| line.trim().trim_matches('"'))
}
