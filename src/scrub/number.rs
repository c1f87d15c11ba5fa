//! The digits of a number in JSON.

/// More digits than this are no number of a card, an account or a telephone.
const MOST: i64 = 40;

/// The digits of a whole number from 0 on, however it is written (`4.2e1` is 42); `None` for any other.
pub(super) fn whole_digits(number: &str) -> Option<String> {
    if number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(number.to_owned());
    }
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent: i64 = exponent.strip_prefix('+').unwrap_or(exponent).parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.starts_with('-') {
        return None;
    }
    let all = format!("{whole}{fraction}");
    let point = i64::try_from(whole.len()).ok()?.checked_add(exponent)?;
    if !(0..=MOST).contains(&point) {
        return None;
    }
    let point = usize::try_from(point).ok()?;
    if all.get(point..).is_some_and(|rest| rest.bytes().any(|byte| byte != b'0')) {
        return None;
    }
    let digits: String = all.chars().chain(std::iter::repeat('0')).take(point).collect();
    let bare = digits.trim_start_matches('0');
    Some(if bare.is_empty() { "0".to_owned() } else { bare.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_have_equal_digits() {
        for text in ["4200", "4200.0", "4.2e3", "42E+2", "420000e-2"] {
            assert_eq!(whole_digits(text).as_deref(), Some("4200"), "{text}");
        }
        for text in ["-1", "1.5", "1e-1", "1e400", "1e99999999999999999999"] {
            assert_eq!(whole_digits(text), None, "{text}");
        }
        assert_eq!(whole_digits("0.0").as_deref(), Some("0"));
    }
}
