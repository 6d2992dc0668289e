//! The configuration of a call.

use super::e_model::Impairment;
use super::playout::Playout;
use crate::component::{configuration, named, names, number, optional, positive_up_to};
use crate::time::Duration;

/// Time between two datagrams, and speech in each: the default of RFC 3551 (section 4.2), the frame that RFC 7587
/// (section 3.2) expects.
pub const INTERVAL: Duration = Duration::from_millis(20);

configuration! {
    /// Parameters of a call.
    pub struct VoipConfig {
        name: "voip",
        summary: "a call: a datagram of speech each 20 ms, and how its receiver hears it (UDP)",
        source: "RFC 3550, RFC 3551, RFC 7587; ITU-T G.107 and G.113",
    }
    /// what encodes speech: "g711" at 64 kb/s, or "opus" at 32 kb/s
    codec: Codec = Codec::G711, names();
    /// how the receiver chooses when a datagram is played
    playout: Playout = Playout::Fixed, names();
    /// time for which a fixed playout buffer holds the first datagram
    buffer: Duration = Duration::from_millis(60), positive_up_to(Duration::from_secs(10));
    /// the equipment impairment factor Ie of the E-model
    ie: Option<f64> = None, optional(number(0.0..=94.0), "codec");
    /// the packet-loss robustness factor Bpl of the E-model
    bpl: Option<f64> = None, optional(number(1.0..=100.0), "codec");
}

named! {
    /// What encodes speech.
    pub enum Codec {
        /// ITU-T G.711 with packet loss concealment, 64 kb/s.
        #[default]
        G711 => "g711",
        /// Opus (RFC 6716), 32 kb/s: within what RFC 7587 (section 3.1.1) recommends for fullband speech.
        Opus => "opus",
    }
    planned []
}

impl Codec {
    /// Bytes for 20 ms of speech.
    pub const fn payload(self) -> u32 {
        match self {
            Self::G711 => 64_000 / 8 / 50,
            Self::Opus => 32_000 / 8 / 50,
        }
    }

    /// What it must know of the speech after the frame: nothing, or what libopus gives as `OPUS_GET_LOOKAHEAD` for
    /// speech, 312 samples at 48 kHz.
    pub const fn look_ahead(self) -> Duration {
        match self {
            Self::G711 => Duration::ZERO,
            Self::Opus => Duration::from_micros(6_500),
        }
    }

    /// What it does to speech. G.711 with the concealment of its appendix I: G.113 appendix I, tables I.1 and I.3. For
    /// Opus none is standardised: that it is as good as G.711, loss or not, is an assumption.
    pub const fn impairment(self) -> Impairment {
        match self {
            Self::G711 | Self::Opus => Impairment { ie: 0.0, bpl: 25.1 },
        }
    }
}

impl VoipConfig {
    /// What the codec does to speech.
    pub fn impairment(&self) -> Impairment {
        let Impairment { ie, bpl } = self.codec.impairment();
        Impairment { ie: self.ie.unwrap_or(ie), bpl: self.bpl.unwrap_or(bpl) }
    }

    /// From speaking to sending: a frame, and what the codec must know beyond it.
    pub fn coding_delay(&self) -> Duration {
        INTERVAL + self.codec.look_ahead()
    }
}
