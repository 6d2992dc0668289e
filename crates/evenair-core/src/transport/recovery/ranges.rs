//! Sets of bytes as ascending ranges that neither overlap nor touch, each from its first byte up to
//! the one after its last.

/// Adds `start..end`; returns how many bytes that added.
pub fn insert(ranges: &mut Vec<(u64, u64)>, start: u64, end: u64) -> u64 {
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
pub fn containing(ranges: &[(u64, u64)], byte: u64) -> Option<(u64, u64)> {
    let index = ranges.partition_point(|&(_, e)| e <= byte);
    ranges.get(index).copied().filter(|&(s, _)| s <= byte)
}

/// What of `start..end` is in none of the ranges, ascending.
pub fn missing(ranges: &[(u64, u64)], start: u64, end: u64) -> impl Iterator<Item = (u64, u64)> {
    let from = ranges.partition_point(|&(_, e)| e <= start);
    let known = ranges[from..].iter().take_while(move |&&(s, _)| s < end);
    let mut at = start;
    known.copied().chain([(end, end)]).filter_map(move |(s, e)| {
        let gap = (at, s.min(end));
        at = at.max(e);
        (gap.0 < gap.1).then_some(gap)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_lies_between_the_ranges() {
        let ranges = [(10, 20), (30, 40), (50, 60)];
        let of = |start, end| missing(&ranges, start, end).collect::<Vec<_>>();
        assert_eq!(of(0, 5), [(0, 5)]);
        assert_eq!(of(10, 20), []);
        assert_eq!(of(15, 35), [(20, 30)]);
        assert_eq!(of(5, 70), [(5, 10), (20, 30), (40, 50), (60, 70)]);
        assert_eq!(of(20, 30), [(20, 30)]);
        assert_eq!(missing(&[], 1, 2).collect::<Vec<_>>(), [(1, 2)]);
    }
}
