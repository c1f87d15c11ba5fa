//! The key that pseudonyms are made with.

use std::fmt;
use std::path::{Path, PathBuf};

/// The variable of the environment that the key is taken from.
pub const KEY_VARIABLE: &str = "TAKETWO_SCRUB_KEY";

/// A shorter one could be guessed, and with the key the values that pseudonyms stand for.
const SHORTEST: usize = 16;

/// Where a key came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyOrigin {
    /// It was given, so equal values get equal pseudonyms in every run that has it.
    Given,
    /// It was made for this run and is gone after it.
    Random,
}

/// The key that pseudonyms are made with. Who has it can try out which value a pseudonym stands for, so it is as secret
/// as the values.
#[derive(Clone)]
pub struct ScrubKey {
    bytes: [u8; 32],
    origin: KeyOrigin,
}

/// Why there is no key.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum KeyError {
    /// It is too short to be a secret.
    #[error("the key in {place} has {length} characters, and {SHORTEST} are the least")]
    #[diagnostic(code(taketwo::short_key), help("make one with: openssl rand -hex 32"))]
    Short {
        /// Where it stands.
        place: String,
        /// How long it is.
        length: usize,
    },
    /// The file cannot be read.
    #[error("cannot read the key file {path:?}: {source}")]
    #[diagnostic(code(taketwo::unreadable))]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The system gives no random bytes.
    #[error("cannot make a random key: {0}")]
    #[diagnostic(
        code(taketwo::no_random_bytes),
        help("give a key: --key-file FILE, or {KEY_VARIABLE} in the environment")
    )]
    NoRandom(String),
}

impl ScrubKey {
    /// The key of a secret text; white space around it does not count. `place` says where it was, for the error.
    ///
    /// # Errors
    /// [`KeyError::Short`] where it could be guessed.
    pub fn new(secret: &str, place: &str) -> Result<Self, KeyError> {
        let secret = secret.trim();
        let length = secret.chars().count();
        if length < SHORTEST {
            return Err(KeyError::Short { place: place.to_owned(), length });
        }
        let bytes = blake3::derive_key("taketwo scrub pseudonyms v1", secret.as_bytes());
        Ok(Self { bytes, origin: KeyOrigin::Given })
    }

    /// A key that nobody knows.
    ///
    /// # Errors
    /// [`KeyError::NoRandom`] where the system gives no random bytes.
    pub fn random() -> Result<Self, KeyError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| KeyError::NoRandom(error.to_string()))?;
        Ok(Self { bytes, origin: KeyOrigin::Random })
    }

    /// The key of the file, else of the environment, else a random one.
    ///
    /// # Errors
    /// [`KeyError`] where the one that was given cannot be used.
    pub fn find(file: Option<&Path>) -> Result<Self, KeyError> {
        if let Some(path) = file {
            let text = std::fs::read_to_string(path).map_err(|source| KeyError::Io { path: path.into(), source })?;
            return Self::new(&text, &path.display().to_string());
        }
        match std::env::var(KEY_VARIABLE) {
            Ok(text) => Self::new(&text, KEY_VARIABLE),
            Err(_) => Self::random(),
        }
    }

    /// Where it came from.
    #[must_use]
    pub fn origin(&self) -> KeyOrigin {
        self.origin
    }

    /// A name that tells keys apart and does not give them away.
    #[must_use]
    pub fn name(&self) -> String {
        blake3::keyed_hash(&self.bytes, b"the name of the key").to_hex()[..8].to_owned()
    }

    /// The endless characters that belong to a value.
    pub(super) fn stream(&self, kind: &str, value: &str) -> Stream {
        let mut hasher = blake3::Hasher::new_keyed(&self.bytes);
        hasher.update(kind.as_bytes());
        hasher.update(&[0]);
        hasher.update(value.as_bytes());
        Stream(hasher.finalize_xof())
    }
}

impl fmt::Debug for ScrubKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScrubKey({})", self.name())
    }
}

/// What pseudonyms are made of: characters that a key and a value decide.
pub(super) struct Stream(blake3::OutputReader);

impl Stream {
    /// A number below a bound.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        u64::from_le_bytes(bytes) % bound
    }

    fn from(&mut self, alphabet: &[u8]) -> char {
        char::from(alphabet[self.below(alphabet.len() as u64) as usize])
    }

    /// A decimal digit.
    pub(super) fn digit(&mut self) -> char {
        self.from(b"0123456789")
    }

    /// So many hexadecimal digits.
    pub(super) fn hex(&mut self, count: usize) -> String {
        (0..count).map(|_| self.from(b"0123456789abcdef")).collect()
    }

    /// A character of the same class: digit, upper case or lower case; any other stays.
    pub(super) fn like(&mut self, character: char) -> char {
        match character {
            '0'..='9' => self.digit(),
            'A'..='Z' => self.from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
            'a'..='z' => self.from(b"abcdefghijklmnopqrstuvwxyz"),
            other => other,
        }
    }
}
