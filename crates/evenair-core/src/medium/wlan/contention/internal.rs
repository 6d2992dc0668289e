//! Internal collisions: several contenders of one node have reached 0 at the same boundary.
//!
//! The one of the highest access category transmits. For the others this is a failure without a
//! transmission (IEEE 802.11-2020 10.23.2.2 and 10.23.2.4): CW grows, the retry counts, but the Retry bit of the
//! frame is not set. They draw a backoff ([`Backoff::double`], [`Backoff::draw`]), which counts after the busy
//! period ([`Contention::defer`]), since a contender that begins a backoff at a boundary does not decrement it
//! there.
//!
//! [`Backoff::double`]: super::Backoff::double
//! [`Backoff::draw`]: super::Backoff::draw
//! [`Contention::defer`]: super::Contention::defer

use super::contender::ContenderId;

/// Splits `reached`, the contenders that have reached 0, where each node has `per_node` contenders: those that
/// transmit remain, one per node, in ascending order. The others are appended to `collided`.
pub(in crate::medium::wlan) fn split(
    reached: &mut Vec<ContenderId>,
    per_node: u32,
    collided: &mut Vec<ContenderId>,
) {
    reached.sort_unstable();
    let mut transmitting = 0;
    for i in 0..reached.len() {
        let (id, next) = (reached[i], reached.get(i + 1));
        if next.is_some_and(|next| next.0 / per_node == id.0 / per_node) {
            collided.push(id);
        } else {
            reached[transmitting] = id;
            transmitting += 1;
        }
    }
    reached.truncate(transmitting);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four contenders per node, by hand: 1 and 3 belong to node 0, 4 to node 1, 8, 9 and 10 to node 2.
    #[test]
    fn the_highest_category_of_each_node_transmits() {
        let ids = |ids: &[u32]| ids.iter().copied().map(ContenderId).collect::<Vec<_>>();
        let (mut reached, mut collided) = (ids(&[9, 4, 10, 3, 8, 1]), Vec::new());
        split(&mut reached, 4, &mut collided);
        assert_eq!((reached, collided), (ids(&[3, 4, 10]), ids(&[1, 8, 9])));
        let (mut reached, mut collided) = (ids(&[2, 0]), Vec::new());
        split(&mut reached, 1, &mut collided);
        assert_eq!((reached, collided), (ids(&[0, 2]), Vec::new()));
    }
}
