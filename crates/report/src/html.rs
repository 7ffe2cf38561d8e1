//! The pages of a run: a folder of files that a browser can open from the disk.
//!
//! **The key design decision of this module**: a page is a small shell, and its data is in scripts
//! that only pass it on (`metacov.take(name, data)`), loaded on demand. Browsers let a page from
//! the disk load scripts but not read files, so this is the only way to show a quarter of a million
//! lines without loading them first. Pages contain no inline scripts or styles, so that the
//! strictest policy can be set, and everything that comes from a run is inserted as text, never as
//! markup.
//!
//! ```text
//! index.html           what was measured, numbers, curves, overlaps; needs no script
//! code.html            folders, files and functions
//! source.html          a file, line by line; of all pairs, or of one
//! gaps.html            what is executed and never checked
//! pairs.html           pairs, and one of them with its inputs
//! mutants.html         lists of mutants, if pairs were run with them
//! curve.svg            how MC grew with the number of pairs
//! assets/              style and scripts
//! data/run.js          names: relations, criteria, files
//! data/pairs.js        a row for each pair
//! data/functions.js    a row for each function; numbers-CRITERION.js has their numbers
//! data/gaps.js         the gaps
//! data/file-F.js       the states of all lines of a file
//! data/text-F-C.js     a thousand lines of it, and in how many pairs they ran
//! data/cover-F-C.js    which of those lines single pairs ran
//! data/cases-K.js      fifty pairs, with inputs and where they differ
//! data/setup-K.js      the setups of pairs
//! data/mutants.js      the lists of mutants; mutants-F.js has those of a file
//! ```

mod cases;
mod chunks;
mod data;
mod folder;
mod mutants;
mod overview;
mod page;
mod pairs;
mod sheet;
mod source;
mod vlq;

use std::io;

use metacov_core::first_names;

pub use folder::write_folder;
pub use sheet::{Part, Sheet};

use mutants::MutantPages;

use crate::digest::{Digest, Gaps, Outline};
use crate::pictures;
use crate::svg::{Curves, Labels};

/// Receives the files of the pages: the path below the folder, and the bytes.
pub type WritePage<'s> = &'s mut dyn FnMut(&str, &[u8]) -> io::Result<()>;

/// Finds the text of a source file by its path in the run.
pub type ReadSource<'l> = &'l dyn Fn(&str) -> Option<Vec<u8>>;

/// The result of writing pages.
#[derive(Clone, Debug, Default)]
pub struct WrittenPages {
    /// Files whose text was not found.
    pub missing: Vec<String>,
    /// Files whose text is of another version than the code that ran.
    pub stale: Vec<String>,
}

impl WrittenPages {
    /// Files whose source is not shown, in sentences.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let lists = [
            (&self.missing, "no source found for"),
            (&self.stale, "source differs from the one that was compiled, and is left out:"),
        ];
        let lists = lists.into_iter().filter(|(files, _)| !files.is_empty());
        lists.map(|(files, what)| format!("{what} {}", first_names(files)))
    }
}

const ASSETS: [(&str, &str); 6] = [
    ("assets/style.css", include_str!("html/assets/style.css")),
    ("assets/metacov.js", include_str!("html/assets/metacov.js")),
    ("assets/code.js", include_str!("html/assets/code.js")),
    ("assets/source.js", include_str!("html/assets/source.js")),
    ("assets/pairs.js", include_str!("html/assets/pairs.js")),
    ("assets/gaps.js", include_str!("html/assets/gaps.js")),
];

/// Writes the pages of a run.
pub fn write(
    digest: &Digest,
    library: ReadSource<'_>,
    write_page: WritePage<'_>,
) -> io::Result<WrittenPages> {
    for (path, text) in ASSETS {
        write_page(path, text.as_bytes())?;
    }
    let outline = Outline::of(digest);
    let gaps = Gaps::of(digest, &outline);
    let chunks = chunks::Chunks::of(digest, &outline);
    let (sources, written) = source::read(digest, &outline, library);
    write_page("curve.svg", curves(digest).as_bytes())?;
    let mutants = MutantPages::of(digest, &outline);
    page::write(digest, &outline, &gaps, mutants.as_ref(), write_page)?;
    data::write(digest, &outline, &gaps, &sources, write_page)?;
    source::write(digest, &outline, &chunks, &sources, write_page)?;
    pairs::write(digest, &chunks, write_page)?;
    cases::write(digest, &outline, write_page)?;
    if let Some(mutants) = &mutants {
        write_page(mutants::SCRIPT.0, mutants::SCRIPT.1.as_bytes())?;
        mutants.write(&outline, write_page)?;
    }
    Ok(written)
}

/// A curve for each relation. A curve of all together would not be comparable, because it has more
/// pairs.
fn curves(digest: &Digest) -> String {
    let Digest { suite, growth, primary, .. } = digest;
    let sites = suite.table.sites().filter(|(_, site)| site.criterion() == *primary).count();
    let relations = growth.relations.iter();
    let series = relations.map(|(name, curve)| pictures::one(name, curve, *primary, sites));
    let labels = Labels {
        title: "MC by relation".to_owned(),
        x: "pairs".to_owned(),
        y: format!("MC, in % of all {}", primary.plural()),
    };
    Curves { labels, series: series.collect(), logarithmic: false }.to_svg()
}
