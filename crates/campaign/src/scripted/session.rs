//! A session that follows a script, and a capture of the lines that the script runs.

use std::cell::RefCell;
use std::io;
use std::panic::resume_unwind;
use std::rc::Rc;

use metacov_core::{
    Cover, Criteria, Criterion, Element, Facts, Input, Outcome, Reading, Site, SiteId, SiteTable,
    Symbol, Value,
};
use metacov_exec::{Capture, Mark, Session, Trace};

use super::{Effect, LINES, Reply, Scene};
use crate::worker::protocol::{decode, encode};
use crate::worker::thread::ScriptedEnd;

/// The lines that ran since the last reset, one bit each.
type Counters = Rc<RefCell<u64>>;

pub(crate) struct ScriptedSession {
    script: fn(&Scene<'_>) -> Reply,
    is_measured: bool,
    state: Vec<String>,
    /// By mark.
    kept: [Option<Vec<String>>; 2],
    counters: Counters,
}

impl ScriptedSession {
    pub(super) fn new(script: fn(&Scene<'_>) -> Reply, is_measured: bool) -> Self {
        let (state, kept, counters) = (Vec::new(), [None, None], Counters::default());
        ScriptedSession { script, is_measured, state, kept, counters }
    }

    /// Captures the lines that the session runs.
    pub(super) fn capture(&self, table: Table) -> ScriptedCapture {
        ScriptedCapture { table, counters: Rc::clone(&self.counters), taken: Vec::new() }
    }
}

impl Session for ScriptedSession {
    fn facts(&self) -> Facts {
        Facts::from([("version".to_owned(), "1".to_owned())])
    }

    fn begin(&mut self) -> io::Result<()> {
        self.state.clear();
        Ok(())
    }

    fn run(&mut self, input: &Input) -> io::Result<Outcome> {
        let mut outcome = Outcome::Rows(Vec::new());
        for statement in &input.statements {
            let ScriptedSession { state, is_measured, .. } = self;
            let reply = (self.script)(&Scene { state, statement, is_measured: *is_measured });
            for line in reply.lines {
                assert!(line < LINES, "a script runs line {line}");
                *self.counters.borrow_mut() |= 1 << line;
            }
            // These ends are not panics, so the panic hook must not report them.
            let end = |end| resume_unwind(Box::new(end));
            outcome = match reply.effect {
                Effect::Rows(rows) => {
                    let rows = rows.into_iter().map(|number| vec![Value::Integer(number)]);
                    Outcome::Rows(rows.collect())
                }
                Effect::Error(code) => Outcome::Error { code, message: "as scripted".to_owned() },
                Effect::Crash(signal) => end(ScriptedEnd::Crash(signal)),
                Effect::Exit(code) => end(ScriptedEnd::Exit(code)),
                Effect::Hang => end(ScriptedEnd::Hang),
            };
            if outcome.is_success() && statement.starts_with("make") {
                self.state.push(statement.clone());
            }
        }
        Ok(outcome)
    }

    fn keep(&mut self, mark: Mark) -> io::Result<()> {
        self.kept[mark as usize] = Some(self.state.clone());
        Ok(())
    }

    fn restore(&mut self, mark: Mark) -> io::Result<()> {
        if let Some(state) = &self.kept[mark as usize] {
            self.state.clone_from(state);
        }
        Ok(())
    }
}

/// The sites of a scripted target: first the lines, each with its number, then the functions.
pub(crate) struct Table {
    sites: SiteTable,
    lines: Vec<SiteId>,
    functions: Vec<SiteId>,
}

/// Lines of a function.
const FUNCTION_LINES: u32 = 8;

impl Table {
    pub(crate) fn new() -> Self {
        let mut sites = SiteTable::new();
        let file = sites.file("script.c");
        let site = |line, element| Site { file, line: line + 1, element, instance: Symbol::NONE };
        let lines = (0..LINES).map(|line| sites.site(site(line, Element::Line))).collect();
        let functions = (0..LINES).step_by(FUNCTION_LINES as usize).map(|first| {
            let name = sites.symbol(&format!("f{}", first / FUNCTION_LINES));
            sites.site(site(first, Element::Function(name)))
        });
        let functions = functions.collect();
        Table { sites, lines, functions }
    }

    /// The cover of these lines.
    fn cover(&self, ran: u64) -> Cover {
        let mut cover = Cover::of(&self.sites);
        for (line, id) in self.lines.iter().enumerate().filter(|(line, _)| ran >> line & 1 == 1) {
            cover.insert(*id);
            cover.insert(self.functions[line / FUNCTION_LINES as usize]);
        }
        cover
    }
}

pub(crate) struct ScriptedCapture {
    table: Table,
    counters: Counters,
    taken: Vec<u64>,
}

/// How many executions can wait to be solved.
const TAKEN_MAX: usize = 4;

impl Capture for ScriptedCapture {
    fn read_all(&mut self) -> io::Result<Reading> {
        let mut criteria = Criteria::default();
        criteria.insert(Criterion::Line);
        criteria.insert(Criterion::Function);
        let counters = *self.counters.borrow();
        let (executed, known) = (self.table.cover(counters), self.table.cover(u64::MAX));
        Ok(Reading { executed, known, criteria, ..Reading::of(&self.table.sites) })
    }

    fn reset(&mut self) -> io::Result<()> {
        *self.counters.borrow_mut() = 0;
        Ok(())
    }

    fn take(&mut self) -> io::Result<()> {
        self.taken.push(self.counters.take());
        Ok(())
    }

    fn has_room(&self, executions: usize) -> bool {
        self.taken.len() + executions <= TAKEN_MAX
    }

    fn solve(&mut self) -> Vec<io::Result<Cover>> {
        let taken = std::mem::take(&mut self.taken);
        taken.into_iter().map(|ran| Ok(self.table.cover(ran))).collect()
    }

    fn take_trace(&mut self, trace: &mut Trace) {
        let ran = self.counters.take();
        *trace = decode(&encode(&[ran].as_slice())).expect("a trace is a list of words");
    }

    fn table(&self) -> &SiteTable {
        &self.table.sites
    }
}
