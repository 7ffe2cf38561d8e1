//! Parses the documents, as far as tests need it: code blocks, code in the text, links and
//! headings.

use std::fs;
use std::path::{Path, PathBuf};

/// A document.
pub struct Document {
    pub path: PathBuf,
    /// Its code blocks.
    pub blocks: Vec<Block>,
    /// Its lines outside of code blocks.
    pub lines: Vec<String>,
}

/// A code block.
pub struct Block {
    pub language: String,
    /// The name of the file that it shows, after the language: `json pairs.jsonl`.
    pub file: Option<String>,
    pub text: String,
    /// The heading above it.
    pub heading: String,
}

/// README and everything that it links to.
pub fn documents() -> Vec<Document> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let others = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "benches/README.md"];
    let others =
        others.into_iter().chain(["studies/results/README.md"]).map(|name| root.join(name));
    let book = fs::read_dir(root.join("docs")).unwrap().flatten().map(|file| file.path());
    let book = book.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let mut paths: Vec<PathBuf> = others.chain(book).collect();
    paths.sort();
    assert!(paths.len() > 20, "{paths:?}");
    paths.into_iter().map(Document::read).collect()
}

impl Document {
    pub fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).unwrap();
        let (mut blocks, mut lines) = (Vec::<Block>::new(), Vec::new());
        let (mut is_code, mut heading) = (false, String::new());
        for line in text.lines() {
            if let Some(language) = line.trim_start().strip_prefix("```") {
                is_code = !is_code;
                if is_code {
                    let (language, file) = match language.split_once(' ') {
                        Some((language, file)) => (language, Some(file.to_owned())),
                        None => (language, None),
                    };
                    let (language, heading) = (language.to_owned(), heading.clone());
                    blocks.push(Block { language, file, text: String::new(), heading });
                }
            } else if is_code {
                let block = blocks.last_mut().unwrap();
                block.text += line;
                block.text.push('\n');
            } else {
                if line.starts_with('#') {
                    line.trim_start_matches('#').trim().clone_into(&mut heading);
                }
                lines.push(line.to_owned());
            }
        }
        assert!(!is_code, "{} ends in a code block", path.display());
        Self { path, blocks, lines }
    }

    /// Code in backquotes in the text. It may span two lines.
    pub fn inline_code(&self) -> Vec<String> {
        let text = self.lines.join("\n");
        let paragraphs =
            text.split("\n\n").flat_map(|paragraph| paragraph.split('`').skip(1).step_by(2));
        paragraphs.map(|code| code.replace('\n', " ")).collect()
    }

    /// The targets of its links.
    pub fn links(&self) -> Vec<String> {
        let text = self.lines.join(" ");
        let ends = text.split("](").skip(1);
        ends.map(|rest| rest.split(')').next().unwrap().to_owned()).collect()
    }

    /// The anchors of the document: the headings as GitHub writes them.
    pub fn anchors(&self) -> Vec<String> {
        let headings = self.lines.iter().filter(|line| line.starts_with('#'));
        let anchor = |line: &String| {
            let text = line.trim_start_matches('#').trim().to_lowercase();
            let kept =
                text.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
            kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
        };
        headings.map(anchor).collect()
    }
}
