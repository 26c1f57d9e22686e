//! What the system tells of this machine.

use std::fs;
use std::path::Path;

use serde::Serialize;

/// The CPU's name, where it has one.
pub(crate) fn cpu() -> Option<String> {
    let system = cpu_list();
    let brand = system.cpus().first().map(|cpu| cpu.brand().trim().to_owned());
    brand.filter(|brand| !brand.is_empty())
}

/// The machine in a line: CPU, number of logical cores, architecture.
pub(crate) fn summary() -> String {
    let brand = cpu().unwrap_or_else(|| "unknown CPU".into());
    format!("{brand}, {} logical cores, {}", cpu_list().cpus().len(), std::env::consts::ARCH)
}

fn cpu_list() -> sysinfo::System {
    let mut system = sysinfo::System::new();
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
    system
}

/// A cache of the first core.
#[derive(Serialize)]
pub(crate) struct Cache {
    pub(crate) level: String,
    pub(crate) kind: String,
    pub(crate) size: String,
    /// The logical cores that share it.
    pub(crate) shared_by: Option<String>,
}

impl Cache {
    /// Bytes of a size as Linux writes it: `48K`.
    fn bytes(&self) -> Option<u64> {
        let kib: u64 = self.size.strip_suffix('K')?.parse().ok()?;
        kib.checked_mul(1024)
    }
}

/// Levels and bytes of the caches that hold data, nearest first; none where the system does not tell.
pub(crate) fn data_caches() -> impl Iterator<Item = (u32, u64)> {
    let data = caches().into_iter().filter(|cache| cache.kind != "instruction");
    data.filter_map(|cache| Some((cache.level.parse().ok()?, cache.bytes()?)))
}

/// The caches that the system tells of, nearest first; none where it does not tell.
pub(crate) fn caches() -> Vec<Cache> {
    caches_in(Path::new("/sys/devices/system/cpu/cpu0/cache"))
}

fn caches_in(directory: &Path) -> Vec<Cache> {
    let cache = |index: u32| {
        let entry = directory.join(format!("index{index}"));
        let field = |name| read(&entry.join(name));
        Some(Cache {
            level: field("level")?,
            kind: field("type")?.to_lowercase(),
            size: field("size")?,
            shared_by: field("shared_cpu_list"),
        })
    };
    (0..).map_while(cache).collect()
}

/// The text of a small file, where there is one.
pub(crate) fn read(path: &Path) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_sysfs_has_unknown_caches() {
        assert!(caches_in(Path::new("/nonexistent")).is_empty());
    }

    #[test]
    fn sizes_of_caches_are_kibibytes() {
        let bytes = |size: &str| {
            let cache = Cache { level: "1".into(), kind: "data".into(), size: size.into(), shared_by: None };
            cache.bytes()
        };
        assert_eq!(bytes("48K"), Some(49_152));
        assert_eq!(bytes("32768K"), Some(33_554_432));
        assert_eq!(bytes("many"), None);
        assert_eq!(bytes("18446744073709551615K"), None);
    }
}
