//! Random constants, and templates of terms.

use metacov_core::Rng;

use super::sort::Sort;

/// Which constants of a sort may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// All.
    Any,
    /// Numbers above zero, strings that are not empty.
    Positive,
}

/// A random constant of a known sort.
pub(super) fn literal(sort: Sort, values: Values, rng: &mut Rng) -> String {
    let low = if values == Values::Positive { 1 } else { -1000 };
    match sort {
        Sort::Int => integer(i64::from(rng.number(low, 1000))),
        Sort::Real => {
            let thousandths = rng.number(if low == 1 { 1 } else { -1_000_000 }, 1_000_000);
            real(thousandths)
        }
        Sort::BitVec(width) => {
            let is_small = rng.chance(50);
            let bit = |at: u32, rng: &mut Rng| {
                let is_set = rng.chance(50);
                if is_set && !(is_small && at >= 4) { '1' } else { '0' }
            };
            let bits: String = (0..width).rev().map(|at| bit(at, rng)).collect();
            format!("#b{bits}")
        }
        Sort::String => {
            let length = rng.between(usize::from(values == Values::Positive), 8);
            let letters: String = (0..length).map(|_| char::from(*rng.pick(b"abcdez"))).collect();
            format!("\"{letters}\"")
        }
        Sort::Float(exponent, significand) => {
            let mut bits = |count: u32| -> String {
                (0..count).map(|_| if rng.chance(50) { '1' } else { '0' }).collect()
            };
            // The first bit of the exponent is 0: no infinity, no NaN.
            let (sign, exponent, fraction) = (bits(1), bits(exponent - 1), bits(significand - 1));
            format!("(fp #b{sign} #b0{exponent} #b{fraction})")
        }
        Sort::Bool => if rng.chance(50) { "true" } else { "false" }.to_owned(),
        Sort::Unknown => String::new(),
    }
}

/// An integer as a term.
pub(super) fn integer(value: i64) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

/// A number of thousandths as a real term.
fn real(thousandths: i32) -> String {
    let size = thousandths.unsigned_abs();
    let text = format!("{}.{:03}", size / 1000, size % 1000);
    if thousandths < 0 { format!("(- {text})") } else { text }
}

/// Replaces the words of one letter in a template, such as `x` in `(< x 1)`.
pub(super) fn fill(template: &str, values: &[(char, &str)]) -> String {
    let mut text = String::with_capacity(template.len() * 2);
    let is_of_word = |letter: Option<char>| letter.is_some_and(|letter| !" ()".contains(letter));
    let mut before = None;
    let mut letters = template.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_word = !is_of_word(before) && !is_of_word(letters.peek().copied());
        match values.iter().find(|(name, _)| is_word && *name == letter) {
            Some((_, value)) => text.push_str(value),
            None => text.push(letter),
        }
        before = Some(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled_word_by_word() {
        assert_eq!(
            fill("(+ (* k x) y)", &[('x', "(f y)"), ('y', "b"), ('k', "3")]),
            "(+ (* 3 (f y)) b)"
        );
        assert_eq!(fill("(bvxor x xy)", &[('x', "1")]), "(bvxor 1 xy)");
    }

    #[test]
    fn literals_have_their_sort() {
        let mut rng = Rng::new(1);
        for _ in 0..100 {
            assert_eq!(literal(Sort::BitVec(9), Values::Any, &mut rng).len(), 11);
            assert!(literal(Sort::String, Values::Positive, &mut rng).len() > 2);
            let positive = literal(Sort::Int, Values::Positive, &mut rng);
            assert!(positive.parse::<u32>().unwrap() > 0);
            let float = literal(Sort::Float(5, 11), Values::Any, &mut rng);
            assert_eq!(float.len(), "(fp #b0 #b00000 #b0000000000)".len());
        }
        assert_eq!(
            (real(-1500), real(7), integer(-3)),
            ("(- 1.500)".into(), "0.007".into(), "(- 3)".into())
        );
    }
}
