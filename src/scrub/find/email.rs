//! Addresses of e-mail.

use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use super::super::key::ScrubKey;
use super::super::kind::Kind;
use super::{Found, Looked, What};

/// With `%40` for the sign, as in a URL, too.
static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    let local = r"[\p{L}\p{N}_][\p{L}\p{N}_.+'&-]*";
    let domain = r"(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+(?:xn--[a-z0-9-]+|\p{L}{2,24})";
    compiled(&format!("(?i)({local})(@|%40)({domain})"))
});

#[expect(clippy::expect_used, reason = "a pattern of this file, which a test compiles")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern of addresses")
}

/// A domain that is reserved and never resolves (RFC 2606).
const DOMAIN: &str = "example.invalid";
const LOCAL: &str = "user-";
const DIGITS: usize = 16;

/// What ends a file's name, not a domain, as in `logo@2x.png`.
const FILES: &[&str] = &["png", "jpg", "jpeg", "gif", "svg", "webp", "js", "jsx", "ts", "tsx", "css", "json", "html"];

pub(super) fn find(looked: Looked<'_>, out: &mut Vec<Found>) {
    let text = looked.text;
    for parts in EMAIL.captures_iter(text) {
        let (Some(whole), Some(local), Some(sign), Some(domain)) =
            (parts.get(0), parts.get(1), parts.get(2), parts.get(3))
        else {
            continue;
        };
        let start = whole.start() + escape_before(&text[..whole.start()], local.as_str());
        let local = &text[start..local.end()];
        if local.is_empty() || is_no_address(text, start, whole.end(), local, domain.as_str()) {
            continue;
        }
        let what = match is_pseudonym(local, domain.as_str()) {
            true => What::Pseudonym,
            false => What::Value(pseudonym(looked.key, local, sign.as_str(), domain.as_str())),
        };
        out.push(Found::new(Kind::Email, start..whole.end(), what));
    }
}

/// How much of the local part belongs to an escape that it follows: the `n` of `\n`, the `20` of `%20`.
fn escape_before(before: &str, local: &str) -> usize {
    let hex = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match before.chars().next_back() {
        Some('\\') if local.starts_with(['n', 'r', 't']) => 1,
        Some('%') if local.get(..2).is_some_and(hex) => 2,
        _ => 0,
    }
}

fn is_no_address(text: &str, start: usize, end: usize, local: &str, domain: &str) -> bool {
    let ending = domain.rsplit('.').next().unwrap_or_default().to_lowercase();
    // `git@host:path` names a repository.
    let is_repository = local == "git" && text[end..].starts_with(':');
    FILES.contains(&ending.as_str()) || is_repository || is_user_of_url(&text[..start])
}

/// Whether what follows is the user of a URL: `https://user@host`.
fn is_user_of_url(before: &str) -> bool {
    let Some(at) = before.rfind("://") else { return false };
    !before[at + 3..].contains(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '"' | '\''))
}

fn pseudonym(key: &ScrubKey, local: &str, sign: &str, domain: &str) -> String {
    // Letter case has no meaning in an address that anyone uses.
    let address: String = format!("{local}@{domain}").to_lowercase().nfc().collect();
    format!("{LOCAL}{}{sign}{DOMAIN}", key.stream("email", &address).hex(DIGITS))
}

fn is_pseudonym(local: &str, domain: &str) -> bool {
    let digits =
        local.get(..LOCAL.len()).filter(|start| start.eq_ignore_ascii_case(LOCAL)).map(|_| &local[LOCAL.len()..]);
    domain.eq_ignore_ascii_case(DOMAIN)
        && digits.is_some_and(|d| d.len() == DIGITS && d.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
