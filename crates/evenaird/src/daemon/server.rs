//! Small servers within the control loop's thread: one request and one answer per connection,
//! without ever waiting for a client.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use evenair_core::time::{Duration, Instant};
use nix::poll::{PollFd, PollFlags};

/// Connections at a time; a further one takes the place of the oldest, so that clients that are slow
/// block no other.
const CONNECTIONS: usize = 16;
/// The longest request, bytes.
const REQUEST: usize = 8192;
/// A connection that takes longer is closed.
const PATIENCE: Duration = Duration::from_secs(5);

/// A listening socket and its connections.
#[derive(Debug)]
pub struct Server {
    listener: Listener,
    /// What a request ends with.
    end: &'static [u8],
    connections: Vec<Connection>,
}

#[derive(Debug)]
enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener, PathBuf),
}

#[derive(Debug)]
struct Connection {
    stream: Box<dyn Stream>,
    input: Vec<u8>,
    /// The answer, once there is one, and how much of it is sent.
    output: Option<(Vec<u8>, usize)>,
    deadline: Instant,
}

trait Stream: Read + Write + AsFd + std::fmt::Debug {}
impl<T: Read + Write + AsFd + std::fmt::Debug> Stream for T {}

impl Server {
    /// A TCP server; a request ends with `end`.
    pub fn tcp(address: SocketAddr, end: &'static [u8]) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener: Listener::Tcp(listener), end, connections: Vec::new() })
    }

    /// A server at a path, with these permissions. A socket that an earlier process left there is
    /// replaced; one that a process serves is an error.
    pub fn unix(path: &Path, mode: u32, end: &'static [u8]) -> io::Result<Self> {
        if fs::symlink_metadata(path).is_ok_and(|status| status.file_type().is_socket()) {
            if UnixStream::connect(path).is_ok() {
                return Err(ErrorKind::AddrInUse.into());
            }
            fs::remove_file(path)?;
        }
        let listener = UnixListener::bind(path)?;
        listener.set_nonblocking(true)?;
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        let listener = Listener::Unix(listener, path.to_owned());
        Ok(Self { listener, end, connections: Vec::new() })
    }

    /// Where a TCP server listens.
    pub fn address(&self) -> Option<SocketAddr> {
        match &self.listener {
            Listener::Tcp(listener) => listener.local_addr().ok(),
            Listener::Unix(..) => None,
        }
    }

    /// What to wait for before the next [`Self::serve`].
    pub fn poll_fds(&self) -> impl Iterator<Item = PollFd<'_>> {
        let listener = PollFd::new(self.listener.fd(), PollFlags::POLLIN);
        std::iter::once(listener).chain(self.connections.iter().map(|connection| {
            let writes = connection.output.is_some();
            let flags = if writes { PollFlags::POLLOUT } else { PollFlags::POLLIN };
            PollFd::new(connection.stream.as_fd(), flags)
        }))
    }

    /// When to call [`Self::serve`] at the latest.
    pub fn serve_at(&self) -> Instant {
        self.connections.iter().map(|c| c.deadline).min().unwrap_or(Instant::NEVER)
    }

    /// Accepts, reads and writes what is possible without waiting. `answer` is called with each
    /// request, without its end.
    pub fn serve(&mut self, now: Instant, mut answer: impl FnMut(&str) -> String) {
        let end = self.end;
        let mut proceed = |connection: &mut Connection| {
            now < connection.deadline && connection.proceed(end, &mut answer)
        };
        self.connections.retain_mut(&mut proceed);
        for _ in 0..CONNECTIONS {
            let Ok(stream) = self.listener.accept() else { return };
            let (input, deadline) = (Vec::new(), now + PATIENCE);
            let mut connection = Connection { stream, input, output: None, deadline };
            if proceed(&mut connection) {
                if self.connections.len() == CONNECTIONS {
                    self.connections.remove(0);
                }
                self.connections.push(connection);
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Listener::Unix(_, path) = &self.listener {
            let _ = fs::remove_file(path);
        }
    }
}

impl Listener {
    fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(listener) => listener.as_fd(),
            Self::Unix(listener, _) => listener.as_fd(),
        }
    }

    fn accept(&self) -> io::Result<Box<dyn Stream>> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(true)?;
                Ok(Box::new(stream))
            }
            Self::Unix(listener, _) => {
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(true)?;
                Ok(Box::new(stream))
            }
        }
    }
}

