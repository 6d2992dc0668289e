//! SIGHUP: the configuration is read again, on a thread of its own. A file that does not answer, such as
//! a pipe without a writer, leaves the control loop alone.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{self, TryRecvError};
use std::thread;

use evenair_core::time::{Duration, Instant};

use crate::config::Config;
use crate::control::Host;
use crate::daemon::host::{Kernel, read_config};
use crate::failure::Failure;
use crate::signal::LossSignal;

/// A file of a few kilobytes takes milliseconds; a network's file system may take its retries.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// A configuration, and its loss signal if that is another one than before.
pub type Read = (Config, Option<Box<dyn LossSignal>>);

/// A configuration that is being read.
pub struct Reload {
    result: mpsc::Receiver<Result<Read, Failure>>,
    /// Is readable when the thread has ended.
    ended: UnixStream,
    until: Instant,
}

impl Reload {
    /// Begins to read. `present` is the configuration in force.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub fn start(path: &Path, present: &Config, now: Instant) -> io::Result<Self> {
        let (sender, result) = mpsc::channel();
        let (ended, end) = UnixStream::pair()?;
        let (path, present) = (path.to_owned(), present.clone());
        thread::Builder::new().name("evenaird-reload".to_owned()).spawn(move || {
            // After the time limit nobody waits for it.
            let _ = sender.send(read_again(&path, &present));
            drop(end);
        })?;
        Ok(Self { result, ended, until: now + TIME_LIMIT })
    }

    /// What was read, or why not; `None` while it is being read.
    pub fn poll(&self, path: &Path, now: Instant) -> Option<Result<Read, Failure>> {
        let shown = path.display();
        match self.result.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Disconnected) => {
                Some(Err(Failure::failed(format_args!("{shown}: cannot be read"))))
            }
            Err(TryRecvError::Empty) if now >= self.until => {
                let limit = TIME_LIMIT.as_secs_f64();
                let message =
                    format_args!("{shown}: got nothing in {limit} s; accepted: a TOML file");
                Some(Err(Failure::bad_input(message)))
            }
            Err(TryRecvError::Empty) => None,
        }
    }

    /// Readable when there is a result.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.ended.as_fd()
    }

    /// When it is given up.
    pub fn until(&self) -> Instant {
        self.until
    }
}

fn read_again(path: &Path, present: &Config) -> Result<Read, Failure> {
    let config = read_config(path)?;
    let signal = match &config.signal {
        Some(signal) if config.has_other_signal(present) => {
            let opened = Kernel.open_signal(signal);
            Some(opened.map_err(|err| err.in_source(&path.display().to_string()))?)
        }
        _ => None,
    };
    Ok((config, signal))
}
