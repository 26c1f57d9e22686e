//! The filters that users hold.

mod arithmetic;
mod bloom;
mod builder;
mod health;
mod sets;

pub use bloom::BloomFilter;
pub(crate) use bloom::Design;
pub use builder::Builder;
pub use health::{Health, Verdict};
