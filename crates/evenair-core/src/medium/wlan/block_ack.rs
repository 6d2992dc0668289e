//! A Block Ack agreement: what its originator may transmit, and what its recipient passes on
//! (IEEE 802.11-2020 10.25.6).
//!
//! Both have a window of sequence numbers. That of the originator begins with the oldest MPDU that is neither
//! acknowledged nor discarded (WinStart_O): it transmits nothing that lies beyond the window. That of the recipient
//! begins with the first MPDU that it has not passed on (WinStart_B). It passes MPDUs on in order. An MPDU beyond the
//! window moves it, so that this MPDU is its last one: what is then before the window is passed on, and gaps there are
//! given up.

use std::collections::VecDeque;

/// Sequence numbers (9.2.4.4.2).
const SEQUENCE_NUMBERS: u16 = 4096;
/// Numbers that are this far ahead of another one, or more, are before it (10.25.6.6).
const HALF: u16 = SEQUENCE_NUMBERS / 2;

/// How far `sequence` is ahead of `start`, from 0 on.
const fn ahead(start: u16, sequence: u16) -> u16 {
    sequence.wrapping_sub(start) % SEQUENCE_NUMBERS
}

const fn following(sequence: u16) -> u16 {
    (sequence + 1) % SEQUENCE_NUMBERS
}

/// The originator: MPDUs that are to be transmitted, for the first time or again.
#[derive(Debug)]
pub(in crate::medium::wlan) struct Originator<T> {
    window: u16,
    /// The sequence number of the next new MPDU.
    next: u16,
    /// Sequence numbers ascend.
    mpdus: VecDeque<(u16, T)>,
}

impl<T: Copy> Originator<T> {
    /// An agreement with this window, 1 to 1024, that begins with sequence number 0.
    pub(in crate::medium::wlan) fn new(window: u16) -> Self {
        Self { window, next: 0, mpdus: VecDeque::new() }
    }

    /// Whether it has no MPDU.
    #[inline(always)]
    pub(in crate::medium::wlan) fn is_empty(&self) -> bool {
        self.mpdus.is_empty()
    }

    /// The number of its MPDUs.
    #[inline(always)]
    pub(in crate::medium::wlan) fn len(&self) -> usize {
        self.mpdus.len()
    }

    /// Whether the window has room for a new MPDU.
    #[inline(always)]
    pub(in crate::medium::wlan) fn has_room(&self) -> bool {
        ahead(self.start(), self.next) < self.window
    }

    /// How many new MPDUs the window has room for.
    pub(in crate::medium::wlan) fn room(&self) -> u32 {
        (self.window - ahead(self.start(), self.next)).into()
    }

    /// Adds a new MPDU, for which there is room.
    #[inline(always)]
    pub(in crate::medium::wlan) fn push(&mut self, mpdu: T) {
        debug_assert!(self.has_room(), "it lies in the window");
        self.mpdus.push_back((self.next, mpdu));
        self.next = following(self.next);
    }

    /// Its MPDUs with their sequence numbers, in order.
    #[inline(always)]
    pub(in crate::medium::wlan) fn iter(&self) -> impl Iterator<Item = (u16, &T)> + Clone {
        self.mpdus.iter().map(|(sequence, mpdu)| (*sequence, mpdu))
    }

    /// The oldest.
    pub(in crate::medium::wlan) fn oldest_mut(&mut self) -> Option<&mut T> {
        self.mpdus.front_mut().map(|(_, mpdu)| mpdu)
    }

    /// The newest.
    pub(in crate::medium::wlan) fn newest_mut(&mut self) -> Option<&mut T> {
        self.mpdus.back_mut().map(|(_, mpdu)| mpdu)
    }

    /// Gives up the oldest.
    pub(in crate::medium::wlan) fn discard_oldest(&mut self) -> Option<T> {
        self.mpdus.pop_front().map(|(_, mpdu)| mpdu)
    }

