//! Source packages that `cmake` configures: which files they have, and how it would compile them.
//! Nothing is compiled by what it generates.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use serde::Deserialize;

/// How `cmake` would compile the files.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Commands {
    /// The source files, relative to the folder of the build.
    pub(crate) files: Vec<String>,
    /// The definitions, the folders of headers and the language of all files together.
    pub(crate) options: Vec<String>,
}

/// An entry of the list of `cmake`.
#[derive(Deserialize)]
struct Entry {
    command: String,
    file: String,
}

impl Commands {
    /// Reads the list in `list` of the files that `is_wanted`. All paths are relative to `folder`, in
    /// which the files are.
    pub(crate) fn read(
        list: &Path,
        folder: &Path,
        is_wanted: impl Fn(&str) -> bool,
    ) -> io::Result<Self> {
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", list.display()));
        let text = fs::read_to_string(list).map_err(named)?;
        let entries: Vec<Entry> =
            serde_json::from_str(&text).map_err(|error| named(error.into()))?;
        let above = format!("{}/", folder.display());
        let is_kept =
            |word: &String| ["-D", "-I", "-std=c++"].iter().any(|start| word.starts_with(start));
        let (mut files, mut options) = (BTreeSet::new(), Vec::new());
        for entry in entries {
            let file = entry.file.strip_prefix(&above).unwrap_or(&entry.file).to_owned();
            if !is_wanted(&file) {
                continue;
            }
            files.insert(file);
            for word in words(&entry.command).into_iter().filter(is_kept) {
                let word = word.replace(&above, "");
                if !options.contains(&word) {
                    options.push(word);
                }
            }
        }
        Ok(Commands { files: files.into_iter().collect(), options })
    }
}

/// The words of a command, as a shell reads them.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let (mut quote, mut letters) = (None, command.chars());
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (' ', None) => words.extend(word.take()),
            (_, Some(open)) if letter == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(letters.next()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        let command = r#"c++  -DA=\"\"\"v2.0\"\"\" -I"/a b/c" '-DB="x y"' -DC="\"~/d\"" -c a.cpp"#;
        let expected =
            ["c++", r#"-DA="""v2.0""""#, "-I/a b/c", r#"-DB="x y""#, r#"-DC="~/d""#, "-c", "a.cpp"];
        assert_eq!(words(command), expected);
        assert_eq!(words(""), [""; 0]);
    }
}
