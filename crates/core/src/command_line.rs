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

/// The words of a text that [`command_line`] wrote, if it is one.
pub fn split_command_line(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), None::<String>, false);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                word.get_or_insert_default();
                is_quoted = !is_quoted;
            }
            ' ' if !is_quoted => words.extend(word.take()),
            '\\' if !is_quoted => word.get_or_insert_default().push(letters.next()?),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    (!is_quoted).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_same_words() {
        let words = ["metacov", "a b", "it's", "", "$(x)", "a/b=c"];
        let text = command_line(words);
        assert_eq!(text, r"metacov 'a b' 'it'\''s' '' '$(x)' a/b=c");
        assert_eq!(split_command_line(&text).unwrap(), words);
        assert_eq!(split_command_line("an 'open quote"), None);
    }
}
