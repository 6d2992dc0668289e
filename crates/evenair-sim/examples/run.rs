//! Runs a scenario file without Python: `run FILE [SEEDS] [KEY=VALUE]...`, a line for each seed.
//! For profilers and for engine timings.
#![allow(clippy::print_stdout, reason = "it is a command")]
#![allow(clippy::disallowed_methods, reason = "it times the engine")]

use std::time::Instant;

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{RunOptions, run};

fn main() {
    if let Err(error) = simulate() {
        eprintln!("{error}");
        std::process::exit(2);
    }
}

fn simulate() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: run FILE [SEEDS] [KEY=VALUE]...")?;
    let seeds: u64 = args.next().map_or(Ok(1), |seeds| seeds.parse())?;
    let mut document = document_from_toml(&std::fs::read(&file)?, &file)?;
    for override_ in args {
        let (key, value) = override_.split_once('=').ok_or("an override is KEY=VALUE")?;
        set(&mut document, key, value, "argument")?;
    }
    let scenario = resolve(document, &file)?;
    for seed in 1..=seeds {
        let start = Instant::now();
        let result = run(&scenario, seed, &RunOptions::default())?;
        let wall = start.elapsed().as_secs_f64();
        let mean = |direction: &str| {
            let flows = result.flows.iter().filter(|f| f.direction == Some(direction));
            let goodputs: Vec<f64> = flows.map(|f| f.goodput_bps / 1e6).collect();
            goodputs.iter().sum::<f64>() / goodputs.len().max(1) as f64
        };
        println!(
            "seed {seed}: {:.4} Mb/s, up {:.4}, down {:.4}, Jain {:.4}, AP loss {:.4}, data {:.2}, \
             acks {:.2}, sent {}, again {}, timeouts {}, {:.1} ms, {} events, {}",
            result.aggregate_goodput_bps / 1e6,
            mean("up"),
            mean("down"),
            result.jain_index,
            result.ap_queue.loss_ratio,
            result.ap_queue.mean_data,
            result.ap_queue.mean_acks,
            result.flows.iter().map(|f| f.segments_sent).sum::<u64>(),
            result.flows.iter().map(|f| f.retransmissions).sum::<u64>(),
            result.flows.iter().map(|f| f.timeouts).sum::<u64>(),
            wall * 1e3,
            result.events,
            result.fingerprint,
        );
    }
    Ok(())
}
