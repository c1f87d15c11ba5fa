//! Secrets and personal data taken out of recordings: pseudonyms in their place, by rules and a key.
//!
//! Who replays a recording must be able to keep it, and what stands in the place of a value must answer where the value
//! did. So a pseudonym is decided by the value and a key alone: equal values stay equal, in a recording, over many of
//! them, and in the calls of a live replay. It keeps the shape that programs look at: an address stays an address, a card
//! passes its check. It is known again as a pseudonym without the key, so what was scrubbed stays as it is.

mod document;
mod edit;
mod field;
mod find;
mod findings;
mod interaction;
mod job;
mod key;
mod kind;
mod known;
mod number;
mod place;
mod pseudonym;
mod rules;
mod scrubber;
mod words;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod table;

pub use findings::{Findings, PlaceFound};
pub use job::{find, scrub};
pub use key::{KEY_VARIABLE, KeyError, KeyOrigin, ScrubKey};
pub use kind::Kind;
pub use rules::{OwnPattern, RulesError, ScrubRules};
pub use scrubber::Scrubber;
