//! Lines for a file, written by a thread of their own: a disk or a network's file system that does not
//! answer costs lines, and no round.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::journal;
use crate::records::file::{RecordFile, Rotation};

/// Lines that may wait, some 30 kB: a minute of rounds of 1 s. A decision.
const LONGEST: usize = 64;
/// What the end of the daemon waits for them. Lines take microseconds on a disk that answers. A decision.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where lines are written.
trait Sink: Send + 'static {
    fn append(&mut self, line: String) -> io::Result<()>;
    fn reopen(&mut self, rotation: Rotation);
}

impl Sink for RecordFile {
    fn append(&mut self, line: String) -> io::Result<()> {
        RecordFile::append(self, line)
    }

    fn reopen(&mut self, rotation: Rotation) {
        RecordFile::reopen(self, rotation);
    }
}

/// Writes lines without being waited for. Dropping it does not wait either: what waits is still written.
pub struct RecordWriter {
    shared: Arc<Shared>,
    file: PathBuf,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<String>,
    /// Before the next line, the file is opened again.
    reopen: Option<Rotation>,
    is_writing: bool,
    is_ending: bool,
    /// Lines that were lost.
    failures: u64,
    error: Option<String>,
}

impl RecordWriter {
    /// Nothing is opened before the first line.
    pub fn new(rotation: Rotation) -> Self {
        let file = rotation.file.clone();
        Self::start(RecordFile::new(rotation), file, 0)
    }

    fn start(sink: impl Sink, file: PathBuf, failures: u64) -> Self {
        let shared = Arc::new(Shared::default());
        shared.lock().failures = failures;
        let thread = thread::Builder::new().name("evenaird-records".to_owned());
        let theirs = shared.clone();
        if let Err(err) = thread.spawn(move || theirs.write(sink)) {
            let mut state = shared.lock();
            let event = state.fail(err.to_string(), 0);
            // Lines are lost as if the thread wrote none.
            state.is_ending = true;
            drop(state);
            say(event);
        }
        Self { shared, file }
    }

