//! Numbers in sentences and tables.

/// Formats a number with its noun: `1 line`, `2,000 lines`.
pub fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { several })
}

/// How many names are listed in a message.
const NAMED_MAX: usize = 3;

/// Returns the first of these names, and how many more there are.
pub fn first_names(names: &[String]) -> String {
    let first = names[..names.len().min(NAMED_MAX)].join(", ");
    match names.len().saturating_sub(NAMED_MAX) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Formats `12345` as `12,345`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_all_others_are_plural() {
        let lines = |number| counted(number, "line", "lines");
        assert_eq!([0, 1, 2].map(lines), ["0 lines", "1 line", "2 lines"]);
        assert_eq!(lines(1_234_567), "1,234,567 lines");
    }
}
