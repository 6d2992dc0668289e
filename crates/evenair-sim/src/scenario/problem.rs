//! What a check finds.

/// A field and what is wrong with it.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) field: String,
    pub(crate) message: String,
}

/// What a check returns.
pub(crate) type Checked = Result<(), Problem>;

/// A problem with `field`: what it got, and what would be accepted.
pub(crate) fn fail(field: &str, got: &str, accepted: &str) -> Problem {
    Problem { field: field.to_owned(), message: format!("{got}; accepted: {accepted}") }
}

/// What `station` takes.
pub(crate) const STATIONS: &str = "a list of at least one [[station]] table";
/// What a station's `flows` takes.
pub(crate) const FLOWS: &str = "a list of at least one flow such as { direction = \"up\" }";
