//! The size of a token bucket, as a configuration file has it: bytes, or the time in which it fills.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value as Json;

use super::quantity::{BitRate, Bytes, Seconds};

/// The accepted values, for error messages and lists.
pub(super) const ACCEPTED: &str = "bytes above 0 and up to 1000 GB, such as \"250 KB\", or a time \
                                   above 0, such as \"0.5 s\"";

/// How much a token bucket holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BucketSize {
    /// So many bytes.
    Bytes(Bytes),
    /// What a rate yields in this time.
    Time(Seconds),
}

impl BucketSize {
    /// Bytes of the bucket, of which the rate in the definition is `rate`; at least 1.
    pub fn bytes(self, rate: BitRate) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.as_u64(),
            Self::Time(time) => {
                let bits = u128::from(rate.as_bps()) * u128::from(time.duration().as_nanos());
                let bytes = bits / 8_000_000_000;
                u64::try_from(bytes).unwrap_or(u64::MAX).max(1)
            }
        }
    }

    /// Reads bytes as a number or text, or a time as text.
    pub(super) fn parse(got: &Json) -> Option<Self> {
        let text = got.as_str();
        if let Some(time) = text.and_then(|text| text.parse::<Seconds>().ok()) {
            return (time != Seconds::ZERO).then_some(Self::Time(time));
        }
        let bytes = Bytes::deserialize(got).ok()?;
        (bytes.as_u64() > 0).then_some(Self::Bytes(bytes))
    }
}

/// Bytes as a number; a time as text, because a plain number means bytes.
impl Serialize for BucketSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bytes(bytes) => bytes.serialize(serializer),
            Self::Time(time) => serializer.collect_str(time),
        }
    }
}

impl fmt::Display for BucketSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => bytes.fmt(f),
            Self::Time(time) => time.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// By hand: 6 Mb/s yield 375 kB in half a second.
    #[test]
    fn a_time_is_what_a_rate_yields_in_it() {
        let read = |json: Json| BucketSize::parse(&json).unwrap();
        let rate = BitRate::from_bps(6_000_000);
        assert_eq!(read(json!("0.5 s")).bytes(rate), 375_000);
        assert_eq!(read(json!("1 ns")).bytes(rate), 1);
        assert_eq!(read(json!("250 KB")).bytes(rate), 250_000);
        assert_eq!(read(json!(1500)).bytes(rate), 1500);
    }

    #[test]
    fn what_is_written_is_read() {
        for json in [json!("0.5 s"), json!("250 KB"), json!(1)] {
            let size = BucketSize::parse(&json).unwrap();
            assert_eq!(BucketSize::parse(&json!(size)), Some(size));
        }
    }
}
