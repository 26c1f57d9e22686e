//! Kernels for x86-64, chosen by what the CPU reports at run time.

pub(super) mod avx2;
pub(super) mod avx512;
pub(super) mod avx512bw;
mod hash512;
mod split256;
mod split512;

/// Whether the CPU has all of these features: asked at run time with `std`, known from the build without.
macro_rules! cpu_has {
    ($($feature:tt),+) => {{
        #[cfg(feature = "std")]
        let has = $(std::arch::is_x86_feature_detected!($feature))&&+;
        #[cfg(not(feature = "std"))]
        let has = $(cfg!(target_feature = $feature))&&+;
        has
    }};
}
use cpu_has;
