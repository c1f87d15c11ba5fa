//! Passwords that a text or a URL gives.

use std::sync::LazyLock;

use regex::Regex;

use super::super::kind::Kind;
use super::super::pseudonym;
use super::{Found, Looked, What};

/// `name=value`, `name: value`, `"name": "value"`.
static GIVEN: LazyLock<Regex> = LazyLock::new(|| {
    let names = "password|passwd|passphrase|pwd|(?:client[_-]?|consumer[_-]?)?secret|api[_-]?key|apikey|(?:secret[_-]?)?access[_-]?key|secret[_-]?key|(?:access|auth|refresh|session|id)[_-]?token|\\bsig";
    compiled(&format!(
        r#"(?i)\b([a-z0-9_.-]*(?:{names}))(\\*["']?\s*[:=]\s*)(\\*["'])?([^\s"'&,;<>{{}}()\[\]\\`|]{{4,}})"#
    ))
});

/// `scheme://user:password@host`
static IN_URL: LazyLock<Regex> = LazyLock::new(|| compiled(r#"[a-z0-9+]://([^/\s:@"']*):([^/\s@"']+)@[^\s@]"#));

#[expect(clippy::expect_used, reason = "a pattern of this file, which a test compiles")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern of passwords")
}

pub(super) fn find(looked: Looked<'_>, out: &mut Vec<Found>) {
    for parts in GIVEN.captures_iter(looked.text) {
        let (Some(name), Some(value)) = (parts.get(1), parts.get(4)) else { continue };
        let is_quoted = parts.get(3).is_some();
        if is_given(name.as_str(), value.as_str(), is_quoted) {
            out.push(found(looked, value.range()));
        }
    }
    for parts in IN_URL.captures_iter(looked.text) {
        if let Some(value) = parts.get(2).filter(|value| !is_placeholder(value.as_str())) {
            out.push(found(looked, value.range()));
        }
    }
}

fn found(looked: Looked<'_>, range: std::ops::Range<usize>) -> Found {
    let value = &looked.text[range.clone()];
    let what = if pseudonym::texts_in(value).next().is_some() || pseudonym::is_of_secret(value) {
        What::Pseudonym
    } else {
        What::Value(pseudonym::of_text(looked.key, value))
    };
    Found::new(Kind::Password, range, what)
}

/// Whether a value is given, not the name of what holds one: code is full of `password = get_password()`.
fn is_given(name: &str, value: &str, is_quoted: bool) -> bool {
    if is_placeholder(value) || name.to_lowercase().ends_with(&value.to_lowercase()) {
        return false;
    }
    let has = |wanted: fn(char) -> bool| value.contains(wanted);
    let is_mixed = has(|c| c.is_ascii_digit()) && has(char::is_alphabetic);
    let is_attribute = value.split('.').count() > 1 && value.split('.').all(is_identifier);
    if is_quoted { value.chars().count() >= 6 } else { is_mixed && !is_attribute && value.chars().count() >= 6 }
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// What stands where a value is to be put in, or was taken out.
fn is_placeholder(value: &str) -> bool {
    let lower = value.to_lowercase();
    let words = [
        "your",
        "example",
        "placeholder",
        "filtered",
        "masked",
        "removed",
        "dummy",
        "changeme",
        "redacted",
        "hidden",
        "none",
        "null",
        "true",
        "false",
        "undefined",
        "string",
    ];
    value.starts_with(['$', '%', '<', '{', '*'])
        || words.iter().any(|word| lower.starts_with(word))
        || lower.chars().all(|c| matches!(c, 'x' | '*' | '.' | '-' | '_' | '#'))
}
