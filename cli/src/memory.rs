//! What this machine has memory for.

use crate::failure::Failure;
use crate::output;

/// Refuses more bytes than are available, since the system would rather end the process than refuse.
pub(crate) fn check(needed: u64) -> Result<(), Failure> {
    if !sysinfo::IS_SUPPORTED_SYSTEM {
        return Ok(());
    }
    let available = available();
    if needed <= available {
        return Ok(());
    }
    let (needed, available) = (output::memory(needed), output::memory(available));
    Err(Failure::new("memory", format!("{needed} needed, {available} available")))
}

fn available() -> u64 {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    // What a container holds besides is cached files, which make room.
    let limit = system.cgroup_limits().map(|limits| limits.total_memory.saturating_sub(limits.rss));
    system.available_memory().min(limit.unwrap_or(u64::MAX))
}
