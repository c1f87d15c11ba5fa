//! Traffic with Anthropic's Messages: logs of messages, requests with their responses, streams.

use super::captures;
use super::format::{Format, Grain, Reader, Sign};
use super::messages::Dialect;
use super::opening::Opening;

pub(super) const FORMAT: Format = Format {
    name: "anthropic",
    about: "traffic with Anthropic's Messages: messages, or requests with responses",
    grain: Grain::Turn,
    sign,
    reader: Reader::Conversations(captures::read),
};

fn sign(opening: &Opening) -> Option<Sign> {
    captures::sign(opening, &[Dialect::Anthropic])
}
