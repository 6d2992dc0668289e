//! Links of BPF programs to their hooks, by bpf(2): what aya does only with links of its own.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// `enum bpf_cmd` of linux/bpf.h.
const OBJ_GET_INFO_BY_FD: libc::c_int = 15;
const LINK_GET_FD_BY_ID: libc::c_int = 30;
const LINK_GET_NEXT_ID: libc::c_int = 31;
const LINK_DETACH: libc::c_int = 34;

/// The beginning of `union bpf_attr` and of `struct bpf_link_info`: all members in use are words.
type Words = [u32; 16];

/// Detaches these programs wherever they are attached by a link, also one of another process, and
/// whatever the device is called or whichever network namespace it is in.
///
/// # Errors
/// The kernel refuses: it demands CAP_SYS_ADMIN.
pub(super) fn detach(programs: &[u32]) -> io::Result<()> {
    for link in of(programs)? {
        bpf(LINK_DETACH, &mut words(&[link.as_raw_fd().cast_unsigned()]))?;
    }
    Ok(())
}

/// The links by which these programs are attached to a device now.
///
/// # Errors
/// The kernel refuses: it demands CAP_SYS_ADMIN.
pub(super) fn of(programs: &[u32]) -> io::Result<Vec<OwnedFd>> {
    let mut found = Vec::new();
    // No rights are needed to find nothing.
    if programs.is_empty() {
        return Ok(found);
    }
    let mut id = 0;
    loop {
        // start_id, next_id
        let mut next = words(&[id]);
        match bpf(LINK_GET_NEXT_ID, &mut next) {
            Err(err) if err.raw_os_error() == Some(libc::ENOENT) => return Ok(found),
            result => result?,
        };
        id = next[1];
        let link = match bpf(LINK_GET_FD_BY_ID, &mut words(&[id])) {
            // It has gone meanwhile.
            Err(err) if err.raw_os_error() == Some(libc::ENOENT) => continue,
            // SAFETY: the kernel has made this descriptor for the caller.
            result => unsafe { OwnedFd::from_raw_fd(result?) },
        };
        let mut info: Words = words(&[]);
        // bpf_fd, info_len, info
        let address = (&raw mut info) as u64;
        let fd = link.as_raw_fd().cast_unsigned();
        let mut request = words(&[fd, size_of::<Words>() as u32]);
        let halves = address.to_ne_bytes();
        request[2] = u32::from_ne_bytes([halves[0], halves[1], halves[2], halves[3]]);
        request[3] = u32::from_ne_bytes([halves[4], halves[5], halves[6], halves[7]]);
        bpf(OBJ_GET_INFO_BY_FD, &mut request)?;
        // type, id, prog_id, padding; of tcx ifindex: 0 without a device
        if programs.contains(&info[2]) && info[4] != 0 {
            found.push(link);
        }
    }
}

fn words(first: &[u32]) -> Words {
    let mut words = [0; 16];
    words[..first.len()].copy_from_slice(first);
    words
}

fn bpf(command: libc::c_int, attributes: &mut Words) -> io::Result<i32> {
    // SAFETY: the attributes are as long as said; an address in them is that of `Words`, too.
    let result = unsafe {
        libc::syscall(libc::SYS_bpf, command, attributes.as_mut_ptr(), size_of::<Words>())
    };
    // A descriptor or 0.
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result as i32) }
}
