//! Reading the fields of foreign JSON, in which null means that there is none.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::super::json::{Json, Kind};

/// A member that is there and not null.
pub(super) fn member(json: &Json, key: &str) -> Option<Json> {
    json.member(key).filter(|value| !value.is_null())
}

/// The first of these members that is there and not null: one thing under the names that writers give it.
pub(super) fn first_member(json: &Json, keys: &[&str]) -> Option<Json> {
    keys.iter().find_map(|key| member(json, key))
}

/// The value at the end of a way of keys.
pub(super) fn below(json: &Json, keys: &[&str]) -> Option<Json> {
    keys.iter().try_fold(json.clone(), |json, key| member(&json, key))
}

/// The items of a member that is a list; none where it is not there or something else.
pub(super) fn items(json: &Json, key: &str) -> Vec<Json> {
    member(json, key).and_then(|list| list.items()).unwrap_or_default()
}

/// The members of a member that is an object; none where it is not there or something else.
pub(super) fn members(json: &Json, key: &str) -> Vec<(String, Json)> {
    let Some(object) = member(json, key) else { return Vec::new() };
    object.members().unwrap_or_default().into_iter().map(|(key, value)| (key.into_owned(), value)).collect()
}

/// A member's text, or the text of a number.
pub(super) fn text(json: &Json, key: &str) -> Option<String> {
    as_text(&member(json, key)?)
}

/// A text, or the text of a number.
pub(super) fn as_text(value: &Json) -> Option<String> {
    matches!(value.kind(), Kind::String | Kind::Number).then(|| value.shown().into_owned())
}

/// A member's count: a whole number, also where it is written as a text or as `12.0`.
pub(super) fn count(json: &Json, key: &str) -> Option<u64> {
    as_count(&member(json, key)?)
}

/// A whole number that is not negative, also where it is written as a text or as `12.0`.
pub(super) fn as_count(value: &Json) -> Option<u64> {
    let shown = value.shown();
    let whole = shown.strip_suffix(".0").unwrap_or(&shown);
    matches!(value.kind(), Kind::String | Kind::Number).then(|| whole.parse().ok()).flatten()
}

/// A member's number, if it is finite.
pub(super) fn number(json: &Json, key: &str) -> Option<f64> {
    let value = member(json, key)?;
    let number = value.shown().parse::<f64>().ok().filter(|number| number.is_finite());
    matches!(value.kind(), Kind::String | Kind::Number).then_some(number).flatten()
}

/// A length of time in milliseconds, out of a member that has it in `unit` milliseconds; negative ones are unknown.
pub(super) fn milliseconds(json: &Json, key: &str, unit: f64) -> Option<f64> {
    number(json, key).map(|length| length * unit).filter(|length| *length >= 0.0)
}

/// A point in time written as RFC 3339, with or without a zone (then it is taken as UTC), with `T` or a space.
pub(super) fn instant(written: &str) -> Option<Timestamp> {
    let zoneless = || written.parse::<DateTime>().ok().and_then(|civil| TimeZone::UTC.to_timestamp(civil).ok());
    written.parse().ok().or_else(zoneless)
}

/// From one point in time to another, in milliseconds; `None` where the second is before the first.
pub(super) fn between(start: Timestamp, end: Timestamp) -> Option<f64> {
    let nanoseconds = end.as_nanosecond() - start.as_nanosecond();
    // Lengths of up to 100 days are exact to the nanosecond.
    (nanoseconds >= 0).then(|| nanoseconds as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_as_good_as_nothing() {
        let json = Json::parse(r#"{"a":null,"b":{"c":[1,"x"]},"n":"12","f":7.0,"g":-1}"#).unwrap();
        assert_eq!(
            (member(&json, "a"), first_member(&json, &["a", "n"]).map(|it| as_count(&it))),
            (None, Some(Some(12)))
        );
        assert_eq!(below(&json, &["b", "c"]).unwrap().text(), "[1,\"x\"]");
        assert_eq!((count(&json, "f"), count(&json, "g"), text(&json, "f").as_deref()), (Some(7), None, Some("7.0")));
        assert_eq!((milliseconds(&json, "f", 1000.0), milliseconds(&json, "g", 1.0)), (Some(7000.0), None));
        assert!(items(&json, "b").is_empty());
    }

    #[test]
    fn times_without_a_zone_are_utc() {
        let at = instant("2026-01-02T03:04:05.000000006Z").unwrap();
        assert_eq!(instant("2026-01-02 03:04:05.000000006"), Some(at));
        assert_eq!(instant("2026-01-02T04:04:05.000000006+01:00"), Some(at));
        assert_eq!(instant("yesterday"), None);
        assert_eq!(between(at, instant("2026-01-02T03:04:06.5Z").unwrap()), Some(1499.999994));
        assert_eq!(between(instant("2026-01-03T00:00:00Z").unwrap(), at), None);
    }
}
