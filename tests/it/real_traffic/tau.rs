//! Results of tau2-bench, by this crate's own importer, and trajectories of its forerunner tau-bench.

use std::path::Path;

use taketwo::recording::Recordings;
use taketwo::recording::import::formats;

use super::Found;
use super::conversation::Conversation;

/// A results file of tau2-bench.
pub fn results(file: &Path, found: &mut Found) {
    let format = formats().iter().find(|format| format.name() == "tau2").unwrap();
    let Ok(rows) = format.interactions(&Recordings::open_foreign(&[file.to_str().unwrap()]).unwrap()) else {
        return found.skip();
    };
    for row in rows {
        match row {
            Ok(it) => {
                let place = it.id.as_ref().map_or(String::new(), ToString::to_string);
                found.add(&place, it);
            }
            Err(_) => found.skip(),
        }
    }
}

/// A list of tau-bench's trajectories, each a list of messages of OpenAI's form.
pub fn trajectories(file: &Path, found: &mut Found) {
    let Some(json) = found.json(file) else { return };
    for tried in json.items().unwrap_or_default() {
        let Some(messages) = tried.member("traj").and_then(|messages| messages.items()) else {
            found.skip();
            continue;
        };
        let mut talk = Conversation::default();
        messages.iter().for_each(|message| talk.message(message));
        let number = |key| tried.member(key).map_or(String::new(), |number| number.text().to_owned());
        found.add(&format!("{}.{}", number("task_id"), number("trial")), talk.interaction());
    }
}
