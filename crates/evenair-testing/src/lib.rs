//! The configuration of every property test of the workspace: the same cases in each run, so that
//! `make test` passes or fails by the code alone, and failures that stay.
//!
//! `make fuzz` draws other cases by `PROPTEST_RNG_SEED`; `PROPTEST_CASES` sets their number. A case that
//! fails is written to `proptest-regressions/MODULE.txt` in the folder of the crate. The file belongs
//! into the repository: its cases come first in every run.

use std::path::Path;

use proptest::test_runner::{Config, FileFailurePersistence, RngSeed, contextualize_config};

/// Any seed does; a fixed one makes runs repeatable.
const SEED: u64 = 1;
/// As proptest has it by itself.
#[doc(hidden)]
pub const CASES: u32 = 256;

/// The configuration of a property of the calling module: `config!()`, or `config!(CASES)` for another
/// number of cases than proptest's 256.
#[macro_export]
macro_rules! config {
    () => {
        $crate::config!($crate::CASES)
    };
    ($cases:expr) => {
        $crate::config($cases, env!("CARGO_MANIFEST_DIR"), module_path!())
    };
}

#[doc(hidden)]
#[must_use]
pub fn config(cases: u32, folder: &str, module: &str) -> Config {
    let file = format!("{}.txt", module.replace("::", "."));
    let path = Path::new(folder).join("proptest-regressions").join(file);
    // proptest looks for a relative path in the folder of the crate, and writes it elsewhere. It keeps
    // the path for ever: one for each property of a program.
    let path = path.to_string_lossy().into_owned().leak();
    // Applied here as well for those who do not use the macro of proptest, which applies it itself.
    contextualize_config(Config {
        cases,
        rng_seed: RngSeed::Fixed(SEED),
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(path))),
        ..Config::default()
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::fs;

    use proptest::prelude::*;
    use proptest::test_runner::{TestError, TestRunner};

    use super::*;

    /// What the property is tried with, in two runs.
    fn tried(config: &Config) -> Vec<u64> {
        let tried = RefCell::new(Vec::new());
        let run = |value| {
            tried.borrow_mut().push(value);
            Ok(())
        };
        TestRunner::new(config.clone()).run(&any::<u64>(), run).unwrap();
        tried.into_inner()
    }

    #[test]
    fn a_run_repeats_the_cases_of_the_last() {
        let config = config!(50);
        let first = tried(&config);
        assert!(first.len() >= 50);
        assert_eq!(first, tried(&config));
    }

    /// A case that has failed is the first one of the next run, which has another seed.
    #[test]
    fn a_failure_is_kept() {
        let folder = std::env::temp_dir().join(format!("evenair-testing-{}", std::process::id()));
        let config = |seed| Config {
            rng_seed: RngSeed::Fixed(seed),
            ..config(1000, &folder.to_string_lossy(), "a::b")
        };
        let large =
            |value| if value > u64::MAX / 8 { Err(TestCaseError::fail("large")) } else { Ok(()) };
        let failed = TestRunner::new(config(2)).run(&any::<u64>(), large);
        assert!(matches!(failed, Err(TestError::Fail(_, value)) if value == u64::MAX / 8 + 1));
        let stored = fs::read_to_string(folder.join("proptest-regressions/a.b.txt")).unwrap();
        assert_eq!(stored.lines().filter(|line| line.starts_with("cc ")).count(), 1, "{stored}");
        let first = RefCell::new(None);
        let note = |value: u64| {
            first.borrow_mut().get_or_insert(value);
            Ok(())
        };
        TestRunner::new(Config { cases: 1, ..config(3) }).run(&any::<u64>(), note).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert!(first.into_inner().unwrap() > u64::MAX / 8);
    }
}
