//! `known.toml`: bugs that are already known.

use std::path::Path;

use metacov_core::{Case, Language};
use metacov_formats::{Error, Fault, Location};
use serde::Deserialize;

use super::signature::Signature;

/// Bugs that need not be reported again.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBugs {
    /// All of them.
    #[serde(default)]
    pub bug: Vec<KnownBug>,
}

/// A known bug, and which findings are attributed to it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBug {
    /// The name that is shown.
    pub name: String,
    /// The signature of the finding, or of its group.
    pub signature: Option<String>,
    /// Words that the reduced case must contain, all of them.
    #[serde(default)]
    pub words: Vec<String>,
    /// The relation of the findings, if only one relation detects the bug.
    pub relation: Option<String>,
}

impl KnownBugs {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| Fault::Io(error).of(&name))?;
        Self::parse(&text).map_err(|what| Fault::malformed(Location::Whole, what).of(&name))
    }

    /// Parses the text of a file. An entry that would match everything is refused.
    pub fn parse(text: &str) -> Result<Self, String> {
        let known: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        let is_open = |bug: &&KnownBug| bug.signature.is_none() && bug.words.is_empty();
        match known.bug.iter().find(is_open) {
            Some(bug) => Err(format!("`{}` has neither a signature nor words", bug.name)),
            None => Ok(known),
        }
    }

    /// Returns the name of the known bug that a finding belongs to.
    pub fn name(
        &self,
        language: &dyn Language,
        case: &Case,
        signature: &Signature,
    ) -> Option<&str> {
        let found = self.bug.iter().find(|bug| bug.matches(language, case, signature));
        found.map(|bug| bug.name.as_str())
    }
}

impl KnownBug {
    fn matches(&self, language: &dyn Language, case: &Case, signature: &Signature) -> bool {
        let has = |word: &String| {
            let mut words = case.statements().flat_map(|statement| language.words(statement));
            words.any(|known| known.eq_ignore_ascii_case(word))
        };
        self.relation.as_ref().is_none_or(|own| *own == case.relation)
            && self.signature.as_ref().is_none_or(|own| signature.is(own))
            && self.words.iter().all(has)
    }
}

#[cfg(test)]
mod tests {
    use metacov_core::{Input, Judge, Pair};

    use super::*;
    use crate::scripted::Words;

    #[test]
    fn bugs_are_known_by_words_or_signature() {
        let known = KnownBugs::parse(
            "[[bug]]\nname = \"rtree\"\nwords = [\"rtree\", \"in\"]\n\
             [[bug]]\nname = \"one\"\nsignature = \"0000000000000007\"\nrelation = \"norec\"\n",
        );
        let known = known.unwrap();
        let statement = "CREATE VIRTUAL TABLE t0 USING rtree (a, b, c)".to_owned();
        let case = Case {
            relation: "tlp-where".to_owned(),
            setup: vec![statement],
            sides: Pair { a: vec![Input::of("SELECT 1 IN (2)".to_owned())], b: Vec::new() },
            parts: Vec::new(),
            judge: Judge::Bag,
        };
        let signature = Signature { exact: 7, group: 9 };
        assert_eq!(known.name(&Words, &case, &signature), Some("rtree"));
        let bare = Case { setup: Vec::new(), ..case };
        assert_eq!(known.name(&Words, &bare, &signature), None);
        let norec = Case { relation: "norec".to_owned(), ..bare };
        assert_eq!(known.name(&Words, &norec, &signature), Some("one"));
    }

    #[test]
    fn an_entry_that_matches_everything_is_refused() {
        assert!(KnownBugs::parse("[[bug]]\nname = \"all\"\nrelation = \"norec\"\n").is_err());
        assert!(KnownBugs::parse("[[bug]]\nname = \"x\"\nwords = [\"a\"]\ntypo = 1\n").is_err());
        assert!(KnownBugs::parse("").unwrap().bug.is_empty());
    }
}
