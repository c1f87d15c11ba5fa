//! What only one attempt knows.

use std::fmt;
use std::io;

/// 128 random bits that name an attempt to the tool endpoint. Whoever has it can call the attempt's tools.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Token(String);

impl Token {
    /// A token that nobody can guess.
    pub(super) fn new() -> io::Result<Self> {
        let mut bits = [0_u8; 16];
        getrandom::fill(&mut bits).map_err(io::Error::other)?;
        Ok(Self(bits.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// It is a secret while its attempt runs.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}
