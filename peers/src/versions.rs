//! The versions of the contestants, from the lock file that they were built by.

const LOCK: &str = include_str!("../../Cargo.lock");

/// The version of a package.
///
/// # Panics
///
/// When the lock file has no such package, or several versions of it.
pub(crate) fn locked(package: &str) -> &'static str {
    let mut found = LOCK.split("[[package]]").filter_map(|entry| {
        let name = value(entry, "name")?;
        (name == package).then(|| value(entry, "version"))?
    });
    match (found.next(), found.next()) {
        (Some(version), None) => version,
        (first, _) => {
            panic!("{package} is in the lock file {} once", if first.is_some() { "more than" } else { "not" })
        }
    }
}

fn value(entry: &'static str, key: &str) -> Option<&'static str> {
    let line = entry.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""))?;
    line.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rival::table;

    #[test]
    fn every_contestant_has_one_version() {
        for entry in table::<u64>() {
            let version = locked(entry.package);
            assert_eq!(version.split('.').count(), 3, "{} {version}", entry.package);
        }
        assert_eq!(locked("bloomline"), env!("CARGO_PKG_VERSION"));
    }
}
