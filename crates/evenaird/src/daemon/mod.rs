//! `evenaird run`: one thread that waits for the next round, for signals and for clients.

pub mod host;
pub mod notify;
pub mod reload;
pub mod server;

use std::os::fd::AsFd;
use std::path::Path;
use std::time::SystemTime;

use evenair_core::time::{Duration, Instant};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::time::TimeSpec;

use crate::clock;
use crate::config::{Config, Listen, prepare_runtime_directory};
use crate::control::{ControlLoop, Host};
use crate::daemon::host::{Kernel, open_signal, read_config};
use crate::daemon::notify::Notifier;
use crate::daemon::reload::{Read, Reload};
use crate::daemon::server::Server;
use crate::failure::Failure;
use crate::journal;
use crate::queue;
use crate::status::control_socket::{OFF, STATUS};
use crate::status::metrics;

/// Runs until SIGTERM or SIGINT.
///
/// # Errors
/// The configuration is not accepted, or the daemon cannot start. Nothing is attached then.
pub fn run(path: &Path) -> Result<(), Failure> {
    let result = run_until_signal(path);
    queue::wait_until_closed();
    result
}

fn run_until_signal(path: &Path) -> Result<(), Failure> {
    let signals = signals()?;
    let notifier = Notifier::from_environment()
        .map_err(|err| Failure::failed(format_args!("NOTIFY_SOCKET: {err}")))?;
    let source = path.display().to_string();
    let config = read_config(path)?;
    prepare_runtime_directory(&config.runtime_directory).map_err(|err| err.in_source(&source))?;
    let signal = open_signal(&config, &source)?;
    let mut control_loop = ControlLoop::new(config, Kernel, signal, clock::now());
    control_loop.start(clock::now())?;
    // Ready without rules that an earlier instance has left.
    queue::wait_until_closed();
    control_loop.settle_queue().map_err(Failure::failed)?;
    // After the data path, whose lock refuses a second instance.
    let control = serve_control(control_loop.config())?;
    let metrics = control_loop.config().metrics.as_ref().map(serve_metrics).transpose()?;
    notifier.ready(&summary(&control_loop));
    let mut daemon = Daemon { path, control_loop, notifier, control, metrics, reload: None };
    daemon.serve(&signals)
}

struct Daemon<'a> {
    path: &'a Path,
    control_loop: ControlLoop<Kernel>,
    notifier: Notifier,
    control: Server,
    metrics: Option<Server>,
    /// The configuration that is being read.
    reload: Option<Reload>,
}

