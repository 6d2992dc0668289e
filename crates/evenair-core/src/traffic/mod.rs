//! Applications: what a flow has to send, and when.
//!
//! An application over TCP has a stream of bytes, one over UDP datagrams. What is random about it
//! follows a [`Distribution`] and has a random stream of its own. To add one over UDP: its `PART`
//! and its pattern in `datagrams.rs`, and its name in [`DATAGRAMS`].

mod datagrams;
mod distribution;

pub use datagrams::{DATAGRAMS, Datagrams};
pub use distribution::{Distribution, Draws, FAMILIES};

use crate::component::{Accepts, Parameter, Part, Value};

/// What runs over TCP, by the name that scenarios use.
pub static STREAMS: &[&Part] = &[&BULK, &FILE, &WEB];

static BULK: Part = Part {
    name: "bulk",
    summary: "always has data to send (TCP)",
    source: "ns-2's Application/FTP",
    ordered: &[],
    parameters: &[],
};

static FILE: Part = Part {
    name: "file",
    summary: "one file over one connection, which its sender opens at once (TCP)",
    source: "ns-2's Agent/TCP, `send`",
    ordered: &[],
    parameters: &[
        Parameter {
            name: "size",
            default: Value::Distribution(Distribution::Deterministic { mean: 1e6 }),
            accepts: Accepts::Sizes,
            meaning: "payload of the file, bytes",
        },
        PAD,
    ],
};

static WEB: Part = Part {
    name: "web",
    summary: "a user who thinks, fetches a file over a new connection, thinks again, ... (TCP)",
    source: "Miorandi, Kherani and Altman 2006, section 4",
    ordered: &[],
    parameters: &[
        Parameter {
            name: "size",
            default: Value::Distribution(Distribution::Pareto { mean: 30_000.0, shape: 1.5 }),
            accepts: Accepts::Sizes,
            meaning: "payload of a file, bytes",
        },
        Parameter {
            name: "think",
            default: Value::Distribution(Distribution::Exponential { mean: 10.0 }),
            accepts: Accepts::Times,
            meaning: "time before the first transfer, and from the end of one to the next",
        },
        Parameter {
            name: "sessions",
            default: Value::Whole(u64::MAX),
            accepts: Accepts::Limit(1_000_000),
            meaning: "transfers after which the user stops",
        },
        Parameter {
            name: "opened_by",
            default: Value::Name("receiver"),
            accepts: Accepts::Names(&["receiver", "sender"]),
            meaning: "who opens the connections: the end that gets the file, and asks for it with \
                      the third packet of the handshake, or the end that sends it, and puts its \
                      first data there (ns-2; Miorandi et al. 2006, equation 13)",
        },
        Parameter {
            name: "request",
            default: Value::Whole(0),
            accepts: Accepts::Whole(0, 65_495),
            meaning: "payload of what asks for a file, bytes, up to a segment",
        },
        PAD,
    ],
};

const PAD: Parameter = Parameter {
    name: "pad",
    default: Value::Switch(false),
    accepts: Accepts::Switch,
    meaning: "whether a file's last segment is filled up to a full one, as in ns-2",
};
