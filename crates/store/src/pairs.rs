//! Groups of sides, as rows.

use std::time::Duration;

use metacov_core::{
    BranchNaming, Cover, Criteria, Exit, Failure, Fingerprint, Group, Missing, Operation,
    PairResult, Reading, SideOutput, SiteTable, StoredInput, Verdict, Violation, codec,
};
use metacov_formats::Fault;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::base::Base;
use crate::header::damaged;
use crate::inputs;
use crate::outputs;
use crate::schema;
use crate::sites::number;

/// The most memory for the covers of one group, in bits. A live run needs the same.
const GROUP_BITS_MAX: usize = 1 << 33;

/// A stored group.
#[derive(Clone, Debug)]
pub struct StoredPair {
    /// Its place in the plan, from zero.
    pub place: u64,
    /// The relation.
    pub relation: String,
    /// The name of the group, unique within its relation.
    pub name: String,
    /// How many sides it has.
    pub sides: usize,
    /// The readings of the sides; or the first side that has no cover, and why.
    pub outcome: Result<Group<Reading>, (usize, Missing)>,
    /// The hash of the setup that its sides share, if there is one: see
    /// [`Run::setup`](crate::Run::setup).
    pub setup: Option<u64>,
    /// The inputs of each side. Empty if they are not known.
    pub inputs: Vec<Vec<StoredInput>>,
    /// The verdict, if all sides were measured and judged.
    pub verdict: Option<Verdict>,
    /// How the outcomes must relate, if they were judged: see
    /// [`Context::judge`](metacov_core::Context::judge). Files of version 5 do not store it.
    pub judge: Option<String>,
    /// The outputs of each side. Empty unless the pair violates its relation or failed.
    pub outputs: Vec<SideOutput>,
    /// How long it took.
    pub took: Duration,
}

impl StoredPair {
    /// Returns how it violates its relation, if it does.
    pub fn violation(&self) -> Option<&str> {
        match &self.verdict {
            Some(Verdict::Violated(how)) => Some(how),
            _ => None,
        }
    }

    /// How it ended, in a word or two.
    pub fn verdict_name(&self) -> &'static str {
        match (&self.outcome, &self.verdict) {
            (Err((_, missing)), _) => missing.failure.name(),
            (Ok(_), verdict) => verdict_name(verdict.as_ref()),
        }
    }
}

/// The name of the verdict on a group all of whose sides have covers.
fn verdict_name(verdict: Option<&Verdict>) -> &'static str {
    match verdict {
        None => MEASURED,
        Some(Verdict::Holds) => HOLDS,
        Some(Verdict::Violated(_)) => VIOLATED,
        Some(Verdict::Invalid(_)) => Failure::Invalid.name(),
        Some(Verdict::Lost { missing, .. }) => missing.failure.name(),
    }
}

/// The rows of a group. The order puts measured groups before failed ones.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PairRow {
    failure: Option<Failure>,
    verdict: Option<Verdict>,
    judge: Option<String>,
    pub(crate) relation: String,
    pub(crate) name: String,
    sides: usize,
    failed_side: Option<usize>,
    exit_code: Option<i32>,
    signal: Option<i32>,
    output_tail: Option<String>,
    differing: Option<u64>,
    covers: Vec<SideRow>,
    pub(crate) setup: Option<u64>,
    inputs: Vec<Vec<StoredInput>>,
    outputs: Vec<SideOutput>,
    pub(crate) microseconds: u64,
    pub(crate) place: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SideRow {
    criteria: u8,
    naming: u8,
    executed: Vec<u8>,
    known: Option<Vec<u8>>,
    flaky: Option<Vec<u8>>,
}

impl PairRow {
    pub(crate) fn of(stored: &StoredPair, base: &Base) -> Self {
        let mut row = PairRow {
            failure: None,
            verdict: None,
            judge: stored.judge.clone(),
            relation: stored.relation.clone(),
            name: stored.name.clone(),
            sides: stored.sides,
            failed_side: None,
            exit_code: None,
            signal: None,
            output_tail: None,
            differing: None,
            covers: Vec::new(),
            setup: stored.setup,
            inputs: stored.inputs.clone(),
            outputs: stored.outputs.clone(),
            microseconds: u64::try_from(stored.took.as_micros()).unwrap_or(u64::MAX),
            place: stored.place,
        };
        match &stored.outcome {
            Ok(group) => {
                row.verdict.clone_from(&stored.verdict);
                row.set_covers(group, base);
            }
            Err((side, missing)) => row.set_missing(*side, missing),
        }
        row
    }

