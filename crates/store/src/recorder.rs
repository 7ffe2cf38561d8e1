//! Writes a run file while the run goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use metacov_core::{Setup, SiteTable, StoredInput};
use metacov_formats::{Error, Fault, LeftOut, LeftOutCounts, Location};
use metacov_run::{GroupDone, Observer, RunError, SharedTable};
use rusqlite::{Connection, ErrorCode};

use crate::base::Base;
use crate::header::{flag, get, set};
use crate::lock::Lock;
use crate::merge::other_build;
use crate::pairs::{PairRow, StoredPair};
use crate::rounds::StoredRound;
use crate::sites::{NewSites, StoredSites};
use crate::{Header, Provenance, Run, inputs, provenance, schema, seal, sources};

/// How long results may wait to be committed.
const INSTANT: Duration = Duration::from_millis(100);

/// The most results that are committed at once, and that may wait.
const ROWS_MAX: usize = 1000;
const WAITING_MAX: usize = 64;

/// Writes a run file while the run goes on, as the observer of a fold.
///
/// Workers pass encoded rows to a separate thread, which commits them, so that no worker waits for
/// a disk.
pub struct RunWriter {
    name: String,
    /// The groups that were there before, by relation and name.
    known: BTreeMap<(String, String), KnownGroup>,
    /// Their places.
    taken: BTreeSet<u64>,
    /// How many groups there are to be; zero if that is not known.
    planned: u64,
    /// The same, if it is more than when the run was begun.
    grown: Option<u64>,
    rounds: Vec<StoredRound>,
    table: Option<SharedTable>,
    shared: Mutex<StoredSites>,
    /// The setups that were written by this process.
    setups: Mutex<BTreeSet<u64>>,
    base: OnceLock<Base>,
    /// The folder that the paths of source files are relative to, if their texts are kept.
    sources: Option<Arc<Path>>,
    sender: SyncSender<Message>,
    writer: JoinHandle<Result<Writer, String>>,
    /// Why the writer ended early.
    fault: Arc<OnceLock<String>>,
}

/// A group that was there before.
struct KnownGroup {
    /// What identifies its inputs, in the order of sides, if that is known.
    inputs: Option<Vec<u64>>,
}

enum Message {
    /// And the folder in which the texts of their files are, if they are kept.
    NewSites(NewSites, Option<Arc<Path>>),
    Base(Base),
    Setup(Arc<Setup>),
    Pair(Box<PairRow>),
    Round(StoredRound),
    /// There are to be this many groups, more than when the run was begun.
    Planned(u64),
    LeftOut(BTreeMap<String, LeftOutCounts>),
}

/// The open file. The lock is dropped last.
struct Writer {
    connection: Connection,
    _lock: Lock,
}

impl RunWriter {
    /// Creates a run file, or continues an existing one if `resume` is set. That must have been
    /// created with the same options.
    ///
    /// A file that cannot be written is a [`RunError::Output`], one with other contents a [`RunError::Input`].
    pub fn open(path: &Path, header: &Header, resume: bool) -> Result<Self, RunError> {
        let name = path.display().to_string();
        RunWriter::open_file(path, &name, header, resume).map_err(|fault| match fault {
            Fault::Io(_) => RunError::Output(fault.of(&name)),
            _ => RunError::Input(fault.of(&name)),
        })
    }

