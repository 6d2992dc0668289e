//! The parameters that loss models have in common.

use crate::component::{configuration, named, names, probability};

named! {
    /// The layer at which losses occur.
    pub enum Level {
        /// Packets delivered by the MAC are lost: TCP sees each loss.
        #[default]
        Ip => "ip",
        /// Transmissions are lost: the MAC retransmits up to its retry limit.
        Mac => "mac",
    }
    planned []
}

named! {
    /// The frames that are lost at [`Level::Mac`].
    pub enum LossyFrames {
        /// Data, RTS, CTS and ACK frames.
        #[default]
        All => "all",
        /// Data frames only.
        Data => "data",
    }
    planned []
}

named! {
    /// The directions of a link in which packets and frames are lost. An ACK or CTS travels against the
    /// direction of the frame that it answers.
    pub enum LossDirection {
        /// Both.
        #[default]
        Both => "both",
        /// From the access point to the station.
        Down => "down",
        /// From the station to the access point.
        Up => "up",
    }
    planned []
}

configuration! {
    /// The packets to which a loss model applies.
    pub group ScopeConfig;
    /// what is lost: packets that the MAC has delivered, so that TCP sees each loss (ip),
    /// or single frames, which the MAC repeats (mac)
    level: Level = Level::Ip, names();
    /// which frames at level mac: data, RTS, CTS and ACK frames (all), data frames only (data)
    frames: LossyFrames = LossyFrames::All, names();
    /// whose packets or frames: from the access point to the station (down), the other way (up)
    direction: LossDirection = LossDirection::Both, names();
}

configuration! {
    /// The share of lost packets.
    pub group LossRateConfig;
    /// share of the packets that are lost in the long run
    rate: f64 = 0.01, probability();
}
