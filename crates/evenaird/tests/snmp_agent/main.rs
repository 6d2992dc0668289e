//! The SNMP loss signal against net-snmp's agent, and against an agent that answers anything.
#![allow(clippy::unwrap_used, reason = "a test fails where its set-up fails")]
#![allow(clippy::disallowed_methods, reason = "agents and devices have clocks of their own")]

#[path = "../support/mod.rs"]
mod support;

mod against_snmpd;
mod agent;
mod ber;
mod hostile;
