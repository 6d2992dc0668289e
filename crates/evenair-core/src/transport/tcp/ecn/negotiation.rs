//! What both ends agree on: the flags AE, CWR and ECE of SYN and SYN-ACK (RFC 3168 section 6.1.1, RFC 9768
//! section 3.1.1).

use crate::congestion::EcnFeedback;
use crate::packet::{Ecn, EcnFlags};

/// The flags of the SYN of an end that supports this.
pub const fn syn(supported: EcnFeedback) -> EcnFlags {
    match supported {
        EcnFeedback::None => EcnFlags::NONE,
        EcnFeedback::Rfc3168 => EcnFlags::SETUP_SYN,
        EcnFeedback::AccEcn => EcnFlags::of_ace(0b111),
    }
}

/// What an end that supports `supported` enters when a SYN with these flags arrives.
pub fn on_syn(supported: EcnFeedback, flags: EcnFlags) -> EcnFeedback {
    match (supported, flags.ace()) {
        (EcnFeedback::None, _) | (EcnFeedback::AccEcn, 0b000) => EcnFeedback::None,
        (EcnFeedback::AccEcn, 0b011) => EcnFeedback::Rfc3168,
        // Combinations that are not used yet count as 111 (section 3.1.3).
        (EcnFeedback::AccEcn, _) => EcnFeedback::AccEcn,
        // AE is a reserved flag to it.
        (EcnFeedback::Rfc3168, _) if flags.ece() && flags.cwr() => EcnFeedback::Rfc3168,
        (EcnFeedback::Rfc3168, _) => EcnFeedback::None,
    }
}

/// The flags of the SYN-ACK of an end that has entered this mode; with AccECN they tell the ECN field of the SYN.
pub const fn syn_ack(agreed: EcnFeedback, syn: Ecn) -> EcnFlags {
    match agreed {
        EcnFeedback::None => EcnFlags::NONE,
        EcnFeedback::Rfc3168 => EcnFlags::SETUP_SYN_ACK,
        EcnFeedback::AccEcn => EcnFlags::of_ace(match syn {
            Ecn::NotEct => 0b010,
            Ecn::Ect1 => 0b011,
            Ecn::Ect0 => 0b100,
            Ecn::Ce => 0b110,
        }),
    }
}

/// What an end that has sent the SYN of `supported` enters when a SYN-ACK with these flags arrives.
pub fn on_syn_ack(supported: EcnFeedback, flags: EcnFlags) -> EcnFeedback {
    match (supported, flags.ace()) {
        // 111: a server that returns the reserved bits of the SYN.
        (EcnFeedback::None, _) | (EcnFeedback::AccEcn, 0b000 | 0b111) => EcnFeedback::None,
        (EcnFeedback::AccEcn, 0b001) => EcnFeedback::Rfc3168,
        // 101 is reserved, and counts as support of AccECN (section 3.1.3).
        (EcnFeedback::AccEcn, _) => EcnFeedback::AccEcn,
        (EcnFeedback::Rfc3168, _) if flags.ece() && !flags.cwr() => EcnFeedback::Rfc3168,
        (EcnFeedback::Rfc3168, _) => EcnFeedback::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use EcnFeedback::{AccEcn, None, Rfc3168};

    const ALL: [EcnFeedback; 3] = [None, Rfc3168, AccEcn];
    const CODEPOINTS: [Ecn; 4] = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];

    /// Table 2 of RFC 9768: for client and server the flags of the SYN, and for each codepoint that the SYN arrives
    /// with those of the SYN-ACK and the mode of both.
    #[test]
    fn each_pair_of_ends_agrees_as_in_table_2() {
        for client in ALL {
            for server in ALL {
                let flags = syn(client);
                let of_syn = match client {
                    None => 0b000,
                    Rfc3168 => 0b011,
                    AccEcn => 0b111,
                };
                assert_eq!(flags.ace(), of_syn);
                let expected = client.min(server);
                for (codepoint, acc_ecn) in CODEPOINTS.into_iter().zip([0b010, 0b011, 0b100, 0b110])
                {
                    let entered = on_syn(server, flags);
                    let answer = syn_ack(entered, codepoint);
                    let of_answer = match expected {
                        None => 0b000,
                        Rfc3168 => 0b001,
                        AccEcn => acc_ecn,
                    };
                    let agreed = on_syn_ack(client, answer);
                    assert_eq!((entered, answer.ace(), agreed), (expected, of_answer, expected));
                }
            }
        }
    }

    /// All eight combinations of flags that may arrive at a server and at a client, with those of table 2 which no
    /// end here sends, and the rules for unused ones in section 3.1.3.
    #[test]
    fn any_flags_lead_to_a_mode() {
        let of = |enter: fn(EcnFeedback, EcnFlags) -> EcnFeedback, supported| {
            [0, 1, 2, 3, 4, 5, 6, 7].map(|ace| enter(supported, EcnFlags::of_ace(ace)))
        };
        let acc = AccEcn;
        assert_eq!(of(on_syn, AccEcn), [None, acc, acc, Rfc3168, acc, acc, acc, acc]);
        assert_eq!(of(on_syn, Rfc3168), [None, None, None, Rfc3168, None, None, None, Rfc3168]);
        assert_eq!(of(on_syn_ack, AccEcn), [None, Rfc3168, acc, acc, acc, acc, acc, None]);
        assert_eq!(of(on_syn_ack, Rfc3168), [None, Rfc3168, None, None, None, Rfc3168, None, None]);
        assert_eq!(of(on_syn, None), [None; 8]);
        assert_eq!(of(on_syn_ack, None), [None; 8]);
    }
}
