//! Debug information: where an instruction is in the source.

use std::path::{Path, PathBuf};

/// The nodes of a module that locate instructions, by number.
pub(crate) struct Metadata<'m> {
    nodes: Vec<Node<'m>>,
}

#[derive(Clone, Copy)]
enum Node<'m> {
    Other,
    Location {
        line: u32,
        column: u32,
        scope: u32,
    },
    /// A function or a block of it.
    Scope {
        file: u32,
        name: &'m str,
    },
    File {
        name: &'m str,
        directory: &'m str,
    },
}

/// A place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The number of the node of the file.
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl<'m> Metadata<'m> {
    /// Reads the nodes of a module.
    pub(crate) fn read(module: &'m str) -> Self {
        let mut nodes = Vec::new();
        for line in module.lines().filter(|line| line.starts_with('!')) {
            let Some((number, text)) = line[1..].split_once(" = ") else { continue };
            let Ok(number) = number.parse::<usize>() else { continue };
            let node = read(text);
            if !matches!(node, Node::Other) {
                if nodes.len() <= number {
                    nodes.resize(number + 1, Node::Other);
                }
                nodes[number] = node;
            }
        }
        Metadata { nodes }
    }

    /// Returns the place that a location stands for. Line 0 is code without a place.
    pub(crate) fn place(&self, location: u32) -> Option<Place> {
        let Node::Location { line, column, scope } = self.node(location)? else { return None };
        let Node::Scope { file, .. } = self.node(scope)? else { return None };
        (line > 0 && column > 0).then_some(Place { file, line, column })
    }

    /// Returns the name of a function in the source.
    pub(crate) fn function(&self, number: u32) -> Option<&'m str> {
        match self.node(number)? {
            Node::Scope { name, .. } if !name.is_empty() => Some(name),
            _ => None,
        }
    }

    /// Returns the path of a file.
    pub(crate) fn path(&self, file: u32) -> Option<PathBuf> {
        let Node::File { name, directory } = self.node(file)? else { return None };
        Some(Path::new(&unescaped(directory)).join(unescaped(name)))
    }

    fn node(&self, number: u32) -> Option<Node<'m>> {
        self.nodes.get(number as usize).copied()
    }
}

fn read(text: &str) -> Node<'_> {
    let text = text.strip_prefix("distinct ").unwrap_or(text);
    let Some((kind, rest)) = text.split_once('(') else { return Node::Other };
    let node = match kind {
        "!DILocation" => location(rest),
        "!DISubprogram" | "!DILexicalBlock" | "!DILexicalBlockFile" => reference(rest, "file")
            .map(|file| Node::Scope { file, name: string(rest, "name").unwrap_or_default() }),
        "!DIFile" => string(rest, "filename").map(|name| {
            let directory = string(rest, "directory").unwrap_or_default();
            Node::File { name, directory }
        }),
        _ => None,
    };
    node.unwrap_or(Node::Other)
}

fn location(rest: &str) -> Option<Node<'_>> {
    // Code that was inlined has another place than its function; before optimisation there is none.
    if field(rest, "inlinedAt").is_some() {
        return None;
    }
    let number = |name| field(rest, name)?.parse().ok();
    let (line, column) = (number("line")?, number("column").unwrap_or(0));
    Some(Node::Location { line, column, scope: reference(rest, "scope")? })
}

fn reference(rest: &str, name: &str) -> Option<u32> {
    field(rest, name)?.strip_prefix('!')?.parse().ok()
}

/// The text of a field without quotes, up to a comma or the last bracket.
fn field<'m>(rest: &'m str, name: &str) -> Option<&'m str> {
    let value = value(rest, name)?;
    value.split([',', ')']).next()
}

fn string<'m>(rest: &'m str, name: &str) -> Option<&'m str> {
    let value = value(rest, name)?.strip_prefix('"')?;
    Some(&value[..value.find('"')?])
}

/// The text from the value of a field on. Names and values within strings are skipped.
fn value<'m>(rest: &'m str, name: &str) -> Option<&'m str> {
    let (mut is_quoted, mut starts) = (false, true);
    for (at, byte) in rest.bytes().enumerate() {
        let after = &rest[at..];
        if starts
            && !is_quoted
            && after.strip_prefix(name).is_some_and(|rest| rest.starts_with(": "))
        {
            return Some(&after[name.len() + 2..]);
        }
        starts = byte == b' ';
        is_quoted ^= byte == b'"';
    }
    None
}

/// Replaces `\22` by the byte of this number.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = (*first == b'\\').then(|| after.get(..2)).flatten();
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = r#"
!1 = !DIFile(filename: "a\22b.c", directory: "/src", checksumkind: CSK_MD5, checksum: "0")
!2 = distinct !DISubprogram(name: "line: 7, scope", scope: !1, file: !1, line: 3, unit: !0)
!3 = distinct !DILexicalBlock(scope: !2, file: !1, line: 4, column: 1)
!4 = !DILocation(line: 5, column: 12, scope: !3)
!5 = !DILocation(line: 0, scope: !3)
!6 = !DILocation(line: 5, column: 12, scope: !2, inlinedAt: !4)
!7 = !{!1, !2}
"#;

    #[test]
    fn a_location_is_followed_to_its_file() {
        let metadata = Metadata::read(MODULE);
        let place = metadata.place(4).unwrap();
        assert_eq!(place, Place { file: 1, line: 5, column: 12 });
        assert_eq!(metadata.path(place.file).unwrap(), Path::new("/src/a\"b.c"));
        assert_eq!(metadata.function(2), Some("line: 7, scope"));
        for other in [0, 1, 3, 5, 6, 7, 8, 99] {
            assert_eq!(metadata.place(other), None, "{other}");
        }
    }
}