    fn set_missing(&mut self, side: usize, missing: &Missing) {
        self.failure = Some(missing.failure);
        self.failed_side = Some(side);
        (self.exit_code, self.signal) = match missing.exit {
            Exit::Success => (Some(0), None),
            Exit::Failure(code) => (Some(code), None),
            Exit::Signalled(signal) => (None, Some(signal)),
            Exit::Timeout => (None, None),
        };
        self.output_tail = (!missing.output_tail.is_empty()).then(|| missing.output_tail.clone());
    }

    fn set_covers(&mut self, group: &Group<Reading>, base: &Base) {
        let sides = group.sides();
        self.differing = Some(group.difference().len());
        for (at, side) in sides.iter().enumerate() {
            let mut executed = side.executed.clone();
            executed ^= if at == 0 { &base.executed } else { &sides[0].executed };
            let mut known = side.known.clone();
            known ^= &base.known;
            self.covers.push(SideRow {
                criteria: side.criteria.bits(),
                naming: side.naming.bits(),
                executed: codec::encode(&executed),
                known: (!known.is_empty()).then(|| codec::encode(&known)),
                flaky: (!side.flaky.is_empty()).then(|| codec::encode(&side.flaky)),
            });
        }
    }

    /// Whether both agree on the same group, except for its place and its time.
    pub(crate) fn agrees(&self, other: &PairRow) -> bool {
        // A file of version 5 does not store judges.
        let is_same = self.judge.is_none() || other.judge.is_none() || self.judge == other.judge;
        let timeless = |row: &PairRow| {
            let mut row = PairRow { microseconds: 0, place: 0, judge: None, ..row.clone() };
            // Nor does it have hashes of inputs.
            row.inputs.iter_mut().flatten().for_each(|input| input.hash = None);
            row
        };
        is_same && !self.has_other_inputs(other) && timeless(self) == timeless(other)
    }

    /// Whether both were run on different inputs, as far as that is known.
    pub(crate) fn has_other_inputs(&self, other: &PairRow) -> bool {
        let identities = |row: &PairRow| -> Option<Vec<u64>> {
            row.inputs.iter().flatten().map(StoredInput::identity).collect()
        };
        let (this, other) = (identities(self), identities(other));
        this.zip(other).is_some_and(|(this, other)| this != other)
    }

    /// A hash of all columns, to detect damage.
    fn fingerprint(&self) -> i64 {
        let mut fingerprint = Fingerprint::new();
        let mut put = |bytes: &[u8]| {
            fingerprint.bytes(&(bytes.len() as u64).to_le_bytes());
            fingerprint.bytes(bytes);
        };
        put(self.verdict().as_bytes());
        put(self.relation.as_bytes());
        put(self.name.as_bytes());
        put(self.output_tail.as_deref().unwrap_or_default().as_bytes());
        put(self.violation().unwrap_or_default().as_bytes());
        if let Some(judge) = &self.judge {
            put(judge.as_bytes());
        }
        let numbers = [
            Some(number(self.sides)),
            self.failed_side.map(number),
            self.exit_code.map(i64::from),
            self.signal.map(i64::from),
            self.differing.map(u64::cast_signed),
            Some(self.microseconds.cast_signed()),
            Some(self.place.cast_signed()),
            self.setup.map(u64::cast_signed),
        ];
        for number in numbers {
            match number {
                Some(number) => put(&number.to_le_bytes()),
                None => put(&[]),
            }
        }
        for side in &self.covers {
            put(&[side.criteria, side.naming]);
            put(&side.executed);
            for cover in [&side.known, &side.flaky] {
                put(&[u8::from(cover.is_some())]);
                put(cover.as_deref().unwrap_or_default());
            }
        }
        for side in &self.inputs {
            put(&number(side.len()).to_le_bytes());
            for input in side {
                put(input.name.as_bytes());
                put(&input.content);
                put(&input.bytes.to_le_bytes());
                if let Some(hash) = input.hash {
                    put(&hash.to_le_bytes());
                }
            }
        }
        for output in &self.outputs {
            put(outputs::exits(&output.exits).as_bytes());
            put(&output.content);
            put(&output.bytes.to_le_bytes());
        }
        fingerprint.hash().cast_signed()
    }

