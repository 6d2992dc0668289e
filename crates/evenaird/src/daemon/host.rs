//! The real host: the kernel's data path, and loss signals over the network.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use evenair_core::component::message::shown;
use evenair_core::units::Rate;

use crate::config::{
    Authentication, Config, ConfigError, Counter, Mode, Privacy, QueueConfig, Signal, Snmp,
    SnmpInterface, Version, check, check_interval, read_secret,
};
use crate::control::{Host, REFRESH_ERROR};
use crate::data_path::{
    self, DataPath, Policy, Tcx, attached, detach, remove_leftovers, verify_detached,
};
use crate::failure::Failure;
use crate::journal;
use crate::queue::{self, Downlink, KernelQueue, rules};
use crate::signal::LossSignal;
use crate::signal::netlink::{DeviceCounter, LocalSignal};
use crate::signal::snmp::{AuthProtocol, Cipher, Credentials, Interface, SnmpSignal, Target};

/// This machine.
#[derive(Clone, Copy, Debug)]
pub struct Kernel;

impl Host for Kernel {
    fn attach(
        &mut self,
        config: &Config,
        policy: &Policy,
    ) -> Result<Box<dyn DataPath>, data_path::Error> {
        let mut options = options(&config.runtime_directory);
        options.pinned = config.pinned;
        let path = Tcx::attach(&config.interface, policy, &options)?;
        // Those of an instance that was killed: nobody else has the lock now.
        queue::remove_leftovers(&config.interface);
        Ok(Box::new(path))
    }

    fn open_signal(&mut self, config: &Signal) -> Result<Box<dyn LossSignal>, ConfigError> {
        let failed = |err: std::io::Error| ConfigError::new("loss_signal", &err.to_string());
        match config {
            Signal::Snmp(snmp) => Ok(Box::new(SnmpSignal::start(target(snmp)?).map_err(failed)?)),
            Signal::Local(local) => {
                let counter = match local.counter {
                    Counter::Device => DeviceCounter::Device,
                    Counter::Qdisc => DeviceCounter::Qdisc,
                };
                Ok(Box::new(LocalSignal::open(&local.device, counter).map_err(failed)?))
            }
        }
    }

    fn open_queue(
        &mut self,
        interface: &str,
        config: &QueueConfig,
        rate: Rate,
        lease: Duration,
    ) -> Result<Box<dyn Downlink>, String> {
        Ok(Box::new(KernelQueue::open(interface, config, rate, lease)?))
    }
}

/// Reads the text of a configuration file.
///
/// # Errors
/// The file cannot be read.
pub fn read_text(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|err| {
        Failure::bad_input(format_args!("{}: {err}; accepted: a TOML file", path.display()))
    })
}

/// Reads a configuration file and checks it against this machine.
///
/// # Errors
/// What is wrong with it.
pub fn read_config(path: &Path) -> Result<Config, Failure> {
    let source = path.display().to_string();
    let mut config = Config::parse(&read_text(path)?, &source)?;
    check(&mut config, &source)?;
    Ok(config)
}

/// Opens the signal. Before a limiter relies on it, it waits for the agent's refresh interval.
///
/// # Errors
/// Its configuration is not accepted.
pub fn open_signal(config: &Config, source: &str) -> Result<Option<Box<dyn LossSignal>>, Failure> {
    let Some(table) = &config.signal else { return Ok(None) };
    let signal = Kernel.open_signal(table).map_err(|err| err.in_source(source))?;
    if config.mode != Mode::Off {
        check_refresh(signal.as_ref(), config).map_err(|err| err.in_source(source))?;
    }
    Ok(Some(signal))
}

/// Waits until the refresh interval of the agent is known, and checks that a round is not shorter.
/// Agents that refresh every 3 s, as net-snmp does, are known after two of their intervals. Without
/// an answer, or without steady traffic that the counters could follow, it is not known, and the
/// daemon starts nevertheless. An error is that a round is shorter.
fn check_refresh(signal: &dyn LossSignal, config: &Config) -> Result<(), ConfigError> {
    const WINDOW: Duration = Duration::from_secs(8);
    const NO_ANSWER: Duration = Duration::from_secs(2);
    const PERIOD: Duration = Duration::from_millis(200);
    let Some(Signal::Snmp(Snmp { refresh: None, .. })) = &config.signal else { return Ok(()) };
    let wanted = Duration::from_nanos(config.interval().as_nanos()) + REFRESH_ERROR;
    let start = Instant::now();
    let (mut samples, mut busy, mut sent) = (0, 0, sent_packets(&config.interface));
    while start.elapsed() < WINDOW {
        if signal.refresh().is_some_and(|refresh| refresh <= wanted) {
            return Ok(());
        }
        if start.elapsed() > NO_ANSWER && signal.error().is_some() {
            break;
        }
        sleep(PERIOD);
        let before = std::mem::replace(&mut sent, sent_packets(&config.interface));
        (samples, busy) = (samples + 1, busy + u32::from(sent != before));
    }
    // Nine of ten: a pause of one sample is not yet a change that the agent has missed.
    if let Some(refresh) = signal.refresh()
        && refresh > wanted
        && 10 * busy >= 9 * samples
    {
        let tenths = (refresh.as_millis() as u64).div_ceil(100);
        let least = evenair_core::time::Duration::from_millis(100 * tenths);
        return check_interval(&config.limiter, least);
    }
    let why = signal.error().unwrap_or("there is too little traffic".to_owned());
    journal::warning(format_args!("loss signal: refresh interval not known: {why}"));
    Ok(())
}

