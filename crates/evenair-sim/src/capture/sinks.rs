//! Where captures go.

use std::io::{self, Write};

/// Where the captures of a run go, both in pcapng.
pub struct CaptureSinks {
    /// The frames on the air, of a WLAN cell; those of a WiMAX cell are not captured.
    pub air: Option<Box<dyn Write + Send>>,
    /// The packets at the hosts behind the access point.
    pub wire: Box<dyn Write + Send>,
}

/// One of the captures of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureOf {
    /// Of the air.
    Air,
    /// Of the wire.
    Wire,
}

/// Which capture could not be written, and why.
pub(crate) type CaptureError = (CaptureOf, io::Error);
