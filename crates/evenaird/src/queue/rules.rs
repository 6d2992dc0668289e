//! The netfilter rules that send packets to the queue, by iptables(8) and ip6tables(8): a chain of
//! the interface's own in the table `mangle`, and a jump to it at the end of `FORWARD`. Packets that
//! this host itself sends, such as the loss signal's queries, are not queued.
//!
//! The rule has `--queue-bypass`: while nobody serves the queue, packets pass.

use std::fmt::Display;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// What is run for each family of addresses.
const COMMANDS: [&str; 2] = ["iptables", "ip6tables"];
/// How long iptables-legacy waits for others who change rules, s. A decision.
const LOCK_TIMEOUT: &str = "2";
/// A command that takes longer hangs; they take milliseconds after the lock.
const TIME_LIMIT: Duration = Duration::from_secs(3);
/// More jumps than this to a chain nobody makes.
const MOST_JUMPS: usize = 100;

/// Rules of an interface, which are removed on drop.
#[derive(Debug)]
pub struct Rules {
    interface: String,
}

impl Rules {
    /// Sends what is forwarded to `interface` to a queue. Rules that an earlier daemon has left are
    /// replaced.
    ///
    /// # Errors
    /// One line: iptables is not there, or refuses.
    pub fn install(interface: &str, number: u16) -> Result<Self, String> {
        remove(interface)?;
        let rules = Self { interface: interface.to_owned() };
        let (chain, number) = (chain(interface), number.to_string());
        for command in COMMANDS {
            let queue = ["NFQUEUE", "--queue-num", &number, "--queue-bypass"];
            succeed(command, &["-N", &chain])?;
            succeed(command, &[&["-A", &chain, "-j"][..], &queue].concat())?;
            succeed(command, &["-A", "FORWARD", "-o", interface, "-j", &chain])?;
        }
        Ok(rules)
    }
}

impl Drop for Rules {
    fn drop(&mut self) {
        if let Err(problem) = remove(&self.interface) {
            crate::journal::error(&problem);
        }
    }
}

/// Removes the rules of an interface, and proves that they are gone. Without iptables there are none.
///
/// # Errors
/// They are still there, or the kernel does not say.
pub fn remove(interface: &str) -> Result<(), String> {
    let chain = chain(interface);
    for command in COMMANDS {
        if !exists(command, &chain)? {
            continue;
        }
        for _ in 0..MOST_JUMPS {
            let jump = ["-D", "FORWARD", "-o", interface, "-j", &chain];
            if !run(command, &jump).is_ok_and(|output| output.status.success()) {
                break;
            }
        }
        let removed =
            succeed(command, &["-F", &chain]).and_then(|()| succeed(command, &["-X", &chain]));
        // `evenaird off` and the daemon may remove it at the same time.
        if exists(command, &chain)? {
            removed?;
        }
    }
    Ok(())
}

/// Whether there is such a chain.
fn exists(command: &str, chain: &str) -> Result<bool, String> {
    /// OTHER_PROBLEM of xtables.h: here that there is no such chain. Others are for want of
    /// permission or of the lock.
    const ABSENT: i32 = 1;
    let list = ["-S", chain];
    match run(command, &list) {
        Ok(output) if output.status.success() => Ok(true),
        Ok(output) if output.status.code() == Some(ABSENT) || has_no_table(&output) => Ok(false),
        Ok(output) => Err(failure(command, &list, first_line(&output))),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(err) => Err(failure(command, &list, err)),
    }
}

/// Whether iptables-legacy says that the kernel has no table `mangle` for these addresses.
fn has_no_table(output: &Output) -> bool {
    first_line(output).contains("Table does not exist")
}

/// The chain of an interface. Its name has at most 24 characters, of 28 that iptables accepts.
pub fn chain(interface: &str) -> String {
    format!("evenaird-{interface}")
}

fn succeed(command: &str, arguments: &[&str]) -> Result<(), String> {
    match run(command, arguments) {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(failure(command, arguments, first_line(&output))),
        Err(err) => Err(failure(command, arguments, err)),
    }
}

fn failure(command: &str, arguments: &[&str], why: impl Display) -> String {
    format!("{command} -t mangle {}: {why}", arguments.join(" "))
}

/// What a command says of its failure.
fn first_line(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or("failed").to_owned()
}

/// Runs a command to its end, or kills it with all that it has started.
fn run(command: &str, arguments: &[&str]) -> io::Result<Output> {
    let mut child = Command::new(command)
        .args(["-w", LOCK_TIMEOUT, "-t", "mangle"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let deadline = Instant::now() + TIME_LIMIT;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() >= deadline {
            killpg(Pid::from_raw(child.id().cast_signed()), Signal::SIGKILL)?;
            child.wait()?;
            let problem = format!("does not return in {} s", TIME_LIMIT.as_secs());
            return Err(io::Error::new(io::ErrorKind::TimedOut, problem));
        }
        sleep(Duration::from_millis(1));
    };
    // What is in the pipe by now: a process that the command has left may keep it open.
    let mut stderr = vec![0; 4096];
    let length = match &mut child.stderr {
        Some(pipe) => {
            fcntl(&*pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
            pipe.read(&mut stderr).unwrap_or(0)
        }
        None => 0,
    };
    stderr.truncate(length);
    Ok(Output { status, stdout: Vec::new(), stderr })
}