/// Packets that an interface has sent, from proc_pid_net(5).
fn sent_packets(interface: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/net/dev").ok()?;
    let line =
        text.lines().find_map(|line| line.trim().strip_prefix(interface)?.strip_prefix(':'))?;
    // Eight columns of the receiver, then bytes and packets of the transmitter.
    line.split_whitespace().nth(9)?.parse().ok()
}

/// The daemon of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// It does not run.
    Absent,
    /// It has detached its programs.
    Off,
    /// It runs and does not answer.
    Hangs,
}

/// Proves that no program of evenaird is attached to an interface, nor the daemon's to one that has had this
/// name. What a daemon has left there that was killed or hangs is removed by the kernel alone.
///
/// # Errors
/// A program is attached, or the kernel does not say. There is no such interface, and no trace of a daemon's
/// programs.
pub fn prove_detached(
    interface: &str,
    runtime_directory: &Path,
    daemon: Other,
) -> Result<(), Failure> {
    let removed = match daemon {
        Other::Absent => remove_leftovers(interface, &options(runtime_directory)),
        Other::Hangs => detach(interface, &options(runtime_directory)),
        Other::Off => verify_detached(interface, &options(runtime_directory)),
    };
    let is_known = match removed {
        // Rules do not go with their interface.
        Err(data_path::Error::NoDevice { .. }) => false,
        removed => removed.map(|()| true)?,
    };
    rules::remove(interface).map_err(Failure::failed)?;
    match attached(interface) {
        // With the interface its programs are gone, or with another name.
        Err(data_path::Error::NoDevice { .. }) if is_known => Ok(()),
        Err(err @ data_path::Error::NoDevice { .. }) => Err(Failure::bad_input(format_args!(
            "{err}, and no program of a daemon of that name is known"
        ))),
        Err(err) => Err(err.into()),
        Ok(programs) if programs.is_empty() => Ok(()),
        Ok(programs) => {
            let programs = programs.join(", ");
            Err(Failure::failed(format_args!("{interface}: still attached: {programs}")))
        }
    }
}

fn options(runtime_directory: &Path) -> data_path::Options {
    data_path::Options { runtime_directory: runtime_directory.to_owned(), ..Default::default() }
}

fn target(snmp: &Snmp) -> Result<Target, ConfigError> {
    let interface = match &snmp.interface {
        SnmpInterface::Index(index) => Interface::Index(*index),
        SnmpInterface::Name(name) => Interface::Name(name.clone()),
    };
    let counter = snmp.counter.as_ref().map(|text| {
        text.parse().map_err(|accepted| {
            let message = format!("got {}; accepted: {accepted}", shown(text));
            ConfigError::new("loss_signal.counter", &message)
        })
    });
    Ok(Target {
        host: snmp.host.clone(),
        port: snmp.port,
        credentials: credentials(snmp)?,
        interface,
        counter: counter.transpose()?,
    })
}

fn credentials(snmp: &Snmp) -> Result<Credentials, ConfigError> {
    let secret = |key: &str, file: &Option<std::path::PathBuf>| {
        let key = format!("loss_signal.{key}");
        let missing = || ConfigError::new(&key, "missing; accepted: the path of a file");
        let file = file.as_ref().ok_or_else(missing)?;
        read_secret(file).map_err(|problem| ConfigError::new(&key, &problem))
    };
    let refused = |key: &str, accepted: &str| {
        let message = format!("got another one; accepted: {accepted}");
        ConfigError::new(&format!("loss_signal.{key}"), &message)
    };
    if snmp.version == Version::V2c {
        let community = secret("community_file", &snmp.community_file)?;
        return Credentials::community(&community).map_err(|a| refused("community_file", a));
    }
    let authentication = match snmp.authentication {
        Authentication::Sha1 => AuthProtocol::Sha1,
        Authentication::Sha224 => AuthProtocol::Sha224,
        Authentication::Sha256 => AuthProtocol::Sha256,
        Authentication::Sha384 => AuthProtocol::Sha384,
        Authentication::Sha512 => AuthProtocol::Sha512,
    };
    let cipher = match snmp.privacy {
        Privacy::Aes128 => Cipher::Aes128,
        Privacy::Aes192 => Cipher::Aes192,
        Privacy::Aes256 => Cipher::Aes256,
    };
    let password = secret("authentication_file", &snmp.authentication_file)?;
    let privacy = match &snmp.privacy_file {
        Some(_) => Some(secret("privacy_file", &snmp.privacy_file)?),
        None => None,
    };
    let user = snmp.user.as_deref().unwrap_or_default();
    let privacy = privacy.as_deref().map(|password| (cipher, password));
    Credentials::user(user, (authentication, &password), privacy).map_err(|a| refused("user", a))
}

/// What the loss signal says, for `evenaird check`.
pub fn signal_state(signal: &mut dyn LossSignal) -> String {
    let health = signal.poll(false).health;
    match (signal.error(), signal.refresh()) {
        (Some(error), _) => format!("{} ({error})", health.name()),
        (None, Some(Duration::ZERO)) => format!("{}, live", health.name()),
        (None, Some(refresh)) => {
            format!("{}, refreshed every {:.1} s", health.name(), refresh.as_secs_f64())
        }
        (None, None) => format!("{}, refresh interval not known without traffic", health.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_count_what_they_send() {
        assert!(sent_packets("lo").is_some());
        assert_eq!(sent_packets("l"), None);
    }
}
