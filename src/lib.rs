//! A SIMD, cache-blocked Bloom filter.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod error;
pub mod reference;
mod scheme;

pub use error::{Error, FormatError};
