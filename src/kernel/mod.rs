//! The kernels and the choice among them.
//!
//! A kernel is one file and one row of [`TABLE`]. All kernels give the same bits and the same answers; the
//! scalar one, in safe Rust, is the oracle of the others. A [`Kernel`] can only be had after detection, so
//! holding one proves that the CPU can run it.
#![allow(unsafe_code)]

// All but the soft-float targets.
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod aarch64;
mod portable;
mod scalar;
pub(crate) mod schedule;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(test)]
mod conformance;

use core::fmt;

use crate::block::Block;
use crate::error::Error;
use schedule::{Parameters, Words};

/// A row of the table. The functions may only be called when `detect` is true.
struct Row {
    name: &'static str,
    /// What the CPU must have, in words.
    needs: &'static str,
    detect: fn() -> bool,
    functions: Functions,
}

/// The coarse functions that every kernel has.
///
/// Each is safe to call when the row's `detect` is true and there is at least one block. `out` holds a byte for every
/// eight keys: bit i % 8 of byte i / 8 tells whether key i was possibly present.
struct Functions {
    contains: unsafe fn(&Parameters, &[Block], Words<'_>, &mut [u8]),
    insert: unsafe fn(&Parameters, &mut [Block], Words<'_>),
    /// Inserts and reports what was possibly present before, as if the keys came one by one.
    insert_and_report: unsafe fn(&Parameters, &mut [Block], Words<'_>, &mut [u8]),
    /// One key, given as its hash.
    contains_one: unsafe fn(&Parameters, &[Block], u64) -> bool,
    insert_one: unsafe fn(&Parameters, &mut [Block], u64) -> bool,
}

/// Every kernel of this architecture, fastest first.
static TABLE: &[Row] = &[
    #[cfg(target_arch = "x86_64")]
    x86_64::avx512::ROW,
    #[cfg(target_arch = "x86_64")]
    x86_64::avx512bw::ROW,
    #[cfg(target_arch = "x86_64")]
    x86_64::avx2::ROW,
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    aarch64::neon::ROW,
    // Without AVX2 in the build, `wide` shifts lane by lane, and plain words are faster.
    #[cfg(not(all(target_arch = "x86_64", not(target_feature = "avx2"))))]
    portable::ROW,
    scalar::ROW,
    #[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
    portable::ROW,
];

/// Why a batch is refused, should a filter without blocks ever come about.
const NO_BLOCK: &str = "a filter has at least one block";

/// The code that probes and sets bits, chosen once when a filter is built.
///
/// All kernels give identical filters and identical answers; they differ in speed and in what the CPU must
/// have. The best one is the default; [`Builder::kernel`](crate::Builder::kernel) forces another, for
/// comparisons and for tests.
///
/// ```
/// use bloomline::{BloomFilter, Kernel};
///
/// for kernel in Kernel::available() {
///     let mut filter = BloomFilter::with_rate(1000, 0.01).kernel(kernel).build()?;
///     filter.insert("key");
///     assert!(filter.contains("key"));
/// }
/// # Ok::<(), bloomline::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Kernel(&'static Row);

impl Kernel {
    /// The fastest kernel that this CPU can run.
    pub fn best() -> Self {
        Self::available().next().expect("the scalar kernel runs everywhere")
    }

    /// Every kernel that this CPU can run, fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        TABLE.iter().filter(|row| (row.detect)()).map(Self)
    }

    /// The names of all kernels of this architecture, fastest first, available or not, with what each needs.
    pub fn known() -> impl Iterator<Item = (&'static str, &'static str)> {
        TABLE.iter().map(|row| (row.name, row.needs))
    }

    /// The kernel of this name.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownKernel`] when this architecture has none of that name, [`Error::KernelUnavailable`] when
    /// the CPU cannot run it.
    ///
    /// ```
    /// use bloomline::{Error, Kernel};
    ///
    /// assert_eq!(Kernel::by_name("scalar")?.name(), "scalar");
    /// assert!(matches!(Kernel::by_name("abacus"), Err(Error::UnknownKernel { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn by_name(name: &str) -> Result<Self, Error> {
        let Some(row) = TABLE.iter().find(|row| row.name == name) else {
            return Err(Error::UnknownKernel { name: name.into() });
        };
        if (row.detect)() { Ok(Self(row)) } else { Err(Error::KernelUnavailable { name: row.name }) }
    }

    /// The kernel's name, as [`by_name`](Self::by_name) takes it.
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    #[inline]
    pub(crate) fn contains(
        &self,
        parameters: &Parameters,
        blocks: &[Block],
        keys: Words<'_>,
        out: &mut [u8],
    ) {
        assert!(!blocks.is_empty(), "{NO_BLOCK}");
        // SAFETY: a `Kernel` exists only after its row's detection succeeded, and there is a block.
        unsafe { (self.0.functions.contains)(parameters, blocks, keys, out) }
    }

    #[inline]
    pub(crate) fn insert(&self, parameters: &Parameters, blocks: &mut [Block], keys: Words<'_>) {
        assert!(!blocks.is_empty(), "{NO_BLOCK}");
        // SAFETY: as in `contains`.
        unsafe { (self.0.functions.insert)(parameters, blocks, keys) }
    }

    #[inline]
    pub(crate) fn insert_and_report(
        &self,
        parameters: &Parameters,
        blocks: &mut [Block],
        keys: Words<'_>,
        out: &mut [u8],
    ) {
        assert!(!blocks.is_empty(), "{NO_BLOCK}");
        // SAFETY: as in `contains`.
        unsafe { (self.0.functions.insert_and_report)(parameters, blocks, keys, out) }
    }

    #[inline]
    pub(crate) fn contains_one(&self, parameters: &Parameters, blocks: &[Block], hash: u64) -> bool {
        // SAFETY: as in `contains`; without a block it panics.
        unsafe { (self.0.functions.contains_one)(parameters, blocks, hash) }
    }

    #[inline]
    pub(crate) fn insert_one(&self, parameters: &Parameters, blocks: &mut [Block], hash: u64) -> bool {
        // SAFETY: as in `contains_one`.
        unsafe { (self.0.functions.insert_one)(parameters, blocks, hash) }
    }
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Kernel {}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.0.name).finish()
    }
}

