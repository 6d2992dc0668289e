//! Events for the journal: lines on standard error with a syslog priority in front, as
//! sd-daemon(3) has it. Without systemd the priority is left out.

use std::fmt::Display;
use std::io::Write;
use std::sync::OnceLock;

use evenair_core::component::message::one_line;

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

/// Writes a line. A standard error that is gone or full must not stop the daemon.
fn write(priority: u8, event: &dyn Display) {
    static HAS_JOURNAL: OnceLock<bool> = OnceLock::new();
    // systemd sets it where standard error is connected to the journal: systemd.exec(5).
    let has_journal = HAS_JOURNAL.get_or_init(|| std::env::var_os("JOURNAL_STREAM").is_some());
    let text = one_line(&event.to_string());
    let line = if *has_journal { format!("<{priority}>{text}\n") } else { format!("{text}\n") };
    let _ = std::io::stderr().write_all(line.as_bytes());
}
