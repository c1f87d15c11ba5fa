//! What taketwo promises, one module a promise.

mod probes;

use std::path::PathBuf;

/// A file of the shared folder that stands beside the project; `None`, and said so, where it does not.
fn shared(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("TAKETWO_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    let found = root.join(path);
    if !found.exists() {
        println!("SKIPPED: {} is not there; set TAKETWO_SHARED to the folder that holds it", found.display());
        return None;
    }
    Some(found)
}