    /// Has a line appended, in one piece or not at all. It is lost if too many wait already.
    pub fn append(&mut self, line: String) {
        let mut state = self.shared.lock();
        if state.is_ending || state.waiting.len() >= LONGEST {
            let why = format!("{}: {LONGEST} records wait to be written", self.file.display());
            let event = state.fail(why, 1);
            drop(state);
            return say(event);
        }
        state.waiting.push_back(line);
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Opens the file again for the next line, because somebody may have moved it. Another file does not
    /// wait for the present one.
    pub fn reopen(&mut self, rotation: Rotation) {
        if rotation.file == self.file {
            self.shared.lock().reopen = Some(rotation);
        } else {
            let file = rotation.file.clone();
            *self = Self::start(RecordFile::new(rotation), file, self.failures());
        }
    }

    /// Waits until all lines are written, for a limited time; what is left then is lost.
    pub fn flush(&self) {
        let state = self.shared.lock();
        let has_work = |state: &mut State| state.is_writing || !state.waiting.is_empty();
        let (mut state, _) = self
            .shared
            .changed
            .wait_timeout_while(state, PATIENCE, has_work)
            .unwrap_or_else(PoisonError::into_inner);
        let left = state.waiting.len() as u64 + u64::from(state.is_writing);
        state.waiting.clear();
        state.failures += left;
        drop(state);
        if left > 0 {
            let file = self.file.display();
            journal::error(format_args!("{file}: {left} records are not written at the end"));
        }
    }

    /// Lines that could not be written.
    pub fn failures(&self) -> u64 {
        self.shared.lock().failures
    }

    /// Why the last line could not be written; `None` if it could, or waits.
    pub fn last_error(&self) -> Option<String> {
        self.shared.lock().error.clone()
    }
}

impl Drop for RecordWriter {
    fn drop(&mut self) {
        self.shared.lock().is_ending = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    /// The thread: writes lines until the end.
    fn write(&self, mut sink: impl Sink) {
        let mut state = self.lock();
        loop {
            if let Some(line) = state.waiting.pop_front() {
                state.is_writing = true;
                let reopen = state.reopen.take();
                drop(state);
                if let Some(rotation) = reopen {
                    sink.reopen(rotation);
                }
                let result = sink.append(line);
                state = self.lock();
                state.is_writing = false;
                let event = match result {
                    Ok(()) => state.succeed(),
                    Err(err) => state.fail(err.to_string(), 1),
                };
                drop(state);
                say(event);
                self.changed.notify_all();
                state = self.lock();
            } else if state.is_ending {
                return;
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// No thread panics while it holds the lock.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What has changed, for the journal: without the lock, since that may take its time.
enum Event {
    Failed(String),
    Works(u64),
}

impl State {
    /// Counts lines that are lost; the first is worth an event.
    fn fail(&mut self, why: String, lines: u64) -> Option<Event> {
        self.failures += lines;
        let is_first = self.error.replace(why.clone()).is_none();
        is_first.then_some(Event::Failed(why))
    }

    /// A line is written. While others wait, more may be lost.
    fn succeed(&mut self) -> Option<Event> {
        if !self.waiting.is_empty() {
            return None;
        }
        self.error.take().map(|_| Event::Works(self.failures))
    }
}

fn say(event: Option<Event>) {
    match event {
        Some(Event::Failed(why)) => {
            journal::error(format_args!("records cannot be written: {why}"));
        }
        Some(Event::Works(lost)) => {
            journal::notice(format_args!("records are written again, {lost} are lost"));
        }
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Receiver, Sender};
    use std::time::Instant;

    use super::*;

    /// A disk that answers when the test says so, and what is written on it.
    struct Disk {
        answers: Receiver<io::Result<()>>,
        written: Sender<String>,
    }

    impl Sink for Disk {
        fn append(&mut self, line: String) -> io::Result<()> {
            let result = self.answers.recv().unwrap_or(Ok(()));
            if result.is_ok() {
                // The test may have ended.
                let _ = self.written.send(line);
            }
            result
        }

        fn reopen(&mut self, rotation: Rotation) {
            let _ = self.written.send(format!("open {}", rotation.file.display()));
        }
    }

    fn disk() -> (RecordWriter, Sender<io::Result<()>>, Receiver<String>) {
        let ((answer, answers), (written, lines)) = (mpsc::channel(), mpsc::channel());
        (RecordWriter::start(Disk { answers, written }, "f".into(), 0), answer, lines)
    }

    fn rotation(file: &str) -> Rotation {
        Rotation { file: file.into(), max_size: 1000, keep: 0 }
    }

    fn wait_for(writer: &RecordWriter, is_so: impl Fn(&State) -> bool) {
        let start = Instant::now();
        while !is_so(&writer.shared.lock()) {
            assert!(start.elapsed() < Duration::from_secs(10));
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_disk_that_does_not_answer_costs_lines_and_no_time() {
        let (mut writer, answer, lines) = disk();
        let start = Instant::now();
        writer.append("0".to_owned());
        wait_for(&writer, |state| state.is_writing);
        // One is being written, LONGEST wait, three are lost.
        for number in 1..=LONGEST + 3 {
            writer.append(number.to_string());
        }
        assert_eq!(writer.failures(), 3);
        assert_eq!(writer.last_error().unwrap(), "f: 64 records wait to be written");
        assert!(start.elapsed() < Duration::from_secs(5));
        drop(answer);
        wait_for(&writer, |state| state.error.is_none());
        let written: Vec<String> = lines.try_iter().collect();
        assert_eq!(written, (0..=LONGEST).map(|number| number.to_string()).collect::<Vec<_>>());
        assert_eq!(writer.failures(), 3);
    }

    #[test]
    fn the_end_waits_for_a_limited_time() {
        let (mut writer, _answer, _lines) = disk();
        writer.append("0".to_owned());
        writer.append("1".to_owned());
        let start = Instant::now();
        writer.flush();
        assert!((PATIENCE..PATIENCE * 3).contains(&start.elapsed()), "{:?}", start.elapsed());
        assert_eq!(writer.failures(), 2);
    }

    #[test]
    fn the_end_waits_for_what_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records");
        let mut writer = RecordWriter::new(rotation(path.to_str().unwrap()));
        for _ in 0..LONGEST {
            writer.append("x".to_owned());
        }
        writer.flush();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "x\n".repeat(LONGEST));
    }

    #[test]
    fn an_error_lasts_until_a_line_is_written() {
        let (mut writer, answer, _lines) = disk();
        writer.append("0".to_owned());
        answer.send(Err(io::Error::other("full"))).unwrap();
        wait_for(&writer, |state| state.error.is_some());
        assert_eq!((writer.failures(), writer.last_error().as_deref()), (1, Some("full")));
        writer.append("1".to_owned());
        answer.send(Ok(())).unwrap();
        wait_for(&writer, |state| state.error.is_none());
        assert_eq!(writer.failures(), 1);
    }

    #[test]
    fn the_same_file_is_opened_again_and_another_at_once() {
        let (mut writer, answer, lines) = disk();
        writer.reopen(rotation("f"));
        writer.append("0".to_owned());
        answer.send(Ok(())).unwrap();
        writer.flush();
        assert_eq!(lines.try_iter().collect::<Vec<_>>(), ["open f", "0"]);
        // The disk does not answer any more; its lost lines stay counted.
        writer.append("1".to_owned());
        writer.shared.lock().failures = 7;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records");
        writer.reopen(rotation(path.to_str().unwrap()));
        writer.append("2".to_owned());
        writer.flush();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "2\n");
        assert_eq!(writer.failures(), 7);
    }
}
