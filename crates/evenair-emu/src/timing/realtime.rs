//! What a thread needs to be on time: a real-time priority, memory that is never paged out, and
//! timers that are not put off.

use nix::errno::Errno;
use nix::sys::mman::{MlockAllFlags, mlockall};
use nix::sys::prctl::{set_pdeathsig, set_timerslack};
use nix::sys::signal::Signal;

/// Above all threads without a real-time priority, and below the kernel's own, which have 50 and
/// more.
const PRIORITY: i32 = 10;

/// Gives the calling thread priority, and locks the memory of the process. Returns what is refused.
pub fn enter() -> Vec<String> {
    let mut refused = Vec::new();
    let parameters = libc::sched_param { sched_priority: PRIORITY };
    // SAFETY: the parameters live during the call, which only reads them.
    if unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) } != 0 {
        refused.push(format!("SCHED_FIFO is refused: {}", Errno::last().desc()));
    }
    if let Err(error) = mlockall(MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE) {
        refused.push(format!("memory cannot be locked: {}", error.desc()));
    }
    refused
}

/// Has this process killed when the thread that has started it dies.
pub fn die_with_parent() {
    // The kernel refuses only a signal that does not exist.
    let _ = set_pdeathsig(Signal::SIGKILL);
}

/// Has timers of the calling thread expire when they are due, and not up to 50 us later.
pub fn exact_timers() {
    // The kernel accepts any value above 0; without a real-time priority it makes the difference.
    let _ = set_timerslack(1);
}
