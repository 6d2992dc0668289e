//! Documents: from TOML text, with overrides, and where in the text a value stands.

pub(crate) mod from_toml;
pub(crate) mod origin;
pub(crate) mod overrides;
