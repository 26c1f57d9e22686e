//! The caches of this machine.

/// What is assumed where the CPU does not tell.
const ASSUMED: u64 = 32 << 20;

/// Bytes in the largest cache of a core, its own or shared. Asked once: under a hypervisor, each question is an exit.
pub(super) fn last_level_bytes() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        use core::sync::atomic::{AtomicU64, Ordering};
        static BYTES: AtomicU64 = AtomicU64::new(0);
        let bytes = BYTES.load(Ordering::Relaxed);
        if bytes != 0 {
            return bytes;
        }
        let bytes = ask().unwrap_or(ASSUMED);
        // Whoever else asks at the same time stores the same.
        BYTES.store(bytes, Ordering::Relaxed);
        bytes
    }
    #[cfg(not(target_arch = "x86_64"))]
    ASSUMED
}

/// The answer of the CPU, if it has one.
#[cfg(target_arch = "x86_64")]
fn ask() -> Option<u64> {
    let bytes = |cache: raw_cpuid::CacheParameter| {
        let ways = cache.associativity() as u64 * cache.physical_line_partitions() as u64;
        ways * cache.coherency_line_size() as u64 * cache.sets() as u64
    };
    raw_cpuid::CpuId::new().get_cache_parameters()?.map(bytes).max().filter(|&bytes| bytes > 0)
}
