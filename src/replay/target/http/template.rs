//! The body of a turn, from a template or by default.

use std::fmt::Write as _;

use crate::recording::{Json, Kind};

/// What can be put into a body.
pub(super) struct Filling<'a> {
    pub(super) input: &'a Json,
    pub(super) history: &'a [Json],
    pub(super) setup: Option<&'a Json>,
    pub(super) attempt: &'a str,
    pub(super) tools_url: &'a str,
    pub(super) token: &'a str,
}

impl Filling<'_> {
    /// The body where there is no template.
    pub(super) fn default_body(&self) -> String {
        let mut body = format!(r#"{{"input":{},"history":{}"#, self.input.text(), self.history_text());
        if let Some(setup) = self.setup {
            // Writing to a text cannot fail.
            let _ = write!(body, r#","setup":{}"#, setup.text());
        }
        let (attempt, tools) = (Json::string(self.attempt), Json::string(self.tools_url));
        let _ = write!(body, r#","attempt":{},"tools":{}}}"#, attempt.text(), tools.text());
        body
    }

    fn history_text(&self) -> String {
        let entries: Vec<&str> = self.history.iter().map(Json::text).collect();
        format!("[{}]", entries.join(","))
    }
}

/// A JSON text with places such as `{{input}}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Place(Place),
}

/// What stands in double braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Input,
    InputJson,
    History,
    Setup,
    Attempt,
    ToolsUrl,
    Token,
}

const PLACES: [(&str, Place); 7] = [
    ("input", Place::Input),
    ("input_json", Place::InputJson),
    ("history", Place::History),
    ("setup", Place::Setup),
    ("attempt", Place::Attempt),
    ("tools_url", Place::ToolsUrl),
    ("token", Place::Token),
];

impl Template {
    /// Reads a template and checks that it gives JSON whatever is put in.
    ///
    /// # Errors
    /// What is wrong, in a sentence.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let (name, after) = after.split_once("}}").ok_or("the template has {{ without }}")?;
            let place = PLACES.iter().find(|(known, _)| *known == name.trim()).map(|(_, place)| *place);
            let place = place.ok_or_else(|| {
                let known: Vec<String> = PLACES.iter().map(|(name, _)| format!("{{{{{name}}}}}")).collect();
                format!("the template has {{{{{name}}}}}, which is not known; known are {}", known.join(", "))
            })?;
            parts.extend([Part::Text(before.to_owned()), Part::Place(place)]);
            rest = after;
        }
        parts.push(Part::Text(rest.to_owned()));
        let template = Self(parts);
        template.try_out()?;
        Ok(template)
    }

    /// Values with quotes in them show whether each place is on the right side of the quotes around it.
    fn try_out(&self) -> Result<(), String> {
        let said = entry();
        let filling = Filling {
            input: &Json::string("a \"text\""),
            history: std::slice::from_ref(&said),
            setup: Some(&said),
            attempt: "t1-1",
            tools_url: "http://127.0.0.1:1/",
            token: "0",
        };
        Json::parse(self.fill(&filling)).map(drop).map_err(|fault| {
            format!(
                "the template gives no JSON: {fault} at byte {} ({{{{input_json}}}}, {{{{history}}}} and {{{{setup}}}} stand outside quotes, all others inside)",
                fault.offset
            )
        })
    }

    /// The body.
    pub(super) fn fill(&self, filling: &Filling<'_>) -> String {
        let mut body = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => body.push_str(text),
                Part::Place(Place::Input) => body.push_str(&escaped(filling.input)),
                Part::Place(Place::InputJson) => body.push_str(filling.input.text()),
                Part::Place(Place::History) => body.push_str(&filling.history_text()),
                Part::Place(Place::Setup) => body.push_str(filling.setup.map_or("null", Json::text)),
                Part::Place(Place::Attempt) => body.push_str(&escaped(&Json::string(filling.attempt))),
                Part::Place(Place::ToolsUrl) => body.push_str(&escaped(&Json::string(filling.tools_url))),
                Part::Place(Place::Token) => body.push_str(&escaped(&Json::string(filling.token))),
            }
        }
        body
    }
}

/// A value as it stands between quotes: a text by what it says, anything else by its JSON.
fn escaped(value: &Json) -> String {
    let inside = |quoted: &str| quoted[1..quoted.len() - 1].to_owned();
    match value.kind() {
        Kind::String => inside(value.text()),
        _ => inside(Json::string(value.text()).text()),
    }
}

fn entry() -> Json {
    Json::of(&std::collections::BTreeMap::from([("role", "user"), ("content", "Hi")]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(template: &str, input: &str) -> String {
        let input = Json::parse(input).unwrap();
        Template::read(template).unwrap().fill(&Filling {
            input: &input,
            history: &[],
            setup: None,
            attempt: "t1-1",
            tools_url: "http://127.0.0.1:9/attempts/ab/tools",
            token: "ab",
        })
    }

    #[test]
    fn values_are_put_in_so_that_the_body_stays_json() {
        let template = r#"{"message": "{{input}}", "raw": {{ input_json }}, "past": {{history}}, "id": "{{attempt}}/{{token}}", "tools": "{{tools_url}}"}"#;
        assert_eq!(
            fill(template, r#""say \"hi\"\n""#),
            r#"{"message": "say \"hi\"\n", "raw": "say \"hi\"\n", "past": [], "id": "t1-1/ab", "tools": "http://127.0.0.1:9/attempts/ab/tools"}"#
        );
        assert_eq!(fill(r#"["{{input}}"]"#, r#"{"q":1.0}"#), r#"["{\"q\":1.0}"]"#);
    }

    #[test]
    fn a_template_that_cannot_give_json_is_refused_before_the_run() {
        for (template, says) in [
            (r#"{"m": {{input}}}"#, "no JSON"),
            (r#"{"m": "{{history}}"}"#, "no JSON"),
            (r#"{"m": "{{prompt}}"}"#, "{{prompt}}, which is not known"),
            (r#"{"m": "{{input"}"#, "without }}"),
            ("", "no JSON"),
        ] {
            let problem = Template::read(template).unwrap_err();
            assert!(problem.contains(says), "{template}: {problem}");
        }
    }

    #[test]
    fn the_default_body_has_all_that_a_turn_needs() {
        let setup = Json::parse(r#"{"fixture":"vip"}"#).unwrap();
        let filling = Filling {
            input: &Json::string("hi"),
            history: &[entry()],
            setup: Some(&setup),
            attempt: "t1-1",
            tools_url: "http://127.0.0.1:9/attempts/ab/tools",
            token: "ab",
        };
        assert_eq!(
            filling.default_body(),
            r#"{"input":"hi","history":[{"content":"Hi","role":"user"}],"setup":{"fixture":"vip"},"attempt":"t1-1","tools":"http://127.0.0.1:9/attempts/ab/tools"}"#
        );
    }
}
