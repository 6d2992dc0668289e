//! Captures of the devices: one pcapng file with an interface for each. A thread of its own writes,
//! so that the disk does not delay packets; timestamps are those of the medium clock, in UTC.

use std::fs::File;
use std::path::Path;
use std::sync::mpsc::{self, SyncSender};
use std::thread::{self, JoinHandle};

use evenair_core::time::{Duration, Instant};
use evenair_sim::{LinkType, Pcapng};

use crate::device::ports::Site;
use crate::timing::clock::utc;

/// Packets that wait to be written, at most: some 25 MB.
const MOST_WAITING: usize = 16_384;

/// A capture.
pub struct Capture {
    sites: Vec<Site>,
    /// The medium's time 0 since 1970.
    epoch: Duration,
    packets: SyncSender<Captured>,
    thread: JoinHandle<std::io::Result<()>>,
    lost: u64,
}

struct Captured {
    interface: u32,
    at: Instant,
    bytes: Vec<u8>,
}

impl Capture {
    /// Creates the file. `now` is the time on the medium clock.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create(path: &Path, sites: &[(Site, String)], now: Instant) -> std::io::Result<Self> {
        let file = File::create(path)?;
        let mut names = sites.iter().map(|(_, name)| name);
        let first = names.next().map_or("none", |name| name);
        let mut pcapng = Pcapng::new(file, LinkType::Raw, first)?;
        for name in names {
            pcapng.add_interface(LinkType::Raw, name)?;
        }
        let (packets, inbox) = mpsc::sync_channel::<Captured>(MOST_WAITING);
        let thread = thread::Builder::new().name("evenair-pcap".to_owned());
        let thread = thread.spawn(move || {
            for Captured { interface, at, bytes } in inbox {
                pcapng.packet(interface, at, "", |block| {
                    block.extend(&bytes);
                    bytes.len() as u32
                })?;
            }
            pcapng.finish().map(drop)
        })?;
        let epoch = utc().saturating_sub(now.since(Instant::ZERO));
        let sites = sites.iter().map(|(site, _)| *site).collect();
        Ok(Self { sites, epoch, packets, thread, lost: 0 })
    }

    /// A packet is read from a device, or written to it.
    pub fn packet(&mut self, at: Instant, site: Site, bytes: &[u8]) {
        let Some(interface) = self.sites.iter().position(|known| *known == site) else { return };
        let interface = interface as u32;
        let packet = Captured { interface, at: at + self.epoch, bytes: bytes.to_vec() };
        if self.packets.try_send(packet).is_err() {
            self.lost += 1;
        }
    }

    /// Completes the file. Returns what the reader has to know, if anything.
    pub fn finish(self) -> Option<String> {
        drop(self.packets);
        match self.thread.join() {
            Ok(Ok(())) if self.lost == 0 => None,
            Ok(Ok(())) => Some(format!("{} packets are not in the capture", self.lost)),
            Ok(Err(error)) => Some(format!("the capture is not complete: {error}")),
            Err(_) => Some("the capture is not complete: its thread panicked".to_owned()),
        }
    }
}
