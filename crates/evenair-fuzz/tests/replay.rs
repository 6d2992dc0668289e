//! Every stored input of every target. They come from `make fuzz`, or are written by hand.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use evenair_fuzz::TARGETS;

#[test]
fn the_stored_inputs_do_no_harm() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut folders = Vec::new();
    for (name, target) in TARGETS {
        let files = fs::read_dir(corpus.join(name)).unwrap();
        let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        paths.sort();
        assert!(!paths.is_empty(), "{name} has no corpus");
        for path in &paths {
            let bytes = fs::read(path).unwrap();
            catch_unwind(|| target(&bytes)).unwrap_or_else(|_| panic!("{}", path.display()));
        }
        // What begins as an input does, and what is nearly one, is refused as well.
        for path in &paths {
            let bytes = fs::read(path).unwrap();
            for end in (0..bytes.len().min(64)).chain([bytes.len().saturating_sub(1)]) {
                catch_unwind(|| target(&bytes[..end]))
                    .unwrap_or_else(|_| panic!("{end} bytes of {}", path.display()));
            }
        }
        println!("{name}: {} inputs", paths.len());
        folders.push((*name).to_owned());
    }
    // Nothing is stored for a target that is gone.
    for folder in fs::read_dir(corpus).unwrap() {
        let name = folder.unwrap().file_name().into_string().unwrap();
        let is_built = folders.contains(&name) || name.starts_with("policer");
        assert!(is_built, "{name} is no target");
    }
}
