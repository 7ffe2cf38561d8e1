//! The header of a run file, which describes the whole run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use metacov_core::{Criteria, Criterion, Fingerprint, Operation};
use metacov_formats::{Fault, Location};
use rusqlite::{Connection, OptionalExtension};

use crate::Provenance;

/// The options that affect the numbers, as users write them.
pub type Settings = BTreeMap<String, String>;

/// The header of a run file, which describes the whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The subcommand that created it.
    pub made_by: String,
    /// The whole command line.
    pub command: String,
    /// The set operation between the sides of each pair.
    pub operation: Operation,
    /// Whether the instances of templates are distinguished.
    pub per_instance: bool,
    /// The folder that paths are relative to.
    pub root: PathBuf,
    /// How many groups were planned, if that is known.
    pub planned: Option<u64>,
    /// Whether all of them are stored.
    pub complete: bool,
    /// Whether it is shown by relation by default.
    pub by_relation: bool,
    /// The options that affect the numbers.
    pub settings: Settings,
    /// Where the numbers come from.
    pub provenance: Provenance,
}

impl Header {
    /// Returns the target that the pairs were generated for, if they were.
    pub fn target(&self) -> Option<&str> {
        self.settings.get("the engine").map(String::as_str)
    }

    /// Returns the same, unless a library of the user was measured instead: metacov has its source.
    pub fn known_target(&self) -> Option<&str> {
        self.target().filter(|_| !self.settings.contains_key("--library"))
    }

    pub(crate) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        self.provenance.write(connection)?;
        set(connection, "made_by", &self.made_by)?;
        set(connection, "command", &self.command)?;
        set(connection, "operation", self.operation.name())?;
        set(connection, "per_instance", flag(self.per_instance))?;
        set(connection, "root", &self.root.to_string_lossy())?;
        set(connection, "complete", flag(self.complete))?;
        set(connection, "by_relation", flag(self.by_relation))?;
        if let Some(planned) = self.planned {
            set(connection, "planned", &planned.to_string())?;
        }
        let mut insert = connection.prepare("INSERT INTO setting VALUES (?1, ?2)")?;
        for setting in &self.settings {
            insert.execute(setting)?;
        }
        Ok(())
    }

    pub(crate) fn read(connection: &Connection) -> Result<Self, Fault> {
        let text =
            |key| get(connection, key)?.ok_or_else(|| damaged(&format!("`{key}` is missing")));
        let is = |key| text(key).map(|value| value == "1");
        let operation = text("operation")?;
        let operation = Operation::ALL.into_iter().find(|known| known.name() == operation);
        let planned = get(connection, "planned")?;
        let planned = planned.map(|number| number.parse()).transpose();
        let mut settings = connection.prepare("SELECT key, value FROM setting")?;
        let settings = settings.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Header {
            made_by: text("made_by")?,
            command: text("command")?,
            operation: operation.ok_or_else(|| damaged("unknown operation"))?,
            per_instance: is("per_instance")?,
            root: PathBuf::from(text("root")?),
            planned: planned.map_err(|_| damaged("the number of pairs is not a number"))?,
            complete: is("complete")?,
            by_relation: is("by_relation")?,
            settings: settings.collect::<Result<_, _>>()?,
            provenance: Provenance::read(connection)?,
        })
    }

    /// Adds the whole header.
    pub(crate) fn fingerprint(&self, fingerprint: &mut Fingerprint) {
        let planned = self.planned.map_or(String::new(), |planned| planned.to_string());
        for text in [&self.made_by, &self.command, self.operation.name(), &planned] {
            fingerprint.text(text);
        }
        fingerprint.text(&self.root.to_string_lossy());
        for is in [self.per_instance, self.complete, self.by_relation] {
            fingerprint.text(flag(is));
        }
        for (key, value) in &self.settings {
            fingerprint.text(key);
            fingerprint.text(value);
        }
        self.provenance.fingerprint(fingerprint);
    }

    /// Whether a run with this header may have more groups than one that was `begun`: its groups are listed in files.
    fn has_more_groups(&self, begun: &Header) -> bool {
        self.settings.contains_key("--pairs") && self.planned > begun.planned
    }

    /// Returns why a run with this header cannot continue one that was `begun`.
    pub(crate) fn difference(&self, begun: &Header) -> Option<String> {
        let differs = |what: &str, before: &str, now: &str| {
            (before != now).then(|| {
                format!(
                    "the run was begun with {what} {before}, not {now}; \
                     --resume goes on with the same options only"
                )
            })
        };
        let planned =
            |header: &Header| header.planned.map_or("?".into(), |count| count.to_string());
        let identity = |header: &Header| if header.per_instance { "instance" } else { "line" };
        differs("metacov", &begun.made_by, &self.made_by)
            .or_else(|| differs("the operation", begun.operation.name(), self.operation.name()))
            .or_else(|| differs("an identity by", identity(begun), identity(self)))
            .or_else(|| {
                let root = |header: &Header| header.root.to_string_lossy().into_owned();
                differs("--root", &root(begun), &root(self))
            })
            .or_else(|| {
                let before = with_new_names(&begun.settings);
                let keys = before.keys().chain(self.settings.keys());
                let value = |settings: &Settings, key: &String| {
                    settings.get(key).map_or("(none)".to_owned(), Clone::clone)
                };
                let mut differences = keys.filter_map(|key| {
                    differs(key, &value(&before, key), &value(&self.settings, key))
                });
                differences.next()
            })
            .or_else(|| {
                let differs = || differs("a number of pairs of", &planned(begun), &planned(self));
                if self.has_more_groups(begun) { None } else { differs() }
            })
    }
}