impl Daemon<'_> {
    fn serve(&mut self, signals: &SignalFd) -> Result<(), Failure> {
        loop {
            self.wait(signals)?;
            let now = clock::now();
            if now >= self.control_loop.round_at() {
                self.control_loop.round(now, SystemTime::now());
            }
            self.notifier.ping(now);
            while let Ok(Some(signal)) = signals.read_signal() {
                if signal.ssi_signo != Signal::SIGHUP as u32 {
                    self.notifier.stopping();
                    self.control_loop.stop();
                    self.control_loop.flush_records();
                    return Ok(());
                }
                self.reload(now);
            }
            self.finish_reload(now);
            self.answer(now);
        }
    }

    /// Waits for the next round, ping, signal or client.
    fn wait(&self, signals: &SignalFd) -> Result<(), Failure> {
        let mut fds = vec![PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
        fds.extend(self.control.poll_fds());
        fds.extend(self.metrics.iter().flat_map(Server::poll_fds));
        fds.extend(self.reload.iter().map(|reload| PollFd::new(reload.fd(), PollFlags::POLLIN)));
        let times = [
            self.reload.as_ref().map_or(Instant::NEVER, Reload::until),
            self.control_loop.round_at(),
            self.notifier.ping_at(),
            self.control.serve_at(),
            self.metrics.as_ref().map_or(Instant::NEVER, Server::serve_at),
        ];
        let next = times.into_iter().min().unwrap_or(Instant::NEVER);
        let timeout = (next != Instant::NEVER).then(|| {
            TimeSpec::from_duration(std::time::Duration::from_nanos(
                next.since(clock::now()).as_nanos(),
            ))
        });
        match ppoll(&mut fds, timeout, None) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(err) => Err(Failure::failed(format_args!("poll: {err}"))),
        }
    }

    fn answer(&mut self, now: Instant) {
        let control_loop = &mut self.control_loop;
        self.control.serve(now, |request| {
            match request.trim() {
                STATUS => {}
                OFF => control_loop.turn_off(),
                _ => return "{\"error\": \"unknown request\"}\n".to_owned(),
            }
            let status = control_loop.status(now);
            serde_json::to_string(&status).unwrap_or_default() + "\n"
        });
        if let Some(server) = &mut self.metrics {
            server.serve(now, |head| metrics::answer(head, || control_loop.status(now)));
        }
    }

    /// SIGHUP: the file is read again, on another thread. One that is not accepted changes nothing.
    fn reload(&mut self, now: Instant) {
        self.notifier.reloading(now);
        let path = self.path.display();
        if self.reload.take().is_some() {
            self.end_reload(Err(Failure::failed(format_args!("{path}: is read anew"))));
        }
        match Reload::start(self.path, self.control_loop.config(), now) {
            Ok(reload) => self.reload = Some(reload),
            Err(err) => self.end_reload(Err(Failure::failed(format_args!("{path}: {err}")))),
        }
    }

    /// Takes over what was read, or gives up.
    fn finish_reload(&mut self, now: Instant) {
        let Some(result) = self.reload.as_ref().and_then(|reload| reload.poll(self.path, now))
        else {
            return;
        };
        self.reload = None;
        let result = result.and_then(|read| self.take_over(read, now));
        self.end_reload(result);
    }

    fn end_reload(&mut self, result: Result<(), Failure>) {
        match result {
            Ok(()) => journal::notice(format_args!("{}: taken over", self.path.display())),
            Err(err) => {
                journal::error(format_args!("{err}; the configuration stays as it was"));
                self.control_loop.refuse_reload();
            }
        }
        self.notifier.ready(&summary(&self.control_loop));
    }

    fn take_over(&mut self, (config, signal): Read, now: Instant) -> Result<(), Failure> {
        let present = self.control_loop.config();
        let needs_restart = [
            ("interface", config.interface != present.interface),
            ("pinned", config.pinned != present.pinned),
            ("runtime_directory", config.runtime_directory != present.runtime_directory),
        ];
        if let Some((key, _)) = needs_restart.iter().find(|(_, differs)| *differs) {
            let path = self.path.display();
            return Err(Failure::bad_input(format_args!(
                "{path}: {key}: got another value; accepted: the present one, until a restart"
            )));
        }
        let has_new_metrics = config.metrics != present.metrics;
        let metrics = match &config.metrics {
            Some(listen) if has_new_metrics => Some(serve_metrics(listen)?),
            _ => None,
        };
        if has_new_metrics {
            self.metrics = metrics;
        }
        self.control_loop.reload(config, signal, now);
        Ok(())
    }
}

/// Blocks the signals that the daemon reads, before any thread is started.
fn signals() -> Result<SignalFd, Failure> {
    let failed = |err: Errno| Failure::failed(format_args!("signals: {err}"));
    let mut mask = SigSet::empty();
    mask.extend([Signal::SIGHUP, Signal::SIGTERM, Signal::SIGINT]);
    mask.thread_block().map_err(failed)?;
    SignalFd::with_flags(&mask, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC).map_err(failed)
}

fn serve_control(config: &Config) -> Result<Server, Failure> {
    let path = config.control_socket();
    Server::unix(&path, 0o600, b"\n").map_err(|err| match err.kind() {
        std::io::ErrorKind::AddrInUse => {
            let interface = &config.interface;
            Failure::failed(format_args!("{interface}: another instance of evenaird runs"))
        }
        _ => Failure::failed(format_args!("{}: {err}", path.display())),
    })
}

fn serve_metrics(listen: &Listen) -> Result<Server, Failure> {
    /// The end of an HTTP request's header; a GET has nothing after it.
    const END: &[u8] = b"\r\n\r\n";
    match listen {
        Listen::Tcp(address) => Server::tcp(*address, END)
            .map_err(|err| Failure::failed(format_args!("metrics.listen: {address}: {err}"))),
        Listen::Unix(path) => Server::unix(path, 0o660, END).map_err(|err| {
            Failure::failed(format_args!("metrics.listen: {}: {err}", path.display()))
        }),
    }
}

fn summary(control_loop: &ControlLoop<impl Host>) -> String {
    let interval = Duration::as_secs_f64(control_loop.config().interval());
    format!(
        "{}: {}, a round every {interval} s",
        control_loop.config().interface,
        control_loop.mode()
    )
}
