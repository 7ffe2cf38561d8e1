//! Counters in memory: the layout or the counters may be damaged by the program under test.

use std::path::Path;

use crate::damage::Random;
use crate::memory::Memory;
use crate::probe::probe_with;

#[test]
fn damaged_layouts_and_counters_give_a_reading_or_an_error() {
    let mut random = Random(11);
    let mut messages = 0;
    for producer in ["gcc-11", "gcc-12"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gcda").join(producer);
        let units = ["main.gcda", "shapes.gcda"];
        let sound = Memory::of(&units.map(|unit| (folder.join("a").join(unit), folder.join(unit))));
        for attempt in 0..400 {
            let mut damaged = sound.clone();
            match attempt % 3 {
                0 => damaged.layout = random.damage_words(&sound.layout),
                1 => damaged.layout = random.damage(&sound.layout),
                _ => damaged.counters = random.damage(&sound.counters),
            }
            let length = damaged.layout.len() + damaged.counters.len();
            let outcome = probe_with(length as u64, |loader| {
                // Earlier and later snapshots must not matter.
                let both = [damaged.snapshot(), sound.snapshot(), damaged.snapshot()];
                let first = loader.read_snapshots(&both[..1]).map(drop);
                let _ = loader.read_snapshots_of_crash(&both);
                for snapshot in &both {
                    let _ = loader.take(&snapshot.layout, &mut snapshot.counters.to_vec());
                    loader.end_execution();
                }
                drop(loader.solve());
                loader.read_snapshots(&both[1..2]).map_err(|error| error.fault)?;
                first.map_err(|error| error.fault)
            });
            messages += usize::from(outcome.unwrap().is_some());
        }
    }
    assert!(messages > 400, "most damage is noticed: {messages} of 800");
}
