//! Long texts of a sample, which stand once in its attachments and elsewhere as `attachment://<hash>`.

use std::collections::HashMap;

use super::super::super::json::Json;
use super::super::fields::members;

/// How a text starts that stands for an attachment.
const MARK: &str = "\"attachment://";

/// The attachments of a sample.
pub(super) struct Attachments(HashMap<String, Json>);

impl Attachments {
    pub(super) fn of(sample: &Json) -> Self {
        Self(members(sample, "attachments").into_iter().collect())
    }

    /// The same with the texts that it stands for. One that is not there stays as it is.
    pub(super) fn within(&self, json: Json) -> Json {
        if !json.text().contains(MARK) {
            return json;
        }
        let (mut written, mut rest) = (String::new(), json.text());
        while let Some(at) = rest.find(MARK) {
            let (before, from) = rest.split_at(at);
            let hash = &from[MARK.len()..];
            let hash = &hash[..hash.find('"').unwrap_or(hash.len())];
            // A quote after a backslash is within a text, and no start of one.
            let attached = self.0.get(hash).filter(|_| !before.ends_with('\\'));
            let length = MARK.len() + hash.len() + 1;
            written.push_str(before);
            written.push_str(attached.map_or(&from[..length.min(from.len())], Json::text));
            rest = from.get(length..).unwrap_or_default();
        }
        written.push_str(rest);
        Json::trusted(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_attached_takes_the_place_of_its_mark() {
        let sample = Json::parse(r#"{"attachments":{"ab":"long \"text\"","cd":"x"}}"#).unwrap();
        let attachments = Attachments::of(&sample);
        let within = |text: &str| attachments.within(Json::parse(text).unwrap()).text().to_owned();
        assert_eq!(within(r#"["attachment://ab",{"k":"attachment://cd"}]"#), r#"["long \"text\"",{"k":"x"}]"#);
        for as_it_is in [r#""attachment://gone""#, r#""see \"attachment://ab""#, "1"] {
            assert_eq!(within(as_it_is), as_it_is);
        }
    }
}
