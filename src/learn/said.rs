//! What the user said: a value that stands in it means something.

use crate::recording::Interaction;

/// The input of an interaction and what was said before it, to look values up in.
#[derive(Clone, Debug, Default)]
pub(super) struct Said(String);

impl Said {
    pub(super) fn of(interaction: &Interaction) -> Self {
        let mut text = interaction.input.shown().to_lowercase();
        if let Some(history) = &interaction.history {
            text.push('\n');
            text.push_str(&history.shown().to_lowercase());
        }
        Self(text)
    }

    /// Whether it holds these words, not as a part of longer ones.
    pub(super) fn holds(&self, words: &str) -> bool {
        let words = words.trim().to_lowercase();
        if words.is_empty() || words.len() > self.0.len() {
            return false;
        }
        let is_edge = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
        self.0.match_indices(&words).any(|(at, found)| {
            is_edge(self.0[..at].chars().next_back()) && is_edge(self.0[at + found.len()..].chars().next())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Json;

    #[test]
    fn whole_words_are_found_in_input_and_history() {
        let mut interaction = Interaction::new(Json::string("Refund order 1001, it was 49.90"));
        interaction.history = Json::parse(r#"[{"role":"user","content":"I am Ada"}]"#).ok();
        let said = Said::of(&interaction);
        for words in ["1001", "49.90", "ada", "refund order"] {
            assert!(said.holds(words), "{words}");
        }
        for words in ["100", "9.9", "", " ", "order 1002", "efund"] {
            assert!(!said.holds(words), "{words}");
        }
    }
}
