//! What receivers make of the datagrams of an application.
//!
//! An application over UDP whose user notices more than what arrives has a receiver here: a [`Receiver`], and a
//! variant of [`Reception`]. It is told of each datagram that arrives, in the order in which they were sent, since
//! flows keep their order. What it cannot learn from datagrams (when those were sent that do not arrive, or what they
//! belong to) follows from the application's configuration, of which it is made.

use super::datagrams::Pattern;
use super::receiver::Receiver;
use super::voip::CallReceiver;
use crate::time::Instant;

/// The receivers of all applications that have one, each with results of its own.
#[derive(Clone, Debug)]
pub enum Reception {
    /// Of "voip".
    Call(CallReceiver),
}

impl Reception {
    /// That of an application from `start` to `stop`; none if nothing is made of its datagrams.
    pub fn new(application: &Pattern, start: Instant, stop: Instant) -> Option<Self> {
        match application {
            Pattern::Cbr(_) | Pattern::Poisson(_) | Pattern::OnOff(_) | Pattern::Trace(_) => None,
            Pattern::Voip(config) => {
                Some(Self::Call(CallReceiver::new(config.clone(), start, stop)))
            }
        }
    }

    /// The receiver itself.
    pub fn receiver(&mut self) -> &mut dyn Receiver {
        match self {
            Self::Call(call) => call,
        }
    }
}