    /// Gives up those for which `is_over`, and passes them to `gone` in order. The first `transmitted` have been
    /// transmitted, and keep their sequence numbers; the others follow them without a gap. Returns how many of the first
    /// are given up.
    pub(in crate::medium::wlan) fn discard(
        &mut self,
        transmitted: usize,
        is_over: impl Fn(&T) -> bool,
        mut gone: impl FnMut(T),
    ) -> usize {
        let mut renumbered = self.mpdus.get(transmitted).map_or(self.next, |(first, _)| *first);
        let (mut place, mut given_up) = (0, 0);
        self.mpdus.retain_mut(|(sequence, mpdu)| {
            let was_transmitted = place < transmitted;
            place += 1;
            if is_over(mpdu) {
                given_up += usize::from(was_transmitted);
                gone(*mpdu);
                return false;
            }
            if !was_transmitted {
                *sequence = renumbered;
                renumbered = following(renumbered);
            }
            true
        });
        self.next = renumbered;
        given_up
    }

    /// The first sequence number of its window: of the oldest MPDU, or of the next new one.
    pub(in crate::medium::wlan) fn start(&self) -> u16 {
        self.mpdus.front().map_or(self.next, |(oldest, _)| *oldest)
    }

    /// Removes those of its first MPDUs that are `acknowledged`, and passes them to `done` in order.
    #[inline(always)]
    pub(in crate::medium::wlan) fn acknowledge(
        &mut self,
        acknowledged: &[bool],
        mut done: impl FnMut(T),
    ) {
        let of_them = acknowledged.len().min(self.mpdus.len());
        if acknowledged.iter().all(|acknowledged| *acknowledged) {
            self.mpdus.drain(..of_them).for_each(|(_, mpdu)| done(mpdu));
            return;
        }
        let mut each = acknowledged.iter();
        self.mpdus.retain(|(_, mpdu)| {
            let is_done = each.next().is_some_and(|acknowledged| *acknowledged);
            if is_done {
                done(*mpdu);
            }
            !is_done
        });
    }
}

/// The recipient: its scoreboard, and the reorder buffer.
#[derive(Debug)]
pub(in crate::medium::wlan) struct Recipient<T> {
    window: u16,
    /// The first sequence number of the window.
    start: u16,
    /// From `start` on, up to the last MPDU that is held back.
    held: VecDeque<Option<T>>,
}

impl<T: Copy> Recipient<T> {
    /// An agreement with this window, 1 to 1024, that begins with sequence number 0.
    pub(in crate::medium::wlan) fn new(window: u16) -> Self {
        Self { window, start: 0, held: VecDeque::new() }
    }

    /// Whether a Block Ack says that the MPDU with this sequence number has been received: it is held back, or lies
    /// before the window.
    pub(in crate::medium::wlan) fn has(&self, sequence: u16) -> bool {
        let place = ahead(self.start, sequence);
        place >= HALF || self.held.get(usize::from(place)).is_some_and(Option::is_some)
    }

    /// The first sequence number of its window.
    pub(in crate::medium::wlan) fn start(&self) -> u16 {
        self.start
    }

    /// The Starting Sequence Number of a bitmap with `length` bits: the oldest of those that it is to have, but as new
    /// as necessary for the newest MPDU that has been received.
    pub(in crate::medium::wlan) fn bitmap_start(
        &self,
        length: u16,
        to_have: impl Iterator<Item = u16>,
    ) -> u16 {
        let behind_newest = self.start + self.held.len() as u16;
        let earliest = behind_newest.wrapping_sub(length) % SEQUENCE_NUMBERS;
        let after = |sequence| match ahead(earliest, sequence) {
            before if before >= HALF => 0,
            after => after,
        };
        (earliest + to_have.map(after).min().unwrap_or(0)) % SEQUENCE_NUMBERS
    }

