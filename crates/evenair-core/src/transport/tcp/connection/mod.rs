//! A connection (RFC 9293): how it is opened, what each end does with a packet, and its end.
//!
//! Data go from the [`SendingEnd`] to the [`ReceivingEnd`]. Either opens the connection:
//!
//! ```text
//! the sender (ns-2; Miorandi et al. 2006, equation 13)   the receiver (a browser)
//!   SYN ->                                                 <- SYN
//!   <- SYN-ACK                                             SYN-ACK ->
//!   data ->                                                <- ACK with the request
//!   <- ACK                                                 data ->
//! ```
//!
//! The end that opens repeats its SYN, and then its request, by a timer of its own. The other end
//! answers each SYN and repeats nothing by itself. No FIN is sent: the transfer is over when the
//! sender knows that all has arrived ([`Source::is_done`](crate::transport::Source::is_done)).
//!
//! A further transfer takes place over a new connection ([`Endpoint::open`](crate::transport::Endpoint::open)),
//! and [`Packet::connection`](crate::packet::Packet::connection) separates it from late copies of the old
//! connection's packets; or the receiver asks for more over the same one
//! ([`Endpoint::request`](crate::transport::Endpoint::request)), which goes on with its windows and round-trip
//! times. A further request has the number 1, 2, ... as its [`Packet::seq`](crate::packet::Packet::seq), the one
//! that opens has 0. The receiver asks when all that it asked for before has arrived, so that a request
//! acknowledges all that was sent, and repeats it by the timer that repeats its SYN.

mod opening;
mod rate_limit;
mod receiving;
mod sending;
mod template;

pub use opening::ConnectionConfig;
pub use receiving::ReceivingEnd;
pub use sending::SendingEnd;