    fn verdict(&self) -> &'static str {
        self.failure.map_or_else(|| verdict_name(self.verdict.as_ref()), Failure::name)
    }

    fn violation(&self) -> Option<&str> {
        match &self.verdict {
            Some(Verdict::Violated(how)) => Some(how),
            _ => None,
        }
    }

    /// The side that failed, and how.
    fn failed(&self) -> Option<(usize, Missing)> {
        let failure = self.failure?;
        let exit = match (self.exit_code, self.signal) {
            (Some(0), _) => Exit::Success,
            (Some(code), _) => Exit::Failure(code),
            (None, Some(signal)) => Exit::Signalled(signal),
            (None, None) => Exit::Timeout,
        };
        let output_tail = self.output_tail.clone().unwrap_or_default();
        Some((self.failed_side.unwrap_or(0), Missing { failure, exit, output_tail }))
    }

    /// The result, without the covers.
    pub(crate) fn into_result(self) -> PairResult {
        let (failed, took) = (self.failed(), Duration::from_micros(self.microseconds));
        let PairRow { relation, name: pair, verdict, .. } = self;
        PairResult { relation, pair, took, verdict, failed }
    }

    /// Returns its place, and its violation.
    pub(crate) fn violated(self) -> Option<(u64, Violation)> {
        let PairRow { place, relation, name: pair, verdict, inputs, .. } = self;
        let Some(Verdict::Violated(how)) = verdict else { return None };
        Some((place, Violation { relation, pair, how, inputs }))
    }

    pub(crate) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let relation = "INSERT OR IGNORE INTO relation (name) VALUES (?1)";
        connection.prepare_cached(relation)?.execute([&self.relation])?;
        let mut insert = connection.prepare_cached(
            "INSERT INTO pair VALUES (NULL, ?1, (SELECT id FROM relation WHERE name = ?2), ?3, ?4,
             ?5, ?6, ?7, ?8, ?9, ?10, (SELECT id FROM setup WHERE fingerprint = ?11), ?12, ?13,
             ?14, ?15)",
        )?;
        insert.execute(params![
            self.place.cast_signed(),
            self.relation,
            self.name,
            number(self.sides),
            self.verdict(),
            self.failed_side.map(number),
            self.exit_code,
            self.signal,
            self.output_tail,
            self.violation(),
            self.setup.map(u64::cast_signed),
            self.microseconds.cast_signed(),
            self.differing.map(u64::cast_signed),
            self.fingerprint(),
            self.judge,
        ])?;
        let pair = connection.last_insert_rowid();
        let side = "INSERT INTO side VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let mut insert = connection.prepare_cached(side)?;
        for (at, side) in self.covers.iter().enumerate() {
            insert.execute(params![
                pair,
                number(at),
                side.criteria,
                side.naming,
                side.executed,
                side.known,
                side.flaky
            ])?;
        }
        inputs::write(connection, pair, &self.inputs)?;
        outputs::write(connection, pair, &self.outputs)
    }

    /// The row of the group with this id.
    pub(crate) fn read(connection: &Connection, id: i64) -> Result<Self, Fault> {
        let mut sides = connection.prepare_cached(
            "SELECT side, told, naming, executed, known, flaky FROM side
             WHERE pair = ?1 ORDER BY side",
        )?;
        let sides = sides.query_map([id], |row| {
            let side = SideRow {
                criteria: row.get(1)?,
                naming: row.get(2)?,
                executed: row.get(3)?,
                known: row.get(4)?,
                flaky: row.get(5)?,
            };
            Ok((row.get::<_, i64>(0)?, side))
        })?;
        let mut covers = Vec::new();
        for side in sides {
            let (at, side) = side?;
            if at != number(covers.len()) {
                return Err(damaged("missing side"));
            }
            covers.push(side);
        }
        let is_current = schema::is_current(connection)?;
        let judge = if is_current { "judge" } else { "NULL" };
        let mut pair = connection.prepare_cached(&format!(
            "SELECT place, relation.name, pair.name, sides, verdict, failed_side, exit_code,
             signal, last_words, microseconds, differing, pair.fingerprint, violation,
             setup.fingerprint, {judge}
             FROM pair JOIN relation ON relation.id = pair.relation
             LEFT JOIN setup ON setup.id = pair.setup WHERE pair.id = ?1",
        ))?;
        let inputs = inputs::read(connection, id)?;
        let outputs = if is_current { outputs::read(connection, id)? } else { Vec::new() };
        let row =
            pair.query_row([id], |row| Self::of_row(row, covers, inputs, outputs)).optional()?;
        let (row, fingerprint) = row.flatten().ok_or_else(|| damaged("invalid pair"))?;
        if row.fingerprint() != fingerprint {
            let what = format!("checksum of pair {} of {} does not match", row.name, row.relation);
            return Err(damaged(&what));
        }
        Ok(row)
    }

    fn of_row(
        row: &Row<'_>,
        covers: Vec<SideRow>,
        inputs: Vec<Vec<StoredInput>>,
        outputs: Vec<SideOutput>,
    ) -> rusqlite::Result<Option<(Self, i64)>> {
        let unsigned = |at| {
            row.get::<_, Option<i64>>(at)
                .map(|cell| cell.and_then(|cell| usize::try_from(cell).ok()))
        };
        let verdict: String = row.get(4)?;
        let failure = Failure::ALL.into_iter().find(|failure| failure.name() == verdict);
        let verdict = match (verdict.as_str(), row.get(12)?) {
            (HOLDS, _) => Some(Verdict::Holds),
            (VIOLATED, Some(how)) => Some(Verdict::Violated(how)),
            (MEASURED, _) => None,
            _ if failure.is_some() => None,
            _ => return Ok(None),
        };
        let pair = PairRow {
            place: row.get::<_, i64>(0)?.cast_unsigned(),
            relation: row.get(1)?,
            name: row.get(2)?,
            sides: unsigned(3)?.unwrap_or(0),
            failure,
            verdict,
            judge: row.get(14)?,
            failed_side: unsigned(5)?,
            exit_code: row.get(6)?,
            signal: row.get(7)?,
            output_tail: row.get(8)?,
            microseconds: row.get::<_, i64>(9)?.cast_unsigned(),
            differing: row.get::<_, Option<i64>>(10)?.map(i64::cast_unsigned),
            covers,
            setup: row.get::<_, Option<i64>>(13)?.map(i64::cast_unsigned),
            inputs,
            outputs,
        };
        Ok(Some((pair, row.get(11)?)))
    }

    /// Whether its sides have covers.
    pub(crate) fn is_measured(&self) -> bool {
        self.failure.is_none()
    }

    /// Whether its covers can be read, and what it says of them is what follows from them.
    pub(crate) fn verify(
        &self,
        table: &SiteTable,
        base: &Base,
        operation: Operation,
    ) -> Result<(), Fault> {
        let StoredPair { outcome, sides, .. } = self.clone().stored(table, base)?;
        match outcome {
            Ok(group) if self.differing != Some(group.difference().len()) => {
                Err(damaged("its sides differ in another number of sites than it says"))
            }
            Ok(_) if operation != Operation::Xor && sides != 2 => {
                Err(damaged(&format!("{operation} of {sides} sides")))
            }
            Err((side, _)) if side >= sides => Err(damaged("a side failed that it does not have")),
            _ => Ok(()),
        }
    }

    /// Decodes the group.
    pub(crate) fn stored(self, table: &SiteTable, base: &Base) -> Result<StoredPair, Fault> {
        let name = format!("pair {} of {}", self.name, self.relation);
        let fault = |what: &str| damaged(&format!("{name}: {what}"));
        if self.relation.is_empty() || self.relation.chars().any(char::is_control) {
            return Err(damaged("relation without a valid name"));
        }
        let outcome = if let Some(failed) = self.failed() {
            Err(failed)
        } else {
            if self.covers.len() != self.sides {
                return Err(fault("missing side"));
            }
            if self.sides.saturating_mul(table.len()) > GROUP_BITS_MAX {
                return Err(fault("too many sides"));
            }
            let mut sides: Vec<Reading> = Vec::new();
            for side in &self.covers {
                let from = sides.first().map_or(&base.executed, |first| &first.executed);
                sides.push(side.reading(from, &base.known, table).map_err(fault)?);
            }
            Ok(Group::new(sides).map_err(|_| fault("only one side"))?)
        };
        let took = Duration::from_micros(self.microseconds);
        let PairRow {
            place, relation, name, sides, setup, inputs, outputs, verdict, judge, ..
        } = self;
        Ok(StoredPair {
            place,
            relation,
            name,
            sides,
            outcome,
            setup,
            inputs,
            verdict,
            judge,
            outputs,
            took,
        })
    }
}

/// The verdict on a group that was measured and not judged.
const MEASURED: &str = "measured";
/// The verdict on a group that was judged and holds.
const HOLDS: &str = "holds";
pub(crate) const VIOLATED: &str = "violated";

impl SideRow {
    fn reading(
        &self,
        from: &Cover,
        known: &Cover,
        table: &SiteTable,
    ) -> Result<Reading, &'static str> {
        let mut reading = Reading {
            executed: from.clone(),
            known: known.clone(),
            flaky: Cover::of(table),
            criteria: Criteria::from_bits(self.criteria).ok_or("unknown criterion")?,
            naming: BranchNaming::from_bits(self.naming).ok_or("unknown naming of branches")?,
        };
        codec::flip(&self.executed, table.len(), &mut reading.executed)?;
        codec::flip(self.known.as_deref().unwrap_or_default(), table.len(), &mut reading.known)?;
        codec::flip(self.flaky.as_deref().unwrap_or_default(), table.len(), &mut reading.flaky)?;
        Ok(reading)
    }
}
