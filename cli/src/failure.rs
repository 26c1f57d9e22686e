//! Why a command could not do its job.

use std::fmt;

/// What was refused, and why: printed as `<what>: <why>`.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    why: String,
}

impl Failure {
    pub(crate) fn new(what: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self { what: what.to_string(), why: why.to_string() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

/// Says what an error is about.
pub(crate) trait Context<T> {
    fn about(self, what: impl fmt::Display) -> Result<T, Failure>;
}

impl<T, E: fmt::Display> Context<T> for Result<T, E> {
    fn about(self, what: impl fmt::Display) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(what, error))
    }
}
