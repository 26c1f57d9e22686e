//! Bit contracts: how a 64-bit hash becomes a block and the bits of a key inside it.
//!
//! One file per scheme. `docs/FORMAT.md` states each contract byte for byte; every kernel must
//! reproduce it exactly.

pub(crate) mod block512;
pub(crate) mod split;
