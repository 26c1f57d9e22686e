//! A SIMD, cache-blocked Bloom filter.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod batch;
mod block;
mod error;
mod filter;
mod format;
mod hash;
mod kernel;
mod key;
pub mod reference;
mod scheme;
pub mod sizing;

pub use block::Pages;
pub use error::{Error, FormatError};
pub use filter::{BloomFilter, Builder, Health, Verdict};
pub use kernel::Kernel;
pub use key::{Key, Prehashed};
