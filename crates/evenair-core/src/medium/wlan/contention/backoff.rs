//! The contention window of a contender and its backoffs.

use crate::rng::RngStream;

/// The contention window of a contender, and the stream from which its backoffs are drawn.
#[derive(Debug)]
pub(in crate::medium::wlan) struct Backoff {
    cw: u32,
    cw_min: u32,
    cw_max: u32,
    drawn: u32,
    stream: RngStream,
}

impl Backoff {
    /// CW is `cw_min`.
    pub(in crate::medium::wlan) fn new(cw_min: u32, cw_max: u32, stream: RngStream) -> Self {
        Self { cw: cw_min, cw_min, cw_max, drawn: 0, stream }
    }

    /// A backoff, uniform on 0..=CW slots (IEEE 802.11-2007 9.2.4; of EDCA: 802.11-2020 10.23.2.2).
    pub(in crate::medium::wlan) fn draw(&mut self) -> u32 {
        self.drawn = self.stream.up_to(self.cw);
        self.drawn
    }

    /// No backoff precedes the next attempt.
    pub(in crate::medium::wlan) fn skip(&mut self) {
        self.drawn = 0;
    }

    /// CW after an attempt that has failed, or an internal collision: 2 CW + 1, at most CWmax.
    pub(in crate::medium::wlan) fn double(&mut self) {
        self.cw = (2 * self.cw + 1).min(self.cw_max);
    }

    /// CW after a success or a drop: CWmin.
    #[inline(always)]
    pub(in crate::medium::wlan) fn reset(&mut self) {
        self.cw = self.cw_min;
    }

    /// CWmax, slots.
    pub(in crate::medium::wlan) fn cw_max(&self) -> u32 {
        self.cw_max
    }

    /// CW, slots.
    pub(in crate::medium::wlan) fn cw(&self) -> u32 {
        self.cw
    }

    /// The last backoff drawn, slots; 0 where none precedes the attempt.
    pub(in crate::medium::wlan) fn drawn(&self) -> u32 {
        self.drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::StreamId;

    /// By hand, with the default CWmin 7 and CWmax 15 of AC_VI in an OFDM PHY (802.11-2020, table 9-155).
    #[test]
    fn the_window_doubles_up_to_its_maximum() {
        let stream = || RngStream::new(1, StreamId::Backoff, 0);
        let mut backoff = Backoff::new(7, 15, stream());
        let mut same = stream();
        for cw in [7, 15, 15] {
            assert_eq!(backoff.cw(), cw);
            let drawn = backoff.draw();
            assert_eq!((drawn, backoff.drawn()), (same.up_to(cw), drawn));
            backoff.double();
        }
        backoff.skip();
        backoff.reset();
        assert_eq!((backoff.cw(), backoff.drawn()), (7, 0));
    }
}