    fn open_file(path: &Path, name: &str, header: &Header, resume: bool) -> Result<Self, Fault> {
        let exists = || {
            let what = "it exists; go on with it (--resume), or choose another name";
            Fault::from(io::Error::new(io::ErrorKind::AlreadyExists, what))
        };
        if !resume && std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0) {
            // Another process that is writing the file is the better reason.
            return Err(if Lock::take(path)?.is_none() { busy(path) } else { exists() });
        }
        let lock = Lock::take(path)?.ok_or_else(|| busy(path))?;
        let connection = schema::open_to_write(path).map_err(|error| unwritable(&error))?;
        if schema::is_blank(&connection).map_err(schema::not_ours)? {
            begin(&connection, header).map_err(|error| unwritable(&error))?;
            let writer = Writer { connection, _lock: lock };
            return RunWriter::start(
                name,
                writer,
                (SiteTable::new(), None, StoredSites::default()),
            );
        }
        if !resume {
            // Another process has created it meanwhile.
            return Err(exists());
        }
        schema::check(&connection)?;
        let run = Run::of(name.to_owned(), connection)?;
        if let Some(fault) = other_build(&run.header, name, header) {
            return Err(fault);
        }
        if let Some(file) = header.provenance.other_code(&run.header.provenance) {
            return Err(Fault::Rebuilt { program: file.name.clone() });
        }
        if let Some(difference) = header.difference(&run.header) {
            return Err(Fault::malformed(Location::Whole, difference));
        }
        // Kept in mind are names and hashes, not the covers: a run may have millions of pairs.
        let (mut known, mut taken) = (BTreeMap::new(), BTreeSet::new());
        let mut inputs = run.input_identities()?;
        for (at, relation, name) in run.places()? {
            taken.insert(at);
            known.insert((relation, name), KnownGroup { inputs: inputs.remove(&at) });
        }
        let rounds = run.rounds().map_err(|error| error.fault)?;
        let grown = header.planned.filter(|_| header.planned != run.header.planned);
        let (table, base, written, connection) = run.into_parts();
        let writer = Writer { connection, _lock: lock };
        let recorder = RunWriter::start(name, writer, (table, base, written))?;
        let planned = header.planned.unwrap_or(0);
        Ok(RunWriter { known, taken, planned, grown, rounds, ..recorder })
    }

    fn start(
        name: &str,
        writer: Writer,
        (table, base, written): (SiteTable, Option<Base>, StoredSites),
    ) -> Result<Self, Fault> {
        own(&writer.connection).map_err(|error| unwritable(&error))?;
        let first = base.as_ref().map(|base| (base.known.clone(), name.to_owned()));
        let (sender, receiver) = sync_channel(WAITING_MAX);
        let fault = Arc::new(OnceLock::new());
        let reason = fault.clone();
        let writer = std::thread::spawn(move || {
            let mut writer = writer;
            match write(&mut writer.connection, &receiver) {
                Ok(()) => Ok(writer),
                Err(what) => {
                    // Set before the receiver is dropped, so that a sender that fails finds the
                    // reason.
                    let _ = reason.set(what.clone());
                    drop(receiver);
                    Err(what)
                }
            }
        });
        Ok(RunWriter {
            name: name.to_owned(),
            known: BTreeMap::new(),
            taken: BTreeSet::new(),
            planned: 0,
            grown: None,
            rounds: Vec::new(),
            table: Some(SharedTable::of(table, first)),
            shared: Mutex::new(written),
            setups: Mutex::default(),
            base: base.map(OnceLock::from).unwrap_or_default(),
            sources: None,
            sender,
            writer,
            fault,
        })
    }

    /// Returns the site table to fold over: that of the file.
    pub fn shared_table(&mut self) -> SharedTable {
        if let Some(planned) = self.grown.take() {
            // If the writer has failed, the first group says so.
            let _ = self.send(Message::Planned(planned));
        }
        self.table.take().unwrap_or_default()
    }

    /// From now on, stores the text of each source file when its first site is met. Paths are relative to `root`.
    /// A file that cannot be read is left out.
    pub fn keep_sources(&mut self, root: &Path) {
        self.sources = Some(Arc::from(root));
    }

    /// Stores what exclusion markers have left out.
    pub fn keep_left_out(&self, left_out: &LeftOut) -> Result<(), Error> {
        let files = left_out.by_file();
        // A message breaks the seal of a run that has ended.
        if files.is_empty() { Ok(()) } else { self.send(Message::LeftOut(files)) }
    }

    /// Returns how many groups were stored before.
    pub fn known(&self) -> u64 {
        self.known.len() as u64
    }

    /// Writes a round of a campaign, after everything that was written before.
    pub fn close_round(&self, round: StoredRound) -> Result<(), Error> {
        self.send(Message::Round(round))
    }

    /// Returns the rounds that were stored before.
    pub fn take_rounds(&mut self) -> Vec<StoredRound> {
        std::mem::take(&mut self.rounds)
    }

    /// Finishes the file: whether the plan is complete, and all sites, if they are known.
    /// Everything that was passed before is stored in any case.
    pub fn finish(self, complete: bool, table: Option<&SiteTable>) -> Result<(), RunError> {
        let RunWriter { name, sender, writer, .. } = self;
        drop(sender);
        let writer = match writer.join() {
            Ok(writer) => writer,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        let end = || -> Result<(), Fault> {
            let writer = writer.map_err(io::Error::other)?;
            finish(&writer.connection, complete, table)
        };
        end().map_err(|fault| RunError::Output(fault.of(name)))
    }

    /// A group that was there before.
    fn known_group(&self, relation: &str, pair: &str) -> Option<&KnownGroup> {
        self.known.get(&(relation.to_owned(), pair.to_owned()))
    }

    /// Refuses to go on with a suite that lacks a group of the file. What `listed` has in addition is measured.
    pub fn check_listed(self, listed: &BTreeSet<(String, String)>) -> Result<Self, RunError> {
        let missing = self.known.keys().find(|known| !listed.contains(*known)).cloned();
        let Some((relation, pair)) = missing else { return Ok(self) };
        let name = self.name.clone();
        self.finish(false, None)?;
        let what = format!(
            "pair {pair} of {relation} is not among the pairs any more; --resume adds pairs and removes none: \
             measure into a new run file"
        );
        Err(Fault::malformed(Location::Whole, what).of(name).into())
    }

    /// The place of a new group. If pairs were added before it, its place in the plan may be that of another group.
    fn free_place(&self, place: u64) -> u64 {
        match self.taken.last() {
            Some(last) if self.taken.contains(&place) => place + self.planned.max(last + 1),
            _ => place,
        }
    }

    fn send(&self, message: Message) -> Result<(), Error> {
        self.sender.send(message).map_err(|_| {
            let what = self.fault.get().map_or("it is closed", String::as_str);
            Fault::Io(io::Error::other(what.to_owned())).of(&self.name)
        })
    }

    /// Writes what the group's covers depend on, before the group itself.
    fn prepare(&self, done: &GroupDone<'_>) -> Result<Option<&Base>, Error> {
        let mut written = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let news = written.news(&done.table.table());
        if let Some(news) = news {
            self.send(Message::NewSites(news, self.sources.clone()))?;
        }
        if let (Ok(group), None) = (done.outcome, self.base.get()) {
            let base = self.base.get_or_init(|| Base::first(group));
            self.send(Message::Base(base.clone()))?;
        }
        if let Some(setup) = &done.context.setup {
            let mut setups = self.setups.lock().unwrap_or_else(PoisonError::into_inner);
            if setups.insert(setup.hash()) {
                self.send(Message::Setup(setup.clone()))?;
            }
        }
        Ok(self.base.get())
    }
}

