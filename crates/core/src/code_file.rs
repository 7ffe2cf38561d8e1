//! What identifies a build.

/// A file with code that is measured.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeFile {
    /// The file, as the command or the program names it.
    pub name: String,
    /// Of what is loaded of it.
    pub hash: u64,
    /// The compiler, as it has signed the file.
    pub compiler: Option<String>,
    /// The compiler's options, if they were recorded (`-g`, `-frecord-gcc-switches`).
    pub flags: Option<String>,
}

impl CodeFile {
    /// The last part of its name: programs are the same wherever they are.
    pub fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
    }
}
