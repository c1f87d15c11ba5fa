//! Traffic with OpenAI's Chat Completions and Responses: logs of messages, requests with their responses, streams.

use super::captures;
use super::format::{Format, Grain, Reader, Sign};
use super::messages::Dialect;
use super::opening::Opening;

pub(super) const FORMAT: Format = Format {
    name: "openai",
    about: "traffic with OpenAI's Chat Completions and Responses: messages, or requests with responses",
    grain: Grain::Turn,
    sign,
    reader: Reader::Conversations(captures::read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    captures::sign(opening, &[Dialect::OpenAiChat, Dialect::OpenAiResponses])
}
