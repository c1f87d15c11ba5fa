//! What is looked for.

use std::fmt;
use std::sync::Arc;

/// A kind of secret or personal data.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// A key of a service, known by its prefix: `sk-...`, `AKIA...`, `ghp_...`.
    Key,
    /// A token that is sent along: a JSON web token, what follows `Bearer`.
    Token,
    /// A private key in PEM form.
    PrivateKey,
    /// A password in a text or URL: `password=...`, `https://user:...@host`.
    Password,
    /// The number of a payment card.
    Card,
    /// The number of a bank account, as an IBAN.
    Iban,
    /// An address of e-mail.
    Email,
    /// A number of a telephone.
    Phone,
    /// A social security number of the United States.
    Ssn,
    /// What stands in a field whose name is listed.
    Field,
    /// What a pattern of the user's own finds.
    Own(Arc<str>),
}

impl Kind {
    /// All that are built in.
    pub const BUILT_IN: [Kind; 10] = [
        Kind::Key,
        Kind::Token,
        Kind::PrivateKey,
        Kind::Password,
        Kind::Card,
        Kind::Iban,
        Kind::Email,
        Kind::Phone,
        Kind::Ssn,
        Kind::Field,
    ];

    /// Its word in rules and reports.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Kind::Key => "key",
            Kind::Token => "token",
            Kind::PrivateKey => "private-key",
            Kind::Password => "password",
            Kind::Card => "card",
            Kind::Iban => "iban",
            Kind::Email => "email",
            Kind::Phone => "phone",
            Kind::Ssn => "ssn",
            Kind::Field => "field",
            Kind::Own(name) => name,
        }
    }

    /// The built-in kind of this word.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        Self::BUILT_IN.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl serde::Serialize for Kind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
