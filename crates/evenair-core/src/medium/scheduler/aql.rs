//! Airtime queue limits: how much a station may have in the hardware (`ieee80211_txq_airtime_check` in
//! `net/mac80211/tx.c`, `ieee80211_sta_update_pending_airtime` in `sta_info.c`, Linux 6.4).
//!
//! Each packet counts with an estimate of its airtime from when the driver takes it until it is transmitted. A station may
//! have another one if its category has less than the lower limit there, or less than the higher one while all stations and
//! categories together have less than a threshold.
//!
//! The estimate is that of `ieee80211_calc_expected_tx_airtime` (`airtime.c`): the bytes at the rate of the last
//! PPDU to the station, and the preamble divided by a length of A-MPDUs that is guessed from the rate. Frames of voice count as not
//! aggregated. Before the first PPDU packets count nothing.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value as Json, json};

use super::contract::Pending;
use crate::component::{Bounds, CompositeType, Seconds};
use crate::medium::{PhyFormat, TxVector};
use crate::packet::AccessCategory;
use crate::time::Duration;

/// The limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AqlLimits {
    /// What a station may always have in a category.
    pub low: Duration,
    /// What it may have while all have less than `total`.
    pub high: Duration,
    /// See `high`.
    pub total: Duration,
}

impl AqlLimits {
    /// Whether the limit does not depend on what the other stations have.
    fn is_one(self) -> bool {
        self.low == self.high && self.high == self.total
    }
}

impl Default for AqlLimits {
    /// `IEEE80211_DEFAULT_AQL_TXQ_LIMIT_L`, `_H` and `IEEE80211_AQL_THRESHOLD` in `include/net/cfg80211.h`.
    fn default() -> Self {
        let [low, high, total] = [5, 12, 24].map(Duration::from_millis);
        Self { low, high, total }
    }
}

/// The limits, or none, in a configuration file: "off", `{ low = "5 ms", high = "12 ms", total = "24 ms" }`, or one time that is
/// the limit of a station whatever the others have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AqlSetting(pub Option<AqlLimits>);

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
struct Table {
    low: Seconds,
    high: Seconds,
    total: Seconds,
}

impl Default for Table {
    fn default() -> Self {
        AqlLimits::default().into()
    }
}

impl From<AqlLimits> for Table {
    fn from(AqlLimits { low, high, total }: AqlLimits) -> Self {
        Self { low: low.into(), high: high.into(), total: total.into() }
    }
}

const OFF: &str = "off";

impl Serialize for AqlSetting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            None => serializer.serialize_str(OFF),
            Some(limits) if limits.is_one() => Seconds::from(limits.low).serialize(serializer),
            Some(limits) => Table::from(limits).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for AqlSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Json::deserialize(deserializer)?;
        let text = format!("got {value}; accepted: {}", accepted());
        let refused = || serde::de::Error::custom(&text);
        if value == OFF {
            return Ok(Self(None));
        }
        let Table { low, high, total } = if value.is_object() {
            serde_json::from_value(value).map_err(|_| refused())?
        } else {
            let limit: Seconds = serde_json::from_value(value).map_err(|_| refused())?;
            Table { low: limit, high: limit, total: limit }
        };
        let [low, high, total] = [low, high, total].map(Seconds::duration);
        let is_in_order = low > Duration::ZERO && low <= high && high <= total;
        is_in_order.then_some(Self(Some(AqlLimits { low, high, total }))).ok_or_else(refused)
    }
}

crate::composite_field!(AqlSetting);

/// "off", one limit, or limits in ascending order.
pub const fn aql_setting() -> Bounds<AqlSetting> {
    static SETTING: CompositeType = CompositeType {
        accepted,
        read: |from, _, _| Ok(Box::new(erased_serde::deserialize::<AqlSetting>(from)?)),
        shown: |value| {
            let setting: &AqlSetting = value.downcast_ref().expect("the parameter has this type");
            setting.0.map_or(OFF.into(), |limits| {
                let AqlLimits { low, high, total } = limits;
                let [low, high, total] =
                    [low, high, total].map(|time| Seconds::from(time).to_string());
                if limits.is_one() {
                    return low.into();
                }
                format!("{{ low = {low:?}, high = {high:?}, total = {total:?} }}").into()
            })
        },
        schema: |generator| {
            let time = generator.subschema_for::<Seconds>();
            let properties = json!({ "low": time, "high": time, "total": time });
            json!({ "anyOf": [
                { "const": OFF },
                time,
                { "type": "object", "properties": properties, "additionalProperties": false },
            ] })
        },
        at_bounds: || {
            vec![json!("off"), json!(1e-9), json!({ "low": 1e-9, "high": 1e-9, "total": 2e-9 })]
        },
    };
    Bounds::composite(&SETTING)
}