/// k, sorted into the three cases that kernels are compiled for.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Class {
    /// k = 8: one bit in every word.
    Eight,
    /// k < 8: one bit in each word of the run.
    Fewer,
    /// k > 8: one bit in every word, a second one in each word of the run.
    More,
}

const EIGHT: u8 = Class::Eight as u8;
const FEWER: u8 = Class::Fewer as u8;
const MORE: u8 = Class::More as u8;

impl Class {
    fn of(k: u32) -> Self {
        match k {
            8 => Self::Eight,
            0..8 => Self::Fewer,
            _ => Self::More,
        }
    }
}

/// Proof that the CPU has what a kernel needs; its engines are built from it.
#[derive(Clone, Copy)]
struct Detected(());

impl Detected {
    /// # Safety
    ///
    /// The `detect` function of the kernel that receives the value has returned true.
    unsafe fn assume() -> Self {
        Self(())
    }
}

/// Binds `$engine` to the engine of `$kernel` for this k and these words, and `$keys` to the words.
macro_rules! for_each_case {
    ($kernel:ident, $parameters:ident, $blocks:ident, $words:expr, |$engine:ident, $keys:pat_param| $body:expr) => {
        for_each_case!(@ $kernel, $parameters, $blocks, $words, $engine, $keys, $body,
            Eight Integers true, Eight Hashes false,
            Fewer Integers true, Fewer Hashes false,
            More Integers true, More Hashes false)
    };
    (@ $kernel:ident, $parameters:ident, $blocks:ident, $words:expr, $engine:ident, $keys:pat_param, $body:expr,
        $($class:ident $kind:ident $mix:literal),*) => {
        match (Class::of($parameters.k), $words) {
            $((Class::$class, Words::$kind($keys)) => {
                // SAFETY: the caller of a kernel's functions has detected the CPU features it needs.
                let detected = unsafe { Detected::assume() };
                let shape = Shape { parameters: *$parameters, blocks: $blocks.len() };
                let $engine = $kernel::<{ Class::$class as u8 }, $mix>::new(detected, shape);
                $body
            })*
        }
    };
}
use for_each_case;

/// Writes the coarse functions of a kernel from its engine. `$features` become attributes of every function,
/// so that the engine's steps, inlined into them, are compiled for the kernel's CPU features.
macro_rules! functions {
    ($kernel:ident $(, #[$features:meta])*) => {{
        use $crate::block::Block;
        use $crate::kernel::schedule::{Engine, Insert, Lookup, Parameters, Shape, Words, run};
        use $crate::kernel::{Class, Detected, Functions, for_each_case};

        $(#[$features])*
        unsafe fn contains(parameters: &Parameters, blocks: &[Block], words: Words<'_>, out: &mut [u8]) {
            for_each_case!($kernel, parameters, blocks, words, |engine, keys| {
                // SAFETY: the engine was built from the length of these blocks, of which the caller has one.
                unsafe { run::<_, _, true>(&engine, &mut Lookup(blocks), keys, out) }
            })
        }

        $(#[$features])*
        unsafe fn insert(parameters: &Parameters, blocks: &mut [Block], words: Words<'_>) {
            for_each_case!($kernel, parameters, blocks, words, |engine, keys| {
                // SAFETY: as in `contains`.
                unsafe { run::<_, _, false>(&engine, &mut Insert(blocks), keys, &mut []) }
            })
        }

        $(#[$features])*
        unsafe fn insert_and_report(
            parameters: &Parameters,
            blocks: &mut [Block],
            words: Words<'_>,
            out: &mut [u8],
        ) {
            for_each_case!($kernel, parameters, blocks, words, |engine, keys| {
                // SAFETY: as in `contains`.
                unsafe { run::<_, _, true>(&engine, &mut Insert(blocks), keys, out) }
            })
        }

        $(#[$features])*
        unsafe fn contains_one(parameters: &Parameters, blocks: &[Block], hash: u64) -> bool {
            for_each_case!($kernel, parameters, blocks, Words::Hashes(&[]), |engine, _| {
                let (block, key) = engine.place(hash);
                engine.is_present(engine.missing(&blocks[block], key))
            })
        }

        $(#[$features])*
        unsafe fn insert_one(parameters: &Parameters, blocks: &mut [Block], hash: u64) -> bool {
            for_each_case!($kernel, parameters, blocks, Words::Hashes(&[]), |engine, _| {
                let (block, key) = engine.place(hash);
                engine.is_present(engine.insert(&mut blocks[block], key))
            })
        }

        Functions { contains, insert, insert_and_report, contains_one, insert_one }
    }};
}
use functions;
