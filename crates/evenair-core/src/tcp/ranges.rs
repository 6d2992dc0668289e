//! Sets of bytes as ascending ranges that neither overlap nor touch, each from its first byte up to
//! the one after its last.

/// Adds `start..end`; returns how many bytes that added.
pub(super) fn insert(ranges: &mut Vec<(u64, u64)>, start: u64, end: u64) -> u64 {
    let from = ranges.partition_point(|&(_, e)| e < start);
    let to = ranges.partition_point(|&(s, _)| s <= end);
    let (mut merged, mut known) = ((start, end), 0);
    for &(s, e) in &ranges[from..to] {
        merged = (merged.0.min(s), merged.1.max(e));
        known += e - s;
    }
    ranges.splice(from..to, [merged]);
    merged.1 - merged.0 - known
}

/// The range that `byte` is in.
pub(super) fn containing(ranges: &[(u64, u64)], byte: u64) -> Option<(u64, u64)> {
    let index = ranges.partition_point(|&(_, e)| e <= byte);
    ranges.get(index).copied().filter(|&(s, _)| s <= byte)
}