fn accepted() -> String {
    "\"off\", a time above 0, or a table of times { low = \"5 ms\", high = \"12 ms\", total = \"24 ms\" }, not in descending order"
        .to_owned()
}

/// What stations have in the hardware, by airtime.
#[derive(Clone, Debug)]
pub struct Aql {
    /// `None`: airtime is counted, and not limited.
    limits: Option<AqlLimits>,
    /// Nanoseconds, by station and category.
    pending: Vec<[u64; AccessCategory::COUNT as usize]>,
    /// Of all.
    total: u64,
}

impl Aql {
    /// Nothing is in the hardware.
    pub fn new(limits: Option<AqlLimits>, stations: usize) -> Self {
        Self { limits, pending: vec![Default::default(); stations], total: 0 }
    }

    /// What `station` has in the hardware.
    pub fn pending(&self, station: usize, category: AccessCategory) -> Pending {
        let airtime = self.pending[station][category as usize];
        let may_take = self.limits.is_none_or(|AqlLimits { low, high, total }| {
            let is_below = |limit: Duration| airtime < limit.as_nanos();
            is_below(low) || (self.total < total.as_nanos() && is_below(high))
        });
        Pending { airtime, may_take }
    }

    /// The driver takes a packet of `station` with this estimated airtime.
    pub fn add(&mut self, station: usize, category: AccessCategory, airtime: u64) {
        self.pending[station][category as usize] += airtime;
        self.total += airtime;
    }

    /// It is transmitted, or given up.
    pub fn remove(&mut self, station: usize, category: AccessCategory, airtime: u64) {
        self.pending[station][category as usize] -= airtime;
        self.total -= airtime;
    }
}

/// The payload of the packets for which Linux knows the airtime at each rate, bytes (`AVG_PKT_SIZE`, `airtime.c`).
const AVERAGE: u32 = 1024;
/// What Linux adds to the frame (`airtime.c`: "Ethernet header length").
const ADDED: u32 = 38;
/// QoS header and LLC/SNAP of the frame.
const FRAME: u32 = 26 + 8;

