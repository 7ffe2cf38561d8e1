//! Counters and the notes beside them: either may be damaged.

use std::fs;
use std::path::Path;

use metacov_formats::FileSpec;

use crate::damage::Random;
use crate::probe::probe_with;

#[test]
fn damaged_counters_and_notes_give_a_reading_or_an_error() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gcda");
    let folder = tempfile::tempdir().unwrap();
    let (counters, notes) = (folder.path().join("x.gcda"), folder.path().join("x.gcno"));
    let mut random = Random(7);
    let mut messages = 0;
    for producer in ["gcc-11", "gcc-12"] {
        for unit in ["main", "shapes"] {
            let sound = [
                fs::read(data.join(format!("{producer}/a/{unit}.gcda"))).unwrap(),
                fs::read(data.join(format!("{producer}/{unit}.gcno"))).unwrap(),
            ];
            for attempt in 0..300 {
                let mut files = sound.clone();
                files[attempt % 2] = random.damage(&sound[attempt % 2]);
                fs::write(&counters, &files[0]).unwrap();
                fs::write(&notes, &files[1]).unwrap();
                let length = files[0].len() + files[1].len();
                let spec = FileSpec { path: counters.clone(), context: None };
                let outcome = probe_with(length as u64, |loader| {
                    loader.read_side(&[spec]).map(drop).map_err(|error| error.fault)
                });
                messages += usize::from(outcome.unwrap().is_some());
            }
        }
    }
    assert!(messages > 600, "most damage is noticed: {messages} of 1200");
}
