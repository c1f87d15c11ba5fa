//! Private keys in PEM form.

use std::sync::LazyLock;

use regex::Regex;

use super::super::kind::Kind;
use super::{Found, Looked};

/// One that was cut off ends with the text.
static KEY: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----([A-Za-z0-9+/=\s\\,:-]*?)(?:-----END|$|[^A-Za-z0-9+/=\s\\,:-])",
    )
});

#[expect(clippy::expect_used, reason = "a pattern of this file, which a test compiles")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern of private keys")
}

pub(super) fn find(looked: Looked<'_>, out: &mut Vec<Found>) {
    for parts in KEY.captures_iter(looked.text) {
        let Some((whole, secret)) = parts.get(0).zip(parts.get(1)) else { continue };
        if secret.as_str().bytes().filter(u8::is_ascii_alphanumeric).count() >= 16 {
            let shown = whole.start()..secret.end();
            out.push(Found::secret(looked.key, Kind::PrivateKey, looked.text, shown, secret.range()));
        }
    }
}
