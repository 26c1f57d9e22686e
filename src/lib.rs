//! A SIMD, cache-blocked Bloom filter.
//!
//! All bits of a key lie in one 64-byte block, so a lookup costs one memory access. Batches of keys are hashed and tested
//! with AVX-512 or AVX2 where the CPU has them, and the lines of a hundred keys are fetched from memory at once. The
//! false-positive rate is exact, not the classic formula's promise, and a built filter can read its own rate from its
//! bits.
//!
//! ```
//! use bloomline::BloomFilter;
//!
//! // At most 1 % false positives with a million items; the smallest filter that holds it.
//! let mut filter = BloomFilter::with_rate(1_000_000, 0.01).build()?;
//!
//! filter.insert("user1@mail.com");
//! assert!(filter.contains("user1@mail.com"));
//!
//! // In bulk: a bit, a bool, or a position for each key that may be present, or just their number.
//! let present: Vec<u64> = (0..1000).collect();
//! filter.insert_batch(&present);
//! let mut mask = [0; 16];
//! assert_eq!(filter.contains_batch(&present, &mut mask)?, 1000);
//!
//! // What the filter knows of itself.
//! let health = filter.health();
//! assert!((health.items.items - 1001.0).abs() < 5.0 * health.items.standard_deviation);
//! # Ok::<(), bloomline::Error>(())
//! ```
//!
//! # What to know before use
//!
//! * "Certainly absent" is always right. "Possibly present" is wrong with the false-positive rate, so it needs a check
//!   elsewhere wherever a wrong answer matters.
//! * Keys cannot be removed, and a filter does not grow. Size it for the most items it will hold; beyond, the rate
//!   rises, and [`BloomFilter::health`] says so.
//! * Keys are `u64`, `u32`, `u128`, `i64`, `i32`, byte strings and strings ([`Key`]), or hashes that you computed
//!   ([`Prehashed`]).
//! * The bits are the same on every machine and under every kernel, and `docs/FORMAT.md` states them.
//!
//! # Features
//!
//! * `std` (default): CPU detection at run time, 2 MiB pages, reading and writing, random seeds. Without it the crate is
//!   `no_std` with `alloc`, and kernels are chosen by the target features of the build.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;
// The tests need it, also where the crate does not.
#[cfg(all(test, not(feature = "std")))]
extern crate std;

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
mod wyhash;

pub use block::Pages;
pub use error::{Error, FormatError};
pub use filter::{BloomFilter, Builder, Health, Verdict};
pub use kernel::Kernel;
pub use key::{Key, Prehashed};
pub use scheme::Scheme;

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
