//! What this crate's own importers read.

use std::path::Path;

use taketwo::recording::Recordings;
use taketwo::recording::import::formats;

use super::Found;

/// The interactions of a file of this format; a file or row that is refused is skipped.
pub fn imported(format: &str, file: &Path, found: &mut Found) {
    let format = formats().iter().find(|known| known.name() == format).unwrap();
    let Ok(rows) = format.interactions(&Recordings::open_foreign(&[file.to_str().unwrap()]).unwrap()) else {
        return found.skip();
    };
    for (number, row) in rows.enumerate() {
        match row {
            // What a recording does not tell is nothing to compare.
            Ok(it) if it.tool_calls.is_some() => {
                let place = it.id.as_ref().map_or_else(|| (number + 1).to_string(), ToString::to_string);
                found.add(&place, it);
            }
            Ok(_) | Err(_) => found.skip(),
        }
    }
}
