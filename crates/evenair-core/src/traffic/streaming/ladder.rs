//! The rates at which a video is stored, in a configuration file: `["235 kbps", "1 Mbps", "5 Mbps"]`.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::component::{BitRate, Bounds, Composite, CompositeType};

/// The most rates.
const MOST: usize = 100;

/// The fixed ladder that Netflix used until 2015, kbit/s (Netflix Technology Blog, "Per-Title Encode Optimization",
/// 14 December 2015): the rates of the service in which the adaptation was tried.
const NETFLIX_KBPS: [u64; 10] = [235, 375, 560, 750, 1050, 1750, 2350, 3000, 4300, 5800];

/// Rates in ascending order, at least one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Ladder(Vec<u64>);

impl Ladder {
    /// `bps` in bit/s; none if they do not ascend from above 0, or are none or too many.
    pub fn new(bps: Vec<u64>) -> Option<Self> {
        let ascends = bps.windows(2).all(|pair| pair[0] < pair[1]);
        (ascends && (1..=MOST).contains(&bps.len()) && bps[0] > 0).then_some(Self(bps))
    }

    /// The rates, bit/s.
    pub fn bps(&self) -> &[u64] {
        &self.0
    }
}

impl Default for Ladder {
    fn default() -> Self {
        Self(NETFLIX_KBPS.map(|kbps| kbps * 1000).to_vec())
    }
}

impl<'de> Deserialize<'de> for Ladder {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let refused = || serde::de::Error::custom(format!("accepted: {}", accepted()));
        let rates = Vec::<BitRate>::deserialize(deserializer).map_err(|_| refused())?;
        if rates.contains(&BitRate::UNLIMITED) {
            return Err(refused());
        }
        Self::new(rates.into_iter().map(BitRate::as_bps).collect()).ok_or_else(refused)
    }
}

crate::composite_field!(Ladder);

/// A list of rates in ascending order.
pub const fn ladder() -> Bounds<Ladder> {
    static LADDER: CompositeType = CompositeType {
        accepted,
        read: |from, _, _| Ok(Box::new(erased_serde::deserialize::<Ladder>(from)?)),
        shown: |value| {
            let rates = of(value).bps().iter().map(|&bps| BitRate::from_bps(bps).to_string());
            json!(rates.collect::<Vec<_>>()).to_string().into()
        },
        schema: |generator| {
            let rate = generator.subschema_for::<BitRate>();
            json!({ "type": "array", "items": rate, "minItems": 1, "maxItems": MOST })
        },
        at_bounds: || vec![json!([1]), json!([1, 1_000_000_000_000_u64]), many()],
    };
    Bounds::composite(&LADDER)
}

fn accepted() -> String {
    format!("a list of 1 to {MOST} rates in ascending order, such as [\"235 kbps\", \"1 Mbps\"]")
}

fn many() -> Json {
    json!((1..=MOST as u64).collect::<Vec<_>>())
}

fn of(value: &dyn Composite) -> &Ladder {
    value.downcast_ref().expect("a parameter that is a ladder has one")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_ascend() {
        let read = |json: Json| Ladder::deserialize(json).map(|ladder| ladder.0);
        assert_eq!(read(json!(["235 kbps", 1_000_000])).unwrap(), [235_000, 1_000_000]);
        for wrong in [
            json!([]),
            json!("1 Mbps"),
            json!([1, 1]),
            json!(["2 Mbps", "1 Mbps"]),
            json!([0]),
            json!(["unlimited"]),
            json!((1..=101).collect::<Vec<_>>()),
        ] {
            let message = read(wrong.clone()).unwrap_err().to_string();
            assert!(
                message.starts_with("accepted: a list of 1 to 100 rates"),
                "{wrong}: {message}"
            );
        }
    }
}
