//! Set operations on ten million sites, compared with copying as many bits.
//!
//! `cargo bench -p metacov-core` prints the ratios; it checks no limits.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use metacov_core::{
    Cover, Element, Group, Operation, Pair, Reading, Site, SiteId, SiteTable, Symbol, Tally,
};

const SITES: u32 = 10_000_000;

fn main() {
    let mut table = SiteTable::new();
    let file = table.file("big.c");
    let ids: Vec<SiteId> = (1..=SITES)
        .map(|line| table.site(Site { file, line, element: Element::Line, instance: Symbol::NONE }))
        .collect();
    // As in practice, most sites that run, run on both sides.
    let side = |step: usize| {
        let mut reading = Reading::of(&table);
        for (at, id) in ids.iter().enumerate() {
            reading.known.insert(*id);
            if at % 5 == 0 && at % step != 0 {
                reading.executed.insert(*id);
            }
        }
        reading
    };
    let pair = Pair { a: side(97), b: side(89) };
    let covers = pair.as_ref().map(|reading| reading.executed.clone());

    let bytes = vec![1u8; SITES as usize / 8];
    let mut copy = vec![0u8; bytes.len()];
    let base = fastest(|| black_box(&mut copy).copy_from_slice(black_box(&bytes)));
    println!("{:32} {:>9} {:>8}", "10,000,000 sites", "µs", "of copy");
    show("copy as many bits", base, base);
    let mut total = Cover::of(&table);
    show("total |= cover", fastest(|| *black_box(&mut total) |= black_box(&covers.a)), base);
    show("total ^= cover", fastest(|| *black_box(&mut total) ^= black_box(&covers.b)), base);
    show("pair.difference()", fastest(|| drop(black_box(covers.difference()))), base);
    let group = Group::from(pair);
    let mut tally = Tally::of(&table);
    show("tally.add(pair)", fastest(|| tally.add(black_box(&group), Operation::Xor)), base);
}

/// The shortest of many runs, which is least disturbed by other processes.
fn fastest(mut run: impl FnMut()) -> Duration {
    let mut time = || {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..50).map(|_| time()).min().unwrap_or_default()
}

fn show(what: &str, time: Duration, base: Duration) {
    let ratio = time.as_secs_f64() / base.as_secs_f64();
    println!("{what:32} {:9.1} {ratio:7.1}x", time.as_secs_f64() * 1e6);
}
