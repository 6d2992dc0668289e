//! How nodes contend: `cell.edca` and `cell.edca_ap`.

use std::borrow::Cow;

use evenair_core::component::message::{nearest, quoted_list, shown};
use evenair_core::component::{Seconds, named};
use evenair_core::medium::wlan::{
    AccessParameters, AccessRules, EDCA_2020, EDCA_NS3, EDCA_WMM, EDCA_WMM_ACCESS_POINT,
    EdcaParameters,
};
use evenair_core::packet::AccessCategory;
use evenair_core::time::Duration;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_untagged::UntaggedEnumVisitor;

use crate::scenario::problem::{Checked, fail};
use crate::scenario::values::bounded_integer::optional_bounded_integer;

named! {
    /// Parameters of all categories.
    pub enum EdcaPreset {
        /// WMM, as the access points of hostapd announce it and have it themselves.
        #[default]
        Wmm => "wmm",
        /// IEEE 802.11-2020 table 9-155.
        Standard => "802.11-2020",
        /// ns-3.44, with its rules of access.
        Ns3 => "ns3",
    }
    planned []
}

/// A preset, and what differs from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, remote = "Self")]
#[schemars(!remote)]
pub struct Edca {
    /// What holds where a category is silent (default: "wmm").
    pub kind: EdcaPreset,
    /// Best effort.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub be: Option<AccessKeys>,
    /// Background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bk: Option<AccessKeys>,
    /// Video.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vi: Option<AccessKeys>,
    /// Voice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vo: Option<AccessKeys>,
}

/// What of a category differs from the preset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AccessKeys {
    /// CWmin, slots: 2^n - 1, up to 1023.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_bounded_integer::<0, 1023, _>"
    )]
    #[schemars(range(min = 0, max = 1023))]
    pub cw_min: Option<u32>,
    /// CWmax, slots: 2^n - 1, up to 1023.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_bounded_integer::<0, 1023, _>"
    )]
    #[schemars(range(min = 0, max = 1023))]
    pub cw_max: Option<u32>,
    /// AIFS is SIFS and this number of slots: 2 to 15, of access points 1 to 15.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_bounded_integer::<1, 15, _>"
    )]
    #[schemars(range(min = 1, max = 15))]
    pub aifsn: Option<u32>,
    /// TXOP limit, seconds, a multiple of 32 us; 0: one PPDU in an access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub txop: Option<Seconds>,
}

/// The unit of a TXOP limit, and the largest limit in it (802.11-2020 9.4.2.28).
const TXOP_UNIT: Duration = Duration::from_micros(32);
const TXOP_UNITS: u64 = 65_535;
/// The smallest AIFSN of stations (9.4.2.28).
const STATION_AIFSN: u32 = 2;

impl Edca {
    /// The rules of access that go with it.
    pub fn rules(&self) -> AccessRules {
        match self.kind {
            EdcaPreset::Wmm | EdcaPreset::Standard => AccessRules::Standard,
            EdcaPreset::Ns3 => AccessRules::Ns3,
        }
    }

    /// The parameters of stations, or of access points.
    pub fn parameters(&self, of_access_points: bool) -> EdcaParameters {
        let mut all = match self.kind {
            EdcaPreset::Wmm if of_access_points => EDCA_WMM_ACCESS_POINT,
            EdcaPreset::Wmm => EDCA_WMM,
            EdcaPreset::Standard => EDCA_2020,
            EdcaPreset::Ns3 => EDCA_NS3,
        };
        for (category, keys) in self.categories() {
            let AccessParameters { cw_min, cw_max, aifsn, txop } = &mut all[category as usize];
            *cw_min = keys.cw_min.unwrap_or(*cw_min);
            *cw_max = keys.cw_max.unwrap_or(*cw_max);
            *aifsn = keys.aifsn.unwrap_or(*aifsn);
            *txop = keys.txop.map_or(*txop, |txop| txop.duration());
        }
        all
    }

    fn categories(&self) -> impl Iterator<Item = (AccessCategory, AccessKeys)> {
        let all = [self.be, self.bk, self.vi, self.vo];
        AccessCategory::ALL.into_iter().zip(all).filter_map(|(of, keys)| Some((of, keys?)))
    }

    /// Checks each key, and each CWmin with the CWmax that holds.
    pub(crate) fn check(&self, field: &str, of_access_points: bool) -> Checked {
        for (category, keys) in self.categories() {
            let field = |key: &str| format!("{field}.{category}.{key}");
            for (key, slots) in [("cw_min", keys.cw_min), ("cw_max", keys.cw_max)] {
                if let Some(slots) = slots.filter(|slots| !(slots + 1).is_power_of_two()) {
                    let accepted = "0, 1, 3, 7, 15, 31, 63, 127, 255, 511 or 1023";
                    return Err(fail(&field(key), &format!("got {slots}"), accepted));
                }
            }
            let AccessParameters { cw_min, cw_max, aifsn, txop } =
                self.parameters(of_access_points)[category as usize];
            if cw_min > cw_max {
                let got = format!("got {cw_min}, above a CWmax of {cw_max}");
                return Err(fail(&field("cw_min"), &got, "up to cw_max"));
            }
            if aifsn < STATION_AIFSN && !of_access_points {
                let accepted = "2 to 15, or 1 in edca_ap";
                return Err(fail(&field("aifsn"), &format!("got {aifsn}"), accepted));
            }
            let units = txop.as_nanos().div_ceil(TXOP_UNIT.as_nanos());
            if units > TXOP_UNITS || TXOP_UNIT * units != txop {
                let got = format!("got {}", Seconds::from(txop));
                let longest = Seconds::from(TXOP_UNIT * TXOP_UNITS);
                let accepted = format!("a multiple of 32 us from 0 to {longest}");
                return Err(fail(&field("txop"), &got, &accepted));
            }
        }
        Ok(())
    }
}

impl Serialize for Edca {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.categories().next() {
            None => self.kind.serialize(serializer),
            Some(_) => Self::serialize(self, serializer),
        }
    }
}

/// The name of a preset, or a table with a preset and what differs from it.
impl<'de> Deserialize<'de> for Edca {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Table(Edca);
        impl<'de> Deserialize<'de> for Table {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Edca::deserialize(deserializer).map(Self)
            }
        }
        let accepted = format!(
            "{}, or a table such as {{ be = {{ cw_min = 15, cw_max = 1023, aifsn = 3, txop = \"0 us\" }} }}",
            quoted_list(EdcaPreset::NAMES)
        );
        UntaggedEnumVisitor::new()
            .expecting(&accepted)
            .string(|name| {
                let preset =
                    EdcaPreset::from_name(name).map(|kind| Self { kind, ..Self::default() });
                preset.ok_or_else(|| {
                    let hint = nearest(name, EdcaPreset::NAMES)
                        .map_or(String::new(), |near| format!("did you mean {near:?}? "));
                    Error::custom(format!("got {}; {hint}accepted: {accepted}", shown(name)))
                })
            })
            .map(|table| table.deserialize::<Table>().map(|Table(edca)| edca))
            .deserialize(deserializer)
    }
}

/// [`Edca`] as a name or a table, for the schema.
#[derive(Debug)]
pub(crate) struct EdcaSchema;

impl JsonSchema for EdcaSchema {
    fn schema_name() -> Cow<'static, str> {
        "EdcaOrPreset".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let preset = generator.subschema_for::<EdcaPreset>();
        json_schema!({ "anyOf": [preset, generator.subschema_for::<Edca>()] })
    }
}
