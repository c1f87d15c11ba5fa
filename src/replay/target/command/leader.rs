//! A started program and its children, from the start to the certain end.

use std::io;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::process::Child;
use tokio::time::timeout;

use super::census::Token;

/// How long a program may take to end after it was asked to, before it is made to.
const GRACE: Duration = Duration::from_secs(1);

/// The groups of all programs that were not waited for yet.
static RUNNING: Mutex<Vec<Group>> = Mutex::new(Vec::new());

/// Kills every program that was started and its children, for a process that ends at once.
pub(crate) fn kill_all_programs() {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(|group| group.kill());
}

/// A program that leads a process group. It is always waited for, and no member of its group outlives it.
#[derive(Debug)]
pub(super) struct Leader {
    child: Child,
    group: Group,
    is_reaped: bool,
    _counted: Token,
}

impl Leader {
    /// Takes a program that was started as the leader of a group of its own.
    pub(super) fn new(child: Child, counted: Token) -> Self {
        let group = Group::led_by(&child);
        group.remember();
        Self { child, group, is_reaped: false, _counted: counted }
    }

    /// Waits for its end, then ends what is left of its group. May be given up and called again.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await;
        if status.is_ok() && !self.is_reaped {
            self.is_reaped = true;
            self.group.forget();
            // While a member is left the group's number is not given away; with none left this reaches nobody.
            self.group.kill();
        }
        status
    }

    /// Asks the group to end, and makes it.
    pub(super) async fn end(mut self) -> io::Result<ExitStatus> {
        if !self.is_reaped {
            self.group.ask_to_end();
            if let Ok(status) = timeout(GRACE, self.wait()).await {
                return status;
            }
            self.group.kill();
            // For a system without groups.
            let _ = self.child.start_kill();
        }
        self.wait().await
    }
}

/// The last resort, for a program that nobody waited for to its end: no time for manners here.
impl Drop for Leader {
    fn drop(&mut self) {
        if self.is_reaped {
            return;
        }
        self.group.forget();
        self.group.kill();
        let _ = self.child.start_kill();
        // A killed process ends within moments, so this leaves no zombie.
        for _ in 0..50 {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(2)),
                _ => return,
            }
        }
    }
}

/// A process group, by the number that the system gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Group {
    #[cfg(unix)]
    id: Option<nix::unistd::Pid>,
}

impl Group {
    fn remember(self) {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push(self);
    }

    /// Its number may be given away now, so it must not be signalled any more.
    fn forget(self) {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = running.iter().position(|group| *group == self) {
            running.swap_remove(at);
        }
    }
}

#[cfg(unix)]
impl Group {
    fn led_by(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok()).map(nix::unistd::Pid::from_raw);
        Self { id }
    }

    fn ask_to_end(self) {
        self.signal(nix::sys::signal::Signal::SIGTERM);
    }

    fn kill(self) {
        self.signal(nix::sys::signal::Signal::SIGKILL);
    }

    fn signal(self, signal: nix::sys::signal::Signal) {
        if let Some(id) = self.id {
            // It fails where nobody is left, which is what is wanted.
            let _ = nix::sys::signal::killpg(id, signal);
        }
    }
}

#[cfg(not(unix))]
impl Group {
    fn led_by(_child: &Child) -> Self {
        Self {}
    }

    fn ask_to_end(self) {}

    fn kill(self) {}
}

/// How a program ended, in words: `exit code 3`, `signal 9 (SIGKILL)`.
pub(super) fn exit_text(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(number) = status.signal() {
            return match nix::sys::signal::Signal::try_from(number) {
                Ok(signal) => format!("signal {number} ({signal})"),
                Err(_) => format!("signal {number}"),
            };
        }
    }
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => status.to_string(),
    }
}
