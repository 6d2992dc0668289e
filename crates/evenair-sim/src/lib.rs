//! evenair's simulator: a [`scenario`] becomes a world, the world runs, the run leaves results.

pub mod capture;
pub mod scenario;
