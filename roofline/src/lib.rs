//! The least time that any Bloom filter of one cache line per key can take, on this machine.
//!
//! A filter cannot do without the work that is done here: hash each key, find its line, and load one word of it; to
//! insert, also change the word and store it. Hashing and range reduction are those of bloomline, the order of the work
//! is the best that is known, and what a filter does beside, the test of the key's bits, is left out. So the time of a
//! filter divided by the time of these functions tells how far it is from the limit: 1 cannot be beaten by more than a
//! better order of work gives.
//!
//! The code is written apart from the engine of bloomline and shares nothing with it.
//!
//! * [`lookup`]: 64-bit integers are hashed, then one word of each key's line is loaded.
//! * [`lookup_prehashed`]: the same for keys that come as hashes. What is left is the memory's part.
//! * [`insert`]: 64-bit integers are hashed, then one word of each key's line is loaded, changed and stored.
//!
//! Each comes in four [orders](Order), of which none is the fastest at all sizes: take all, and the best one of a round
//! counts. Hashing is done in the widest vectors that the CPU has ([`Hashing`]).
//!
//! ```
//! use bloomline_roofline::{Lines, Order, Pages, lookup};
//!
//! let lines = Lines::new(1 << 20, Pages::Ordinary)?;
//! let keys: Vec<u64> = (0..100_000).collect();
//! let time = Order::ALL.map(|order| {
//!     let start = std::time::Instant::now();
//!     std::hint::black_box(lookup(lines.as_slice(), std::hint::black_box(&keys), order));
//!     start.elapsed()
//! });
//! println!("{:?}", time.iter().min());
//! # Ok::<(), std::io::Error>(())
//! ```

mod hashing;
mod lines;
mod order;
#[cfg(test)]
mod tests;

pub use hashing::Hashing;
pub use lines::{Lines, Pages};
pub use order::{Order, insert, lookup, lookup_prehashed};

/// One line of memory: 64 bytes.
pub type Line = [u64; 8];

/// Lines that the hashing can tell apart, and one more: 256 GiB.
pub const MAX_LINES: u64 = 1 << 32;
