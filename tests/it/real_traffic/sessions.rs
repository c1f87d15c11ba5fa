//! Sessions in JSON lines, a line a message: OpenClaw and Claude Code.

use std::path::Path;

use taketwo::recording::Json;

use super::Found;
use super::conversation::Conversation;

/// A session, of which each turn of the user is an interaction. A tool's answer comes in the user's name in some.
pub fn lines(file: &Path, found: &mut Found) {
    let mut talk = Conversation::default();
    let mut turn = 0;
    for line in found.lines(file) {
        let Some(message) = line.member("message").filter(|message| message.member("role").is_some()) else {
            found.skip();
            continue;
        };
        if is_said_by_user(&message) && !talk.is_open() && talk.len() > 0 {
            turn += 1;
            found.add(&turn.to_string(), std::mem::take(&mut talk).interaction());
        }
        talk.message(&message);
    }
    if talk.len() > 0 {
        found.add(&(turn + 1).to_string(), talk.interaction());
    }
}

fn is_said_by_user(message: &Json) -> bool {
    let is_answer = |content: &Json| content.text().contains("tool_result");
    message.member("role").is_some_and(|role| role.shown() == "user")
        && !message.member("content").is_some_and(|content| is_answer(&content))
}
