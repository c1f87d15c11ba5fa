//! Arguments as the validator reads them: out of their text, so that every digit counts.

use std::borrow::Cow;

use jsonschema::JsonType;
use jsonschema::json::{self, JsonNumber, Node, NodeIdentity};
use serde_json::Value;

use crate::recording::{Json, Kind};

/// How arguments are represented: as [`Json`] text.
pub(super) struct AsText;

/// A value of the arguments.
#[derive(Clone)]
pub(super) struct Instance(pub(super) Json);

impl json::Json for AsText {
    type Node<'a> = Instance;
    type PreparedKey = String;
    type StringBuffer = ();

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(Instance) -> T) -> T {
        f(Instance(Json::string(string)))
    }
}

impl<'a> Node<'a, AsText> for Instance {
    type Object = Members;
    type Array = Items;
    type Number = ExactNumber;

    fn as_object(&self) -> Option<Members> {
        (self.0.kind() == Kind::Object).then(|| Members(self.0.clone()))
    }

    fn as_array(&self) -> Option<Items> {
        self.0.items().map(Items)
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        self.0.as_str().map(|text| Cow::Owned(text.into_owned()))
    }

    fn as_number(&self) -> Option<ExactNumber> {
        self.is_number().then(|| ExactNumber(self.0.clone()))
    }

    fn as_boolean(&self) -> Option<bool> {
        (self.0.kind() == Kind::Bool).then(|| self.0.text() == "true")
    }

    fn is_null(&self) -> bool {
        self.0.is_null()
    }

    fn is_number(&self) -> bool {
        self.0.kind() == Kind::Number
    }

    fn json_type(&self) -> JsonType {
        match self.0.kind() {
            Kind::Null => JsonType::Null,
            Kind::Bool => JsonType::Boolean,
            Kind::Number => JsonType::Number,
            Kind::String => JsonType::String,
            Kind::Array => JsonType::Array,
            Kind::Object => JsonType::Object,
        }
    }

    /// For `enum`, `const` and messages. The schema's side of these has no more digits than a double either.
    fn to_value(&self) -> Cow<'a, Value> {
        // What no such value can hold, as a lone surrogate, equals nothing that a schema lists.
        Cow::Owned(serde_json::from_str(self.0.text()).unwrap_or(Value::Null))
    }

    fn identity(&self) -> Option<NodeIdentity> {
        // Values of one text start at places of their own.
        Some(NodeIdentity::new(self.0.text().as_ptr() as usize))
    }
}

/// The members of an object.
pub(super) struct Members(Json);

impl<'a> json::Object<'a, AsText> for Members {
    type Node = Instance;
    type MemberName = String;
    type MembersIter = std::vec::IntoIter<(String, Instance)>;

    fn len(&self) -> usize {
        self.0.members().map_or(0, |members| members.len())
    }

    fn get(&self, key: &String) -> Option<Instance> {
        self.0.member(key).map(Instance)
    }

    fn members(&self) -> Self::MembersIter {
        let members = self.0.members().unwrap_or_default().into_iter();
        members.map(|(key, value)| (key.into_owned(), Instance(value))).collect::<Vec<_>>().into_iter()
    }
}

/// The items of a list.
pub(super) struct Items(Vec<Json>);

impl<'a> json::Array<'a, AsText> for Items {
    type Node = Instance;
    type ElementsIter = std::vec::IntoIter<Instance>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn elements(&self) -> Self::ElementsIter {
        self.0.iter().cloned().map(Instance).collect::<Vec<_>>().into_iter()
    }

    /// Long ids that a double cannot tell apart are different items.
    fn is_unique(&self) -> bool {
        let mut hashes: Vec<u128> = self.0.iter().map(super::hash_of).collect();
        hashes.sort_unstable();
        hashes.windows(2).all(|pair| pair[0] != pair[1])
    }
}

/// A number with all its digits.
pub(super) struct ExactNumber(Json);

impl JsonNumber for ExactNumber {
    fn as_u64(&self) -> Option<u64> {
        whole(self.0.text())?.parse().ok()
    }

    fn as_i64(&self) -> Option<i64> {
        whole(self.0.text())?.parse().ok()
    }

    fn as_f64(&self) -> Option<f64> {
        self.0.text().parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0.text())
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        let number = serde_json::from_str(self.0.text()).ok();
        let nearest = || serde_json::Number::from_f64(f64::MAX).unwrap_or_else(|| u64::MAX.into());
        Cow::Owned(number.unwrap_or_else(nearest))
    }

    fn is_integer(&self) -> bool {
        let Written { digits, point, .. } = Written::read(self.0.text());
        digits.is_empty() || point.is_none_or(|point| point >= digits.len() as i64)
    }
}

/// A number taken apart.
struct Written<'a> {
    sign: &'a str,
    /// Without zeros at the end; empty for zero.
    digits: String,
    /// How many of the digits stand before the decimal point, or zeros between it and them where negative; `None`
    /// for more than anyone can count.
    point: Option<i64>,
}

impl<'a> Written<'a> {
    fn read(text: &'a str) -> Self {
        let (sign, text) = if text.starts_with('-') { text.split_at(1) } else { ("", text) };
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}").trim_end_matches('0').to_owned();
        let point = match power.parse::<i64>() {
            Ok(power) => Some(power.saturating_add(whole.len() as i64)),
            Err(_) if power.starts_with('-') => Some(i64::MIN),
            Err(_) => None,
        };
        Self { sign, digits, point }
    }
}

/// The longest integer that is written out: more digits than 64 bits hold.
const LONGEST: i64 = 25;

/// The number as an integer is written; `None` for a fraction and for what is too long.
fn whole(text: &str) -> Option<String> {
    let Written { sign, digits, point } = Written::read(text);
    if digits.is_empty() {
        return Some("0".to_owned());
    }
    let point = point.filter(|point| (digits.len() as i64..=LONGEST).contains(point))?;
    Some(format!("{sign}{digits:0<width$}", width = point as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> ExactNumber {
        ExactNumber(Json::parse(text).unwrap())
    }

    #[test]
    fn a_number_is_an_integer_by_its_value_at_any_size() {
        for text in [
            "0",
            "-0.0",
            "1.0",
            "1e2",
            "1.5e1",
            "12345678901234567890123",
            "1e400",
            "100e-2",
            "0e-9",
            "1e99999999999999999999",
        ] {
            assert!(number(text).is_integer(), "{text}");
        }
        for text in
            ["0.5", "1e-1", "12345678901234567890123.5", "4503599627370497.25", "1e-99999999999999999999", "105e-2"]
        {
            assert!(!number(text).is_integer(), "{text}");
        }
    }

    #[test]
    fn integers_of_64_bits_are_exact_however_they_are_written() {
        assert_eq!(number("9007199254740993").as_u64(), Some(9_007_199_254_740_993));
        assert_eq!(number("9007199254740993.0").as_u64(), Some(9_007_199_254_740_993));
        assert_eq!(number("18446744073709551615").as_u64(), Some(u64::MAX));
        assert_eq!(number("18446744073709551616").as_u64(), None);
        assert_eq!(number("-9223372036854775808").as_i64(), Some(i64::MIN));
        assert_eq!(
            (number("1.2e1").as_i64(), number("-0").as_u64(), number("0.12").as_i64()),
            (Some(12), Some(0), None)
        );
    }
}
