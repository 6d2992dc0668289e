//! TCP's options, whatever the congestion control.

use super::delayed_ack::{DelayedAck, delayed_ack};
use super::ecn::ecn_feedback;
use super::idle_restart::IdleRestart;
use super::rtt::{MAX_RTO, RtoFormula};
use super::segment::LimitedTransmit;
use super::syn_timer::SynTimer;
use crate::component::{
    configuration, group_serde, integer, names, optional, positive, positive_up_to, switch,
};
use crate::congestion::EcnFeedback;
use crate::time::Duration;

configuration! {
    /// The options of a TCP connection. The defaults are Linux's, with segments of 1460 bytes; what else a
    /// [`TcpPreset`](super::TcpPreset) has is in its table.
    #[derive(Copy)]
    pub group TcpConfig;
    /// the receiver's advertised window, segments
    window: u32 = 2154, integer(1..=65_535); // half of `tcp_rmem[2]`, see `preset.rs`
    /// the first congestion window, segments, at most `window`
    initial_window: u32 = 10, integer(1..=65_535); // `TCP_INIT_CWND` (RFC 6928)
    /// the first slow-start threshold, segments
    initial_ssthresh: Option<u32> = Some(0x7FFF_FFFF), // `TCP_INFINITE_SSTHRESH` (`include/net/tcp.h`)
        optional(integer(1..=4_294_967_295), "window");
    /// in-order segments per ACK; 1 acknowledges each (RFC 5681 section 4.2); "dynamic": 1 to 4, more
    /// the further the connection is (Altman and Jimenez 2003)
    delayed_ack: DelayedAck = DelayedAck::Every(2), delayed_ack();
    /// how long an ACK may be withheld
    delayed_ack_timeout: Duration = Duration::from_millis(40), positive(); // `TCP_ATO_MIN`
    /// ACKs at the start of a connection that are not withheld (Linux's quickack mode)
    quick_acks: u32 = 16, integer(0..=65_535); // `TCP_MAX_QUICKACKS`
    /// whether cwnd grows by the segments that an ACK covers (RFC 3465, without its limit) instead of by one
    /// per ACK
    byte_counting: Option<bool> = Some(true), optional(switch(), "spm_marking");
    /// whether cwnd grows only while it limits the sender (RFC 7661)
    cwnd_validation: bool = true, switch();
    /// what is left of cwnd when the sender has been idle for longer than the retransmission timeout
    idle_restart: Option<IdleRestart> = None, optional(names(), "\"linux\" with cwnd_validation, else \"none\"");
    /// whether segments sent while cwnd is below 4 are marked as high priority (Gong et al. 2006, section
    /// III-A)
    spm_marking: Option<bool> = None, optional(switch(), "whether cell.queue is spm-af");
    /// what each of the first two duplicate ACKs permits to be sent beyond cwnd
    limited_transmit: LimitedTransmit = LimitedTransmit::New, names();
    /// whether ACKs report what has arrived out of order (RFC 2018), and recovery goes by it (RFC 6675)
    sack: bool = true, switch();
    /// whether losses are found by when segments were sent, those of repairs, too, and a probe asks for
    /// ACKs that do not come (RFC 8985, RACK-TLP); needs `sack`
    rack: bool = true, switch();
    /// whether recovery brings down what is in flight little by little (RFC 9937, proportional rate
    /// reduction); needs `sack`
    prr: bool = true, switch();
    /// whether queues may mark segments instead of dropping them, if both ends agree: with the feedback of RFC 3168
    /// (classic ECN), or "accecn" with that of RFC 9768
    ecn: Option<EcnFeedback> = None, optional(ecn_feedback(), "false");
    /// the same of the receiver, where it does not support what the sender does
    receiver_ecn: Option<EcnFeedback> = None, optional(ecn_feedback(), "ecn");
    /// whether segments carry timestamps (RFC 7323), so that every ACK of new data gives a round-trip time, that of
    /// a retransmission, too; their 12 bytes are part of `header`
    timestamps: Option<bool> = None, optional(switch(), "false");
    /// whether segments leave one after the other at a rate, as in Linux with the queue discipline `fq`: that of the
    /// congestion control, or by cwnd and the round-trip time
    pacing: bool = false, switch();
    /// whether paced segments leave in bursts, as where a network device divides them (TSO); needs `pacing`
    tso: bool = false, switch();
    /// how much the sender leaves in the queues of its own host (TCP small queues): what its pacing rate sends in 2^-`tsq`
    /// seconds, two segments at least; Linux has 7 over Wi-Fi and 10 elsewhere (`sk_pacing_shift`)
    tsq: Option<u32> = None, optional(integer(0..=31), "no limit");
    /// how the retransmission timeout follows from round-trip times
    rto: RtoFormula = RtoFormula::Linux, names();
    /// lower bound of the retransmission timeout, or with `rto` "linux" of what it adds to the smoothed
    /// round-trip time
    min_rto: Duration = Duration::from_millis(200), positive_up_to(MAX_RTO); // `TCP_RTO_MIN`
    /// retransmission timeout before the first RTT sample
    initial_rto: Duration = Duration::from_secs(1), positive_up_to(MAX_RTO); // `TCP_TIMEOUT_INIT`
    /// when an unanswered SYN, or the request after it, is repeated
    syn_timer: SynTimer = SynTimer::Linux, names();
}

group_serde!(TcpConfig);

impl TcpConfig {
    /// The first slow-start threshold, segments. Where it is absent, that is the window: RFC 5681 section
    /// 3.1 suggests the size of the largest advertised window.
    pub fn initial_ssthresh(&self) -> u32 {
        self.initial_ssthresh.unwrap_or(self.window)
    }

    /// What is left of cwnd after a pause.
    pub fn idle_restart(&self) -> IdleRestart {
        let validates = if self.cwnd_validation { IdleRestart::Linux } else { IdleRestart::None };
        self.idle_restart.unwrap_or(validates)
    }

    /// Whether segments are marked as high priority.
    #[inline(always)]
    pub fn spm_marking(&self) -> bool {
        self.spm_marking == Some(true)
    }

    /// Whether cwnd grows by the segments that an ACK covers. Where it is absent, senders that mark
    /// count them, as that of Gong et al. 2006 does.
    #[inline(always)]
    pub fn byte_counting(&self) -> bool {
        self.byte_counting.unwrap_or(self.spm_marking())
    }

    /// Whether segments carry timestamps.
    #[inline(always)]
    pub fn timestamps(&self) -> bool {
        self.timestamps == Some(true)
    }

    /// What the sender supports of ECN.
    pub fn ecn(&self) -> EcnFeedback {
        self.ecn.unwrap_or_default()
    }

    /// What the receiver supports of it.
    pub fn receiver_ecn(&self) -> EcnFeedback {
        self.receiver_ecn.unwrap_or(self.ecn())
    }
}
