//! Video that is streamed: a player fetches chunk after chunk over TCP, each at a rate of a ladder that a
//! buffer-based adaptation chooses, and plays them.
//!
//! The player knows nothing of connections: it says when it wants which chunk ([`Player::next_request_at`],
//! [`Player::request`]), and is told when that has arrived ([`Player::on_chunk`]).

mod bba;
mod ladder;
mod playback;

pub use ladder::{Ladder, ladder};

use self::bba::Bba;
use self::playback::Playback;
use crate::component::{Limit, configuration, integer, limit, positive_up_to};
use crate::time::{Duration, Instant};

/// The longest chunk, buffer and part of a buffer: a day.
const LONGEST: Duration = Duration::from_secs(86_400);

configuration! {
    /// Parameters of a video that is streamed.
    pub struct StreamConfig {
        name: "stream",
        summary: "a player that fetches a video in chunks, at rates that it chooses by its buffer (TCP)",
        source: "Huang, Johari, McKeown, Trunnell and Watson 2014, section 4 (BBA-0)",
        ordered: [chunk <= buffer, start_at <= buffer, reservoir <= buffer, cushion <= buffer],
    }
    /// rates that the video is stored at, in ascending order
    rates: Ladder = Ladder::default(), ladder();
    /// playing time of a chunk
    chunk: Duration = Duration::from_secs(4), positive_up_to(LONGEST);
    /// chunks of the video
    chunks: Limit = Limit::Unlimited, limit(1_000_000);
    /// playing time that the buffer has room for
    buffer: Duration = Duration::from_secs(240), positive_up_to(LONGEST);
    /// up to this much in the buffer the lowest rate is chosen
    reservoir: Duration = Duration::from_secs(90), positive_up_to(LONGEST);
    /// with this much above the reservoir the highest rate is chosen
    cushion: Duration = Duration::from_secs(126), positive_up_to(LONGEST);
    /// how much is in the buffer, or of the video's end, when it is played first, and again after a stall
    start_at: Duration = Duration::from_secs(4), positive_up_to(LONGEST);
    /// payload of the request for a chunk, bytes, up to a segment
    request: u64 = 350, integer(1..=65_495);
}

/// What a viewer has noticed in the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Viewing {
    /// From the start of the application until the video is played; none before.
    pub startup: Option<Duration>,
    /// Times at which the buffer ran empty.
    pub stalls: u64,
    /// How long the video stood still after it had begun.
    pub stalled: Duration,
    /// Chunks that have arrived.
    pub chunks: u64,
    /// The mean of their rates, bit/s; none without chunks.
    pub mean_rate_bps: Option<f64>,
    /// Chunks that had another rate than the one before.
    pub switches: u64,
}

/// A player of a video.
#[derive(Clone, Debug)]
pub struct Player {
    config: StreamConfig,
    adaptation: Bba,
    playback: Playback,
    start: Instant,
    /// Chunks that have not been asked for.
    left: u64,
    /// The rate of the last chunk that was asked for, as an index of the ladder.
    rate: Option<usize>,
    is_waiting: bool,
    is_switch: bool,
    chunks: u64,
    switches: u64,
    sum_of_rates: f64,
}

impl Player {
    /// A player that begins at `start`.
    pub fn new(config: StreamConfig, start: Instant) -> Self {
        Self {
            adaptation: Bba::new(config.reservoir, config.cushion),
            playback: Playback::new(start, config.start_at),
            start,
            left: config.chunks.largest(),
            rate: None,
            is_waiting: false,
            is_switch: false,
            chunks: 0,
            switches: 0,
            sum_of_rates: 0.0,
            config,
        }
    }

    /// The application starts. Nothing has been asked for.
    pub fn start(&mut self, now: Instant) {
        self.start = now;
        self.playback = Playback::new(now, self.config.start_at);
    }

