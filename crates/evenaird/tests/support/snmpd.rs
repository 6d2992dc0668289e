//! net-snmp's agent.

use std::net::UdpSocket;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use snmp2::{Oid, SyncSession, Value};
use tempfile::TempDir;

pub const PORT: u16 = 10161;
pub const COMMUNITY: &str = "not-public";
pub const AUTHENTICATION: &str = "authentication password";
pub const PRIVACY: &str = "privacy password";

/// The pair of most tests, by net-snmp's names.
pub const SHA_256_AES: (&str, &str) = ("SHA-256", "AES");

/// All pairs of protocols that the agent has.
pub fn protocols() -> impl Iterator<Item = (&'static str, &'static str)> {
    const AUTHENTICATIONS: [&str; 5] = ["SHA", "SHA-224", "SHA-256", "SHA-384", "SHA-512"];
    const CIPHERS: [&str; 3] = ["AES", "AES-192", "AES-256"];
    AUTHENTICATIONS.into_iter().flat_map(|name| CIPHERS.map(|cipher| (name, cipher)))
}

/// The user of a pair of protocols.
pub fn user((authentication, cipher): (&str, &str)) -> String {
    format!("{authentication}+{cipher}")
}

/// A running agent in the network namespace of the thread that started it.
pub struct Snmpd {
    child: Child,
    folder: TempDir,
}

impl Snmpd {
    /// An agent with a v2c community, and a v3 user for each pair of protocols.
    pub fn start(protocols: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut configuration = format!("rwcommunity {COMMUNITY} 127.0.0.1\n");
        for &(authentication, cipher) in protocols {
            let user = user((authentication, cipher));
            configuration += &format!(
                "createUser {user} {authentication} \"{AUTHENTICATION}\" {cipher} \"{PRIVACY}\"\n\
                 rouser {user} auth\n"
            );
        }
        std::fs::write(folder.path().join("snmpd.conf"), configuration).unwrap();
        Snmpd { child: spawn(&folder), folder }.answering()
    }

    /// Ends the process; it answers no more.
    pub fn stop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// A new process with the same configuration.
    pub fn restart(mut self) -> Self {
        self.stop();
        self.child = spawn(&self.folder);
        self.answering()
    }

    /// Sets the time for which the agent caches the counters of interfaces; 3 s by default.
    pub fn set_cache_timeout(&self, seconds: i64) {
        // nsCacheTimeout of ifTable (NET-SNMP-AGENT-MIB), indexed by the table's identifier.
        let timeout: &[u64] = &[1, 3, 6, 1, 4, 1, 8072, 1, 5, 3, 1, 2];
        let oid = Oid::from(&[timeout, &[1, 3, 6, 1, 2, 1, 2, 2]].concat()).unwrap();
        let mut session = session();
        let response = session.set(&[(&oid, Value::Integer(seconds))]).unwrap();
        assert_eq!(response.error_status, 0);
    }

    fn answering(self) -> Self {
        let sys_uptime = Oid::from(&[1, 3, 6, 1, 2, 1, 1, 3, 0]).unwrap();
        let deadline = Instant::now() + Duration::from_secs(10);
        while session().get(&sys_uptime).is_err() {
            assert!(Instant::now() < deadline, "snmpd does not answer");
            sleep(Duration::from_millis(50));
        }
        self
    }
}

impl Drop for Snmpd {
    fn drop(&mut self) {
        // It may have been stopped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(folder: &TempDir) -> Child {
    // Nothing else may listen there, or the test would talk to it.
    drop(UdpSocket::bind(("127.0.0.1", PORT)).unwrap());
    Command::new("snmpd")
        .args(["-f", "-r", "-Ln", "-C", "-c"])
        .arg(folder.path().join("snmpd.conf"))
        .arg(format!("udp:127.0.0.1:{PORT}"))
        .env("SNMP_PERSISTENT_DIR", folder.path().join("persistent"))
        .env("SNMPCONFPATH", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn session() -> SyncSession {
    let timeout = Some(Duration::from_millis(500));
    SyncSession::new_v2c(("127.0.0.1", PORT), COMMUNITY.as_bytes(), timeout, 1).unwrap()
}
