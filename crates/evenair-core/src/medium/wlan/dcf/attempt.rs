//! The frames of an attempt, which of them fail, and what follows from a failure.

use super::exchange::{Exchange, ExchangeFrame, Failure, Frames};
use super::mac::{Mac, contender_of};
use super::state::{Dcf, Phase};
use crate::loss::FrameKind;
use crate::medium::wlan::phy::{ACK_BYTES, CTS_BYTES, RTS_BYTES};
use crate::medium::{CellContext, Outcome, Transmission, TxStatus};
use crate::packet::NodeId;
use crate::time::{Duration, Instant};

impl Dcf {
    /// `node` transmits alone.
    #[inline(always)]
    pub(super) fn send(&mut self, now: Instant, node: NodeId, cell: &mut impl CellContext) {
        let sifs = self.config.phy.sifs;
        let mac = &mut self.macs[node.index()];
        let station = mac.station;
        if station == NodeId::BROADCAST {
            return self.send_beacon(now, node, cell);
        }
        let link = &mut self.links[mac.link];
        let frames = link.attempt(&self.config, &self.setup.modes, now, mac.bytes);
        mac.begin_attempt(frames);
        let (rts, mode, control) = (mac.needs_rts, frames.mode, &frames.control);
        let data_start =
            if rts { now + control.rts + sifs + control.cts + sifs } else { now + frames.prelude };
        let data_end = data_start + frames.airtime;
        let ack_end = data_end + sifs + control.ack;
        self.exchange = Exchange { start: now, data_end, ack_end, mode, acknowledged: true };
        let may_be_lost = self.has_channels || cell.no_loss_before(station) <= ack_end;
        if mac.received || may_be_lost {
            return self.send_on_lossy_link(node, station, cell);
        }
        if rts {
            // CTS was received: the count of failed RTS frames starts anew (9.2.5.3).
            mac.short_retries = 0;
        }
        mac.usage.data_frames += 1;
        link.airtime.successes += ack_end.since(now);
        link.airtime.payload += link.frames().payload;
        self.due = data_end;
        self.phase = Phase::Sending;
    }

    /// The first frame of `exchange`, which `node` begins, that is corrupted. None is sent after it.
    fn first_corrupted(
        &mut self,
        node: NodeId,
        station: NodeId,
        exchange: &Exchange,
        cell: &mut impl CellContext,
    ) -> Option<ExchangeFrame> {
        let Frames { control, control_modes: [ack_mode, rts_mode], .. } = *self.link(node).frames();
        let sifs = self.config.phy.sifs;
        let forward = self.setup.associations.direction_from(node);
        let backward = self.setup.associations.direction_from(self.macs[node.index()].to);
        if self.macs[node.index()].needs_rts {
            let rts_end = exchange.start + control.rts;
            let rts = Transmission {
                kind: FrameKind::Control,
                at: rts_end,
                station,
                direction: forward,
                mode: rts_mode,
                bytes: RTS_BYTES,
            };
            if self.is_corrupted(&rts, cell) {
                return Some(ExchangeFrame::Rts);
            }
            let at = rts_end + sifs + control.cts;
            let cts = Transmission { at, direction: backward, bytes: CTS_BYTES, ..rts };
            if self.is_corrupted(&cts, cell) {
                return Some(ExchangeFrame::Cts);
            }
        }
        let data = Transmission {
            kind: FrameKind::Data,
            at: exchange.data_end,
            station,
            direction: forward,
            mode: exchange.mode,
            bytes: self.macs[node.index()].bytes,
        };
        if self.is_corrupted(&data, cell) {
            return Some(ExchangeFrame::Data);
        }
        let ack = Transmission {
            kind: FrameKind::Control,
            at: exchange.ack_end,
            station,
            direction: backward,
            mode: ack_mode,
            bytes: ACK_BYTES,
        };
        self.is_corrupted(&ack, cell).then_some(ExchangeFrame::Ack)
    }

    /// `node` sends the frames of its exchange up to the first that is corrupted.
    #[inline(never)] // only on lossy links
    fn send_on_lossy_link(&mut self, node: NodeId, station: NodeId, cell: &mut impl CellContext) {
        let exchange = self.exchange;
        let corrupted = self.first_corrupted(node, station, &exchange, cell);
        let (sifs, control) = (self.config.phy.sifs, self.link(node).frames().control);
        let rts_end = exchange.start + control.rts;
        let (end, data_sent, received) = match corrupted {
            Some(ExchangeFrame::Rts) => (rts_end, false, false),
            Some(ExchangeFrame::Cts) => (rts_end + sifs + control.cts, false, false),
            Some(ExchangeFrame::Data) => (exchange.data_end, true, false),
            Some(ExchangeFrame::Ack) | None => (exchange.ack_end, true, true),
        };
        let spent = end.since(exchange.start);
        let link = self.link_mut(node);
        match corrupted {
            Some(_) => link.airtime.corrupted += spent,
            None => {
                link.airtime.successes += spent;
                link.airtime.payload += link.frames().payload;
            }
        }
        let mac = &mut self.macs[node.index()];
        if data_sent {
            mac.usage.data_frames += 1;
            if mac.needs_rts {
                mac.short_retries = 0;
            }
        }
        self.exchange.acknowledged = corrupted.is_none();
        if received && !mac.received {
            mac.received = true;
            self.phase = Phase::Sending;
            self.due = exchange.data_end;
        } else {
            self.phase = match corrupted {
                Some(frame) => Phase::Failing(Failure::Corrupted(frame)),
                None => Phase::Acknowledging,
            };
            self.due = end;
        }
    }

