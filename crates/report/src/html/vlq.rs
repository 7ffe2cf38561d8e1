//! Numbers as letters: five bits in each, the lowest first, and a sixth that says that more follow.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends a number.
pub(crate) fn push(text: &mut String, mut number: usize) {
    loop {
        let more = if number > 0x1f { 0x20 } else { 0 };
        text.push(char::from(LETTERS[number & 0x1f | more]));
        number >>= 5;
        if more == 0 {
            return;
        }
    }
}

/// Ranges of positions with a small number each, as letters: the distance from the previous range,
/// and eight times the length plus the number.
#[derive(Default)]
pub(crate) struct Stretches {
    text: String,
    /// The end of the last range that was written.
    written: usize,
    /// The range that may continue: its start, its end, and its number.
    open: Option<(usize, usize, usize)>,
}

impl Stretches {
    /// Adds a position after all others.
    pub(crate) fn add(&mut self, place: usize, number: usize) {
        match &mut self.open {
            Some((_, end, of)) if *of == number && *end == place => *end += 1,
            _ => {
                self.close();
                self.open = Some((place, place + 1, number));
            }
        }
    }

    /// Returns all of them.
    pub(crate) fn finish(mut self) -> String {
        self.close();
        self.text
    }

    fn close(&mut self) {
        if let Some((start, end, number)) = self.open.take() {
            push(&mut self.text, start - self.written);
            push(&mut self.text, (end - start) * 8 + number);
            self.written = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_encoded_by_distance_and_length() {
        let mut stretches = Stretches::default();
        for (place, number) in [(2, 1), (3, 1), (4, 2), (40, 2)] {
            stretches.add(place, number);
        }
        // 2, 2*8+1; 0, 8+2; 35 (3 and one more letter), 8+2
        assert_eq!(stretches.finish(), "CRAKjBK");
    }
}
