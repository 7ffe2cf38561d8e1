//! Paths as text: reports are moved between machines, so the file system is not consulted.

/// The path with `/` as separator, without `.`, `//` and, where the text alone allows it, `..`.
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

/// The path relative to `folder`, if it is below it. Both are normalised.
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
    fn paths_are_normalised_as_text() {
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
    fn below_compares_whole_folder_names() {
        assert_eq!(below("/build/a.c", "/build"), Some("a.c"));
        assert_eq!(below("/builder/a.c", "/build"), None);
        assert_eq!(below("/a.c", "/"), Some("a.c"));
    }
}
