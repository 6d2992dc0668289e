//! What a thread needs to be on time: a real-time priority, memory that is never paged out, timers
//! that are not put off, and a processor that the stacks of the hosts leave to it.

use std::fmt::Write;

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::mman::{MlockAllFlags, mlockall};
use nix::sys::prctl::{set_pdeathsig, set_timerslack};
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getpid};

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

/// The processors of this machine: one for the engine, the others for what hosts receive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processors {
    engine: usize,
    others: Vec<usize>,
}

impl Processors {
    /// Those that the calling thread may run on; `None` if there are not two. Engines of several
    /// processes are spread by the numbers of these.
    pub fn divided() -> Option<Self> {
        let allowed = sched_getaffinity(Pid::from_raw(0)).ok()?;
        let allowed = (0..CpuSet::count()).filter(|&number| allowed.is_set(number) == Ok(true));
        Self::of(allowed.collect(), getpid().as_raw().unsigned_abs() as usize)
    }

    fn of(mut allowed: Vec<usize>, process: usize) -> Option<Self> {
        if allowed.len() < 2 {
            return None;
        }
        let engine = allowed.remove(process % allowed.len());
        Some(Self { engine, others: allowed })
    }

    /// Leaves the calling thread on the engine's processor. Of no use without a real-time priority:
    /// the thread would wait there for others.
    pub fn keep_to_own(&self) {
        let mut own = CpuSet::new();
        // The number is one of such a set, and what a thread was allowed it may restrict.
        let _ = own.set(self.engine);
        let _ = sched_setaffinity(Pid::from_raw(0), &own);
    }

    /// The others as the kernel writes masks: words of 32 bits in hexadecimal, the last processors
    /// first, with commas (cpuset(7)).
    pub fn others_mask(&self) -> String {
        let last = self.others.iter().max().map_or(0, |last| last / 32);
        let mut mask = String::new();
        for word in (0..=last).rev() {
            let bits = self.others.iter().filter(|&&number| number / 32 == word);
            let bits = bits.fold(0_u32, |bits, number| bits | 1 << (number % 32));
            let comma = if mask.is_empty() { "" } else { "," };
            // A string takes all that is written.
            let _ = write!(mask, "{comma}{bits:08x}");
        }
        mask
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(allowed: &[usize], process: usize) -> Option<(usize, String)> {
        let processors = Processors::of(allowed.to_vec(), process)?;
        Some((processors.engine, processors.others_mask()))
    }

    #[test]
    fn the_engine_has_one_processor_and_what_hosts_receive_the_others() {
        assert_eq!(mask(&[0], 7), None);
        assert_eq!(mask(&[0, 1], 1000), Some((0, "00000002".to_owned())));
        assert_eq!(mask(&[0, 1], 1001), Some((1, "00000001".to_owned())));
        assert_eq!(mask(&[1, 2, 5], 5), Some((5, "00000006".to_owned())));
        assert_eq!(mask(&[3, 31, 32, 70], 0), Some((3, "00000040,00000001,80000000".to_owned())));
    }

    /// A thread of its own, as what it is allowed then stays as it is.
    #[test]
    fn a_thread_keeps_to_its_own_processor() {
        let thread = std::thread::spawn(|| {
            let Some(processors) = Processors::divided() else { return };
            processors.keep_to_own();
            assert_eq!(nix::sched::sched_getcpu(), Ok(processors.engine));
            assert_eq!(Processors::divided(), None);
        });
        assert!(thread.join().is_ok());
    }
}
