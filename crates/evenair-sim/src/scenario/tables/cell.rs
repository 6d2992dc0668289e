//! The wireless cell. Its keys are those of its kind.

use std::fmt;
use std::sync::LazyLock;

use evenair_core::component::message::clipped;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::scenario::tables::wimax_cell::WimaxCell;
use crate::scenario::tables::wlan_cell::WlanCell;
use crate::scenario::values::names::CellKind;
use crate::scenario::values::queue::Queue;

/// The wireless cell: one access point or base station, and its stations.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "a scenario has one")]
pub enum Cell {
    /// IEEE 802.11 DCF.
    Wlan(WlanCell),
    /// IEEE 802.16, OFDM with time division duplex.
    Wimax(WimaxCell),
}

impl Cell {
    /// The kind of medium.
    pub fn kind(&self) -> CellKind {
        match self {
            Self::Wlan(_) => CellKind::Wlan,
            Self::Wimax(_) => CellKind::Wimax,
        }
    }

    /// The downlink queue, of the access point or, of the base station, for each station.
    pub fn queue(&self) -> &Queue {
        match self {
            Self::Wlan(cell) => &cell.queue,
            Self::Wimax(cell) => &cell.queue,
        }
    }
}

impl Default for Cell {
    fn default() -> Self {
        Self::Wlan(WlanCell::default())
    }
}

/// Reads a table whose first key is `kind`, which decides what its other keys are.
impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CellVisitor;
        impl<'de> Visitor<'de> for CellVisitor {
            type Value = Cell;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of keys and values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cell, A::Error> {
                if map.next_key::<String>()?.as_deref() != Some("kind") {
                    return Err(A::Error::missing_field("kind"));
                }
                // Values are read from `map` itself, so that errors know their path.
                let kind = map.next_value()?;
                let rest = MapAccessDeserializer::new(map);
                match kind {
                    CellKind::Wlan => WlanCell::deserialize(rest).map(Cell::Wlan),
                    CellKind::Wimax => WimaxCell::deserialize(rest).map(Cell::Wimax),
                }
            }
        }
        deserializer.deserialize_map(CellVisitor)
    }
}

/// The message for a key that a cell has not, but that one of another kind has.
pub(crate) fn foreign_key(key: &str, accepted: &str) -> Option<String> {
    let kind = KEYS.iter().find(|(_, keys)| keys.iter().any(|other| other == key))?.0;
    let key = clipped(key, 60);
    Some(format!("`{key}` is a key of a {:?} cell; accepted: {accepted}", kind.name()))
}

/// The keys of each kind of cell.
static KEYS: LazyLock<[(CellKind, Vec<String>); 2]> = LazyLock::new(|| {
    [(CellKind::Wlan, keys::<WlanCell>()), (CellKind::Wimax, keys::<WimaxCell>())]
});

fn keys<T: JsonSchema>() -> Vec<String> {
    let schema = schemars::schema_for!(T).to_value();
    schema["properties"].as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
}
