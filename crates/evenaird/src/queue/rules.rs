//! The netfilter rules that send packets to the queue, by iptables(8) and ip6tables(8): a chain of
//! the interface's own in the table `mangle`, and a jump to it at the end of `FORWARD`. Packets that
//! this host itself sends, such as the loss signal's queries, are not queued.
//!
//! The rule has `--queue-bypass`: while nobody serves the queue, packets pass.

use std::io;
use std::process::{Command, Output};

/// What is run for each family of addresses.
const COMMANDS: [&str; 2] = ["iptables", "ip6tables"];
/// How long to wait for others who change rules, s.
const LOCK_TIMEOUT: &str = "5";
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
        let is_missing = |err: &io::Error| err.kind() == io::ErrorKind::NotFound;
        match run(command, &["-S", &chain]) {
            Err(err) if is_missing(&err) => continue,
            Err(err) => return Err(format!("{command}: {err}")),
            Ok(output) if !output.status.success() => continue,
            Ok(_) => {}
        }
        for _ in 0..MOST_JUMPS {
            let jump = ["-D", "FORWARD", "-o", interface, "-j", &chain];
            if !run(command, &jump).is_ok_and(|output| output.status.success()) {
                break;
            }
        }
        succeed(command, &["-F", &chain])?;
        succeed(command, &["-X", &chain])?;
    }
    Ok(())
}

/// The chain of an interface. Its name has at most 24 characters, of 28 that iptables accepts.
pub fn chain(interface: &str) -> String {
    format!("evenaird-{interface}")
}

fn succeed(command: &str, arguments: &[&str]) -> Result<(), String> {
    let fail =
        |why: &dyn std::fmt::Display| format!("{command} -t mangle {}: {why}", arguments.join(" "));
    let output = run(command, arguments).map_err(|err| fail(&err))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(fail(&said.lines().next().unwrap_or("failed")))
}

fn run(command: &str, arguments: &[&str]) -> io::Result<Output> {
    Command::new(command).args(["-w", LOCK_TIMEOUT, "-t", "mangle"]).args(arguments).output()
}
