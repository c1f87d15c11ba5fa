//! Room for many programs at once.

/// Each program takes four open files, and 512 lanes are allowed. Many systems start a process with 256 or 1024.
#[cfg(unix)]
const WANTED: nix::libc::rlim_t = 8192;

/// Raises the soft limit of open files where the hard one allows it. Done once.
pub(super) fn allow_many_open_files() {
    #[cfg(unix)]
    {
        use nix::sys::resource::{Resource, getrlimit, setrlimit};
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
                && soft < WANTED.min(hard)
            {
                // Where it fails, starting too many programs says so.
                let _ = setrlimit(Resource::RLIMIT_NOFILE, WANTED.min(hard), hard);
            }
        });
    }
}
