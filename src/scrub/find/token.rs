//! Tokens that are sent along with requests.

use std::sync::LazyLock;

use regex::Regex;

use super::super::kind::Kind;
use super::super::words::starts_apart;
use super::{Found, Looked};

/// A JSON web token: header, claims and signature, the first two being JSON objects in Base64.
static WEB_TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"eyJ([A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?|SCRUBBED[A-Za-z0-9_.-]*)")
});

/// What follows the word in a header of HTTP.
static BEARER: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?i)\b(?:bearer|basic)[ +]([a-z0-9._~+/-]{16,}=*)"));

#[expect(clippy::expect_used, reason = "a pattern of this file, which a test compiles")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern of tokens")
}

pub(super) fn find(looked: Looked<'_>, out: &mut Vec<Found>) {
    let text = looked.text;
    for parts in WEB_TOKEN.captures_iter(text) {
        if let (Some(whole), Some(secret)) = (parts.get(0), parts.get(1))
            && starts_apart(text, whole.start())
        {
            out.push(Found::secret(looked.key, Kind::Token, text, whole.range(), secret.range()));
        }
    }
    for parts in BEARER.captures_iter(text) {
        let Some((whole, secret)) = parts.get(0).zip(parts.get(1)) else { continue };
        let has = |wanted: fn(&u8) -> bool| secret.as_str().as_bytes().iter().any(wanted);
        // Words are no token: "basic understanding-of".
        if has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) {
            out.push(Found::secret(looked.key, Kind::Token, text, whole.range(), secret.range()));
        }
    }
}
