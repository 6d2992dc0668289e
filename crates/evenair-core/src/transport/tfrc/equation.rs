//! The TCP throughput equation (RFC 5348 section 3.1, with b = 1 and t_RTO = 4 R as section 8.1 has it).

/// f(p): the rate is s / (R f(p)).
pub fn response(p: f64) -> f64 {
    let timeouts = 12.0 * libm::sqrt(3.0 * p / 8.0) * p * (1.0 + 32.0 * p * p);
    libm::sqrt(2.0 * p / 3.0) + timeouts
}

/// X_Bps, bytes/s: what TCP with segments of `segment` bytes would send at a round-trip time of `rtt`
/// seconds and a loss event rate of `p`, above 0.
pub fn throughput(segment: f64, rtt: f64, p: f64) -> f64 {
    segment / (rtt * response(p))
}

/// The loss event rate at which [`throughput`] is `rate` bytes/s; 1 if it is higher at any.
pub fn loss_event_rate(segment: f64, rtt: f64, rate: f64) -> f64 {
    // f rises with p. In (0, 1] the geometric mean halves the number of digits that are open.
    let wanted = segment / (rtt * rate);
    let (mut low, mut high) = (f64::MIN_POSITIVE, 1.0);
    while high > low * (1.0 + 1e-12) {
        let middle = libm::sqrt(low) * libm::sqrt(high);
        if response(middle) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}
