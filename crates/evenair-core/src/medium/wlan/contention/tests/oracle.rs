//! A slow contention to test [`Contention`] against: each contender has a counter, and every boundary is
//! visited. Written from the text of the standard.
//!
//! [`Contention`]: super::super::Contention

/// Whose text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standard {
    /// IEEE 802.11-2007 9.2.5.
    Dcf,
    /// IEEE 802.11-2020 10.23.2.
    Edca,
}

#[derive(Clone, Debug)]
pub(super) struct Counting {
    aifsn: u64,
    /// The boundary from which it acts in this idle period, in slots after SIFS.
    pub(super) ready: u64,
    /// The slots left. `None`: no backoff is under way.
    pub(super) counter: Option<u32>,
    pub(super) has_frame: bool,
    /// It is to transmit without a backoff.
    immediate: bool,
    /// Its frame is on the air.
    pub(super) sends: bool,
}

#[derive(Debug)]
pub(super) struct Slow {
    standard: Standard,
    pub(super) contenders: Vec<Counting>,
}

impl Slow {
    pub(super) fn new(standard: Standard, aifsn: impl Iterator<Item = u32>) -> Self {
        let idle = |aifsn| Counting {
            aifsn: u64::from(aifsn),
            ready: u64::from(aifsn),
            counter: None,
            has_frame: false,
            immediate: false,
            sends: false,
        };
        Self { standard, contenders: aifsn.map(idle).collect() }
    }

    pub(super) fn standard(&self) -> Standard {
        self.standard
    }

    /// The medium has become idle. All wait `deferral` slots more than their AIFS.
    pub(super) fn idle(&mut self, deferral: u64) {
        (0..self.contenders.len()).for_each(|id| self.waits(id, deferral));
    }

    /// `id` waits `deferral` slots more than its AIFS.
    pub(super) fn waits(&mut self, id: usize, deferral: u64) {
        let contender = &mut self.contenders[id];
        contender.ready = contender.aifsn + deferral;
    }

    /// `id` has transmitted, or collided internally, and begins a backoff.
    pub(super) fn back_off(&mut self, id: usize, backoff: u32, has_frame: bool) {
        let contender = &mut self.contenders[id];
        (contender.counter, contender.has_frame, contender.sends) =
            (Some(backoff), has_frame, false);
    }

    /// Whether a frame that arrives at `id` while the medium is busy needs a backoff.
    pub(super) fn needs_backoff(&self, id: usize) -> bool {
        match self.standard {
            // 9.2.5.1, 9.2.5.2: unless a post-backoff is under way.
            Standard::Dcf => self.contenders[id].counter.is_none(),
            // 10.23.2.2 a): if the backoff counter is 0.
            Standard::Edca => self.contenders[id].counter.unwrap_or(0) == 0,
        }
    }

    /// A frame arrives at `id` while the medium is busy. `backoff` is that which it draws, if it does.
    pub(super) fn arrive_busy(&mut self, id: usize, backoff: u32) {
        if self.needs_backoff(id) {
            self.contenders[id].counter = Some(backoff);
        }
        self.contenders[id].has_frame = true;
    }

    /// A frame arrives at `id` while the medium is idle, before the boundary `slot`. `late` is a backoff that
    /// it draws if it has none, and the boundary from which it counts this.
    pub(super) fn arrive_idle(&mut self, id: usize, slot: u64, late: Option<(u64, u32)>) {
        let contender = &mut self.contenders[id];
        contender.has_frame = true;
        if self.standard == Standard::Dcf && contender.counter.is_none() {
            let (from, backoff) = late.unwrap_or((slot, 0));
            contender.immediate = late.is_none();
            contender.counter = Some(backoff);
            contender.ready = contender.ready.max(from);
        }
    }

    /// The boundary `slot` of an idle medium. Returns those that transmit there. Who was to transmit without a
    /// backoff, and does not, draws that of `preempted` (DCF).
    pub(super) fn boundary(&mut self, slot: u64, preempted: &[u32]) -> Vec<usize> {
        match self.standard {
            Standard::Dcf => self.boundary_of_dcf(slot, preempted),
            Standard::Edca => self.boundary_of_edca(slot),
        }
    }

    /// 9.2.5.2: a backoff is over when its counter is 0. Otherwise it is decremented if the slot is idle.
    fn boundary_of_dcf(&mut self, slot: u64, preempted: &[u32]) -> Vec<usize> {
        let mut transmitters = Vec::new();
        for (id, contender) in self.contenders.iter_mut().enumerate() {
            if contender.ready <= slot && contender.counter == Some(0) {
                contender.counter = None;
                if contender.has_frame {
                    (contender.sends, contender.immediate) = (true, false);
                    transmitters.push(id);
                }
            }
        }
        for (contender, &backoff) in self.contenders.iter_mut().zip(preempted) {
            if transmitters.is_empty() {
                if contender.ready <= slot {
                    contender.counter = contender.counter.map(|slots| slots - 1);
                }
            } else if std::mem::take(&mut contender.immediate) {
                contender.counter = Some(backoff);
            }
        }
        transmitters
    }

    /// 10.23.2.4: each contender whose AIFS has passed transmits, or decrements its counter, or does nothing.
    fn boundary_of_edca(&mut self, slot: u64) -> Vec<usize> {
        let mut transmitters = Vec::new();
        for (id, contender) in self.contenders.iter_mut().enumerate() {
            if contender.ready > slot {
                continue;
            }
            match contender.counter.unwrap_or(0) {
                0 if contender.has_frame => {
                    (contender.sends, contender.counter) = (true, None);
                    transmitters.push(id);
                }
                0 => contender.counter = None,
                slots => contender.counter = Some(slots - 1),
            }
        }
        transmitters
    }
}
