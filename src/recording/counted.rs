//! Counts as people read them.

/// A count with its noun: `1 case`, `2 cases`.
#[must_use]
pub fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(count))
}

/// A count with a comma at every thousand.
#[must_use]
pub fn grouped(count: impl Into<u128>) -> String {
    grouped_digits(&count.into().to_string())
}

/// A row of digits with a comma at every thousand.
#[must_use]
pub fn grouped_digits(digits: &str) -> String {
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}
