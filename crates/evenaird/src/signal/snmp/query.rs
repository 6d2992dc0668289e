//! The objects of one request, and the check of the response. Nothing that an agent sends is
//! trusted: order, names and types must be those of the request.

use anyhow::{Result, bail, ensure};
use snmp2::{MessageType, Oid, Pdu, Value};

use super::target::ObjectId;
use crate::signal::counter::{Count, Reading};

/// A column of a table (RFC 2863), without ifIndex.
pub(super) struct Column {
    name: &'static str,
    oid: &'static [u64],
}

/// RFC 3418.
const SYS_UPTIME: Column = Column { name: "sysUpTime", oid: &[1, 3, 6, 1, 2, 1, 1, 3, 0] };
/// RFC 2863 ifTable.
const IF_OUT_DISCARDS: Column =
    Column { name: "ifOutDiscards", oid: &[1, 3, 6, 1, 2, 1, 2, 2, 1, 19] };
const IF_OUT_OCTETS: Column = Column { name: "ifOutOctets", oid: &[1, 3, 6, 1, 2, 1, 2, 2, 1, 16] };
const IF_DESCR: Column = Column { name: "ifDescr", oid: &[1, 3, 6, 1, 2, 1, 2, 2, 1, 2] };
/// RFC 2863 ifXTable.
const IF_HC_OUT_OCTETS: Column =
    Column { name: "ifHCOutOctets", oid: &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 10] };
const IF_COUNTER_DISCONTINUITY_TIME: Column =
    Column { name: "ifCounterDiscontinuityTime", oid: &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 19] };
const IF_NAME: Column = Column { name: "ifName", oid: &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1] };

/// The columns that name an interface, the preferred one first.
pub(super) const NAMES: [&Column; 2] = [&IF_NAME, &IF_DESCR];

impl Column {
    /// The column itself, where a walk of it starts.
    pub(super) fn root(&self) -> Result<Oid<'static>> {
        object(self.oid)
    }

    /// The instance of an interface.
    pub(super) fn of(&self, index: u32) -> Result<Oid<'static>> {
        object(&[self.oid, &[index.into()]].concat())
    }

    /// The ifIndex of an instance; `None` if `oid` is none of this column.
    pub(super) fn index(&self, oid: &Oid<'_>) -> Option<u32> {
        let root = self.root().ok()?;
        let (last, more) = oid.as_bytes().strip_prefix(root.as_bytes())?.split_last()?;
        // BER: seven bits per octet, the eighth is set in all but the last.
        if more.iter().any(|octet| octet & 0x80 == 0) || last & 0x80 != 0 || more.len() > 4 {
            return None;
        }
        let digits = more.iter().chain([last]).map(|octet| u64::from(octet & 0x7f));
        u32::try_from(digits.fold(0, |index, digit| index << 7 | digit)).ok()
    }
}

fn object(ids: &[u64]) -> Result<Oid<'static>> {
    Oid::from(ids).map_err(|error| anyhow::anyhow!("object identifier: {error:?}"))
}

/// A request for everything that a [`Reading`] needs.
pub struct Query {
    index: u32,
    objects: Vec<Oid<'static>>,
    /// What the last object must be equal to, if the interface is known by name.
    name: Option<Vec<u8>>,
}

impl Query {
    /// The losses of the interface with this ifIndex: ifOutDiscards or `counter`. With a name, in
    /// the column that contains it, the response must confirm it.
    pub(super) fn new(
        index: u32,
        counter: Option<&ObjectId>,
        name: Option<(&Column, &str)>,
    ) -> Result<Self> {
        let mut objects = vec![
            object(SYS_UPTIME.oid)?,
            counter.map_or_else(|| IF_OUT_DISCARDS.of(index), |counter| Ok(counter.0.clone()))?,
            IF_HC_OUT_OCTETS.of(index)?,
            IF_OUT_OCTETS.of(index)?,
            IF_COUNTER_DISCONTINUITY_TIME.of(index)?,
        ];
        if let Some((column, _)) = name {
            objects.push(column.of(index)?);
        }
        Ok(Query { index, objects, name: name.map(|(_, name)| name.into()) })
    }

