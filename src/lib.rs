//! A SIMD, cache-blocked Bloom filter.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod error;
mod scheme;
pub mod sizing;

pub use error::{Error, FormatError};
