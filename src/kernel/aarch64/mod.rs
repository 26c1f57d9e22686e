//! The kernel for AArch64, where vectors of 128 bits belong to every target with hardware floating point.

pub(super) mod neon;
