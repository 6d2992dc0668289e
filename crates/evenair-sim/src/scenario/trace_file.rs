//! Applications whose sizes and times may come from files.

use evenair_core::component::Reader;
use evenair_core::traffic::Application;
use serde::Deserializer;

/// The largest file of a trace.
const MAX_BYTES: u64 = 10_000_000;

/// Reads an application, and the files of its traces.
pub(super) fn application<'de, D: Deserializer<'de>>(from: D) -> Result<Application, D::Error> {
    let reader = Reader { has_limit: false, read_text: Some(read_text) };
    Ok(reader.read(from)?.configuration)
}

fn read_text(path: &str) -> Result<String, String> {
    let message = |error: std::io::Error| error.to_string();
    // A device may never end, and a pipe may never be written to.
    let metadata = std::fs::metadata(path).map_err(message)?;
    if !metadata.is_file() {
        return Err("it is no file".to_owned());
    }
    if metadata.len() > MAX_BYTES {
        return Err(format!("it is larger than {} MB", MAX_BYTES / 1_000_000));
    }
    std::fs::read_to_string(path).map_err(message)
}