    /// The bitmap of a Block Ack, of which bit i stands for `start` + i: those that [`Self::has`].
    pub(in crate::medium::wlan) fn bitmap(&self, start: u16, length: u16) -> [u64; 4] {
        let mut bitmap = [0; 4];
        for place in (0..length).filter(|place| self.has((start + place) % SEQUENCE_NUMBERS)) {
            bitmap[usize::from(place / 64)] |= 1 << (place % 64);
        }
        bitmap
    }

    /// Receives an MPDU, and passes those that are in order to `pass_on`. Returns whether it is new: a duplicate is
    /// discarded.
    #[inline(always)]
    pub(in crate::medium::wlan) fn receive(
        &mut self,
        sequence: u16,
        mpdu: T,
        mut pass_on: impl FnMut(T),
    ) -> bool {
        if sequence == self.start && self.held.is_empty() {
            self.start = following(self.start);
            pass_on(mpdu);
            return true;
        }
        self.hold_back(sequence, mpdu, pass_on)
    }

    /// A BlockAckReq says that the originator's window begins with `start`: passes on what lies before it, and what
    /// follows it without a gap (10.25.6.6.3).
    pub(in crate::medium::wlan) fn advance(&mut self, start: u16, mut pass_on: impl FnMut(T)) {
        while (1..HALF).contains(&ahead(self.start, start)) {
            self.move_on(&mut pass_on);
        }
        while let Some(Some(_)) = self.held.front() {
            self.move_on(&mut pass_on);
        }
    }

    /// As [`Self::receive`], of an MPDU that is not the next one, or fills a gap.
    fn hold_back(&mut self, sequence: u16, mpdu: T, mut pass_on: impl FnMut(T)) -> bool {
        if self.has(sequence) {
            return false;
        }
        while ahead(self.start, sequence) >= self.window {
            self.move_on(&mut pass_on);
        }
        let place = usize::from(ahead(self.start, sequence));
        self.held.resize(self.held.len().max(place + 1), None);
        self.held[place] = Some(mpdu);
        while let Some(Some(_)) = self.held.front() {
            self.move_on(&mut pass_on);
        }
        true
    }