/// The settings of a run, with the number of generated pairs under its current name: earlier
/// versions called it `--pairs`, which now is only a path.
fn with_new_names(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    if settings.contains_key("the engine")
        && let Some(count) = settings.remove("--pairs")
    {
        settings.insert("--count".to_owned(), count);
    }
    settings
}

/// Stores a value of the header.
pub(crate) fn set(connection: &Connection, key: &str, value: &str) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO meta VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute((key, value)).map(drop)
}

/// Reads a value of the header, if it is there.
pub(crate) fn get(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT value FROM meta WHERE key = ?1";
    connection.query_row(sql, [key], |row| row.get(0)).optional()
}

/// The criteria of which only executed sites are known.
pub(crate) fn partial(connection: &Connection) -> Result<Criteria, Fault> {
    let words = get(connection, "partial")?.unwrap_or_default();
    let words = words.split(", ").filter(|word| !word.is_empty());
    let criteria = words.map(|word| word.parse::<Criterion>().map_err(|what| damaged(&what)));
    criteria.collect()
}

pub(crate) fn flag(is: bool) -> &'static str {
    if is { "1" } else { "0" }
}

/// The fault of a run file with impossible contents.
pub(crate) fn damaged(what: &str) -> Fault {
    Fault::malformed(Location::Whole, format!("damaged run file: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_an_earlier_version_is_resumed_with_a_renamed_option() {
        let header = |settings: &[(&str, &str)]| Header {
            made_by: "measure".to_owned(),
            command: String::new(),
            operation: Operation::Xor,
            per_instance: false,
            root: PathBuf::new(),
            planned: Some(100),
            complete: false,
            by_relation: true,
            settings: settings.iter().map(|(key, of)| (key.to_string(), of.to_string())).collect(),
            provenance: Provenance::default(),
        };
        let before = header(&[("the engine", "sqlite"), ("--pairs", "100")]);
        let now = |count| header(&[("the engine", "sqlite"), ("--count", count)]);
        assert_eq!(now("100").difference(&before), None);
        let difference = now("200").difference(&before);
        assert!(difference.is_some_and(|what| what.contains("--count 100, not 200")));
        let pairs = |path| header(&[("--pairs", path)]);
        assert!(pairs("there").difference(&pairs("here")).is_some());
    }
}
