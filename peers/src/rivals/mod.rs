//! One adapter a file.

pub(crate) mod bloomcraft;
pub(crate) mod bloomfilter;
pub(crate) mod bloomline;
pub(crate) mod cuckoofilter;
pub(crate) mod fastbloom;
pub(crate) mod parquet;
pub(crate) mod qfilter;
pub(crate) mod reference;
pub(crate) mod sbbf_rs;
pub(crate) mod xorf;
