//! The data path on tcx: BPF programs that are linked to ingress and egress of a device.
//!
//! The links belong to file descriptors of this process. However it ends, the kernel detaches the
//! programs, and all traffic passes. Pinned links outlive the process; their policy then has a
//! lease, after which the program passes everything.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read},
    net::SocketAddr,
    os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, chown},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use aya::programs::{
    LinkOrder, ProgramInfo, SchedClassifier, TcAttachType, links::FdLink, loaded_programs,
    tc::TcAttachOptions,
};
use nix::{
    errno::Errno,
    fcntl::{Flock, FlockArg},
    sys::statfs::{BPF_FS_MAGIC, statfs},
};

use super::{
    Counters, DataPath, Error, Policy,
    device::Device,
    links,
    program::{DOWN, Programs, UP, chain, failed},
};

const PROGRAMS: [(&str, TcAttachType); 2] =
    [(UP, TcAttachType::Ingress), (DOWN, TcAttachType::Egress)];

/// Where the data path keeps what other processes see.
#[derive(Clone, Debug)]
pub struct Options {
    /// Directory of the lock that refuses a second instance; it is made if it is missing.
    pub runtime_directory: PathBuf,
    /// Directory of pinned links, on a bpf file system.
    pub pin_directory: PathBuf,
    /// Whether the programs stay attached when the process is killed.
    pub pinned: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            runtime_directory: "/run/evenaird".into(),
            pin_directory: "/sys/fs/bpf/evenaird".into(),
            pinned: false,
        }
    }
}

/// The data path on a device. Dropping it detaches the programs, pinned ones within milliseconds.
pub struct Tcx {
    // The lock goes last.
    _pins: Option<Pins>,
    programs: Programs,
    device: Device,
    _lock: Flock<File>,
}

impl Tcx {
    /// Attaches the programs to a device: from the return of this function on, `policy` holds and
    /// traffic is counted. It removes what a pinned instance has left behind.
    ///
    /// # Errors
    /// There is no such device, another instance polices it, the policy cannot be represented, or
    /// the kernel refuses the programs: it needs tcx (Linux 6.6), CAP_BPF and CAP_NET_ADMIN. Nothing
    /// is attached then.
    pub fn attach(device: &str, policy: &Policy, options: &Options) -> Result<Self, Error> {
        let opened = Device::open(device)?;
        if options.pinned && policy.lease.is_none() {
            return Err(Error::Policy("a pinned data path needs a policy with a lease".to_owned()));
        }
        let mut programs = Programs::load(opened.mac_header)?;
        programs.set_policy(policy)?;
        programs.set_own(&opened.link_local())?;
        let lock = lock(device, &options.runtime_directory)?;
        let pins = Pins::of(device, &options.pin_directory)?;
        pins.remove()?;
        // The kernel names programs to CAP_SYS_ADMIN only: without it, the lock decides alone.
        if let Err(error @ Error::InUse { .. }) = wait_until_detached(device, &[]) {
            return Err(error);
        }
        note_programs(&lock, device, [programs.id(UP)?, programs.id(DOWN)?])?;
        for (name, hook) in PROGRAMS {
            let what = || format!("attach {name} to {device}");
            let program = programs.classifier(name).map_err(|e| failed(&what(), chain(&e)))?;
            let order = TcAttachOptions::TcxOrder(LinkOrder::default());
            let link = program
                .attach_with_options(device, hook, order)
                .map_err(|e| failed(&what(), chain(&e)))?;
            if options.pinned {
                let link = program.take_link(link).map_err(|e| failed(&what(), chain(&e)))?;
                let link: FdLink = link.try_into().map_err(|e| failed(&what(), chain(&e)))?;
                pins.add(name, link)?;
            }
        }
        Ok(Self { _pins: options.pinned.then_some(pins), programs, device: opened, _lock: lock })
    }
}

impl DataPath for Tcx {
    fn set_policy(&mut self, policy: &Policy) -> Result<(), Error> {
        self.programs.set_policy(policy)?;
        self.programs.set_own(&self.device.link_local())
    }

    fn set_agent(&mut self, agent: Option<SocketAddr>) -> Result<(), Error> {
        self.programs.set_agent(agent)
    }

    fn interface(&self) -> Option<String> {
        self.device.current_name()
    }

    fn counters(&mut self) -> Result<Counters, Error> {
        self.device.check()?;
        self.programs.counters()
    }
}

