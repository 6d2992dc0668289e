//! Queues in a scenario: a discipline, its own parameters, and a limit.

use std::borrow::Cow;

use evenair_core::component::{QueueLimit, Reader, schema, write};
use evenair_core::queue::Config;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A queue: `{ kind = "droptail", limit = 60 }`, or "las" for that kind with its defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// The discipline with its own parameters.
    pub discipline: Config,
    /// How much it may hold, the packet being transmitted included.
    pub limit: QueueLimit,
}

/// The access point's queue where the scenario has none.
pub(crate) fn access_point_default() -> Queue {
    default_queue(ACCESS_POINT_LIMIT)
}

/// A base station's queue of each station where the scenario has none.
pub(crate) fn base_station_default() -> Queue {
    default_queue(WIMAX_LIMIT)
}

/// A station's queue where the scenario has none.
pub(crate) fn station_default() -> Queue {
    default_queue(STATION_LIMIT)
}

/// Reads a queue whose limit is the access point's where it is not given.
pub(crate) fn access_point<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Queue, D::Error> {
    read(deserializer, ACCESS_POINT_LIMIT)
}

/// Reads a queue whose limit is a base station's where it is not given.
pub(crate) fn base_station<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Queue, D::Error> {
    read(deserializer, WIMAX_LIMIT)
}

/// Reads a queue whose limit is a station's where it is not given.
pub(crate) fn station<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Queue, D::Error> {
    read(deserializer, STATION_LIMIT)
}

/// The same for a queue that may be absent.
pub(crate) fn optional_station<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Queue>, D::Error> {
    station(deserializer).map(Some)
}

const ACCESS_POINT_LIMIT: u32 = 60;
const STATION_LIMIT: u32 = 1000;
/// Of each queue of an access point with a queue for each station: the limit of mac80211's queues,
/// which all stations share there (`fq_init` in `include/net/fq_impl.h`).
pub(crate) const PER_STATION_LIMIT: u32 = 8192;
/// Of each queue of a WiMAX cell: `queue_length_` of the NIST add-on for ns-2.
pub(crate) const WIMAX_LIMIT: u32 = 50;

fn default_queue(limit: u32) -> Queue {
    Queue { discipline: Config::default(), limit: QueueLimit::Packets(limit) }
}

fn read<'de, D: Deserializer<'de>>(deserializer: D, limit: u32) -> Result<Queue, D::Error> {
    let table = Reader { has_limit: true, read_file: None }.read(deserializer)?;
    let limit = table.limit.unwrap_or(QueueLimit::Packets(limit));
    Ok(Queue { discipline: table.configuration, limit })
}

/// Takes the access point's limit where none is given.
impl<'de> Deserialize<'de> for Queue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        access_point(deserializer)
    }
}

impl Serialize for Queue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write(serializer, &self.discipline, Some(self.limit))
    }
}

impl JsonSchema for Queue {
    fn schema_name() -> Cow<'static, str> {
        "Queue".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        schema::<Config>(generator, true)
    }
}