    /// The window moves by one.
    fn move_on(&mut self, pass_on: &mut impl FnMut(T)) {
        self.start = following(self.start);
        if let Some(Some(mpdu)) = self.held.pop_front() {
            pass_on(mpdu);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn receive(recipient: &mut Recipient<u32>, sequence: u16) -> (bool, Vec<u32>) {
        let mut passed_on = Vec::new();
        let is_new = recipient.receive(sequence, sequence.into(), |mpdu| passed_on.push(mpdu));
        (is_new, passed_on)
    }

    /// By hand: of 0 to 4, 0 and 1 have been transmitted; 1 and 3 are given up. 2 and 4, which nobody has seen, are 2
    /// and 3 then.
    #[test]
    fn what_was_not_transmitted_gets_other_numbers() {
        let mut originator = Originator::new(8);
        (0..5).for_each(|mpdu| originator.push(mpdu));
        let mut gone = Vec::new();
        let of_transmitted =
            originator.discard(2, |mpdu| [1, 3].contains(mpdu), |mpdu| gone.push(mpdu));
        assert_eq!((of_transmitted, gone), (1, vec![1, 3]));
        let left: Vec<_> = originator.iter().map(|(sequence, mpdu)| (sequence, *mpdu)).collect();
        assert_eq!(left, [(0, 0), (2, 2), (3, 4)]);
        originator.push(5);
        assert_eq!(originator.iter().last(), Some((4, &5)));
    }

    /// By hand: 0 and 2 are lost; 1 and 3 wait. The window begins with 2, then with 3.
    #[test]
    fn a_request_passes_on_what_lies_before_the_window() {
        let mut recipient = Recipient::new(8);
        for sequence in [1, 3] {
            assert_eq!(receive(&mut recipient, sequence), (true, vec![]));
        }
        let mut advance = |start| {
            let mut passed_on = Vec::new();
            recipient.advance(start, |mpdu| passed_on.push(mpdu));
            passed_on
        };
        assert_eq!([0, 2, 3].map(&mut advance), [vec![], vec![1], vec![3]]);
        // One that lies behind changes nothing.
        assert_eq!(advance(1), Vec::<u32>::new());
        assert_eq!(receive(&mut recipient, 4), (true, vec![4]));
    }

    /// By hand, with a window of 4: 0 is lost, 1 to 3 wait for it; 2 comes again.
    #[test]
    fn what_follows_a_gap_is_held_back() {
        let mut recipient = Recipient::new(4);
        for sequence in 1..=3 {
            assert_eq!(receive(&mut recipient, sequence), (true, vec![]));
        }
        assert_eq!(receive(&mut recipient, 2), (false, vec![]));
        assert_eq!(
            [0, 1, 3, 4].map(|sequence| recipient.has(sequence)),
            [false, true, true, false]
        );
        assert_eq!(receive(&mut recipient, 0), (true, vec![0, 1, 2, 3]));
        assert_eq!(receive(&mut recipient, 3), (false, vec![]));
        assert_eq!(receive(&mut recipient, 4), (true, vec![4]));
    }

    /// By hand, with a window of 4 that holds 1 and 3 of 0 to 3: 5 moves it to 2 to 5, which passes 1 on and gives up 0.
    /// 2 is then passed on with 3, and 4 is the next gap.
    #[test]
    fn an_mpdu_beyond_the_window_moves_it() {
        let mut recipient = Recipient::new(4);
        assert_eq!(receive(&mut recipient, 1), (true, vec![]));
        assert_eq!(receive(&mut recipient, 3), (true, vec![]));
        assert_eq!(receive(&mut recipient, 5), (true, vec![1]));
        assert_eq!(receive(&mut recipient, 0), (false, vec![]));
        assert_eq!(receive(&mut recipient, 2), (true, vec![2, 3]));
        assert_eq!(receive(&mut recipient, 4), (true, vec![4, 5]));
    }

    /// By hand, with a window of 4: 0, 1 and 3 are received. A bitmap of 64 bits that is to have 1 and 3 begins with 1;
    /// one of 2 bits cannot have both, and ends with 3. What is before the first number counts as received.
    #[test]
    fn a_bitmap_reaches_the_newest() {
        let mut recipient = Recipient::new(4);
        for sequence in [0, 1, 3] {
            receive(&mut recipient, sequence);
        }
        let start =
            |length, to_have: &[u16]| recipient.bitmap_start(length, to_have.iter().copied());
        assert_eq!([start(64, &[3, 1]), start(64, &[3]), start(2, &[3, 1])], [1, 3, 2]);
        let bits = |start| recipient.bitmap(start, 64);
        assert_eq!(
            [bits(1), bits(2), bits(4095)],
            [[0b101, 0, 0, 0], [0b10, 0, 0, 0], [0b10111, 0, 0, 0]]
        );
        // 3999 to 4095 are 97 numbers.
        let second = ((1 << (97 - 64 + 2)) - 1) | (1 << (97 - 64 + 3));
        assert_eq!(recipient.bitmap(3999, 256), [u64::MAX, second, 0, 0]);
    }

    /// By hand: 4095 is followed by 0. 2047 numbers ahead is beyond the window, 2048 before it.
    #[test]
    fn sequence_numbers_wrap() {
        let mut recipient = Recipient::new(2);
        for sequence in 0..SEQUENCE_NUMBERS {
            assert_eq!(receive(&mut recipient, sequence), (true, vec![sequence.into()]));
        }
        assert_eq!(receive(&mut recipient, 1), (true, vec![]));
        assert_eq!(receive(&mut recipient, 0), (true, vec![0, 1]));
        assert_eq!(receive(&mut recipient, 2 + HALF), (false, vec![]));
        assert_eq!(receive(&mut recipient, 1 + HALF), (true, vec![]));
        assert!(recipient.has(HALF - 1) && !recipient.has(HALF));
    }

    /// By hand, with a window of 3: while 0 is not acknowledged, nothing beyond 2 is transmitted, however many of
    /// the others are done.
    #[test]
    fn the_oldest_mpdu_holds_the_window() {
        let mut originator = Originator::new(3);
        (0..3).for_each(|mpdu| originator.push(mpdu));
        assert!(!originator.has_room());
        let mut done = Vec::new();
        originator.acknowledge(&[false, true, true], |mpdu| done.push(mpdu));
        assert_eq!((originator.len(), originator.has_room()), (1, false));
        originator.acknowledge(&[true], |mpdu| done.push(mpdu));
        assert_eq!(
            (done, originator.is_empty(), originator.has_room()),
            (vec![1, 2, 0], true, true)
        );
        originator.push(3);
        assert_eq!(originator.iter().collect::<Vec<_>>(), [(3, &3)]);
        assert_eq!(originator.oldest_mut().copied(), Some(3));
        assert_eq!([(); 2].map(|()| originator.discard_oldest()), [Some(3), None]);
    }

    proptest! {
        /// MPDUs, Block Acks and discards at random, over more than one round of sequence numbers: everything that
        /// is not discarded is passed on once and in order; what is acknowledged has been received.
        #[test]
        fn everything_is_passed_on_once_and_in_order(
            window in 1..80_u16,
            rounds in prop::collection::vec((0..u64::MAX, 0..100_u8), 200),
        ) {
            let (mut originator, mut recipient) = (Originator::new(window), Recipient::new(window));
            let (mut number, mut passed_on, mut given_up) = (0_u32, Vec::new(), BTreeSet::new());
            let mut received = BTreeSet::new();
            for (bits, fate) in rounds {
                while originator.has_room() {
                    originator.push(number);
                    number += 1;
                }
                prop_assert!(originator.len() <= window.into());
                let first = originator.iter().next().map_or(0, |(sequence, _)| sequence);
                let mut acknowledged: Vec<bool> =
                    (0..originator.len()).map(|i| bits >> (i % 64) & 1 == 1).collect();
                for ((sequence, mpdu), decoded) in originator.iter().zip(&mut acknowledged) {
                    prop_assert!(ahead(first, sequence) < window);
                    if *decoded {
                        let is_new = recipient.receive(sequence, *mpdu, |mpdu| passed_on.push(mpdu));
                        prop_assert_eq!(is_new, received.insert(*mpdu));
                    } else {
                        *decoded = recipient.has(sequence);
                        prop_assert_eq!(*decoded, received.contains(mpdu));
                    }
                }
                match fate {
                    0..20 => {}
                    // A discarded MPDU may have been received, its Block Ack lost.
                    20..25 => given_up.extend(originator.discard_oldest()),
                    _ => originator.acknowledge(&acknowledged, |mpdu| assert!(received.contains(&mpdu))),
                }
            }
            // The rest arrives, and enough after it to move the window past every gap.
            for _ in 0..2 * window {
                while originator.has_room() {
                    originator.push(number);
                    number += 1;
                }
                let all = vec![true; originator.len()];
                for (sequence, mpdu) in originator.iter() {
                    recipient.receive(sequence, *mpdu, |mpdu| passed_on.push(mpdu));
                }
                originator.acknowledge(&all, |_| {});
            }
            prop_assert!(passed_on.windows(2).all(|pair| pair[0] < pair[1]));
            let passed_on: BTreeSet<_> = passed_on.into_iter().collect();
            let missing: BTreeSet<_> = (0..number).filter(|mpdu| !passed_on.contains(mpdu)).collect();
            prop_assert!(missing.is_subset(&given_up), "{:?}", missing);
        }
    }
}
