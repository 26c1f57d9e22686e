//! Errors that are asked for.

use bloomline::{Builder, Error};

/// The error of a builder that must fail.
pub(crate) fn refusal(builder: Builder) -> Error {
    match builder.build() {
        Ok(filter) => panic!("{filter:?} was built"),
        Err(error) => error,
    }
}

/// Asserts that an error is of this form, and that its text names each of these values.
macro_rules! assert_refused {
    ($error:expr, $form:pat $(if $guard:expr)?, $($named:expr),+) => {{
        let error = $error;
        assert!(matches!(&error, $form $(if $guard)?), "{error:?}");
        let text = error.to_string();
        $(assert!(text.contains(&$named.to_string()), "{text:?} does not name {}", $named);)+
    }};
}
