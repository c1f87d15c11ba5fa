//! Messages of a conversation, whatever their provider's spelling.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::json::Json;
use super::dialogue::{Answer, Asked, Dialogue, Returned};
use super::stored;

/// One message, or one part of a message that says something of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Message {
    /// What the agent was told to be. It belongs to the build and not to the traffic, so no interaction has it.
    Instructions(Json),
    /// What the user said.
    User {
        content: Json,
        #[serde(with = "stored::instant")]
        at: Option<Timestamp>,
    },
    /// Words of the user that stand beside the results of tools and start no turn.
    Aside(Json),
    /// What a model answered, without what is known of its call.
    Assistant { words: Option<Json>, calls: Vec<Asked> },
    /// What a tool gave back.
    Tool(Returned),
}

impl Message {
    /// Tells it to a dialogue. An answer is one of a model of which nothing else is known.
    pub(super) fn tell(self, dialogue: &mut Dialogue) {
        match self {
            Message::Instructions(_) => {}
            Message::User { content, at } => dialogue.user(content, at),
            Message::Aside(content) => dialogue.aside(content),
            Message::Assistant { words, calls } => {
                dialogue.answer(Answer { words, calls, model_call: Some(Default::default()), doubt: None });
            }
            Message::Tool(returned) => dialogue.returned(returned),
        }
    }
}
