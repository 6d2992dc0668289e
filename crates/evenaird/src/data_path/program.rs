//! The BPF programs of the data path in the kernel: loading, policies, counters.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use aya::{
    Ebpf, EbpfLoader, TestRun,
    maps::{Array, MapData, PerCpuArray},
    programs::{ProgramError, ProgramInfo, SchedClassifier, TestRunOptions},
};

use super::{Counters, Error, Policy, Traffic};

/// The object that `build.rs` has compiled; empty without clang.
#[cfg(bpf)]
const OBJECT: &[u8] = aya::include_bytes_aligned!(concat!(env!("OUT_DIR"), "/limiter.bpf.o"));
#[cfg(not(bpf))]
const OBJECT: &[u8] = &[];

/// Whether the data path was built: it needs clang at build time.
pub const BUILT: bool = cfg!(bpf);

/// Names of the programs, as `bpftool prog` shows them.
pub(super) const UP: &str = "evenaird_up";
pub(super) const DOWN: &str = "evenaird_down";
const POLICY: &str = "evenaird_policy";

/// Tokens per byte: a token is 1e-9 bit, so that a rate in bit/s is tokens per nanosecond.
const TOKENS_PER_BYTE: u64 = 8_000_000_000;

/// The largest bucket, bytes: the program adds two numbers up to its size in tokens.
pub const MAX_BUCKET_BYTES: u64 = u64::MAX / 2 / TOKENS_PER_BYTE;

const ETHERNET_HEADER: usize = 14;

/// TC_ACT_UNSPEC of linux/pkt_cls.h, -1: what programs return for a packet that passes.
const NEXT: u32 = u32::MAX;

/// The loaded programs, attached to nothing.
pub(super) struct Programs {
    ebpf: Ebpf,
    /// `struct traffic` of the program, by direction and protocol.
    counters: PerCpuArray<MapData, [u64; 2]>,
    /// `struct agent` of the program.
    agent: Array<MapData, [u8; 20]>,
    /// Link-local addresses.
    own: Array<MapData, [u8; 16]>,
}

impl Programs {
    /// Loads the programs for a device with `mac_header` bytes before the network header.
    pub(super) fn load(mac_header: u32) -> Result<Self, Error> {
        Self::load_with(mac_header, false)
    }

    fn load_with(mac_header: u32, injected_clock: bool) -> Result<Self, Error> {
        if !BUILT {
            return Err(failed("load the BPF programs", "evenaird was built without clang"));
        }
        let mut ebpf = EbpfLoader::new()
            .override_global("mac_header", &mac_header, true)
            .override_global("injected_clock", &u8::from(injected_clock), true)
            .load(OBJECT)
            .map_err(|e| failed("load the BPF programs", with_privileges(chain(&e))))?;
        for name in [UP, DOWN, POLICY] {
            classifier(&mut ebpf, name).and_then(SchedClassifier::load).map_err(|e| {
                failed(&format!("load the BPF program {name}"), with_privileges(chain(&e)))
            })?;
        }
        let counters = ebpf.take_map("counters").and_then(|map| PerCpuArray::try_from(map).ok());
        let counters = counters.ok_or_else(|| failed("load the BPF programs", "no counters"))?;
        let agent = ebpf.take_map("agents").and_then(|map| Array::try_from(map).ok());
        let agent = agent.ok_or_else(|| failed("load the BPF programs", "no agent"))?;
        let own = ebpf.take_map("own").and_then(|map| Array::try_from(map).ok());
        let own = own.ok_or_else(|| failed("load the BPF programs", "no addresses"))?;
        Ok(Self { ebpf, counters, agent, own })
    }

    /// A program, to attach it.
    pub(super) fn classifier(&mut self, name: &str) -> Result<&mut SchedClassifier, ProgramError> {
        classifier(&mut self.ebpf, name)
    }

    /// The id of a program in the kernel.
    pub(super) fn id(&mut self, name: &str) -> Result<u32, Error> {
        Ok(self.info(name)?.id())
    }

    /// The digest of a program's instructions.
    pub(super) fn tag(&mut self, name: &str) -> Result<u64, Error> {
        Ok(self.info(name)?.tag())
    }

    fn info(&mut self, name: &str) -> Result<ProgramInfo, Error> {
        let info = self.classifier(name).and_then(|program| program.info());
        info.map_err(|e| failed(&format!("query the BPF program {name}"), chain(&e)))
    }

    /// Runs the program that sets the policy.
    pub(super) fn set_policy(&self, policy: &Policy) -> Result<(), Error> {
        let message = message(policy)?;
        let options = TestRunOptions { data_in: Some(&message), ..Default::default() };
        match self.run(POLICY, options) {
            Ok(NEXT) => Ok(()),
            Ok(_) => Err(failed("set the rate of the policer", "the program refused it")),
            Err(e) => Err(failed("set the rate of the policer", chain(&e))),
        }
    }