    /// When the next chunk is to be asked for: as soon as the one before has arrived and the buffer has room
    /// for another. Never, if the last is under way or has arrived.
    pub fn next_request_at(&self) -> Instant {
        if self.is_waiting || self.left == 0 {
            return Instant::NEVER;
        }
        self.playback.when_at_most(self.config.buffer.saturating_sub(self.config.chunk))
    }

    /// Asks for the next chunk, of which the payload is returned, in bytes.
    pub fn request(&mut self, now: Instant) -> u64 {
        let rates = self.config.rates.bps();
        let level = self.playback.level(now);
        let rate = match self.rate {
            None => 0,
            Some(last) => self.adaptation.choose(rates, last, level),
        };
        self.is_switch = self.rate.is_some_and(|last| last != rate);
        self.rate = Some(rate);
        self.is_waiting = true;
        if self.left != u64::MAX {
            self.left -= 1;
        }
        let bits =
            u128::from(rates[rate]) * u128::from(self.config.chunk.as_nanos()) / 1_000_000_000;
        u64::try_from(bits / 8).unwrap_or(u64::MAX).max(1)
    }

    /// The chunk has arrived.
    pub fn on_chunk(&mut self, now: Instant) {
        self.is_waiting = false;
        self.chunks += 1;
        self.switches += u64::from(self.is_switch);
        self.sum_of_rates += self.config.rates.bps()[self.rate.unwrap_or_default()] as f64;
        self.playback.add(now, self.config.chunk, self.left == 0);
    }

    /// Whether the last chunk has arrived.
    pub fn is_done(&self) -> bool {
        self.left == 0 && !self.is_waiting
    }

    /// The measured time begins.
    pub fn measure_from(&mut self, now: Instant) {
        self.playback.measure_from(now);
        (self.chunks, self.switches, self.sum_of_rates) = (0, 0, 0.0);
    }

