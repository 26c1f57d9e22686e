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

#[cfg(all(test, feature = "std", target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// Against what the system tells of the first CPU, where it tells anything.
    #[test]
    fn the_last_cache_is_as_large_as_the_system_says() {
        let size = |index: u32| {
            let path = std::format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
            let text = std::fs::read_to_string(path).ok()?;
            text.trim().strip_suffix('K')?.parse::<u64>().ok()
        };
        if let Some(kib) = (0..8).filter_map(size).max() {
            assert_eq!(last_level_bytes(), kib << 10);
            assert_eq!(last_level_bytes(), kib << 10, "asked again");
        }
    }
}
