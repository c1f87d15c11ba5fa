//! Parcels: tracking them once, or until they have arrived.

use super::turn::{Answers, Given, ToolUse, Turn};
use super::{field, orders};
use crate::recording::{Json, ToolError};

/// How often a parcel is looked at that is not there yet.
const LOOKS: u32 = 3;

pub(super) fn track_parcel(parcel: &str) -> ToolUse {
    ToolUse::text("track_parcel", "tracking", parcel)
}

/// Says how an order and its parcel are.
pub(super) async fn track(turn: &mut Turn<'_>, order: &str, answers: &Answers) -> Vec<String> {
    let looked = orders::look(turn.version(), order, answers);
    match parcel_of(order, answers) {
        Ok(Some(parcel)) => {
            let given = turn.ask(track_parcel(&parcel)).await;
            vec![looked, state_line(&parcel, &persist(turn, &parcel, given).await)]
        }
        Ok(None) => vec![looked, "It has no parcel.".to_owned()],
        Err(()) => vec![looked],
    }
}

pub(super) async fn track_number(turn: &mut Turn<'_>, parcel: &str, answers: &Answers) -> String {
    match answers.of(&track_parcel(parcel)) {
        Some(given) => state_line(parcel, &persist(turn, parcel, given.clone()).await),
        None => format!("I did not track the parcel {parcel}."),
    }
}

/// Looks at a parcel until it has arrived, a few times at most.
pub(super) async fn watch(turn: &mut Turn<'_>, order: &str, answers: &Answers) -> Vec<String> {
    let looked = orders::look(turn.version(), order, answers);
    let parcel = match parcel_of(order, answers) {
        Ok(Some(parcel)) => parcel,
        Ok(None) => return vec![looked, "It has no parcel.".to_owned()],
        Err(()) => return vec![looked],
    };
    let mut given = turn.ask(track_parcel(&parcel)).await;
    let mut looks = 1;
    while looks < LOOKS && given.as_ref().is_ok_and(|result| field(result, "state") != "delivered") {
        given = turn.ask(track_parcel(&parcel)).await;
        looks += 1;
    }
    vec![state_line(&parcel, &given), format!("I looked {looks} times.")]
}

/// The parcel's number; `Err` where the order could not be looked up.
fn parcel_of(order: &str, answers: &Answers) -> Result<Option<String>, ()> {
    let result = orders::found(order, answers).map_err(|_| ())?;
    Ok(result.member("tracking").and_then(|parcel| parcel.as_str().map(|parcel| parcel.into_owned())))
}

/// Asks again while the carrier is busy.
async fn persist(turn: &mut Turn<'_>, parcel: &str, mut given: Given) -> Given {
    let mut tries = 1;
    while tries < turn.version().tries() && given.as_ref().is_err_and(is_busy) {
        given = turn.ask(track_parcel(parcel)).await;
        tries += 1;
    }
    given
}

fn is_busy(error: &ToolError) -> bool {
    error.kind.as_deref() == Some("unavailable")
}

fn state_line(parcel: &str, given: &Given) -> String {
    match given {
        Ok(result) => {
            let expected = result.member("eta").filter(|eta| !eta.is_null());
            let expected = expected.map_or_else(String::new, |eta: Json| format!(", expected {}", eta.shown()));
            format!("The parcel {parcel} is {}{expected}.", field(result, "state"))
        }
        Err(error) if is_busy(error) => {
            format!("The carrier does not answer at the moment ({}); please ask again later.", error.message)
        }
        Err(error) => format!("I could not track the parcel {parcel} ({}).", error.message),
    }
}