    /// What the viewer has noticed in the measured time, until `now`.
    pub fn viewing(&self, now: Instant) -> Viewing {
        let (stalls, stalled) = self.playback.stalls(now);
        Viewing {
            startup: self.playback.began().map(|began| began.since(self.start)),
            stalls,
            stalled,
            chunks: self.chunks,
            mean_rate_bps: (self.chunks > 0).then(|| self.sum_of_rates / self.chunks as f64),
            switches: self.switches,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seconds(s: f64) -> Instant {
        Instant::ZERO + Duration::from_secs_f64(s)
    }

    /// Three rates of 1, 2 and 4 Mb/s, chunks of 2 s, a buffer of 20 s, f(B) from 1 Mb/s at 4 s to 4 Mb/s at
    /// 16 s.
    fn config() -> StreamConfig {
        StreamConfig {
            rates: Ladder::new(vec![1_000_000, 2_000_000, 4_000_000]).unwrap(),
            chunk: Duration::from_secs(2),
            buffer: Duration::from_secs(20),
            reservoir: Duration::from_secs(4),
            cushion: Duration::from_secs(12),
            start_at: Duration::from_secs(2),
            ..StreamConfig::default()
        }
    }

    /// Fetches over a link of `bps` until `end`, and returns the sizes of the chunks.
    fn watch(player: &mut Player, bps: f64, end: f64) -> Vec<u64> {
        let mut sizes = Vec::new();
        let mut now = Instant::ZERO;
        loop {
            now = now.max(player.next_request_at());
            if now >= seconds(end) {
                return sizes;
            }
            let bytes = player.request(now);
            sizes.push(bytes);
            now += Duration::from_secs_f64(bytes as f64 * 8.0 / bps);
            player.on_chunk(now);
        }
    }

    /// By hand, over 8 Mb/s: a chunk of 250 KB takes 0.25 s. The first is played at 0.25 s. Level after
    /// chunk n: 2, 3.75, 5.5, 7.25, 9 s; f(7.25) = 1.8125 Mb/s is below the next rate, f(9) = 2.25 Mb/s is not: the
    /// sixth chunk has 2 Mb/s, 500 KB, 0.5 s.
    #[test]
    fn the_first_chunks() {
        let mut player = Player::new(config(), Instant::ZERO);
        let sizes = watch(&mut player, 8e6, 1.5);
        assert_eq!(sizes, [250_000, 250_000, 250_000, 250_000, 250_000, 500_000]);
        let viewing = player.viewing(seconds(1.75));
        assert_eq!(viewing.startup, Some(Duration::from_millis(250)));
        assert_eq!((viewing.chunks, viewing.switches, viewing.stalls), (6, 1, 0));
        assert_eq!(viewing.mean_rate_bps, Some(7e6 / 6.0));
    }

    /// Over half of the lowest rate each chunk of 2 s takes 4 s: it is played for 2 s, then the picture stands for 2 s.
    #[test]
    fn a_slow_link_stalls() {
        let mut player = Player::new(config(), Instant::ZERO);
        let sizes = watch(&mut player, 0.5e6, 19.0);
        assert_eq!(sizes, [250_000; 5]);
        // Played from 4 to 6, 8 to 10, 12 to 14, 16 to 18 and from 20 on.
        let viewing = player.viewing(seconds(20.0));
        assert_eq!(viewing.startup, Some(Duration::from_secs(4)));
        assert_eq!((viewing.stalls, viewing.stalled), (4, Duration::from_secs(8)));
        assert_eq!(viewing.switches, 0);
        // In a stall it counts so far.
        let viewing = player.viewing(seconds(23.0));
        assert_eq!((viewing.stalls, viewing.stalled), (5, Duration::from_secs(9)));
    }

    /// The end of a video is played although it is less than what is waited for otherwise, and is no stall.
    #[test]
    fn the_end_is_no_stall() {
        let config =
            StreamConfig { chunks: Limit::Of(2), start_at: Duration::from_secs(8), ..config() };
        let mut player = Player::new(config, Instant::ZERO);
        assert_eq!(watch(&mut player, 1e6, 100.0).len(), 2);
        assert!(player.is_done());
        let viewing = player.viewing(seconds(100.0));
        assert_eq!(viewing.startup, Some(Duration::from_secs(4)));
        assert_eq!((viewing.stalls, viewing.stalled), (0, Duration::ZERO));
    }

    /// The highest rate in the long run, where the link has twice as much, with a full buffer: a request
    /// per chunk's playing time.
    #[test]
    fn a_fast_link_has_the_highest_rate() {
        let mut player = Player::new(config(), Instant::ZERO);
        watch(&mut player, 8e6, 100.0);
        player.measure_from(seconds(100.0));
        let before = player.clone();
        watch(&mut player, 8e6, 300.0);
        let viewing = player.viewing(seconds(300.0));
        assert_eq!(viewing.mean_rate_bps, Some(4e6));
        assert_eq!((viewing.switches, viewing.stalls), (0, 0));
        assert!((99..=101).contains(&viewing.chunks), "{}", viewing.chunks);
        assert_eq!(before.viewing(seconds(100.0)).chunks, 0);
    }

    proptest! {
        /// On a link of any rate: what was played, what stands in the buffer and nothing else was fetched; above the
        /// lowest rate there are no stalls.
        #[test]
        fn time_is_conserved(kbps in 100_u32..20_000) {
            let mut player = Player::new(config(), Instant::ZERO);
            let bps = f64::from(kbps) * 1e3;
            watch(&mut player, bps, 200.0);
            let end = seconds(400.0); // all has been played
            let viewing = player.viewing(end);
            let played = end.since(Instant::ZERO).as_secs_f64()
                - viewing.startup.unwrap().as_secs_f64()
                - viewing.stalled.as_secs_f64();
            prop_assert!((played - 2.0 * viewing.chunks as f64).abs() < 1e-6);
            // The last stall is that of a link on which nothing more comes.
            let last = u64::from(viewing.stalls > 0);
            if kbps > 1_000 {
                prop_assert_eq!(viewing.stalls, last);
            }
        }
    }
}
