//! What was said in a session before the input that comes.

use crate::recording::Json;

/// A recorded history, and the turns that were spoken since in the same attempt.
#[derive(Clone, Debug, Default)]
pub(super) struct Conversation(Vec<Json>);

impl Conversation {
    /// Begins with a list of `{role, content}`.
    pub(super) fn new(history: Option<&Json>) -> Self {
        Self(history.and_then(Json::items).unwrap_or_default())
    }

    /// A turn was spoken.
    pub(super) fn spoken(&mut self, input: &Json, output: Option<&Json>) {
        self.0.push(entry("user", input));
        if let Some(output) = output {
            self.0.push(entry("assistant", output));
        }
    }

    /// All entries, oldest first.
    pub(super) fn entries(&self) -> &[Json] {
        &self.0
    }
}

fn entry(role: &str, content: &Json) -> Json {
    let text = format!(r#"{{"role":"{role}","content":{}}}"#, content.text());
    // An object of two keys around a checked value is well formed; only one that is nested too deep is not.
    Json::parse(text).unwrap_or_else(|_| Json::null())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spoken_turns_follow_the_recorded_history() {
        let history = Json::parse(r#"[{"role":"user","content":"Hi"}]"#).unwrap();
        let mut said = Conversation::new(Some(&history));
        said.spoken(&Json::string("order 1001"), Some(&Json::string("shipped")));
        let roles: Vec<_> = said.entries().iter().map(|e| e.member("role").unwrap().shown().into_owned()).collect();
        assert_eq!(roles, ["user", "user", "assistant"]);
    }
}