    /// Sets the SNMP agent whose replies are not charged.
    pub(super) fn set_agent(&mut self, agent: Option<SocketAddr>) -> Result<(), Error> {
        let value = agent.map_or([0; 20], |agent| {
            let mut value = [0; 20];
            let family = match agent.ip().to_canonical() {
                IpAddr::V4(address) => {
                    value[..4].copy_from_slice(&address.octets());
                    libc::AF_INET
                }
                IpAddr::V6(address) => {
                    value[..16].copy_from_slice(&address.octets());
                    libc::AF_INET6
                }
            };
            value[16..18].copy_from_slice(&agent.port().to_be_bytes());
            // 2 or 10.
            value[18] = family as u8;
            value
        });
        self.agent.set(0, value, 0).map_err(|e| failed("set the SNMP agent", chain(&e)))
    }

    /// Sets the link-local addresses of the device; those that do not fit are left out.
    pub(super) fn set_own(&mut self, addresses: &[Ipv6Addr]) -> Result<(), Error> {
        for index in 0..self.own.len() {
            let address = addresses.get(index as usize).map_or([0; 16], Ipv6Addr::octets);
            self.own
                .set(index, address, 0)
                .map_err(|e| failed("set the addresses of the interface", chain(&e)))?;
        }
        Ok(())
    }

    /// Runs a program on a packet of user space; returns the program's result.
    fn run(&self, name: &str, options: TestRunOptions<'_>) -> Result<u32, ProgramError> {
        let program = self.ebpf.program(name).ok_or(ProgramError::UnexpectedProgramType)?;
        let program: &SchedClassifier = program.try_into()?;
        Ok(program.test_run(options)?.return_value)
    }

    pub(super) fn counters(&self) -> Result<Counters, Error> {
        let mut counters = Counters::default();
        let Counters { up, down, dropped } = &mut counters;
        for (index, sum) in (0..).zip([up, down, dropped].into_iter().flatten()) {
            let values = self.counters.get(&index, 0);
            let values = values.map_err(|e| failed("read the counters", chain(&e)))?;
            for &[packets, bytes] in values.iter() {
                *sum = Traffic { packets: sum.packets + packets, bytes: sum.bytes + bytes };
            }
        }
        Ok(counters)
    }
}

fn classifier<'a>(ebpf: &'a mut Ebpf, name: &str) -> Result<&'a mut SchedClassifier, ProgramError> {
    ebpf.program_mut(name).ok_or(ProgramError::UnexpectedProgramType)?.try_into()
}

/// `struct policy` of the program, after an Ethernet header that the kernel demands.
fn message(policy: &Policy) -> Result<Vec<u8>, Error> {
    if policy.bucket_bytes == 0 || policy.bucket_bytes > MAX_BUCKET_BYTES {
        return Err(Error::Policy(format!(
            "bucket: got {} bytes; accepted: 1 to {MAX_BUCKET_BYTES}",
            policy.bucket_bytes
        )));
    }
    let size = policy.bucket_bytes * TOKENS_PER_BYTE;
    let (udp_rate, udp_size) = policy.udp_rate_bps.map_or((0, 0), |rate| (rate, size));
    let lease =
        policy.lease.map_or(u64::MAX, |lease| u64::try_from(lease.as_nanos()).unwrap_or(u64::MAX));
    let mut message = vec![0; ETHERNET_HEADER];
    for word in [policy.rate_bps, size, udp_rate, udp_size, lease] {
        message.extend(word.to_ne_bytes());
    }
    Ok(message)
}

/// An error of the operating system.
pub(super) fn failed(operation: &str, cause: impl Into<String>) -> Error {
    Error::System { operation: operation.to_owned(), cause: cause.into() }
}

/// A reason why programs cannot be loaded, with what the kernel misses if it is not permitted (EPERM).
fn with_privileges(reason: String) -> String {
    if reason.contains("Operation not permitted") {
        return reason + "; run it as root, or with CAP_BPF and CAP_NET_ADMIN as its unit does";
    }
    reason
}

/// An error with its causes, on one line.
pub(super) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    if let Some(ProgramError::LoadError { io_error, verifier_log }) = error.downcast_ref() {
        let log = verifier_log.to_string();
        let reason = log.lines().rfind(|line| !line.is_empty() && !line.starts_with("processed "));
        return format!("{io_error}; the verifier: {}", reason.unwrap_or_default());
    }
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let cause = error.to_string();
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
        source = error.source();
    }
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
