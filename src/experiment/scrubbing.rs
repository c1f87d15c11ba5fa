//! Scrubbing in a run: recordings, calls and replies by the same rules and key.

use std::path::PathBuf;
use std::sync::Arc;

use super::settings::{Flags, SettingsError};
use super::suite::Suite;
use crate::recording::{Interaction, Reject, Row};
use crate::replay::StaticAnswer;
use crate::scrub::{KEY_VARIABLE, KeyOrigin, ScrubKey, ScrubRules, Scrubber};

/// By which rules a flag asks for scrubbing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScrubFlag {
    /// Those of the suite, else the ones that are built in.
    OfSuite,
    /// Those of a file.
    OfFile(PathBuf),
}

impl From<String> for ScrubFlag {
    fn from(path: String) -> Self {
        if path.is_empty() { ScrubFlag::OfSuite } else { ScrubFlag::OfFile(path.into()) }
    }
}

/// What scrubs in a run, if anything is to.
pub(super) fn scrubber(flags: &Flags, suite: &Suite) -> Result<Option<Arc<Scrubber>>, SettingsError> {
    let wrong = |problem: &dyn std::fmt::Display| SettingsError::new("scrub", problem);
    let rules = match (&flags.scrub, &suite.scrub) {
        (None, None) => return Ok(None),
        (Some(ScrubFlag::OfFile(path)), _) => ScrubRules::read(path).map_err(|error| wrong(&error))?,
        (_, Some(rules)) => rules.clone(),
        (Some(ScrubFlag::OfSuite), None) => ScrubRules::default(),
    };
    let key = ScrubKey::find(flags.key_file.as_deref()).map_err(|error| wrong(&error))?;
    if key.origin() == KeyOrigin::Random {
        let problem = "there is no key, and pseudonyms by a random one match no recording";
        let help = format!("give the key that the recordings were scrubbed with: --key-file FILE, or {KEY_VARIABLE}");
        return Err(SettingsError::with_help("scrub", problem, Some(help)));
    }
    Scrubber::new(&rules, key).map(|scrubber| Some(Arc::new(scrubber))).map_err(|error| wrong(&error))
}

/// A row as it makes a case. Its id stays: it is what cases are paired and looked up by.
pub(super) fn row(row: Row, scrubber: Option<&Scrubber>) -> Row {
    Row { interaction: interaction(row.interaction, scrubber), ..row }
}

/// An interaction as it is compared and written down.
pub(super) fn interaction(interaction: Interaction, scrubber: Option<&Scrubber>) -> Interaction {
    match scrubber {
        Some(scrubber) => scrubber.interaction(interaction),
        None => interaction,
    }
}

/// A row that was turned away, as it is kept.
pub(super) fn reject(reject: Reject, scrubber: Option<&Scrubber>) -> Reject {
    match scrubber {
        Some(scrubber) => scrubber.reject(reject),
        None => reject,
    }
}

/// A stated answer, which answers calls that were scrubbed.
pub(super) fn stated(answer: StaticAnswer, scrubber: Option<&Scrubber>) -> StaticAnswer {
    let Some(scrubber) = scrubber else { return answer };
    let arguments = answer.arguments.map(|arguments| scrubber.arguments(&answer.tool, &arguments));
    StaticAnswer { arguments, ..answer }
}
