//! Keys of services, known by their prefixes.

use std::sync::LazyLock;

use regex::Regex;

use super::super::kind::Kind;
use super::super::words::starts_apart;
use super::{Found, Looked};

/// The prefix, which stays, and the secret behind it. The first that fits counts.
const KEYS: &[(&str, &str)] = &[
    // Models.
    (r"sk-ant-[a-z0-9]{2,10}-", r"[A-Za-z0-9_-]{20,}"),
    (r"sk-(?:proj|svcacct|admin|None)-", r"[A-Za-z0-9_-]{20,}"),
    (r"sk-or-v1-", r"[A-Za-z0-9]{32,}"),
    (r"sk-lf-", r"[0-9a-f-]{32,}"),
    (r"sk-", r"[A-Za-z0-9]{32,}"),
    (r"gsk_|hf_|r8_|tvly-|fw_|csk-", r"[A-Za-z0-9]{30,}"),
    (r"pplx-|xai-|nvapi-", r"[A-Za-z0-9_-]{40,}"),
    (r"lsv2_(?:pt|sk)_", r"[0-9a-f]{32}(?:_[0-9a-f]{10})?"),
    // Clouds.
    (r"AKIA|ASIA|AROA|AIDA|ABIA|ACCA", r"[A-Z0-9]{16}"),
    (r"AIza", r"[A-Za-z0-9_-]{35}"),
    (r"ya29\.", r"[A-Za-z0-9_.-]{20,}"),
    (r"GOCSPX-", r"[A-Za-z0-9_-]{28}"),
    (r"do[opr]_v1_", r"[0-9a-f]{64}"),
    (r"dapi", r"[0-9a-f]{32}(?:-[0-9])?"),
    (r"hvs\.", r"[A-Za-z0-9_-]{24,}"),
    (r"sbp_", r"[0-9a-f]{40}"),
    (r"AccountKey=|SharedAccessKey=", r"[A-Za-z0-9+/]{40,}={0,2}"),
    // Code and its registries.
    (r"gh[oprsu]_", r"[A-Za-z0-9]{36,}"),
    (r"github_pat_", r"[A-Za-z0-9_]{22,}"),
    (r"gl(?:pat|ptt|dt|rt|cbt|ft)-", r"[A-Za-z0-9_-]{20,}"),
    (r"npm_", r"[A-Za-z0-9]{36}"),
    (r"pypi-AgE", r"[A-Za-z0-9_-]{50,}"),
    (r"AGE-SECRET-KEY-1", r"[A-Z0-9]{58}"),
    // What people talk and pay with.
    (r"xox[abeoprs]-", r"[A-Za-z0-9-]{10,}"),
    (r"xapp-[0-9]-", r"[A-Za-z0-9-]{20,}"),
    (r"https://hooks\.slack\.com/(?:services|workflows)/", r"[A-Za-z0-9/]{30,}"),
    (r"[0-9]{8,10}:AA", r"[A-Za-z0-9_-]{33}"),
    (r"(?:sk|rk)_(?:live|test)_", r"[A-Za-z0-9]{16,}"),
    (r"whsec_", r"[A-Za-z0-9+/]{24,}={0,2}"),
    (r"sq0(?:atp|csp|idp)-", r"[A-Za-z0-9_-]{22,}"),
    (r"shp(?:at|ca|pa|ss)_", r"[0-9a-fA-F]{32}"),
    (r"SG\.", r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    (r"SK", r"[0-9a-f]{32}"),
    (r"key-", r"[0-9a-f]{32}"),
    (r"lin_api_|ntn_|secret_", r"[A-Za-z0-9]{40,}"),
    (r"pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
];

static ANY: LazyLock<Regex> = LazyLock::new(|| {
    let each: Vec<String> = KEYS.iter().map(|(prefix, secret)| format!("(?:{prefix}){secret}")).collect();
    compiled(&each.join("|"))
});

static EACH: LazyLock<Vec<Regex>> =
    LazyLock::new(|| KEYS.iter().map(|(prefix, secret)| compiled(&format!("^(?:{prefix})({secret})$"))).collect());

#[expect(clippy::expect_used, reason = "a pattern of this file, which a test compiles")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern of keys")
}

pub(super) fn find(looked: Looked<'_>, out: &mut Vec<Found>) {
    let text = looked.text;
    let mut from = 0;
    while let Some(place) = ANY.find_at(text, from) {
        if !starts_apart(text, place.start()) {
            from = place.start() + 1;
            continue;
        }
        from = place.end();
        let is_whole = !text[place.end()..].starts_with(|c: char| c.is_ascii_alphanumeric());
        let secret = EACH.iter().find_map(|each| each.captures(place.as_str())?.get(1)).filter(|_| is_whole);
        let Some(secret) = secret else { continue };
        let range = place.start() + secret.start()..place.start() + secret.end();
        out.push(Found::secret(looked.key, Kind::Key, text, place.range(), range));
    }
}
