//! What a target is told in the place of an answer.

/// Why the stubs give a call no answer. Its word is the kind of the error that the target gets, so it stands in what is
/// recorded of a run as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No recording answers this call.
    NoRecording,
    /// The recording has the call, but not what it gave back.
    NotRecorded,
    /// The call was recorded fewer times.
    Exhausted,
}

impl Refusal {
    /// The kind of the error.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Refusal::NoRecording => "no_recording",
            Refusal::NotRecorded => "not_recorded",
            Refusal::Exhausted => "exhausted",
        }
    }

    /// Reads the kind of an error.
    #[must_use]
    pub fn read(kind: &str) -> Option<Self> {
        [Refusal::NoRecording, Refusal::NotRecorded, Refusal::Exhausted].into_iter().find(|it| it.as_str() == kind)
    }
}
