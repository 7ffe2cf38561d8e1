//! Every fixture, damaged in many small ways.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::fixtures::fixtures;
use crate::probe::probe;

/// How many bytes of damaged files are generated from each fixture: few files of a large one, many
/// of a small one, so that the test takes some seconds. `METACOV_DAMAGE=100` multiplies it by a
/// hundred.
const BYTES_PER_FIXTURE: usize = 150_000;

/// Input that readers may fail on: numbers out of range, brackets that are never closed, bytes that
/// end a string or a tag early, bytes that are not text.
const NASTY: [&[u8]; 24] = [
    b"-1",
    b"0",
    b"99999999999999999999",
    b"4294967295",
    b"4294967296",
    b"1e9",
    b"0.5",
    b"[[[[[[",
    b"{",
    b"}",
    b"]",
    b"\\u0000",
    b"\\ud800",
    b"\xff",
    b"\"",
    b"<",
    b"&lt;",
    b"&#0;",
    b"]]>",
    b"../../",
    b"\0",
    b"\n",
    b",",
    b":",
];

#[test]
fn damaged_files_give_a_reading_or_an_error() {
    let times: usize = std::env::var("METACOV_DAMAGE").map_or(1, |times| times.parse().unwrap());
    let mut complaints = String::new();
    for (number, fixture) in fixtures().into_iter().enumerate() {
        // A fixed seed: a failure is reproducible on every machine.
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ number as u64);
        let gzip = compressed(&fixture.bytes);
        let zstd = zstd::encode_all(&fixture.bytes[..], 1).unwrap();
        let count = times * (BYTES_PER_FIXTURE / fixture.bytes.len()).clamp(4, 60);
        for attempt in 0..count {
            let damaged = match attempt % 8 {
                5 => compressed(&random.damage(&fixture.bytes)),
                6 => random.damage(&gzip),
                7 => random.damage(&zstd),
                _ => random.damage(&fixture.bytes),
            };
            if let Err(complaint) = probe(damaged.clone()) {
                let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
                let kept = folder.join(format!("damaged-{number}-{attempt}"));
                std::fs::write(&kept, damaged).unwrap();
                let (path, kept) = (fixture.path.display(), kept.display());
                writeln!(complaints, "{path}: {complaint}\n    ({kept})").unwrap();
            }
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A deterministic pseudo-random generator (xorshift64*), which needs no crate and never changes.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next()).unwrap() % end.max(1)
    }

    /// A stretch of up to 64 bytes within this length.
    fn stretch(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        start..(start + 1 + self.below(64)).min(length)
    }

    /// The bytes with one to four of their 32-bit words replaced.
    pub fn damage_words(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.below(4) {
            let at = 4 * self.below(bytes.len() / 4);
            let word = [0, 1, u32::MAX, 0x7fff_fff8, 0x1000][self.below(5)];
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The bytes with one to four kinds of damage.
    pub fn damage(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.below(4) {
            if bytes.is_empty() {
                break;
            }
            let at = self.below(bytes.len());
            let stretch = self.stretch(bytes.len());
            match self.below(9) {
                0 => bytes[at] ^= 1 << self.below(8),
                1 => bytes.truncate(at),
                2 => drop(bytes.drain(stretch)),
                3 => {
                    let copy = bytes[stretch].to_vec();
                    bytes.splice(at..at, copy);
                }
                4 => {
                    let other = self.below(bytes.len());
                    bytes.swap(at, other);
                }
                5 => {
                    let noise: Vec<u8> = stretch.map(|_| self.next().to_le_bytes()[0]).collect();
                    bytes.splice(at..at, noise);
                }
                6 => {
                    let token = NASTY[self.below(NASTY.len())];
                    bytes.splice(at..at, token.iter().copied());
                }
                // Most fields are numbers, where a token does the most harm.
                7 => {
                    let start = (at..bytes.len()).find(|at| bytes[*at].is_ascii_digit());
                    let Some(start) = start else { continue };
                    let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit());
                    let end = start + digits.count();
                    let token = NASTY[self.below(NASTY.len())];
                    bytes.splice(start..end, token.iter().copied());
                }
                _ => {
                    let copy = bytes[stretch.clone()].to_vec();
                    let other = self.below(bytes.len() - copy.len() + 1);
                    bytes[other..other + copy.len()].copy_from_slice(&copy);
                }
            }
        }
        bytes
    }
}
