//! Times of OFDM frames, computed from modulation and code of each rate, and the rates of responses.

use super::*;
use crate::medium::TxVector;
use crate::medium::wlan::phy::ACK_BYTES;

/// Rate (Mb/s), coded bits per subcarrier, code rate (IEEE 802.11-2007 table 17-3).
const MODULATIONS: [(u64, u64, (u64, u64)); 8] = [
    (6, 1, (1, 2)),
    (9, 1, (3, 4)),
    (12, 2, (1, 2)),
    (18, 2, (3, 4)),
    (24, 4, (1, 2)),
    (36, 4, (3, 4)),
    (48, 6, (2, 3)),
    (54, 6, (3, 4)),
];
const DATA_SUBCARRIERS: u64 = 48;

/// TXTIME in us (17.4.3): T_PREAMBLE = 16, T_SIGNAL = 4, T_SYM = 4; symbols are added until service
/// bits, PSDU and tail bits have a place.
fn txtime(bytes: u64, bits_per_subcarrier: u64, (kept, coded): (u64, u64)) -> u64 {
    let data_bits_per_symbol = DATA_SUBCARRIERS * bits_per_subcarrier * kept / coded;
    let (mut place, mut time) = (0, 16 + 4);
    while place < 16 + 8 * bytes + 6 {
        place += data_bits_per_symbol;
        time += 4;
    }
    time
}

#[test]
fn every_frame_of_every_rate_has_the_time_of_the_standard() {
    let (a, g) = (Phy::dot11a(), Phy::dot11g());
    for (rate, bits, code) in MODULATIONS {
        let mode = TxVector::ofdm(Rate::from_mbps(rate));
        for bytes in 14..=2346 {
            let expected = Duration::from_micros(txtime(bytes.into(), bits, code));
            assert_eq!(a.airtime(bytes, &mode), expected, "{bytes} bytes at {rate}");
            // aSignalExtension = 6 us (19.8.3.1).
            let extended = expected + Duration::from_micros(6);
            assert_eq!(g.airtime(bytes, &mode), extended, "{bytes} bytes at {rate}");
        }
    }
}

/// With the mandatory rates as basic ones (9.6). ACKs in us, worked by hand: 112 + 22 bits in symbols
/// of 24, 48 and 96 bits.
#[test]
fn responses_have_the_highest_basic_rate_not_above_the_frame() {
    let phy = Phy::dot11a();
    let basic = ControlRate::Basic(BasicRates::new(&[6, 12, 24].map(Rate::from_mbps)));
    for (data, control, ack) in [
        (6, 6, 44),
        (9, 6, 44),
        (12, 12, 32),
        (18, 12, 32),
        (24, 24, 28),
        (36, 24, 28),
        (48, 24, 28),
        (54, 24, 28),
    ] {
        let rate = basic.of(&TxVector::ofdm(Rate::from_mbps(data)));
        assert_eq!(rate, Rate::from_mbps(control), "{data}");
        assert_eq!(
            phy.airtime(ACK_BYTES, &TxVector::ofdm(rate)),
            Duration::from_micros(ack),
            "{data}"
        );
    }
    assert_eq!(basic.of_beacons(&phy), Rate::from_mbps(6));
    let fast = ControlRate::Basic(BasicRates::new(&[24, 12].map(Rate::from_mbps)));
    assert_eq!(fast.of_beacons(&phy), Rate::from_mbps(12));
    let none = ControlRate::Basic(BasicRates::new(&[]));
    assert_eq!(none.of_beacons(&phy), Rate::from_mbps(6));
}