/// The programs of this daemon that are attached to a device now, as "NAME (id ID)".
///
/// # Errors
/// There is no such device, or the kernel does not answer: it demands CAP_SYS_ADMIN where programs
/// are attached.
pub fn attached(device: &str) -> Result<Vec<String>, Error> {
    Ok(ours(device)?.into_iter().map(|(name, id)| format!("{name} (id {id})")).collect())
}

/// Names and ids of the programs of this daemon that are attached to a device.
fn ours(device: &str) -> Result<Vec<(&'static str, u32)>, Error> {
    Device::open(device)?;
    let mut ours = Vec::new();
    for (own, hook) in PROGRAMS {
        let (_, programs) = SchedClassifier::query_tcx(device, hook)
            .map_err(|e| failed(&format!("query the programs of {device}"), chain(&e)))?;
        let of_this_daemon = programs.iter().filter(|program| is_ours(program, own));
        ours.extend(of_this_daemon.map(|program| (own, program.id())));
    }
    Ok(ours)
}

/// Whether a program is this one of the daemon's.
fn is_ours(program: &ProgramInfo, own: &str) -> bool {
    match program.name_as_str() {
        // A daemon without CAP_PERFMON loads programs without names: these have the same instructions,
        // whatever the link layer.
        Some("") | None => {
            let tag = Programs::load(0).and_then(|mut all| all.tag(own));
            tag.is_ok_and(|tag| tag == program.tag())
        }
        Some(name) => name == own,
    }
}

/// Ids of the programs of the daemon of a device: those that are attached to it, and those that the daemon
/// has loaded, as the device may have another name by now.
fn programs_of(device: &str, options: &Options) -> Result<Vec<u32>, Error> {
    let noted = noted_programs(device, &options.runtime_directory)?;
    let mut ids = Vec::new();
    if !noted.is_empty() {
        for program in loaded_programs() {
            // One that goes meanwhile is not attached.
            let Ok(program) = program else { continue };
            // The file is the daemon's, whom root need not trust.
            let is_one = || PROGRAMS.iter().any(|(own, _)| is_ours(&program, own));
            if noted.contains(&program.id()) && is_one() {
                ids.push(program.id());
            }
        }
    }
    match ours(device) {
        Ok(attached) => ids.extend(attached.into_iter().map(|(_, id)| id)),
        Err(Error::NoDevice { .. }) if !ids.is_empty() => {}
        Err(error) => return Err(error),
    }
    Ok(ids)
}

/// Detaches the programs of the daemon of a device although it may hang: the kernel does it alone, also
/// if the device has another name by now.
///
/// # Errors
/// There is no such device, and nothing is known of a daemon's programs; or the kernel refuses: it demands
/// CAP_SYS_ADMIN.
pub fn detach(device: &str, options: &Options) -> Result<(), Error> {
    let ids = programs_of(device, options);
    Pins::of(device, &options.pin_directory)?.remove()?;
    let ids = ids?;
    links::detach(&ids)
        .map_err(|e| failed(&format!("detach the programs of {device}"), e.to_string()))?;
    wait_until_detached(device, &ids)
}

/// Waits until no program of the daemon of a device is attached, which says that it has detached them.
///
/// # Errors
/// One is attached, or the kernel does not say.
pub fn verify_detached(device: &str, options: &Options) -> Result<(), Error> {
    match programs_of(device, options) {
        // With the programs the daemon has unloaded what would have told the device's other name.
        Err(Error::NoDevice { .. }) => Ok(()),
        ids => wait_until_detached(device, &ids?),
    }
}

/// Detaches what a pinned instance that no longer runs has left on a device, also if it has another name by
/// now.
///
/// # Errors
/// An instance runs, or a pin cannot be removed. There is no such device, and nothing was left.
pub fn remove_leftovers(device: &str, options: &Options) -> Result<(), Error> {
    let _lock = lock(device, &options.runtime_directory)?;
    let ids = programs_of(device, options);
    Pins::of(device, &options.pin_directory)?.remove()?;
    wait_until_detached(device, &ids?)
}

