//! Converts the counters of SQLite in memory to covers, one execution after the other.
//!
//! `METACOV_BENCH=FOLDER cargo bench -p metacov-formats` reads the files of `benches/run`, in
//! `target/bench` unless another folder is named: notes, and the counters of two equivalent queries
//! in `a` and `b`. It prints the figures and checks no limits.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "../tests/readers/memory.rs"]
mod memory;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use metacov_core::{Group, Operation, Pair, Reading, Tally};
use metacov_formats::{CoverageLoader, Scope, Snapshot};

use memory::Memory;

/// How often each figure is measured; the median is shown.
const TIMES: usize = 400;

fn main() {
    let folder = std::env::var_os("METACOV_BENCH").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench"),
        PathBuf::from,
    );
    if !folder.join("a/sqlite3.gcda").exists() {
        println!("no counters in {}: run benches/run first", folder.display());
        return;
    }
    let memories = ["a", "b"].map(|side| {
        let units = ["driver.gcda", "sqlite3.gcda"];
        Memory::of(&units.map(|unit| (folder.join(side).join(unit), folder.join(unit))))
    });
    let [a, b] = memories.each_ref().map(Memory::snapshot);
    let mut nothing = memories[0].clone();
    nothing.counters.fill(0);

    let scope = Scope::default();
    let mut loader = CoverageLoader::new(&scope);
    let read = |loader: &mut CoverageLoader<'_>, snapshot: &Snapshot<'_>| {
        loader.read_snapshots(std::slice::from_ref(snapshot)).unwrap()
    };
    let compile = time(|| drop(read(&mut loader, &a)));
    let lengths = Pair { a: &a, b: &b }.map(|side| read(&mut loader, side).executed.len());
    println!("{} sites, {} and {} executed", loader.table().len(), lengths.a, lengths.b);
    println!("compiled and read once in {:.1} ms\n", compile.as_secs_f64() * 1e3);

    println!("{:40} {:>9} {:>9}", "µs per execution", "median", "fastest");
    show("the same execution again", 1, &mut || {
        black_box(read(&mut loader, &a));
    });
    show("two executions in turn", 2, &mut || {
        black_box(read(&mut loader, &a));
        black_box(read(&mut loader, &b));
    });
    // Between two executions the program uses the processor and its caches.
    let mut program = vec![0u8; 8 << 20];
    let mut after_program = Vec::new();
    for snapshot in [&a, &b].into_iter().cycle().take(TIMES) {
        black_box(&mut program[..]).fill(1);
        after_program.push(time(|| drop(black_box(read(&mut loader, snapshot)))));
    }
    print("two in turn, caches cold", 1, after_program);
    let mut tally = Tally::of(loader.table());
    show("two in turn, folded as a pair", 2, &mut || {
        let pair: Pair<Reading> = Pair { a: &a, b: &b }.map(|side| read(&mut loader, side));
        tally.add(&Group::from(pair), Operation::Xor);
    });
    // Every function that ran is solved: nothing is reused from the execution before.
    let empty = nothing.snapshot();
    let mut cold = Vec::new();
    for _ in 0..TIMES {
        read(&mut loader, &empty);
        cold.push(time(|| drop(black_box(read(&mut loader, &a)))));
    }
    print("one after nothing", 1, cold);
}

fn show(what: &str, executions: u32, run: &mut dyn FnMut()) {
    print(what, executions, (0..TIMES).map(|_| time(&mut *run)).collect());
}

fn print(what: &str, executions: u32, mut times: Vec<Duration>) {
    times.sort_unstable();
    let micros = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(executions);
    println!("{what:40} {:9.1} {:9.1}", micros(times[times.len() / 2]), micros(times[0]));
}

fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}
