//! The channel-occupancy-time controller of Kashibuchi, Nemoto and Kato, "Mitigating performance
//! anomaly of TFRC in multi-rate IEEE 802.11 wireless LANs" (GLOBECOM 2009). Numbers in parentheses
//! are those of its equations.
//!
//! Each active station shall occupy the medium for the same share of the time, and what some do not
//! need goes to the others. The *channel occupancy time* of a station (figure 1) is that of all DATA
//! frames from and to it: DIFS, backoff, RTS, CTS, DATA, ACK and the spaces between them.
//!
//! The access point ([`access_point`]) computes the shares and broadcasts them. A station
//! ([`station`]) divides its share among its flows, and turns the share of each into the highest rate
//! of payload that fits.
//!
//! For TCP the paper refers to another one (Kashibuchi et al., IWCMC 2008), of which the abstract
//! alone was at hand; [`station::Feedback::PerPackets`] is this project's.

pub mod access_point;
pub mod station;

use super::Slots;
use crate::component::{configuration, integer, names, probability};
use crate::time::Duration;

configuration! {
    /// Parameters of the channel-occupancy-time controller.
    pub struct CotConfig {
        name: "cot",
        summary: "stations get equal shares of the time on the air, by limits of the rates of TFRC and TCP",
        source: "Kashibuchi, Nemoto and Kato 2009; defaults: section IV",
    }
    /// beacon intervals in an observation slot, n
    beacons: u64 = 3, integer(1..=1000);
    /// share of its due from which on a station or flow gets more, r
    threshold: f64 = 0.8, probability();
    /// whether slots end at every n-th beacon, or overlap and end at every beacon
    slots: Slots = Slots::Disjoint, names();
}

/// What the controller adds to a beacon (section III-B): three numbers of 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeaconElement {
    /// The integer part of 65,535 p_even.
    pub even: u16,
    /// The integer part of 65,535 p_additional.
    pub additional: u16,
    /// Mean backoff of the access point, microseconds.
    pub backoff_us: u16,
}

impl BeaconElement {
    /// Its size.
    pub const BYTES: u32 = 6;

    const SCALE: f64 = 65_535.0;

    /// Encodes shares of the time and the mean backoff of the access point. What is beyond the range
    /// of a field becomes the end of that range.
    pub fn new(even: f64, additional: f64, backoff: Duration) -> Self {
        let micros = (backoff.as_nanos() + 500) / 1000;
        Self {
            even: (Self::SCALE * even) as u16,
            additional: (Self::SCALE * additional) as u16,
            backoff_us: u16::try_from(micros).unwrap_or(u16::MAX),
        }
    }

    /// p_even: the share of the time for each station (3).
    pub fn even(&self) -> f64 {
        f64::from(self.even) / Self::SCALE
    }

    /// p_additional: what an unsatisfied station gets besides (6).
    pub fn additional(&self) -> f64 {
        f64::from(self.additional) / Self::SCALE
    }

    /// Mean backoff of the access point.
    pub fn backoff(&self) -> Duration {
        Duration::from_micros(self.backoff_us.into())
    }
}

/// Whether a station or a flow is unsatisfied, (5) and (12): it uses at least the share `threshold` of
/// what is its due.
fn is_unsatisfied(used: f64, threshold: f64, due: f64) -> bool {
    used >= threshold * due
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 65,535 / 2 = 32,767.5, and 65,535 * 0.1 = 6,553.5.
    #[test]
    fn an_element_has_integer_parts() {
        let element = BeaconElement::new(0.5, 0.1, Duration::from_nanos(67_500));
        assert_eq!(element, BeaconElement { even: 32_767, additional: 6_553, backoff_us: 68 });
        assert_eq!(element.even(), 32_767.0 / 65_535.0);
        assert_eq!(element.additional(), 6_553.0 / 65_535.0);
        assert_eq!(element.backoff(), Duration::from_micros(68));
    }

    #[test]
    fn fields_do_not_wrap() {
        let element = BeaconElement::new(1.0, -0.1, Duration::from_secs(1));
        assert_eq!(element, BeaconElement { even: 65_535, additional: 0, backoff_us: 65_535 });
    }
}