    /// The query for ifOutDiscards of an interface without a name.
    pub fn of_index(index: u32) -> Result<Self> {
        Self::new(index, None, None)
    }

    /// The objects, in the order of the request.
    pub fn objects(&self) -> Vec<&Oid<'static>> {
        self.objects.iter().collect()
    }

    /// The reading in a response, or in one line why there is none.
    pub fn read(&self, response: &Pdu<'_>) -> Result<Reading> {
        ensure!(response.message_type == MessageType::Response, "the answer is not a response");
        ensure!(
            response.error_status == 0,
            "the agent reports error-status {} (RFC 3416)",
            response.error_status
        );
        let mut bindings = response.varbinds.clone();
        let mut objects = self.objects.iter();
        let mut next = || {
            let binding = objects.next().zip(bindings.next());
            match binding {
                Some((object, (name, value))) if name == *object => Ok(value),
                _ => bail!("the response has other objects than the request"),
            }
        };
        let uptime = match next()? {
            Value::Timeticks(ticks) => ticks,
            other => bail!("{}: {}", SYS_UPTIME.name, problem(&other)),
        };
        let lost = match next()? {
            Value::Counter32(count) => Count::Bits32(count),
            Value::Counter64(count) => Count::Bits64(count),
            other => bail!("counter of losses {}: {}", self.objects[1], problem(&other)),
        };
        let wide = optional(&IF_HC_OUT_OCTETS, &next()?, |value| match value {
            Value::Counter64(count) => Some(*count),
            _ => None,
        })?;
        let narrow = optional(&IF_OUT_OCTETS, &next()?, |value| match value {
            Value::Counter32(count) => Some(*count),
            _ => None,
        })?;
        let discontinuity =
            optional(&IF_COUNTER_DISCONTINUITY_TIME, &next()?, |value| match value {
                Value::Timeticks(ticks) => Some(*ticks),
                _ => None,
            })?;
        if let Some(expected) = &self.name {
            match next()? {
                Value::OctetString(name) if name == expected => {}
                _ => bail!("the interface has been renumbered"),
            }
        }
        if wide.is_none() && narrow.is_none() {
            bail!("{}, {}: not there", IF_HC_OUT_OCTETS.name, IF_OUT_OCTETS.name);
        }
        // Both, as either may stand still: RFC 2863 requires ifHCOutOctets from 20 Mb/s on only,
        // and net-snmp 5.9.3 leaves that of a TUN device at 0.
        let activity = u128::from(wide.unwrap_or(0)) << 32 | u128::from(narrow.unwrap_or(0));
        let epoch = u64::from(self.index) << 32 | u64::from(discontinuity.unwrap_or(0));
        Ok(Reading { lost, activity: Some(activity), uptime: Some(uptime), epoch })
    }
}

/// A value that an agent need not have.
fn optional<T>(
    column: &Column,
    value: &Value<'_>,
    read: impl Fn(&Value<'_>) -> Option<T>,
) -> Result<Option<T>> {
    match value {
        Value::NoSuchObject | Value::NoSuchInstance => Ok(None),
        value => match read(value) {
            Some(value) => Ok(Some(value)),
            None => bail!("{}: {}", column.name, problem(value)),
        },
    }
}

fn problem(value: &Value<'_>) -> &'static str {
    match value {
        Value::NoSuchObject | Value::NoSuchInstance | Value::EndOfMibView => "not there",
        _ => "has another type than its MIB says",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        #[test]
        fn an_instance_tells_its_index(index: u32) {
            let instance = IF_NAME.of(index).unwrap();
            prop_assert_eq!(IF_NAME.index(&instance), Some(index));
            prop_assert_eq!(IF_DESCR.index(&instance), None);
        }

        #[test]
        fn any_suffix_is_survived(suffix in prop::collection::vec(any::<u8>(), 0..12)) {
            let bytes = [IF_NAME.root().unwrap().as_bytes(), &suffix].concat();
            let instance = Oid::new(bytes.into());
            // What is an index has one encoding: without leading zeros.
            if let Some(index) = IF_NAME.index(&instance).filter(|_| suffix[0] != 0x80) {
                prop_assert_eq!(IF_NAME.of(index).unwrap(), instance);
            }
        }
    }
}
