//! The backoff window of bandwidth requests: `cell.request_backoff`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::scenario::values::node_names::written;

/// The largest exponent: the field has 4 bits (IEEE 802.16-2004 table 349, Request Backoff End).
const LARGEST: u64 = 15;

/// First and last exponent w of a window of 2^w opportunities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RequestBackoff(pub [u32; 2]);

impl Default for RequestBackoff {
    fn default() -> Self {
        Self([2, 6])
    }
}

impl<'de> Deserialize<'de> for RequestBackoff {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let items = value.as_array().map(Vec::as_slice);
        let exponents = items.and_then(|items| {
            let exponent = |item: &Value| item.as_u64().filter(|&exponent| exponent <= LARGEST);
            let [first, last] = items else { return None };
            Some([exponent(first)? as u32, exponent(last)? as u32])
        });
        match exponents {
            Some([first, last]) if first <= last => Ok(Self([first, last])),
            _ => Err(D::Error::custom(format!(
                "got {}; accepted: two whole numbers from 0 to {LARGEST} such as [2, 6], the first \
                 not above the second",
                written(&value)
            ))),
        }
    }
}

impl JsonSchema for RequestBackoff {
    fn schema_name() -> Cow<'static, str> {
        "RequestBackoff".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": { "type": "integer", "minimum": 0, "maximum": LARGEST },
            "minItems": 2,
            "maxItems": 2,
        })
    }
}
