//! The policer against the kernel: whatever the kernel forwards has been charged.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "../support/mod.rs"]
mod support;

mod frames;
mod generated;
mod replies;
mod router;
