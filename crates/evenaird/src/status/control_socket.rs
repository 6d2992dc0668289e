//! The client's side of a daemon's control socket: `evenaird status` and `evenaird off`.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::failure::Failure;
use crate::status::Status;

/// A daemon that does not answer in this time hangs: it answers between two rounds, in milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks for a line, and returns the answer.
pub const STATUS: &str = "status";
/// Detaches the data path; the answer is the status after it.
pub const OFF: &str = "off";

/// The socket of the daemon of an interface; without a name, of the only daemon that runs.
///
/// # Errors
/// No daemon runs, or several do and none is named.
pub fn find(directory: &Path, interface: Option<&str>) -> Result<PathBuf, Failure> {
    if let Some(interface) = interface {
        return Ok(directory.join(format!("{interface}.sock")));
    }
    let mut running = running(directory);
    match (running.pop(), running.as_slice()) {
        (Some((_, socket)), []) => Ok(socket),
        (None, _) => {
            let shown = directory.display();
            Err(Failure::failed(format_args!("no daemon runs that has its socket in {shown}")))
        }
        (Some((last, _)), others) => {
            let mut names: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
            names.push(&last);
            let names = names.join(", ");
            Err(Failure::bad_input(format_args!("INTERFACE: missing; accepted: {names}")))
        }
    }
}

/// Interfaces and sockets of the daemons that run.
fn running(directory: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut found: Vec<(String, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some((name.strip_suffix(".sock")?.to_owned(), entry.path()))
        })
        .filter(|(_, path)| UnixStream::connect(path).is_ok())
        .collect();
    found.sort();
    found
}

/// Sends a request and returns the status that answers it; `None` if no daemon runs there.
///
/// # Errors
/// The daemon does not answer.
pub fn request(socket: &Path, request: &str) -> Result<Option<Status>, Failure> {
    let shown = socket.display();
    let failed = |err: io::Error| match err.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            Failure::failed(format_args!("{shown}: the daemon does not answer"))
        }
        _ => Failure::failed(format_args!("{shown}: {err}")),
    };
    let mut stream = match UnixStream::connect(socket) {
        Err(err) if matches!(err.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
            return Ok(None);
        }
        stream => stream.map_err(failed)?,
    };
    stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(failed)?;
    stream.write_all(format!("{request}\n").as_bytes()).map_err(failed)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map_err(failed)?;
    let status = serde_json::from_str(&answer).map_err(|_| {
        Failure::failed(format_args!("{shown}: another program answers, or another version"))
    })?;
    Ok(Some(status))
}