    /// Several nodes transmit.
    #[inline(never)] // rare in comparison
    pub(super) fn collide(&mut self, now: Instant) {
        for i in 0..self.transmitters.len() {
            let node = self.transmitters[i];
            let mac = &mut self.macs[node.index()];
            if mac.has_broadcast() {
                self.collide_with_beacon(now, node);
                continue;
            }
            let link = &mut self.links[mac.link];
            mac.begin_attempt(link.attempt(&self.config, &self.setup.modes, now, mac.bytes));
            mac.usage.collisions += 1;
            mac.usage.data_frames += u64::from(!mac.needs_rts);
            link.airtime.collisions += mac.first_frame;
        }
        for i in 0..self.setup.associations.access_points().len() {
            self.count_overlap(self.setup.associations.access_points()[i]);
        }
        self.phase = Phase::Failing(Failure::Collision);
        self.due = now + self.longest_first_frame();
    }

    /// Counts how long the colliding frames of the cell of `access_point` overlap each other.
    fn count_overlap(&mut self, access_point: NodeId) {
        let associations = &self.setup.associations;
        let of_cell = |node: &&NodeId| associations.access_point_of(**node) == access_point;
        let frames = self.transmitters.iter().filter(of_cell);
        let frames = frames.map(|node| self.macs[node.index()].first_frame);
        let (longest, sum) = frames
            .fold((Duration::ZERO, Duration::ZERO), |(longest, sum), frame| {
                (longest.max(frame), sum + frame)
            });
        self.overlap[access_point.index()] += sum - longest;
        let Mac { to, first_frame, .. } = self.macs[access_point.index()];
        if self.transmitters.contains(&access_point) && self.transmitters.contains(&to) {
            let of_station = self.macs[to.index()].first_frame;
            self.overlap[to.index()] += first_frame.min(of_station);
        }
    }

    /// An attempt has failed: counts retries, drops packets, draws backoffs.
    #[inline(never)] // rare in comparison
    pub(super) fn fail(&mut self, now: Instant, failure: Failure, cell: &mut impl CellContext) {
        use ExchangeFrame::{Ack, Cts, Data};
        let phy = self.config.phy;
        self.become_idle(self.eifs_slots);
        let answered = matches!(failure, Failure::Corrupted(Cts | Ack));
        if answered {
            let answering = self.macs[self.transmitters[0].index()].to;
            self.contention.exempt(contender_of(answering), 0);
        }
        let longest = self.longest_first_frame();
        for i in 0..self.transmitters.len() {
            let node = self.transmitters[i];
            let mac = &self.macs[node.index()];
            let first_frame = mac.first_frame;
            if mac.has_broadcast() {
                // It met a frame. Nobody was to answer it.
                if self.reports {
                    self.end_attempt(now, node, first_frame, true, Outcome::GivenUp, cell);
                }
                self.finish_beacon(now, node, TxStatus::Dropped, cell);
                self.dropped.push(node);
                continue;
            }
            let frames = self.link(node).frames();
            let data = self.setup.modes.vector(frames.mode).format;
            let unanswered = match failure {
                Failure::Corrupted(Data) => data,
                _ if mac.needs_rts => frames.control.rts_mode.format,
                _ => data,
            };
            let response_timeout = phy.response_timeout_to(unanswered);
            let mac = &mut self.macs[node.index()];
            let from = if answered {
                self.eifs_slots
            } else {
                // The response timeout counts from the end of the node's own frame, the DIFS from the
                // end of the longest.
                let own = mac.first_frame;
                let timeout = (own + response_timeout).saturating_sub(longest);
                timeout.saturating_sub(phy.difs()).div_ceil(phy.slot)
            };
            let after_cts = mac.needs_rts && matches!(failure, Failure::Corrupted(Data | Ack));
            let (retries, limit) = if after_cts {
                (&mut mac.long_retries, self.config.long_retry_limit)
            } else {
                (&mut mac.short_retries, self.config.short_retry_limit)
            };
            *retries += 1;
            let gives_up = *retries >= limit;
            if self.reports {
                let spent = match failure {
                    Failure::Collision => first_frame + response_timeout,
                    Failure::Corrupted(Cts | Ack) => now.since(self.exchange.start),
                    Failure::Corrupted(_) => now.since(self.exchange.start) + response_timeout,
                };
                let sent_data = !self.macs[node.index()].needs_rts || after_cts;
                let outcome = if gives_up { Outcome::GivenUp } else { Outcome::Failed };
                self.end_attempt(now, node, spent, sent_data, outcome, cell);
            }
            if gives_up {
                self.finish(now, node, from, TxStatus::Dropped, cell);
                self.dropped.push(node);
            } else {
                let mac = &mut self.macs[node.index()];
                mac.backoff.double();
                let backoff = mac.backoff.draw();
                self.contention.back_off(contender_of(node), from, backoff, true);
                self.send_beacon_before_retry(node);
            }
        }
        while let Some(node) = self.dropped.pop() {
            self.load_next(now, node, cell);
        }
    }
}
