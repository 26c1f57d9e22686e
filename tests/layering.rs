//! The modules of the library depend one way. `docs/DESIGN.md` shows the order; this test reads it off the source.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The top-level modules, lowest first. A module may use those of earlier rows only.
const LAYERS: [&[&str]; 10] = [
    &["error", "wyhash"],
    &["hash", "reference"],
    &["scheme"],
    &["sizing", "block"],
    &["key"],
    &["kernel"],
    &["batch"],
    &["filter"],
    &["format"],
    &["lib"],
];

/// Modules that may contain `unsafe`.
const UNSAFE: [&str; 2] = ["block", "kernel"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Every source file with its top-level module and its text.
fn files() -> Vec<(PathBuf, String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    sources(&root, &mut found);
    assert!(found.len() > 20, "only {} sources found", found.len());
    let module = |path: &Path| {
        let first = path.strip_prefix(&root).unwrap().components().next().unwrap();
        let name = first.as_os_str().to_str().unwrap();
        name.trim_end_matches(".rs").to_owned()
    };
    found.into_iter().map(|path| (path.clone(), module(&path), fs::read_to_string(&path).unwrap())).collect()
}

fn layer(module: &str) -> usize {
    LAYERS
        .iter()
        .position(|row| row.contains(&module))
        .unwrap_or_else(|| panic!("module {module} has no layer"))
}

/// The modules that a text names after `crate::`, comments left out. What `lib` re-exports counts as its origin.
fn used(text: &str) -> BTreeSet<String> {
    let mut modules = BTreeSet::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for rest in line.split("crate::").skip(1) {
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let module = match name.as_str() {
                "Error" | "FormatError" => "error",
                "" => panic!("a grouped import hides the modules: {line}"),
                name => name,
            };
            modules.insert(module.to_owned());
        }
    }
    modules
}

#[test]
fn modules_depend_on_lower_layers_only() {
    let mut edges = 0;
    for (path, module, text) in files() {
        for used in used(&text).into_iter().filter(|used| *used != module) {
            assert!(layer(&used) < layer(&module), "{} uses {used}", path.display());
            edges += 1;
        }
    }
    assert!(edges > 30, "only {edges} uses found");
}

#[test]
fn unsafe_stays_in_its_modules() {
    for (path, module, text) in files() {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let words = ["unsafe {", "unsafe fn", "unsafe impl", "unsafe trait"];
        let count = code.filter(|line| words.iter().any(|word| line.contains(word))).count();
        assert!(count == 0 || UNSAFE.contains(&module.as_str()), "{} has {count} unsafe", path.display());
    }
}