impl Connection {
    /// Reads the request or writes the answer; false when the connection is done.
    fn proceed(&mut self, end: &[u8], answer: &mut impl FnMut(&str) -> String) -> bool {
        if self.output.is_none() {
            let mut buffer = [0; 1024];
            let mut is_over = false;
            while !is_over {
                match self.stream.read(&mut buffer) {
                    Ok(0) => is_over = true,
                    Ok(length) => self.input.extend_from_slice(&buffer[..length]),
                    Err(err) if err.kind() == ErrorKind::WouldBlock => break,
                    Err(err) if err.kind() == ErrorKind::Interrupted => {}
                    Err(_) => return false,
                }
                if self.input.len() > REQUEST {
                    return false;
                }
            }
            let found = self.input.windows(end.len()).position(|window| window == end);
            let Some(length) = found else { return !is_over };
            let request = String::from_utf8_lossy(&self.input[..length]);
            self.output = Some((answer(&request).into_bytes(), 0));
        }
        let Some((bytes, sent)) = &mut self.output else { return true };
        while *sent < bytes.len() {
            match self.stream.write(&bytes[*sent..]) {
                Ok(0) => return false,
                Ok(length) => *sent += length,
                Err(err) if err.kind() == ErrorKind::WouldBlock => return true,
                Err(err) if err.kind() == ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Shutdown, TcpStream};

    use super::*;

    const NOW: Instant = Instant::from_nanos(1);

    fn answer(request: &str) -> String {
        format!("<{request}>")
    }

    fn read_all(mut stream: impl Read) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_request_may_come_in_pieces() {
        let mut server = Server::tcp("127.0.0.1:0".parse().unwrap(), b"\r\n\r\n").unwrap();
        let mut client = TcpStream::connect(server.address().unwrap()).unwrap();
        for piece in ["GET /", " HTTP/1.1\r", "\n\r", "\nrest"] {
            client.write_all(piece.as_bytes()).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(5));
            server.serve(NOW, answer);
        }
        assert_eq!(read_all(client), "<GET / HTTP/1.1>");
        assert_eq!(server.serve_at(), Instant::NEVER);
    }

    #[test]
    fn a_client_that_has_closed_its_side_gets_an_answer() {
        let mut server = Server::tcp("127.0.0.1:0".parse().unwrap(), b"\n").unwrap();
        let mut client = TcpStream::connect(server.address().unwrap()).unwrap();
        client.write_all(b"status\n").unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        server.serve(NOW, answer);
        assert_eq!(read_all(client), "<status>");
    }

    #[test]
    fn a_silent_client_delays_nobody_and_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let mut server = Server::unix(&path, 0o600, b"\n").unwrap();
        let silent = UnixStream::connect(&path).unwrap();
        let mut other = UnixStream::connect(&path).unwrap();
        other.write_all(b"status\n").unwrap();
        server.serve(NOW, answer);
        assert_eq!(read_all(other), "<status>");
        assert_eq!(server.serve_at(), NOW + PATIENCE);
        server.serve(NOW + PATIENCE, answer);
        assert_eq!(read_all(silent), "");
    }

    /// The answer is larger than the buffers of a socket.
    #[test]
    fn a_slow_reader_gets_everything() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let mut server = Server::unix(&path, 0o600, b"\n").unwrap();
        let mut client = UnixStream::connect(&path).unwrap();
        client.write_all(b"x\n").unwrap();
        let long = "y".repeat(3_000_000);
        server.serve(NOW, |_| long.clone());
        assert_eq!(server.poll_fds().count(), 2);
        let reader = std::thread::spawn(move || read_all(client).len());
        while server.serve_at() != Instant::NEVER {
            server.serve(NOW, |_| unreachable!("one request"));
        }
        assert_eq!(reader.join().unwrap(), 3_000_000);
    }

    #[test]
    fn requests_that_are_too_long_or_unfinished_get_no_answer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let mut server = Server::unix(&path, 0o600, b"\n").unwrap();
        let mut long = UnixStream::connect(&path).unwrap();
        long.write_all(&[b'x'; REQUEST + 1]).unwrap();
        let unfinished = UnixStream::connect(&path).unwrap();
        unfinished.shutdown(Shutdown::Write).unwrap();
        server.serve(NOW, |_| unreachable!("no request"));
        assert_eq!(server.serve_at(), Instant::NEVER);
        assert_eq!(read_all(unfinished), "");
    }

    /// Silent clients, and some that do not read a long answer, hold every place: others are answered
    /// at once, also one whose request comes in pieces, and the oldest connection is closed.
    #[test]
    fn clients_that_are_slow_block_no_other() {
        let mut server = Server::tcp("127.0.0.1:0".parse().unwrap(), b"\n").unwrap();
        let address = server.address().unwrap();
        let long = "y".repeat(10_000_000);
        let reply = |request: &str| if request == "long" { long.clone() } else { answer(request) };
        let connect = |server: &mut Server, request: &[u8]| {
            let mut client = TcpStream::connect(address).unwrap();
            client.write_all(request).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(5));
            server.serve(NOW, reply);
            client
        };
        let silent: Vec<_> = (0..CONNECTIONS - 4).map(|_| connect(&mut server, b"")).collect();
        let unread: Vec<_> = (0..4).map(|_| connect(&mut server, b"long\n")).collect();
        assert_eq!(server.poll_fds().count(), 1 + CONNECTIONS);
        for _ in 0..2 * CONNECTIONS {
            assert_eq!(read_all(connect(&mut server, b"quick\n")), "<quick>");
        }
        let mut pieces = connect(&mut server, b"sl");
        assert_eq!(read_all(&silent[0]), "");
        pieces.write_all(b"ow\n").unwrap();
        std::thread::sleep(std::time::Duration::from_millis(5));
        server.serve(NOW, reply);
        assert_eq!(read_all(pieces), "<slow>");
        drop(unread);
    }

    #[test]
    fn a_socket_is_private_and_replaces_only_a_dead_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let server = Server::unix(&path, 0o600, b"\n").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let second = Server::unix(&path, 0o600, b"\n").unwrap_err();
        assert_eq!(second.kind(), ErrorKind::AddrInUse);
        drop(server);
        assert!(!path.exists());
        drop(UnixListener::bind(&path).unwrap());
        assert!(path.exists(), "a process that is killed leaves its socket");
        Server::unix(&path, 0o600, b"\n").unwrap();
    }
}