/// The estimated airtime of an IP packet of `bytes` in this mode, whose symbols have `symbol_bits` and last `symbol`;
/// nanoseconds.
pub fn expected_airtime(
    mode: &TxVector,
    (symbol_bits, symbol): (u64, Duration),
    category: AccessCategory,
    bytes: u32,
) -> u64 {
    const US: u64 = 1000;
    let bytes = u64::from(bytes + FRAME + ADDED);
    let at_rate = |bytes| mode.rate.time_for(bytes).as_nanos();
    match mode.format {
        // Preamble, PLCP header and SIFS.
        PhyFormat::Dsss => return (144 + 48 + 10) * US + at_rate(bytes),
        PhyFormat::Ofdm => return (20 + 16) * US + at_rate(bytes),
        PhyFormat::Ht | PhyFormat::Vht | PhyFormat::He => {}
    }
    let average = (8 * u64::from(AVERAGE)).div_ceil(symbol_bits) * symbol.as_nanos();
    let overhead = (36 + 4 * u64::from(mode.streams)) * US;
    let payload = average * bytes / u64::from(AVERAGE);
    if category == AccessCategory::Voice {
        return payload + overhead;
    }
    // The shortest time of an average packet for each divisor of 2, 4, 8, 16.
    let limits = [400, 250, 150, 70].map(|us| us * US);
    let shift = match limits.iter().position(|limit| average > *limit) {
        Some(place) => 1 + place,
        None if mode.format != PhyFormat::He || average > 20 * US => 5,
        None => 6,
    };
    (payload + (overhead >> shift)).max(4 * US)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::medium::Mcs;
    use crate::units::Rate;

    const BEST_EFFORT: AccessCategory = AccessCategory::BestEffort;

    fn ms(ms: u64) -> u64 {
        Duration::from_millis(ms).as_nanos()
    }

    /// By hand: 4.9 of 5 ms, then 11.9 of 12 while all have 11.9 of 24; with 24 ms of all only 5.
    #[test]
    fn a_station_may_have_more_while_all_have_little() {
        let mut aql = Aql::new(Some(AqlLimits::default()), 3);
        let may_take = |aql: &Aql, station| aql.pending(station, BEST_EFFORT).may_take;
        aql.add(0, BEST_EFFORT, ms(12) - 1);
        assert!(may_take(&aql, 0));
        aql.add(0, BEST_EFFORT, 1);
        assert!(!may_take(&aql, 0) && may_take(&aql, 1), "12 ms are the limit");
        aql.add(1, BEST_EFFORT, ms(7));
        assert!(may_take(&aql, 1), "19 of 24 ms");
        aql.add(2, AccessCategory::Voice, ms(5));
        assert!(!may_take(&aql, 1), "24 of 24 ms, and more than 5");
        assert!(may_take(&aql, 2), "nothing in this category");
        assert!(!aql.pending(2, AccessCategory::Voice).may_take);
        aql.remove(0, BEST_EFFORT, ms(12));
        assert!(may_take(&aql, 1) && may_take(&aql, 0));
        assert_eq!(aql.pending(1, BEST_EFFORT).airtime, ms(7));
        let unlimited = Aql::new(None, 1);
        assert!(unlimited.pending(0, BEST_EFFORT).may_take);
    }

    #[test]
    fn one_time_is_the_limit_of_a_station_whatever_the_others_have() {
        let setting: AqlSetting = serde_json::from_value(json!("8 ms")).unwrap();
        let mut aql = Aql::new(setting.0, 2);
        aql.add(0, BEST_EFFORT, ms(100));
        aql.add(1, BEST_EFFORT, ms(8) - 1);
        assert!(aql.pending(1, BEST_EFFORT).may_take);
        aql.add(1, BEST_EFFORT, 1);
        assert!(!aql.pending(1, BEST_EFFORT).may_take);
        assert_eq!(serde_json::to_value(setting).unwrap(), json!(0.008));
        assert!(serde_json::from_value::<AqlSetting>(json!("0 s")).is_err());
    }

    fn mode(format: PhyFormat, mcs: u8, streams: u8, mbps: f64) -> TxVector {
        TxVector {
            rate: Rate::from_bps((1e6 * mbps) as u64),
            mcs: Some(Mcs(mcs)),
            format,
            width_hz: 20_000_000,
            streams,
            guard_interval: Duration::from_nanos(800),
        }
    }

    /// By hand, packets of 1,500 bytes, which count as 1,572. HT20 MCS 0: 316 symbols of 26 bits for 1,024 bytes are 1,264
    /// us, 1,940.4 for the packet, and half of 40 us. MCS 7: 32 symbols of 260 bits, 128 us, 196.5 and 2.5. HE80 MCS 11 with two
    /// streams: one symbol of 16,333 bits, 13.6 us, 20.87 and 44 / 64.
    #[test]
    fn airtime_is_that_of_the_rate_and_a_part_of_a_preamble() {
        let us4 = Duration::from_micros(4);
        let airtime = |mode, symbol, category| {
            let ns = expected_airtime(&mode, symbol, category, 1500);
            (ns as f64 / 100.0).round() / 10.0
        };
        let slow = mode(PhyFormat::Ht, 0, 1, 6.5);
        assert_eq!(airtime(slow, (26, us4), BEST_EFFORT), 1960.4);
        assert_eq!(airtime(slow, (26, us4), AccessCategory::Voice), 1980.4);
        let fast = mode(PhyFormat::Ht, 7, 1, 65.0);
        assert_eq!(airtime(fast, (260, us4), BEST_EFFORT), 199.0);
        let he = mode(PhyFormat::He, 11, 2, 1201.0);
        let symbol = Duration::from_nanos(13_600);
        assert_eq!(airtime(he, (16_333, symbol), BEST_EFFORT), 21.6);
        // 1,572 bytes at 6 Mb/s are 2,096 us.
        let ofdm = mode(PhyFormat::Ofdm, 0, 1, 6.0);
        assert_eq!(airtime(ofdm, (24, us4), BEST_EFFORT), 2132.0);
    }
}
