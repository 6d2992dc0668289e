//! Words and units of quantities, as tables, plots and the lab's page show them.

/// Labels as a JSON document, which the Python package and the page read: no other place has any.
///
/// A label is a list: words, in which `{sender}` is "AP" or "BS"; unit, `""` unless given; decimals of a
/// value in that unit that has no interval, 3 unless given.
///
/// - `units`: stored values (bit/s, seconds, bytes, shares) times this are in the unit; times 1 in others.
/// - `main`: the metrics that come first, in order.
/// - `metrics`: labels of metrics, and of columns of flows and stations.
/// - `delays`, `parts`: those of a distribution, such as `rtt_p95_s`, are "RTT, 95th percentile", in ms.
/// - `endings`: units of metrics that have no label, by the end of their name.
/// - `keys`: labels of a scenario's keys, and of columns of text; `station_keys`: of those of a group of
///   stations and of its flows; `last_parts`: of others, by what is behind the last dot.
pub const LABELS: &str = include_str!("labels.json");
