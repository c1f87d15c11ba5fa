//! Recordings of real agents that are kept beside the project and are no part of it.

use std::path::{Path, PathBuf};

/// A file or folder of the shared material, `None` where this machine does not have it. The test then says so.
pub fn shared(path: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let folder = std::env::var_os("TAKETWO_SHARED").map_or_else(beside, PathBuf::from);
    let found = folder.join(path);
    if found.exists() {
        return Some(found);
    }
    println!("skipped: there is no {} (set TAKETWO_SHARED)", found.display());
    None
}
