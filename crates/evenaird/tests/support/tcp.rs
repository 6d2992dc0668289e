//! What the kernel knows of a TCP connection.

use std::net::TcpStream;
use std::os::fd::AsRawFd;

/// TCP_INFO of tcp(7).
pub fn tcp_info(stream: &TcpStream) -> libc::tcp_info {
    // SAFETY: tcp_info consists of integers.
    let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the pointers are valid for the call, and `length` is the size of `info`.
    let result = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            (&raw mut info).cast(),
            &mut length,
        )
    };
    assert_eq!(result, 0);
    info
}
