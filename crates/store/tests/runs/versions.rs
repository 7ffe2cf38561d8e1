//! Files of earlier versions are read, resumed and merged.

use std::fs;
use std::path::{Path, PathBuf};

use metacov_core::{Criterion, total};
use metacov_store::{Run, RunWriter, merge};

fn version_5() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/version-5/absdiff.metacov")
}

/// Of lines: all sites, executed sites, and MC sites.
fn lines(path: &Path) -> [u64; 3] {
    let (suite, _) = Run::open(path).unwrap().suite().unwrap();
    let lines = total(&suite.table, &suite.total())[Criterion::Line];
    [lines.sites, lines.executed(), lines.result]
}

#[test]
fn version_5_is_read() {
    assert_eq!(lines(&version_5()), [4, 4, 2]);
}

#[test]
fn version_5_is_resumed_and_merged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.metacov");
    fs::copy(version_5(), &file).unwrap();
    let header = Run::open(&file).unwrap().header;
    let recorder = RunWriter::open(&file, &header, true).unwrap();
    assert_eq!(recorder.known(), 4);
    drop(recorder);
    assert_eq!(lines(&file), [4, 4, 2], "it has the tables of this version now");
    let merged = folder.path().join("merged.metacov");
    merge(&[file, version_5()], &merged).unwrap();
    assert_eq!(lines(&merged), [4, 4, 2]);
}
