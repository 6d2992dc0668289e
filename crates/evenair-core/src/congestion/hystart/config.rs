//! Which HyStart a congestion control begins with.

use crate::component::{Bounds, FieldType, Value, configuration, named, names, number};

configuration! {
    /// What a congestion control that has HyStart begins with.
    pub group HyStartConfig;
    /// whether a rising round-trip time ends the first slow start (HyStart++, RFC 9406); "linux": HyStart as
    /// in Linux's CUBIC
    hystart: Form = Form::Off, form();
    // 1/2 where segments are not paced, else 1 (`hystart_update` in net/ipv4/tcp_cubic.c); 1 in ns-3's TcpCubic.
    /// with hystart = "linux": the length of an uninterrupted train of ACKs that ends slow start, in
    /// smallest round-trip times
    hystart_train: f64 = 0.5, number(0.0..=10.0);
    // Linux's module parameter of this name: 3, both.
    /// with hystart = "linux": which of its rules end slow start
    hystart_detect: Detect = Detect::Both, names();
}

named! {
    /// The rules of Linux's HyStart that hold.
    pub enum Detect {
        /// Both.
        #[default]
        Both => "both",
        /// That of ACKs that follow each other closely.
        AckTrain => "ack-train",
        /// That of the smallest round-trip time.
        Delay => "delay",
    }
    planned []
}

/// Which HyStart there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// None: a loss ends slow start.
    Off,
    /// HyStart++ (RFC 9406).
    PlusPlus,
    /// HyStart as in Linux.
    Linux,
}

/// How [`Form::Linux`] is written.
const LINUX: &str = "linux";

const fn form() -> Bounds<Form> {
    Bounds::switch_or(LINUX)
}

impl FieldType for Form {
    fn to_value(&self) -> Value {
        match self {
            Self::Off => Value::Switch(false),
            Self::PlusPlus => Value::Switch(true),
            Self::Linux => Value::Name(LINUX),
        }
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Switch(false) => Some(Self::Off),
            Value::Switch(true) => Some(Self::PlusPlus),
            Value::Name(LINUX) => Some(Self::Linux),
            _ => None,
        }
    }
}
