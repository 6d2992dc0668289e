//! Applications whose sizes and times may come from files.

use std::fs::File;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

use evenair_core::component::Reader;
use evenair_core::traffic::Application;
use serde::Deserializer;
use serde::de::Error;

/// The largest file of a trace.
const MAX_BYTES: u64 = 10_000_000;

/// Whether a scenario may name files. In a browser there are none.
static READS_FILES: AtomicBool = AtomicBool::new(!cfg!(target_family = "wasm"));

/// From now on, no scenario of this process may name files.
///
/// For servers: an error names the line of a file that is no value.
pub fn read_no_files() {
    READS_FILES.store(false, Ordering::Relaxed);
}

/// Reads an application, and the files of its traces.
pub(crate) fn application<'de, D: Deserializer<'de>>(from: D) -> Result<Application, D::Error> {
    let reader = Reader { has_limit: false, read_file: Some(read_file) };
    let application: Application = reader.read(from)?.configuration;
    application.load().map_err(D::Error::custom)
}

fn read_file(path: &str) -> Result<Vec<u8>, String> {
    if !READS_FILES.load(Ordering::Relaxed) {
        return Err("a page in the browser reads no files".to_owned());
    }
    let message = |error: std::io::Error| error.to_string();
    // A device may never end, and a pipe may never be written to.
    let metadata = std::fs::metadata(path).map_err(message)?;
    if !metadata.is_file() {
        return Err("it is no file".to_owned());
    }
    // Files of the kernel state no length. Some of them never end, or wait for an event.
    if metadata.len() == 0 {
        return Err("it is empty".to_owned());
    }
    // What is larger than stated is not read to its end, either.
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(message)?;
    if metadata.len() <= MAX_BYTES {
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(message)?;
    }
    if metadata.len().max(bytes.len() as u64) > MAX_BYTES {
        return Err(format!("it is larger than {} MB", MAX_BYTES / 1_000_000));
    }
    Ok(bytes)
}
