//! `evenaird` as a process of its own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use evenaird::control_socket::{self, STATUS};
use evenaird::status::Status;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::namespace::Namespace;

/// How long to wait for what takes milliseconds on an idle machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// The program that the tests run.
pub fn evenaird() -> Command {
    Command::new(env!("CARGO_BIN_EXE_evenaird"))
}

/// Runs a command to its end; one that goes on is killed, and fails the test.
pub fn run(arguments: &[&str]) -> Output {
    const LONGEST: Duration = Duration::from_secs(20);
    let mut command = evenaird();
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let deadline = Instant::now() + LONGEST;
    while child.try_wait().unwrap().is_none() && Instant::now() < deadline {
        sleep(Duration::from_millis(5));
    }
    let ended = child.try_wait().unwrap().is_some();
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(ended, "{arguments:?} does not end: {output:?}");
    output
}

/// Asserts that a command was refused with this status and one line that contains `part`.
pub fn assert_refused(output: &Output, status: i32, part: &str) {
    let line = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{line}");
    assert!(line.starts_with("evenaird: ") && line.contains(part), "{line}, without {part}");
    assert!(line.ends_with('\n') && line.lines().count() == 1, "{line}");
    assert!(output.stdout.is_empty());
}

/// A running daemon in a namespace. Dropping it kills it.
pub struct Daemon {
    child: Child,
    directory: PathBuf,
}

impl Daemon {
    /// Starts a daemon whose files are in `directory`, and waits until it is ready. `config` is what
    /// its configuration has besides the interface `ap0` and the runtime directory.
    pub fn start(namespace: &Namespace, directory: &Path, config: &str) -> Self {
        Self::start_with(namespace, directory, config, |_| ())
    }

    /// The same with a command that `prepare` changes.
    pub fn start_with(
        namespace: &Namespace,
        directory: &Path,
        config: &str,
        prepare: impl FnOnce(&mut Command) + Send,
    ) -> Self {
        let log = File::create(directory.join("log")).unwrap();
        write_config(directory, config);
        let file = directory.join("gw.toml");
        let child = namespace.enter(|| {
            let mut command = evenaird();
            command.arg("run").arg(&file).stdin(Stdio::null()).stderr(log);
            prepare(&mut command);
            command.spawn().unwrap()
        });
        let mut daemon = Self { child, directory: directory.to_owned() };
        daemon.wait_for("an answer", |_| true);
        daemon
    }

    /// Writes another configuration and has it read.
    pub fn reload(&self, config: &str) {
        write_config(&self.directory, config);
        self.signal(Signal::SIGHUP);
    }

    pub fn signal(&self, signal: Signal) {
        kill(self.pid(), signal).unwrap();
    }

    pub fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed())
    }

    /// The status; `None` if the daemon does not serve its socket.
    pub fn status(&self) -> Option<Status> {
        control_socket::request(&self.directory.join("run/ap0.sock"), STATUS).unwrap()
    }

    /// Waits until the status is as wanted, and returns it.
    pub fn wait_for(&mut self, what: &str, is_so: impl Fn(&Status) -> bool) -> Status {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let status = self.status();
            if let Some(status) = status.as_ref().filter(|status| is_so(status)) {
                return status.clone();
            }
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "waiting for {what}: {ended:?}, {}", self.log());
            assert!(Instant::now() < deadline, "waiting for {what}: {status:?}, {}", self.log());
            sleep(Duration::from_millis(20));
        }
    }

    /// What it has written to standard error.
    pub fn log(&self) -> String {
        fs::read_to_string(self.directory.join("log")).unwrap()
    }

    /// Waits until it ends, and returns its exit status.
    pub fn end(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes `gw.toml`.
pub fn write_config(directory: &Path, config: &str) {
    let run = directory.join("run");
    let text = format!("interface = \"ap0\"\nruntime_directory = {run:?}\n{config}");
    fs::write(directory.join("gw.toml"), text).unwrap();
}
