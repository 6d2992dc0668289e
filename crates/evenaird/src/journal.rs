//! Events for the journal: lines on standard error with a syslog priority in front, as
//! sd-daemon(3) has it. Without systemd the priority is left out.

use std::fmt::Display;
use std::io::Write;
use std::os::fd::AsFd;
use std::sync::OnceLock;

use evenair_core::component::message::one_line;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Something failed that the daemon survives.
pub fn error(event: impl Display) {
    write(3, &event);
}

/// Something that the operator should look at.
pub fn warning(event: impl Display) {
    write(4, &event);
}

/// A change of state that is part of normal operation.
pub fn notice(event: impl Display) {
    write(5, &event);
}

fn write(priority: u8, event: &dyn Display) {
    static HAS_JOURNAL: OnceLock<bool> = OnceLock::new();
    // systemd sets it where standard error is connected to the journal: systemd.exec(5).
    let has_journal = HAS_JOURNAL.get_or_init(|| std::env::var_os("JOURNAL_STREAM").is_some());
    let text = one_line(&event.to_string());
    let line = if *has_journal { format!("<{priority}>{text}\n") } else { format!("{text}\n") };
    offer(std::io::stderr(), &line);
}

/// Writes a line unless that would wait: an output that is gone or full must not stop the daemon. A
/// pipe that is ready takes 4,096 bytes (pipe(7)).
fn offer(mut output: impl Write + AsFd, line: &str) {
    let is_ready = poll(&mut [PollFd::new(output.as_fd(), PollFlags::POLLOUT)], PollTimeout::ZERO)
        .is_ok_and(|ready| ready > 0);
    if is_ready {
        let _ = output.write_all(line.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::sync::mpsc;
    use std::time::Duration;

    use nix::fcntl::{FcntlArg, OFlag, fcntl};

    use super::*;

    #[test]
    fn a_full_output_does_not_block() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        fcntl(&writer, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
        let mut full = 0;
        while let Ok(length) = (&writer).write(&[b'x'; 4096]) {
            full += length;
        }
        fcntl(&writer, FcntlArg::F_SETFL(OFlag::empty())).unwrap();
        let (done, is_done) = mpsc::channel();
        std::thread::spawn(move || {
            offer(&writer, "lost\n");
            done.send(writer).unwrap();
        });
        let writer = is_done.recv_timeout(Duration::from_secs(5)).expect("it waits for a reader");
        reader.read_exact(&mut vec![0; full]).unwrap();
        offer(&writer, "kept\n");
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "kept\n");
        // Without a reader.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        offer(writer, "lost\n");
    }
}
