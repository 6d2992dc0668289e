//! What a configuration says about the machine: the interface is there, secrets are secret.

use std::ffi::CStr;
use std::fs::{self, DirBuilder, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use evenair_core::component::message::shown;
use nix::net::if_::{if_indextoname, if_nameindex, if_nametoindex};
use nix::unistd::{User, geteuid};

use super::{Config, ConfigError, Signal, UNIT_USER};
use crate::data_path::largest_charge;

/// Checks what [`Config::parse`] cannot: that the interfaces are there, that no secret can be read by
/// others. Notes when secrets were changed. Reads nothing from the network and changes nothing else.
///
/// # Errors
/// The first key whose value does not fit this machine.
pub fn check(config: &mut Config, source: &str) -> Result<(), ConfigError> {
    check_machine(config).map_err(|err| err.in_source(source))
}

fn check_machine(config: &mut Config) -> Result<(), ConfigError> {
    check_interface("interface", &config.interface)?;
    check_name(&config.interface)?;
    check_bucket(config)?;
    if let Some(Signal::Local(local)) = &config.signal {
        check_interface("loss_signal.device", &local.device)?;
    }
    for (key, file) in config.signal.iter().flat_map(Signal::secret_files) {
        config.secrets_changed.push(fs::metadata(file).and_then(|status| status.modified()).ok());
        read_secret(file).map_err(|problem| ConfigError::new(key, &problem))?;
    }
    Ok(())
}

/// A bucket that is smaller than a super-packet of the interface never passes it.
fn check_bucket(config: &Config) -> Result<(), ConfigError> {
    let got = config.limiter.bucket_bytes().unwrap_or(0);
    match largest_charge(&config.interface) {
        Ok(least) if got < least => {
            let accepted = format!("at least {least} bytes, a GSO super-packet of the interface");
            let message = format!("got {got} bytes; accepted: {accepted}");
            Err(ConfigError::new("limiter.bucket", &message))
        }
        Ok(_) => Ok(()),
        Err(err) => Err(ConfigError::new("interface", &err.to_string())),
    }
}

fn check_interface(key: &str, name: &str) -> Result<(), ConfigError> {
    if if_nametoindex(name).is_ok() {
        return Ok(());
    }
    let message =
        format!("got {}, which is not there; accepted: {}", shown(name), interfaces().join(", "));
    Err(ConfigError::new(key, &message))
}

/// Rules and locks are by name: another name of the interface (altname, ip-link(8)) is not accepted.
fn check_name(name: &str) -> Result<(), ConfigError> {
    let own = if_nametoindex(name).and_then(if_indextoname);
    match own.as_deref().map(CStr::to_string_lossy) {
        Ok(own) if !own.is_empty() && own != name => {
            let got = shown(name);
            let message = format!("got {got}, another name of {own:?}; accepted: {own:?}");
            Err(ConfigError::new("interface", &message))
        }
        // It may have gone since it was looked for.
        _ => Ok(()),
    }
}

/// The names of this host's network interfaces.
fn interfaces() -> Vec<String> {
    let all = if_nameindex();
    let names = all.iter().flat_map(|all| all.iter());
    names.map(|interface| format!("{:?}", interface.name().to_string_lossy())).collect()
}

/// The first line of a file that only its owner may read. The error does not contain the text.
pub fn read_secret(path: &Path) -> Result<String, String> {
    const ACCEPTED: &str = "a file with one line that only its owner may read (chmod 600)";
    /// A password has a line, RFC 3414 and agents ask for 8 characters.
    const LONGEST: u64 = 1024;
    let fail = |problem: &str| {
        format!("got {}, {problem}; accepted: {ACCEPTED}", shown(&path.to_string_lossy()))
    };
    let cannot = |err: io::Error| fail(&format!("which cannot be read ({err})"));
    // Without O_NONBLOCK, opening a pipe would wait for its writer.
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(libc::O_NONBLOCK).open(path).map_err(cannot)?;
    let status = file.metadata().map_err(cannot)?;
    if !status.is_file() {
        return Err(fail("which is no file"));
    }
    check_private(&status).map_err(|problem| fail(&problem))?;
    let mut text = String::new();
    let length =
        file.take(LONGEST + 1).read_to_string(&mut text).map_err(|_| fail("which is no text"))?;
    let secret = text.lines().next().unwrap_or_default();
    if secret.is_empty() || length as u64 > LONGEST || text.lines().count() > 1 {
        return Err(fail("which has no line, or more than one"));
    }
    Ok(secret.to_owned())
}

/// Makes the folder of sockets and locks, for this user only, or checks that it is one.
///
/// # Errors
/// It cannot be made, or others may use it.
pub fn prepare_runtime_directory(path: &Path) -> Result<(), ConfigError> {
    let shown = shown(&path.to_string_lossy());
    let fail = |problem: &str| {
        let accepted = "a directory that only its owner may use (chmod 700)";
        let message = format!("got {shown}, {problem}; accepted: {accepted}");
        ConfigError::new("runtime_directory", &message)
    };
    if let Err(err) = DirBuilder::new().mode(0o700).create(path)
        && err.kind() != io::ErrorKind::AlreadyExists
    {
        return Err(fail(&format!("which cannot be made ({err})")));
    }
    let status =
        fs::metadata(path).map_err(|err| fail(&format!("which cannot be used ({err})")))?;
    if !status.is_dir() {
        return Err(fail("which is no directory"));
    }
    check_private(&status).map_err(|problem| fail(&problem))
}

/// Whether nobody but this user and root may use a file.
fn check_private(status: &Metadata) -> Result<(), String> {
    if status.mode() & 0o077 != 0 {
        return Err(format!("which others may use (mode {:o})", status.mode() & 0o777));
    }
    if ![0, geteuid().as_raw()].contains(&status.uid()) && !is_of_service(status.uid()) {
        return Err(format!("which belongs to another user (uid {})", status.uid()));
    }
    Ok(())
}

/// Whether root looks at a file of the unit's user.
fn is_of_service(uid: u32) -> bool {
    let service = || User::from_name(UNIT_USER).ok().flatten();
    geteuid().is_root() && service().is_some_and(|user| user.uid.as_raw() == uid)
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_secret_is_the_line_of_a_private_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "correct horse\n").unwrap();
        for mode in [0o600, 0o400, 0o700] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            assert_eq!(read_secret(&path).unwrap(), "correct horse");
        }
        for mode in [0o640, 0o604, 0o620, 0o610, 0o601] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let message = read_secret(&path).unwrap_err();
            assert!(message.contains(&format!("others may use (mode {mode:o})")), "{message}");
            assert!(!message.contains("horse"), "{message}");
        }
    }

    /// Only root can give a file to somebody else; others skip this.
    #[test]
    fn what_belongs_to_another_user_is_not_private() {
        if !geteuid().is_root() {
            assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "missing: root");
            return;
        }
        const OTHER: Option<u32> = Some(65_534);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "correct horse\n").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::chown(&path, OTHER, None).unwrap();
        let message = read_secret(&path).unwrap_err();
        assert!(message.contains("belongs to another user (uid 65534)"), "{message}");
        fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
        std::os::unix::fs::chown(folder.path(), OTHER, None).unwrap();
        let message = prepare_runtime_directory(folder.path()).unwrap_err().to_string();
        assert!(message.contains("belongs to another user (uid 65534)"), "{message}");
    }

    /// The largest packet of loopback has 65,535 bytes, in one segment.
    #[test]
    fn a_bucket_holds_the_largest_packet_of_the_interface() {
        let checked = |bucket| {
            let text =
                format!("interface = \"lo\"\nlimiter = {{ kind = \"fixed\", bucket = {bucket} }}");
            check(&mut Config::parse(text.as_bytes(), "f").unwrap(), "f")
                .map_err(|err| err.to_string())
        };
        let error = checked(65_534).unwrap_err();
        assert!(
            error.starts_with("f: limiter.bucket: got 65534 bytes; accepted: at least 65535"),
            "{error}"
        );
        assert_eq!(checked(65_535), Ok(()));
    }

    #[test]
    fn an_unknown_interface_is_refused_with_those_that_are_there() {
        let text = "interface = \"eth99\"\nlimiter = \"fixed\"";
        let error = check(&mut Config::parse(text.as_bytes(), "f").unwrap(), "f").unwrap_err();
        let error = error.to_string();
        let expected = "f: interface: got \"eth99\", which is not there; accepted: ";
        assert!(error.starts_with(expected) && error.contains("\"lo\""), "{error}");
    }

    #[test]
    fn what_is_no_line_is_no_secret() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        let long = "x".repeat(1025);
        for text in [&b""[..], b"\n", b"two\nlines\n", b"\xff\xfe", long.as_bytes()] {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            assert!(read_secret(&path).is_err(), "{text:?}");
        }
        assert!(read_secret(folder.path()).unwrap_err().contains("no file"));
        assert!(read_secret(&folder.path().join("gone")).unwrap_err().contains("cannot be read"));
    }

    #[test]
    fn the_runtime_directory_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        prepare_runtime_directory(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        prepare_runtime_directory(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o750)).unwrap();
        let message = prepare_runtime_directory(&path).unwrap_err().to_string();
        assert!(message.contains("mode 750"), "{message}");
        assert!(prepare_runtime_directory(&path.join("a/b")).is_err());
    }
}
