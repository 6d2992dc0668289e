//! Compiles the BPF programs of the data path with clang.
//!
//! Without clang the crate builds, too, but the data path cannot be attached: `cfg(bpf)` is not set.

use std::{env, io::ErrorKind, path::Path, process::Command};

const SOURCE: &str = "bpf/limiter.bpf.c";

fn main() {
    println!("cargo::rerun-if-changed=bpf");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CLANG");
    println!("cargo::rerun-if-env-changed=CI");
    println!("cargo::rustc-check-cfg=cfg(bpf)");

    let variable = |name| env::var(name).unwrap_or_default();
    let clang = env::var("CLANG").unwrap_or_else(|_| "clang".to_owned());
    let mut command = Command::new(&clang);
    // -g: the kernel finds spin locks in maps by their type information.
    command.args(["-O2", "-g", "-Wall", "-Werror", "-target", "bpf", "-mcpu=v3"]);
    // The type information names the folder of the build, which the bytes must not depend on.
    command.arg(format!("-ffile-prefix-map={}=.", variable("CARGO_MANIFEST_DIR")));
    // Debian keeps the kernel's asm/ headers in a directory per architecture.
    let multiarch = format!("/usr/include/{}-linux-gnu", variable("CARGO_CFG_TARGET_ARCH"));
    if Path::new(&multiarch).is_dir() {
        command.args(["-idirafter", &multiarch]);
    }
    let object = Path::new(&variable("OUT_DIR")).join("limiter.bpf.o");
    match command.args(["-c", SOURCE, "-o"]).arg(&object).status() {
        Ok(status) if status.success() => println!("cargo::rustc-cfg=bpf"),
        Err(e) if e.kind() == ErrorKind::NotFound && variable("CI") != "true" => {
            println!(
                "cargo::warning={clang} is not installed: evenaird is built without data path"
            );
        }
        Ok(status) => println!("cargo::error={clang}: {SOURCE}: {status}"),
        Err(e) => println!("cargo::error={clang}: {e}"),
    }
}
