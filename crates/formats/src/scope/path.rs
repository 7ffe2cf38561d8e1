//! Paths as text: reports travel between machines, so no file system is asked.

/// The path with `/` between its parts, without `.`, `//` and, where it can be told from the text
/// alone, `..`.
pub(crate) fn normalize(path: &str) -> String {
    let unified;
    let path = if is_windows(path) {
        unified = path.replace('\\', "/");
        &unified
    } else {
        path
    };
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            part => parts.push(part),
        }
    }
    let relative = parts.join("/");
    if absolute { format!("/{relative}") } else { relative }
}

/// Whether it starts at the root of a file system.
pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || is_windows(path)
}

/// The path below `folder`, if it is there. Both are normalised.
pub(super) fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() {
        return None;
    }
    let rest = path.strip_prefix(folder)?;
    if folder.ends_with('/') { Some(rest) } else { rest.strip_prefix('/') }
}

/// `C:\...` or `C:/...`.
fn is_windows(path: &str) -> bool {
    matches!(path.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised_by_their_text_alone() {
        for (path, normal) in [
            ("a.c", "a.c"),
            ("./src//a.c", "src/a.c"),
            ("src/../a.c", "a.c"),
            ("../../src/a.c", "../../src/a.c"),
            ("/../../etc/a.c", "/etc/a.c"),
            ("/build/x/../a.c", "/build/a.c"),
            (r"C:\src\a.c", "C:/src/a.c"),
            (r"odd\name.c", r"odd\name.c"),
        ] {
            assert_eq!(normalize(path), normal);
        }
    }

    #[test]
    fn below_means_a_whole_folder() {
        assert_eq!(below("/build/a.c", "/build"), Some("a.c"));
        assert_eq!(below("/builder/a.c", "/build"), None);
        assert_eq!(below("/a.c", "/"), Some("a.c"));
    }
}
