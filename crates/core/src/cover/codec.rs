//! Covers as bytes: ranges of site numbers, each as the gap before it and its length, as varints
//! (LEB128).

use crate::Cover;

/// Encodes a cover.
pub fn encode(cover: &Cover) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut end = 0;
    for run in cover.runs() {
        push(&mut bytes, run.start - end);
        push(&mut bytes, run.len());
        end = run.end;
    }
    bytes
}

/// Flips the sites that the bytes list in a cover of a table of `sites` sites. The bytes are not
/// trusted: a number beyond the table is an error, and so is any encoding that is not canonical.
pub fn flip(bytes: &[u8], sites: usize, cover: &mut Cover) -> Result<(), &'static str> {
    let (mut rest, mut end) = (bytes, 0usize);
    while !rest.is_empty() {
        let gap = take(&mut rest)?;
        let length = take(&mut rest)?;
        if length == 0 || (gap == 0 && end != 0) {
            return Err("empty or adjacent ranges of sites");
        }
        let start = end.checked_add(gap).ok_or(BEYOND)?;
        end = start.checked_add(length).filter(|end| *end <= sites).ok_or(BEYOND)?;
        cover.flip(start..end);
    }
    Ok(())
}

const BEYOND: &str = "a site number beyond the table";

fn push(bytes: &mut Vec<u8>, mut number: usize) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            bytes.push(low & 0x7f);
            return;
        }
        bytes.push(low | 0x80);
    }
}

fn take(bytes: &mut &[u8]) -> Result<usize, &'static str> {
    let mut number = 0;
    // Five groups of seven bits hold every site number.
    for shift in (0..35).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or("a truncated varint")?;
        *bytes = rest;
        number |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return if *byte == 0 && shift > 0 {
                Err("a non-canonical varint")
            } else {
                Ok(number)
            };
        }
    }
    Err("a varint that is too large")
}

#[cfg(test)]
mod tests {
    use crate::SiteId;
    use proptest::prelude::*;

    use super::*;

    const SITES: usize = 5000;

    proptest! {
        #[test]
        fn covers_survive_encode_and_flip(sites in prop::collection::btree_set(0..SITES, 0..300)) {
            let cover: Cover = sites.iter().flat_map(|at| numbers(*at)).collect();
            let mut decoded = Cover::default();
            flip(&encode(&cover), SITES, &mut decoded).unwrap();
            prop_assert_eq!(decoded, cover);
        }

        /// Arbitrary bytes are refused, or are what `encode` writes.
        #[test]
        fn arbitrary_bytes_are_refused_or_canonical(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut decoded = Cover::default();
            if flip(&bytes, SITES, &mut decoded).is_ok() {
                prop_assert_eq!(encode(&decoded), bytes);
            }
            prop_assert!(decoded.iter().all(|site| site.index() < SITES));
        }

        #[test]
        fn small_bytes_are_refused_or_canonical(bytes in prop::collection::vec(0..8u8, 0..40)) {
            let mut decoded = Cover::default();
            if flip(&bytes, SITES, &mut decoded).is_ok() {
                prop_assert_eq!(encode(&decoded), bytes);
            }
        }
    }

    /// One site, or a range of a few.
    fn numbers(at: usize) -> impl Iterator<Item = SiteId> {
        let stretch = Cover::from(std::array::from_fn::<usize, 3, _>(|next| {
            (at + next % (at % 4 + 1)).min(SITES - 1)
        }));
        stretch.iter().collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn the_example_of_the_documentation_is_right() {
        assert_eq!(encode(&Cover::from([2, 3, 4, 7])), [2, 3, 2, 1]);
    }

    #[test]
    fn numbers_beyond_the_table_are_refused() {
        let mut cover = Cover::default();
        for bytes in
            [&[8, 3][..], &[0xff, 0xff, 0xff, 0xff, 0x7f, 1], &[0, 11], &[1], &[0x80, 0, 1]]
        {
            assert!(flip(bytes, 10, &mut cover).is_err(), "{bytes:?}");
        }
    }
}
