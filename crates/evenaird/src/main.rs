//! The command `evenaird`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use evenair_core::control::limiter;
use evenair_core::time::Duration;
use evenaird::config::report::{self, WIDTH};
use evenaird::config::{self, RUNTIME_DIRECTORY, unit};
use evenaird::control::replay::{ReplayError, replay};
use evenaird::daemon::{self, host};
use evenaird::failure::Failure;
use evenaird::status::control_socket;

/// Restores TCP fairness in a WLAN: an adaptive rate limiter of the uplink, on the gateway.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the daemon until SIGTERM; SIGHUP reads the configuration again
    Run {
        /// Configuration file
        config: PathBuf,
    },
    /// Check a configuration and print what it means; nothing is attached
    Check {
        /// Configuration file
        config: PathBuf,
    },
    /// Show what a running daemon does
    Status {
        /// Interface of the daemon, if several run
        interface: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Directory of the daemons' sockets
        #[arg(long, value_name = "DIR", default_value = RUNTIME_DIRECTORY)]
        runtime_directory: PathBuf,
    },
    /// Detach a daemon from its interface, until it is restarted; also one that hangs
    Off {
        /// Interface of the daemon, if several run
        interface: Option<String>,
        /// Directory of the daemons' sockets
        #[arg(long, value_name = "DIR", default_value = RUNTIME_DIRECTORY)]
        runtime_directory: PathBuf,
    },
    /// Run the limiter on recorded rounds, one JSON object per line
    Replay {
        /// Records; - for standard input
        file: PathBuf,
        /// Configuration file whose limiter is used instead of the default one
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    // The secrets in memory are for no core dump and no debugger (PR_SET_DUMPABLE of prctl(2)).
    let _ = nix::sys::prctl::set_dumpable(false);
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(err) if !err.use_stderr() => {
            // Help or version; a pipe that was closed is no failure.
            let _ = err.print();
            return ExitCode::SUCCESS;
        }
        Err(err) => return fail(&Failure::bad_input(usage(&err))),
    };
    match execute(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => fail(&failure),
    }
}

fn fail(failure: &Failure) -> ExitCode {
    // Without a standard error the status says enough.
    let _ = writeln!(io::stderr(), "evenaird: {failure}");
    ExitCode::from(failure.status())
}

/// What is wrong with the arguments, in one line.
fn usage(err: &clap::Error) -> String {
    let text = err.to_string();
    let lines = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    if lines.is_empty()
        || err.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    {
        return "no command; accepted: run, check, status, off, replay; see --help".to_owned();
    }
    lines.join(" ").trim_start_matches("error: ").to_owned()
}

fn execute(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run { config } => daemon::run(&config),
        Command::Check { config } => {
            let source = config.display().to_string();
            let config = host::read_config(&config)?;
            let mut text = report::text(&config);
            if let Some(mut signal) = host::open_signal(&config, &source)? {
                text +=
                    &format!("{:<WIDTH$}{}\n", "signal now", host::signal_state(signal.as_mut()));
            }
            if !config.pinned {
                for file in unit::of_root(&config) {
                    let advice =
                        format!("chown {} {}, for its unit", config::UNIT_USER, file.display());
                    text += &format!("{:<WIDTH$}{advice}\n", "secret");
                }
            }
            text += &format!("\n{}", unit::drop_in(&config));
            print(&text)
        }
        Command::Status { interface, json, runtime_directory } => {
            let socket = control_socket::find(&runtime_directory, interface.as_deref())?;
            let status =
                control_socket::request(&socket, control_socket::STATUS)?.ok_or_else(|| {
                    Failure::failed(format_args!("{}: no daemon runs", socket.display()))
                })?;
            let text = if json {
                serde_json::to_string(&status).map_err(Failure::failed)? + "\n"
            } else {
                status.text()
            };
            print(&text)
        }
        Command::Off { interface, runtime_directory } => {
            let socket = control_socket::find(&runtime_directory, interface.as_deref())?;
            let (other, daemon) = match control_socket::request(&socket, control_socket::OFF) {
                Ok(Some(_)) => (host::Other::Off, "the daemon is off until it is restarted"),
                Ok(None) => (host::Other::Absent, "no daemon runs"),
                // It reads the request should it go on.
                Err(_) => (host::Other::Hangs, "the daemon does not answer; restart it"),
            };
            // Sockets are named by their interfaces.
            let name = socket.file_stem().unwrap_or_default().to_string_lossy();
            host::prove_detached(&name, &runtime_directory, other)?;
            print(&format!("{name}: no program of evenaird is attached; {daemon}\n"))
        }
        Command::Replay { file, config } => {
            let (limiter, hold) = match config {
                Some(path) => {
                    config::limiter_and_hold(&host::read_text(&path)?, &path.display().to_string())?
                }
                None => (limiter::AdaptiveConfig::default().into(), config::HOLD.duration()),
            };
            replay_file(&limiter, hold, &file)
        }
    }
}

fn replay_file(limiter: &limiter::Config, hold: Duration, file: &Path) -> Result<(), Failure> {
    let source = file.display().to_string();
    let bad = |err: &dyn std::fmt::Display| Failure::bad_input(format_args!("{source}: {err}"));
    let input: Box<dyn BufRead> = if file.as_os_str() == "-" {
        Box::new(BufReader::new(io::stdin()))
    } else {
        Box::new(BufReader::new(File::open(file).map_err(|err| bad(&err))?))
    };
    // A line at a time, so that a replay of standard input answers each of its lines.
    match replay(limiter, hold, input, io::stdout()) {
        Err(ReplayError::Input(problem)) => Err(bad(&problem)),
        Err(ReplayError::Read(err)) => Err(bad(&err)),
        Err(ReplayError::Write(err)) => written(Err(err)),
        Ok(()) => Ok(()),
    }
}

fn print(text: &str) -> Result<(), Failure> {
    let mut output = BufWriter::new(io::stdout());
    written(output.write_all(text.as_bytes()).and_then(|()| output.flush()))
}

/// A reader that has seen enough is no failure.
fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(err) if err.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::failed(format_args!("standard output: {err}")))
        }
        _ => Ok(()),
    }
}
