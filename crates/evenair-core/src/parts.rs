//! What a registry tells about one of its parts: names, parameters and sources, from which the
//! command line's help and the documentation follow.

/// A part that a scenario can name.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The name in a scenario.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Paper, RFC or standard that defines it.
    pub source: &'static str,
    /// Its parameters, besides those that all parts of the kind have.
    pub parameters: &'static [Parameter],
}

/// A parameter of a part.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The key in a scenario.
    pub name: &'static str,
    /// Its default, as a scenario would write it.
    pub default: &'static str,
    /// Meaning and unit.
    pub meaning: &'static str,
}
