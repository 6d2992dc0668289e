//! What PPDUs carry: the limits of an A-MPDU, and the registry by which scenarios name them.

use crate::component::{
    Bounds, FieldType, Value, configuration, integer, optional, positive_up_to, registry,
};
use crate::medium::PhyFormat;
use crate::medium::wlan::frame::high_throughput::MAX_PPDU;
use crate::time::Duration;

/// The limits of an A-MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregation {
    /// Bytes of the PSDU.
    pub bytes: u32,
    /// MPDUs, which is also the window of the Block Ack agreement: 1 to 256.
    pub window: u16,
    /// Duration of the PPDU, at most aPPDUMaxTime.
    pub duration: Duration,
    /// Bytes of an A-MSDU; `None`: an MPDU has one packet.
    pub amsdu: Option<u32>,
}

/// The longest A-MPDU of HE, bytes (802.11ax-2021 9.7.1).
const HE_BYTES: u32 = 6_500_631;
/// The longest A-MPDU of VHT, bytes: an exponent of 7 (802.11-2020 9.4.2.157.3).
const VHT_BYTES: u32 = 1_048_575;
/// The longest A-MPDU of HT, bytes: an exponent of 3 (9.4.2.55.3).
const HT_BYTES: u32 = 65_535;
/// The largest window of a Block Ack agreement, of HE and of others (802.11ax-2021 9.4.1.13; 802.11-2020 10.25.2).
const HE_WINDOW: u16 = 256;
const WINDOW: u16 = 64;

/// Of VHT and HE, bytes: see [`Aggregation::longest_amsdu`].
const LONGEST_AMSDU: u32 = 11_454 - 30;

impl Aggregation {
    /// The limits of the standard, with windows of 64 MPDUs, of HE 256, and aPPDUMaxTime; without A-MSDUs.
    pub const fn of(format: PhyFormat) -> Self {
        let (bytes, window) = match format {
            PhyFormat::He => (HE_BYTES, HE_WINDOW),
            PhyFormat::Vht => (VHT_BYTES, WINDOW),
            PhyFormat::Ht | PhyFormat::Ofdm | PhyFormat::Dsss => (HT_BYTES, WINDOW),
        };
        Self { bytes, window, duration: MAX_PPDU, amsdu: None }
    }

    /// The longest A-MSDU in an A-MPDU, bytes: that of the longest MPDU, with 26 bytes of QoS header and 4 of FCS. An
    /// MPDU has 4,095 bytes in an A-MPDU of HT (802.11-2020 9.7.1), 11,454 of VHT and HE (9.4.2.157.2).
    pub const fn longest_amsdu(format: PhyFormat) -> u32 {
        match format {
            PhyFormat::Ht => 4_095 - 30,
            _ => LONGEST_AMSDU,
        }
    }
}

configuration! {
    /// Parameters of A-MPDUs.
    pub struct AMpduConfig {
        name: "a-mpdu",
        summary: "many MPDUs in a PPDU, acknowledged one by one by a Block Ack",
        source: "IEEE 802.11-2020, 9.7 and 10.25",
    }
    // 802.11-2020 table 9-32 of clause 9.7.1: 65,535 B of HT, 1,048,575 B of VHT; 6,500,631 B of HE.
    /// bytes of an A-MPDU at most; "max": what the PHY allows
    limit: AMpduLimit = AMpduLimit::Max, Bounds::integer_or(1..=HE_BYTES as u64, MAX);
    // 802.11-2020 10.25.2; 802.11ax-2021 9.4.1.13.
    /// MPDUs from the oldest that is not acknowledged to the newest, the window of the Block Ack agreement: up to 64,
    /// with 802.11ax up to 256 (default: that)
    window: Option<u32> = None, optional(integer(1..=HE_WINDOW as u64), "64 or 256");
    // 802.11-2020 9.3.2.2.2; an MPDU of VHT and HE has up to 11,454 bytes (9.4.2.157.2), 30 of them header and FCS.
    /// bytes of an A-MSDU at most, of the packets that an MPDU has; "off": one packet; with 802.11n up to 4,065
    amsdu: AMsduLimit = AMsduLimit::Off, Bounds::integer_or(1..=LONGEST_AMSDU as u64, OFF);
    // aPPDUMaxTime (802.11-2020 table 19-25).
    /// the longest PPDU
    duration: Duration = MAX_PPDU, positive_up_to(MAX_PPDU);
}

configuration! {
    /// Without aggregation there are no parameters.
    pub struct NoAggregationConfig {
        name: "off",
        summary: "one MPDU in a PPDU, acknowledged by an ACK",
        source: "IEEE 802.11-2020, 10.3.2.11",
    }
}

registry! {
    /// What PPDUs carry.
    pub enum AggregationConfig {
        AMpdu(AMpduConfig),
        Off(NoAggregationConfig),
    }
    kind "aggregation", noun "aggregation", schema "Aggregation", planned &[]
}

impl AggregationConfig {
    /// The limits of A-MPDUs in this format; `None` without aggregation.
    pub fn limits(&self, format: PhyFormat) -> Option<Aggregation> {
        let Self::AMpdu(config) = self else { return None };
        let of_phy = Aggregation::of(format);
        Some(Aggregation {
            bytes: match config.limit {
                AMpduLimit::Max => of_phy.bytes,
                AMpduLimit::Bytes(bytes) => of_phy.bytes.min(bytes),
            },
            window: config.window.map_or(of_phy.window, |window| of_phy.window.min(window as u16)),
            duration: config.duration,
            amsdu: match config.amsdu {
                AMsduLimit::Off => None,
                AMsduLimit::Bytes(bytes) => Some(bytes.min(Aggregation::longest_amsdu(format))),
            },
        })
    }
}

/// The word for the limit of the PHY.
const MAX: &str = "max";

/// Bytes of an A-MPDU at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AMpduLimit {
    /// What the PHY allows.
    Max,
    /// This many.
    Bytes(u32),
}

impl FieldType for AMpduLimit {
    fn to_value(&self) -> Value {
        match *self {
            Self::Max => Value::Name(MAX),
            Self::Bytes(bytes) => Value::Integer(bytes.into()),
        }
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Name(MAX) => Some(Self::Max),
            Value::Integer(bytes) => bytes.try_into().ok().map(Self::Bytes),
            _ => None,
        }
    }
}

/// The word for MPDUs with one packet.
const OFF: &str = "off";

/// Bytes of an A-MSDU at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AMsduLimit {
    /// There are none.
    Off,
    /// This many.
    Bytes(u32),
}

impl FieldType for AMsduLimit {
    fn to_value(&self) -> Value {
        match *self {
            Self::Off => Value::Name(OFF),
            Self::Bytes(bytes) => Value::Integer(bytes.into()),
        }
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Name(OFF) => Some(Self::Off),
            Value::Integer(bytes) => bytes.try_into().ok().map(Self::Bytes),
            _ => None,
        }
    }
}
