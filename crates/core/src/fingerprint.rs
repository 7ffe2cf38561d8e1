//! A hash that is the same on every platform and in every version, unlike the hashers of tables.

/// 64-bit FNV-1a, computed piece by piece.
#[derive(Clone, Copy, Debug)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Starts a new hash.
    pub fn new() -> Self {
        Fingerprint(0xcbf2_9ce4_8422_2325)
    }

    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Adds a text and its end.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&[0]);
    }

    /// Adds numbers.
    pub fn numbers<const N: usize>(&mut self, numbers: [u32; N]) {
        for number in numbers {
            self.bytes(&number.to_le_bytes());
        }
    }

    /// Returns the hash of everything that was added.
    pub fn hash(self) -> u64 {
        self.0
    }
}

impl Default for Fingerprint {
    fn default() -> Self {
        Fingerprint::new()
    }
}