impl Observer for RunWriter {
    fn is_done(&self, _place: u64, relation: &str, pair: &str) -> Result<bool, Error> {
        Ok(self.known_group(relation, pair).is_some())
    }

    fn check_done(
        &self,
        relation: &str,
        pair: &str,
        inputs: &[Vec<StoredInput>],
    ) -> Result<(), Error> {
        let known = self.known_group(relation, pair).and_then(|known| known.inputs.as_ref());
        let Some(known) = known else { return Ok(()) };
        let now: Vec<&StoredInput> = inputs.iter().flatten().collect();
        let same = |input: &StoredInput, at: usize| {
            input.identity().is_none_or(|identity| known.get(at) == Some(&identity))
        };
        let changed = (0..now.len()).find(|at| !same(now[*at], *at));
        let what = match changed {
            Some(at) => format!("input {} of pair {pair} of {relation} has changed", now[at].name),
            None if now.len() < known.len() => {
                format!("pair {pair} of {relation} has fewer inputs")
            }
            None => return Ok(()),
        };
        let what = format!(
            "{what} since it was measured; --resume adds pairs and measures none again: undo the change, give the \
             pair a new name, or measure into a new run file"
        );
        Err(Fault::malformed(Location::Whole, what).of(&self.name))
    }

    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        let base = self.prepare(done)?;
        let stored = StoredPair {
            place: self.free_place(done.place),
            relation: done.relation.to_owned(),
            name: done.pair.to_owned(),
            sides: done.sides,
            outcome: match done.outcome {
                Ok(group) => Ok(group.clone()),
                Err((side, missing)) => Err((side, missing.clone())),
            },
            setup: done.context.setup.as_ref().map(|setup| setup.hash()),
            inputs: done.context.inputs.clone(),
            verdict: done.context.verdict.clone(),
            judge: done.context.judge.clone(),
            outputs: done.context.outputs.clone(),
            took: done.took,
        };
        let row = match base {
            Some(base) => PairRow::of(&stored, base),
            None => PairRow::of(&stored, &Base::of(&done.table.table())),
        };
        self.send(Message::Pair(Box::new(row)))
    }
}

/// Fills a new file, completely or not at all.
fn begin(connection: &Connection, header: &Header) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    schema::create(connection)?;
    header.write(connection)?;
    Provenance::begin(connection)?;
    connection.execute_batch("COMMIT")
}

