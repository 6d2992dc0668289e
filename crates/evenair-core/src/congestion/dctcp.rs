//! DCTCP (RFC 8257): NewReno that reduces its window by the share of segments that are marked.
//!
//! Where the RFC leaves a choice this does as Linux's `tcp_dctcp.c`: the window does not grow from a mark until what had been
//! sent then is acknowledged (`TCP_CA_CWR`), a loss halves cwnd, and without ECN it is NewReno. Numbers are real ones; Linux's
//! have ten bits.

use super::alpha::MarkedShare;
use super::{
    AckEvent, CongestionControl, EcnFeedback, EcnResponse, NewReno, NewRenoConfig, Observed,
    Window, grow,
};
use crate::component::{configuration, number};

configuration! {
    /// Parameters of DCTCP.
    pub struct DctcpConfig {
        name: "dctcp",
        summary: "NewReno that a mark takes as much from as segments are marked; needs ECN",
        source: "RFC 8257, Linux 6.12 (tcp_dctcp.c)",
    }
    /// weight of a round trip in the smoothed share of marked segments (g)
    gain: f64 = 0.0625, number(0.0009765625..=1.0); // dctcp_shift_g: 0 to 10
    /// that share before the first round trip
    initial_alpha: f64 = 1.0, number(0.0..=1.0); // dctcp_alpha_on_init
}

/// DCTCP.
#[derive(Clone, Debug)]
pub struct Dctcp {
    share: MarkedShare,
    /// Until this byte is acknowledged the window is that of the last reduction.
    reduced_until: u64,
    /// What it is without ECN.
    reno: Option<NewReno>,
}

impl Dctcp {
    /// Before anything has been sent.
    pub fn new(config: DctcpConfig) -> Self {
        let reno = Some(NewReno::new(NewRenoConfig {}));
        let share = MarkedShare::new(config.initial_alpha, config.gain);
        Self { share, reduced_until: 0, reno }
    }

    fn measure(&mut self, signal: &AckEvent) {
        if self.share.on_ack(signal) {
            self.share.update();
            self.share.begin_round(signal);
        }
    }
}

impl CongestionControl for Dctcp {
    fn use_ecn(&mut self, agreed: EcnFeedback) -> EcnResponse {
        let has_ecn = agreed != EcnFeedback::None;
        self.reno = (!has_ecn).then(|| NewReno::new(NewRenoConfig {}));
        if has_ecn { EcnResponse::Scalable } else { EcnResponse::Classic }
    }

    fn observe(&self, see: &mut dyn FnMut(&str, Observed<'_>)) {
        see("alpha", Observed::Number(self.reno.is_none().then(|| self.share.alpha())));
    }

    fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        if let Some(reno) = &mut self.reno {
            return reno.on_ack(window, signal);
        }
        self.measure(signal);
        if signal.marked == 0.0 && signal.snd_una >= self.reduced_until {
            grow(window, signal.credit);
        }
    }

    fn on_partial_ack(&mut self, _window: &mut Window, signal: &AckEvent) {
        self.measure(signal);
    }

    fn on_recovered(&mut self, _window: &mut Window, signal: &AckEvent) {
        self.measure(signal);
    }

    fn on_loss(&mut self, window: &mut Window, signal: &AckEvent) {
        if let Some(reno) = &mut self.reno {
            return reno.on_loss(window, signal);
        }
        window.ssthresh = (window.cwnd / 2.0).max(2.0);
        window.cwnd = window.ssthresh;
    }

    fn on_congestion_mark(&mut self, window: &mut Window, signal: &AckEvent) {
        window.ssthresh = (window.cwnd * (1.0 - self.share.alpha() / 2.0)).max(2.0);
        window.cwnd = window.ssthresh;
        self.reduced_until = signal.snd_nxt;
    }

    fn on_timeout(&mut self, window: &mut Window, signal: &AckEvent, first: bool) {
        if let Some(reno) = &mut self.reno {
            return reno.on_timeout(window, signal, first);
        }
        if first {
            window.ssthresh = (window.cwnd / 2.0).max(2.0);
        }
        window.cwnd = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{observed, signal};
    use super::*;

    fn dctcp(initial_alpha: f64) -> Dctcp {
        let mut dctcp = Dctcp::new(DctcpConfig { initial_alpha, ..DctcpConfig::default() });
        assert_eq!(dctcp.use_ecn(EcnFeedback::Rfc3168), EcnResponse::Scalable);
        dctcp
    }

    /// RFC 8257 section 3.3, equation 3, by hand: an alpha of 1 halves 40, 0.2 takes a tenth of it; slow start ends; and
    /// nothing grows until what had been sent is acknowledged.
    #[test]
    fn a_mark_takes_half_of_alpha() {
        for (alpha, left) in [(1.0, 20.0), (0.2, 36.0)] {
            let mut dctcp = dctcp(alpha);
            let mut window = Window { cwnd: 40.0, ssthresh: 1e9 };
            dctcp
                .on_congestion_mark(&mut window, &AckEvent { snd_nxt: 40, ..signal(0, 0.0, 40.0) });
            assert_eq!(window, Window { cwnd: left, ssthresh: left });
            dctcp.on_ack(
                &mut window,
                &AckEvent { snd_una: 39, snd_nxt: 60, ..signal(1, 1.0, 20.0) },
            );
            assert_eq!(window.cwnd, left);
            dctcp.on_ack(
                &mut window,
                &AckEvent { snd_una: 40, snd_nxt: 60, ..signal(1, 1.0, 20.0) },
            );
            assert_eq!(window.cwnd, left + 1.0 / left);
        }
    }

    /// RFC 8257 section 3.3: with a share of F marked in each round trip, alpha is F + (1 - F) (1 - g)^n after n of them. Without
    /// ECN there is none.
    #[test]
    fn alpha_approaches_the_share_of_marks() {
        let mut control = dctcp(1.0);
        let mut window = Window { cwnd: 10.0, ssthresh: 10.0 };
        for n in 0..100_u64 {
            let (acked, marked, snd_una) = (10.0, 3.0, 10 * n);
            let event = AckEvent { acked, marked, snd_una, ..signal(n, 10.0, 10.0) };
            control.on_ack(&mut window, &AckEvent { snd_nxt: snd_una + 20, ..event });
            let alpha = observed(&control).1[0].unwrap();
            let expected = 0.3 + 0.7 * (15.0_f64 / 16.0).powi(n as i32 + 1);
            assert!((alpha - expected).abs() < 1e-12, "{n}: {alpha}, not {expected}");
        }
        control.use_ecn(EcnFeedback::None);
        assert_eq!(observed(&control).1, [None]);
    }

    /// A loss halves cwnd whatever alpha is, and marks never leave fewer than two segments.
    #[test]
    fn losses_halve_and_two_segments_are_left() {
        let mut dctcp = dctcp(0.0);
        let mut window = Window { cwnd: 40.0, ssthresh: 1e9 };
        dctcp.on_loss(&mut window, &signal(0, 0.0, 40.0));
        assert_eq!(window, Window { cwnd: 20.0, ssthresh: 20.0 });
        let mut dctcp = super::tests::dctcp(1.0);
        let mut window = Window { cwnd: 3.0, ssthresh: 3.0 };
        dctcp.on_congestion_mark(&mut window, &signal(0, 0.0, 3.0));
        assert_eq!(window.cwnd, 2.0);
    }
}
