//! Commands as text that a shell reads back.

use std::ffi::OsStr;

/// Formats words as one would type them into a shell.
pub fn command_line(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./=:,@%+".contains(letter);
    let words = words.into_iter().map(|word| {
        let word = word.as_ref().to_string_lossy();
        if !word.is_empty() && word.chars().all(plain) {
            word.into_owned()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_same_words() {
        assert_eq!(
            command_line(["metacov", "a b", "it's", "", "$(x)", "a/b=c"]),
            r"metacov 'a b' 'it'\''s' '' '$(x)' a/b=c"
        );
    }
}
