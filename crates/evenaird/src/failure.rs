//! Why a command ends without success.

use std::fmt;

use evenair_core::component::message::one_line;

use crate::config::ConfigError;
use crate::data_path;

/// A line for people, and the exit status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    status: u8,
    message: String,
}

impl Failure {
    /// Something went wrong that is not the input's fault: status 1.
    pub fn failed(message: impl fmt::Display) -> Self {
        Self { status: 1, message: one_line(&message.to_string()) }
    }

    /// The input is not accepted: status 2.
    pub fn bad_input(message: impl fmt::Display) -> Self {
        Self { status: 2, message: one_line(&message.to_string()) }
    }

    /// The exit status of the process.
    pub fn status(&self) -> u8 {
        self.status
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<ConfigError> for Failure {
    fn from(err: ConfigError) -> Self {
        Self::bad_input(err)
    }
}

impl From<data_path::Error> for Failure {
    fn from(err: data_path::Error) -> Self {
        use data_path::Error::{InUse, NoDevice, Policy, System, Unsupported};
        match err {
            NoDevice { .. } | Unsupported { .. } | Policy(_) => Self::bad_input(err),
            InUse { .. } | System { .. } => Self::failed(err),
        }
    }
}
