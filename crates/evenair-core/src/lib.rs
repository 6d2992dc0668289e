//! The parts of evenair that neither wait nor send: units, packets, queue disciplines,
//! transports, applications, PHY timing, errors of the air and the 802.11 medium as state machines.
//!
//! Nothing here asks for the time, opens a socket, starts a thread or owns a global random number
//! generator. A part is told the time and what arrived; it answers what to do and when to be
//! called again. The simulator, the real-time emulator and the gateway are drivers of the same
//! code.

pub mod component;
pub mod loss;
pub mod medium;
pub mod packet;
pub mod queue;
pub mod rng;
pub mod tcp;
pub mod time;
pub mod traffic;
pub mod transport;
pub mod units;