/// Makes commits cheap, and lasting if this process is killed.
pub(crate) fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    // With a write-ahead log, commits are appended and readers do not block the writer. Where it is
    // not possible (on some network file systems), SQLite continues without one.
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    // A commit survives the end of this process; a power cut may cost the last few.
    connection.execute_batch("PRAGMA synchronous = NORMAL")
}

/// Registers this process as the writer of the file.
fn own(connection: &Connection) -> rusqlite::Result<()> {
    write_ahead(connection)?;
    schema::set_version(connection)?;
    set(connection, "owner", &owner(connection)?)
}

/// Who writes, and since when: a process id means nothing on another machine.
fn owner(connection: &Connection) -> rusqlite::Result<String> {
    let since: String = connection.query_row("SELECT datetime('now')", [], |row| row.get(0))?;
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    Ok(format!("{} on {host} since {since} UTC", std::process::id()))
}

#[expect(clippy::disallowed_methods, reason = "when to commit is a matter of the clock")]
fn write(connection: &mut Connection, messages: &Receiver<Message>) -> Result<(), String> {
    let mut is_sealed = true;
    while let Ok(first) = messages.recv() {
        let end = Instant::now() + INSTANT;
        let transaction = connection.transaction().map_err(|error| words(&error))?;
        if std::mem::take(&mut is_sealed) {
            // From here on the seal is not valid.
            set(&transaction, "complete", flag(false))
                .and_then(|()| seal::break_open(&transaction))
                .map_err(|error| words(&error))?;
        }
        take(&transaction, first)?;
        for _ in 1..ROWS_MAX {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(message) = messages.recv_timeout(left) else { break };
            take(&transaction, message)?;
        }
        transaction.commit().map_err(|error| words(&error))?;
    }
    Ok(())
}

fn take(connection: &Connection, message: Message) -> Result<(), String> {
    match message {
        Message::NewSites(news, root) => {
            let write = || -> rusqlite::Result<()> {
                news.write(connection)?;
                match root {
                    Some(root) => sources::write_new(connection, news.files_with_sites(), &root),
                    None => Ok(()),
                }
            };
            write().map_err(|error| words(&error))
        }
        Message::Base(base) => base.write(connection).map_err(|error| words(&error)),
        Message::Setup(setup) => {
            inputs::write_setup(connection, &setup).map_err(|error| words(&error))
        }
        Message::Planned(planned) => {
            set(connection, "planned", &planned.to_string()).map_err(|error| words(&error))
        }
        Message::LeftOut(files) => {
            provenance::write_left_out(connection, &files).map_err(|error| words(&error))
        }
        Message::Round(round) => round.write(connection).map_err(|error| words(&error)),
        Message::Pair(row) => row.write(connection).map_err(|error| {
            if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) {
                let PairRow { relation, name, .. } = *row;
                format!("two pairs of {relation} are named {name}: give each its own name")
            } else {
                words(&error)
            }
        }),
    }
}

fn finish(connection: &Connection, complete: bool, table: Option<&SiteTable>) -> Result<(), Fault> {
    let header = Header { complete, ..Header::read(connection)? };
    let end = || -> rusqlite::Result<()> {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        if let Some(table) = table {
            set(connection, "complete", flag(complete))?;
            seal::write(connection, &header, table)?;
        }
        connection.execute("DELETE FROM meta WHERE key = 'owner'", [])?;
        connection.execute_batch("COMMIT")?;
        single_file(connection)
    };
    end().map_err(|error| unwritable(&error))
}

pub(crate) fn single_file(connection: &Connection) -> rusqlite::Result<()> {
    // Back to a single file. If another process is reading it, the log stays, which does no harm.
    let single = connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()));
    match single.err().and_then(|error| error.sqlite_error_code()) {
        None | Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Ok(()),
        Some(_) => connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())),
    }
}

fn busy(path: &Path) -> Fault {
    let owner = schema::open_to_read(path).ok().and_then(|file| get(&file, "owner").ok().flatten());
    let what = match owner {
        Some(owner) => format!("it is being written by process {owner}"),
        None => "it is being written by another process".to_owned(),
    };
    io::Error::new(io::ErrorKind::WouldBlock, what).into()
}

fn unwritable(error: &rusqlite::Error) -> Fault {
    io::Error::other(words(error)).into()
}

/// The error of a write, as shown to users.
fn words(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(_, Some(what)) => what.clone(),
        error => error.to_string(),
    }
}
