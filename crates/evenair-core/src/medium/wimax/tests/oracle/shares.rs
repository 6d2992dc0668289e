//! Base-station schedulers: who gets how many symbols of a frame.

use super::Oracle;

impl Oracle {
    /// The stations served in a frame, in order, and their data symbols. `room` is that of so many
    /// bursts, with the symbol before each.
    pub(super) fn shares(
        &mut self,
        up: bool,
        wanted: &[u64],
        most: usize,
        room: impl Fn(u64) -> u64,
    ) -> Vec<(usize, u64)> {
        let sizes: Vec<u64> =
            self.stations.iter().map(|station| station.bytes_per_symbol).collect();
        let wanted: Vec<u64> =
            wanted.iter().zip(&sizes).map(|(need, &size)| need.div_ceil(size)).collect();
        match self.setup.quantum {
            None => self.round_robin(up, &wanted, most, room),
            Some(quantum) => self.deficit_round_robin(up, &wanted, most, room, quantum, &sizes),
        }
    }

    /// Each station in turn gets all it wants, or what is left.
    fn round_robin(
        &mut self,
        up: bool,
        wanted: &[u64],
        most: usize,
        room: impl Fn(u64) -> u64,
    ) -> Vec<(usize, u64)> {
        let n = wanted.len();
        let (mut shares, mut used) = (Vec::new(), 0);
        let first = self.first[usize::from(up)];
        for station in (first..first + n).map(|step| step % n) {
            if wanted[station] == 0 {
                continue;
            }
            let left = room(shares.len() as u64 + 1).saturating_sub(used);
            if left < 2 || shares.len() == most {
                break;
            }
            let symbols = wanted[station].min(left - 1);
            used += 1 + symbols;
            shares.push((station, symbols));
            self.first[usize::from(up)] = (station + 1) % n;
        }
        shares
    }

    /// Stations in turn get the symbols that their deficits pay, until all have what they want or
    /// the frame is full. The next frame begins with the first one that got less.
    fn deficit_round_robin(
        &mut self,
        up: bool,
        wanted: &[u64],
        most: usize,
        room: impl Fn(u64) -> u64,
        quantum: u64,
        sizes: &[u64],
    ) -> Vec<(usize, u64)> {
        let n = wanted.len();
        let mut shares: Vec<(usize, u64)> = Vec::new();
        for (station, &wanted) in self.stations.iter_mut().zip(wanted) {
            if wanted == 0 {
                station.queues[usize::from(up)].deficit = 0;
            }
        }
        let (mut passed_over, mut last, mut idle) = (None, None, 0);
        let mut next = self.first[usize::from(up)];
        while idle < n {
            let index = next;
            next = (next + 1) % n;
            idle += 1;
            let share = shares.iter().position(|&(station, _)| station == index);
            let left = wanted[index] - share.map_or(0, |share| shares[share].1);
            if left == 0 {
                continue;
            }
            let used: u64 = shares.iter().map(|(_, symbols)| 1 + symbols).sum();
            let free = match share {
                Some(_) => room(shares.len() as u64).saturating_sub(used),
                None if shares.len() == most => 0,
                None => room(shares.len() as u64 + 1).saturating_sub(used + 1),
            };
            if free == 0 {
                passed_over.get_or_insert(index);
                continue;
            }
            (idle, last) = (0, Some(index));
            let deficit = &mut self.stations[index].queues[usize::from(up)].deficit;
            if *deficit < sizes[index] {
                *deficit += quantum;
            }
            let paid = left.min(*deficit / sizes[index]);
            if free < paid {
                passed_over.get_or_insert(index);
            }
            let symbols = paid.min(free);
            *deficit -= symbols * sizes[index];
            if symbols == left {
                *deficit = 0;
            }
            match share {
                Some(share) => shares[share].1 += symbols,
                None if symbols > 0 => shares.push((index, symbols)),
                None => {}
            }
        }
        if let Some(first) = passed_over.or(last.map(|last| (last + 1) % n)) {
            self.first[usize::from(up)] = first;
        }
        shares
    }
}
