//! `bloomline info`: what this machine has.

use std::path::Path;
use std::thread;

use bloomline::{Kernel, Scheme};
use serde::Serialize;

use crate::args::InfoArgs;
use crate::failure::Failure;
use crate::machine::{self, Cache, read};
use crate::output::{self, memory};

pub(crate) fn run(args: &InfoArgs) -> Result<(), Failure> {
    let info = Info::read();
    if args.json { output::print_json(&info) } else { output::print(&info.to_text()) }
}

/// None stands for what the system does not tell.
#[derive(Serialize)]
struct Info {
    cpu: Option<String>,
    architecture: &'static str,
    physical_cores: Option<usize>,
    logical_cores: Option<usize>,
    features: Vec<Feature>,
    kernels: Vec<KernelInfo>,
    selected_kernel: &'static str,
    schemes: Vec<SchemeInfo>,
    caches: Vec<Cache>,
    page_bytes: usize,
    huge_page_bytes: Option<u64>,
    transparent_huge_pages: Option<String>,
}

/// A CPU feature that some kernel needs.
#[derive(Serialize)]
struct Feature {
    name: &'static str,
    present: bool,
}

#[derive(Serialize)]
struct KernelInfo {
    name: &'static str,
    needs: &'static str,
    available: bool,
}

#[derive(Serialize)]
struct SchemeInfo {
    name: &'static str,
    block_bytes: u64,
    default: bool,
}

impl From<Scheme> for SchemeInfo {
    fn from(scheme: Scheme) -> Self {
        Self { name: scheme.name(), block_bytes: scheme.block_bytes(), default: scheme == Scheme::default() }
    }
}

impl Info {
    fn read() -> Self {
        let available: Vec<_> = Kernel::available().map(|kernel| kernel.name()).collect();
        let huge = Path::new("/sys/kernel/mm/transparent_hugepage");
        Self {
            cpu: machine::cpu(),
            architecture: std::env::consts::ARCH,
            physical_cores: sysinfo::System::physical_core_count(),
            logical_cores: thread::available_parallelism().ok().map(Into::into),
            features: features(),
            kernels: Kernel::known()
                .map(|(name, needs)| KernelInfo { name, needs, available: available.contains(&name) })
                .collect(),
            selected_kernel: Kernel::best().name(),
            schemes: Scheme::ALL.map(SchemeInfo::from).into(),
            caches: machine::caches(),
            page_bytes: page_size::get(),
            huge_page_bytes: read(&huge.join("hpage_pmd_size")).and_then(|size| size.parse().ok()),
            transparent_huge_pages: read(&huge.join("enabled")).as_deref().and_then(chosen),
        }
    }

    fn to_text(&self) -> String {
        let unknown = || String::from("unknown");
        let cores = |cores: Option<usize>| cores.map_or_else(unknown, |cores| cores.to_string());
        let names = |present| {
            let features = self.features.iter().filter(|feature| feature.present == present);
            let names: Vec<_> = features.map(|feature| feature.name).collect();
            if names.is_empty() { "none".into() } else { names.join(" ") }
        };
        let mut rows = vec![
            ("cpu".into(), self.cpu.clone().unwrap_or_else(unknown)),
            ("architecture".into(), self.architecture.into()),
            (
                "cores".into(),
                format!("{} ({} logical)", cores(self.physical_cores), cores(self.logical_cores)),
            ),
            ("features".into(), names(true)),
            ("features missing".into(), names(false)),
        ];
        for kernel in &self.kernels {
            let state = match (kernel.available, kernel.name == self.selected_kernel) {
                (true, true) => "selected",
                (true, false) => "available",
                (false, _) => "not on this CPU",
            };
            rows.push((format!("kernel {}", kernel.name), format!("{state}; needs {}", kernel.needs)));
        }
        for scheme in &self.schemes {
            let default = if scheme.default { "default; " } else { "" };
            let value = format!("{default}blocks of {} bytes", scheme.block_bytes);
            rows.push((format!("scheme {}", scheme.name), value));
        }
        for cache in &self.caches {
            let shared = cache.shared_by.as_ref().map_or(String::new(), |cores| format!(", cores {cores}"));
            rows.push((format!("L{} {}", cache.level, cache.kind), format!("{}{shared}", cache.size)));
        }
        if self.caches.is_empty() {
            rows.push(("caches".into(), unknown()));
        }
        rows.push(("page".into(), memory(self.page_bytes as u64)));
        rows.push(("huge page".into(), self.huge_page_bytes.map_or_else(unknown, memory)));
        rows.push((
            "transparent huge pages".into(),
            self.transparent_huge_pages.clone().unwrap_or_else(unknown),
        ));
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        rows.into_iter().map(|(name, value)| format!("{name:width$}  {value}\n")).collect()
    }
}

/// The features by their names in `is_x86_feature_detected`.
macro_rules! features {
    ($detected:ident: $($name:tt)*) => {
        vec![$(Feature { name: $name, present: std::arch::$detected!($name) }),*]
    };
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn features() -> Vec<Feature> {
    features!(is_x86_feature_detected:
        "sse2" "ssse3" "sse4.1" "avx" "avx2" "bmi2"
        "avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512vbmi" "avx512bitalg")
}

#[cfg(target_arch = "aarch64")]
fn features() -> Vec<Feature> {
    features!(is_aarch64_feature_detected: "neon" "sve" "sve2")
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<Feature> {
    Vec::new()
}

/// The choice in brackets: `always [madvise] never`.
fn chosen(choices: &str) -> Option<String> {
    let (_, rest) = choices.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_is_in_brackets() {
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
        assert_eq!(chosen("always"), None);
        assert_eq!(chosen("[always"), None);
    }
}
