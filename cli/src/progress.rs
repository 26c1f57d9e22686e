//! Progress on standard error, only where it is a terminal and the work is long.

use std::borrow::Cow;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Input up to this many bytes is read before anybody could look at a bar.
const LONG: u64 = 32 << 20;

/// A bar that vanishes when it is dropped. Off a terminal nothing is drawn.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Progress through an input of this many bytes, where that is known.
    pub(crate) fn bytes(length: Option<u64>, doing: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
        let template = match length {
            Some(_) => "{msg} {wide_bar} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec} {eta}",
            None => "{msg} {spinner} {binary_bytes} {binary_bytes_per_sec}",
        };
        Self(bar.with_style(style(template)).with_message(doing))
    }

    /// Progress through steps that are named one after the other.
    pub(crate) fn steps(count: u64) -> Self {
        Self(ProgressBar::new(count).with_style(style("[{pos}/{len}] {msg} ({elapsed})")))
    }

    pub(crate) fn advance(&self, bytes: u64) {
        self.0.inc(bytes);
        if self.0.is_hidden() && self.0.length().unwrap_or(self.0.position()) > LONG {
            self.0.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    pub(crate) fn step(&self, doing: impl Into<Cow<'static, str>>) {
        self.0.inc(1);
        self.0.set_message(doing);
        self.0.tick();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