/// The kernel detaches a program some milliseconds after its pin is removed. These programs are to be
/// attached to no device.
fn wait_until_detached(device: &str, ids: &[u32]) -> Result<(), Error> {
    let start = Instant::now();
    loop {
        let links = links::of(ids)
            .map_err(|e| failed(&format!("query the links of {device}"), e.to_string()))?;
        let is_free = match attached(device) {
            Ok(programs) => programs.is_empty(),
            Err(Error::NoDevice { .. }) if !ids.is_empty() => true,
            Err(error) => return Err(error),
        };
        if links.is_empty() && is_free {
            return Ok(());
        }
        if start.elapsed() > Duration::from_secs(1) {
            return Err(Error::InUse { device: device.to_owned() });
        }
        // They keep programs attached that are detached by removing their pins.
        drop(links);
        thread::sleep(Duration::from_millis(5));
    }
}

/// Writes the ids of the programs into the lock, for `evenaird off`.
fn note_programs(lock: &File, device: &str, ids: [u32; 2]) -> Result<(), Error> {
    let text = format!("{} {}\n", ids[0], ids[1]);
    lock.set_len(0)
        .and_then(|()| lock.write_all_at(text.as_bytes(), 0))
        .map_err(|e| failed(&format!("write the lock of {device}"), e.to_string()))
}

/// The ids in the lock of a device, of the last instance; of one that has ended they are no program's.
fn noted_programs(device: &str, directory: &Path) -> Result<Vec<u32>, Error> {
    /// Two ids of up to ten digits, a space and a line feed.
    const LONGEST: u64 = 22;
    let path = lock_path(device, directory)?;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let mut text = String::new();
    match options.open(&path).and_then(|file| file.take(LONGEST).read_to_string(&mut text)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            return Err(failed(&format!("read {}", path.display()), e.to_string()));
        }
        _ => {}
    }
    Ok(text.split_whitespace().filter_map(|id| id.parse().ok()).collect())
}

fn lock_path(device: &str, directory: &Path) -> Result<PathBuf, Error> {
    Ok(directory.join(format!("{}.lock", file_name(device)?)))
}

/// One instance per device: the lock ends with the process.
fn lock(device: &str, directory: &Path) -> Result<Flock<File>, Error> {
    let path = lock_path(device, directory)?;
    let what = || format!("lock {}", path.display());
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
        .map_err(|e| failed(&what(), e.to_string()))?;
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(|e| failed(&what(), e.to_string()))?;
    // Root, which turns a daemon off, leaves the file to the daemon's user.
    if let (Ok(file), Ok(parent)) = (file.metadata(), fs::metadata(directory))
        && file.uid() != parent.uid()
    {
        chown(&path, Some(parent.uid()), Some(parent.gid()))
            .map_err(|e| failed(&what(), e.to_string()))?;
    }
    Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, e)| match e {
        Errno::EWOULDBLOCK => Error::InUse { device: device.to_owned() },
        e => failed(&what(), e.to_string()),
    })
}

/// The name of a device as part of a path: bpffs accepts no dots, devices have no colons.
fn file_name(device: &str) -> Result<String, Error> {
    if device.is_empty() || device.contains('/') {
        return Err(Error::NoDevice { device: device.to_owned() });
    }
    Ok(device.replace('.', ":"))
}

/// The pinned links of a device, in a directory of its own. Dropping it removes them.
struct Pins {
    directory: PathBuf,
}

impl Pins {
    fn of(device: &str, directory: &Path) -> Result<Self, Error> {
        Ok(Self { directory: directory.join(file_name(device)?) })
    }

    fn add(&self, program: &str, link: FdLink) -> Result<(), Error> {
        let path = self.directory.join(program);
        let refused = |cause| failed(&format!("pin {}", path.display()), cause);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.directory)
            .map_err(|e| refused(e.to_string()))?;
        let stat = statfs(&self.directory).map_err(|e| refused(e.to_string()))?;
        if stat.filesystem_type() != BPF_FS_MAGIC {
            return Err(refused("not on a bpf file system (mount -t bpf)".to_owned()));
        }
        link.pin(&path).map(|_| ()).map_err(|e| refused(chain(&e)))
    }

    fn remove(&self) -> Result<(), Error> {
        for (name, _) in PROGRAMS {
            let path = self.directory.join(name);
            match fs::remove_file(&path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => {
                    return Err(failed(&format!("remove {}", path.display()), e.to_string()));
                }
                _ => {}
            }
        }
        // Not there, or not empty: then somebody else uses it.
        let _removed = fs::remove_dir(&self.directory);
        Ok(())
    }
}

impl Drop for Pins {
    fn drop(&mut self) {
        // The lease ends the policy where a pin cannot be removed.
        let _removed = self.remove();
    }
}
