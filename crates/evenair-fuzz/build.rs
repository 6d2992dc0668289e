//! Compiles the policer's BPF programs for this machine, as functions that targets call. Without clang
//! the targets of the policer are missing: `cfg(policer)` is not set.

use std::{env, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=policer");
    println!("cargo::rerun-if-changed=../evenaird/bpf");
    println!("cargo::rerun-if-env-changed=CLANG");
    println!("cargo::rustc-check-cfg=cfg(policer)");
    let clang = env::var("CLANG").unwrap_or_else(|_| "clang".to_owned());
    let is_there = Command::new(&clang).arg("--version").output().is_ok();
    if !is_there && env::var("CI").as_deref() != Ok("true") {
        println!("cargo::warning={clang} is not installed: the policer is not fuzzed");
        return;
    }
    // Undefined behaviour ends the program. `make fuzz` has clang count what is executed, too.
    cc::Build::new()
        .compiler(clang)
        .file("policer/policer.c")
        .flags(["-std=gnu11", "-fno-strict-aliasing", "-Wno-unused-parameter"])
        .flags(["-fsanitize=undefined", "-fsanitize-trap=undefined"])
        .opt_level(1)
        .compile("policer");
    println!("cargo::rustc-cfg=policer");
}
