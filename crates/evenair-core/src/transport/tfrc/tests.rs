mod histories;
mod paths;
mod receiving;
mod sending;

use super::equation;

/// X_Bps for segments of 1460 bytes and 0.1 s, worked out by hand from section 3.1: for p = 0.01 f is
/// sqrt(0.02 / 3) + 12 sqrt(0.03 / 8) 0.01 (1 + 0.0032) = 0.0816497 + 0.0073720 = 0.0890217.
#[test]
fn the_equation_has_the_values_of_the_rfc() {
    for (p, rate) in [(1e-4, 1_786_520.0), (1e-3, 560_412.0), (1e-2, 164_005.0), (0.1, 25_843.0)] {
        let calculated = equation::throughput(1460.0, 0.1, p);
        assert!((calculated - rate).abs() < 1.0, "{p}: {calculated}");
    }
}

#[test]
fn the_inverse_finds_the_loss_event_rate() {
    for exponent in 0..80 {
        let p = 0.8_f64.powi(exponent);
        let rate = equation::throughput(1000.0, 0.05, p);
        let found = equation::loss_event_rate(1000.0, 0.05, rate);
        assert!((found / p - 1.0).abs() < 1e-9, "{p}: {found}");
    }
    // Less than p = 1 gives.
    assert_eq!(equation::loss_event_rate(1000.0, 0.05, 1.0), 1.0);
}
