//! The kernels and the choice among them.
//!
//! A kernel is one file or folder and one row of [`TABLE`]. All kernels give the same bits and the same answers; the
//! scalar one, in safe Rust, is the oracle of the others. A [`Kernel`] can only be had after detection, so
//! holding one proves that the CPU can run it.
#![allow(unsafe_code)]

// All but the soft-float targets.
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod aarch64;
mod array;
mod cache;
pub(crate) mod engine;
mod layout;
mod operation;
mod portable;
mod scalar;
mod schedule;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(test)]
mod conformance;

use core::fmt;

use crate::block::Block;
use crate::error::Error;
pub(crate) use array::BitArray;
use engine::{Detected, Shape, Words};
use schedule::Schedule;

/// A row of the table. The functions may only be called when `detect` is true.
struct Row {
    name: &'static str,
    /// What the CPU must have, in words.
    needs: &'static str,
    detect: fn() -> bool,
    /// For [`Scheme::Block512`], by the class of k.
    block512: [Functions; 3],
    /// For [`Scheme::SplitBlock`].
    split: Functions,
}

/// The coarse functions that every kernel has for a scheme and class of k.
///
/// Each is safe to call when the row's `detect` is true, the shape is of that scheme and class, and the lines hold
/// its blocks, of which there is at least one and no more than the scheme allows. `out` holds a byte for every eight keys: bit i % 8 of byte i / 8 tells whether key i was
/// possibly present.
#[derive(Clone, Copy)]
struct Functions {
    contains: unsafe fn(&Shape, &[Block], Schedule, Words<'_>, &mut [u8]),
    insert: unsafe fn(&Shape, &mut [Block], Schedule, Words<'_>),
    /// Inserts and reports what was possibly present before, as if the keys came one by one.
    insert_and_report: unsafe fn(&Shape, &mut [Block], Schedule, Words<'_>, &mut [u8]),
    /// One key, given as its hash.
    contains_one: unsafe fn(&Shape, &[Block], u64) -> bool,
    insert_one: unsafe fn(&Shape, &mut [Block], u64) -> bool,
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

/// The coarse functions of an engine for one class of k. `$features` become attributes of every function, so that the
/// engine's steps, inlined into them, are compiled for the kernel's CPU features.
macro_rules! functions {
    ($engine:ident, $class:expr $(, #[$features:meta])*) => {{
        use $crate::block::Block;
        use $crate::kernel::layout::{blocks, blocks_mut};
        use $crate::kernel::operation::{Insert, Lookup};
        use $crate::kernel::schedule::{Schedule, run};
        use $crate::kernel::engine::{BlockOf, Engine, Shape, Words};
        use $crate::kernel::{Detected, Functions};

        type Integers = $engine<{ $class }, true>;
        type Hashes = $engine<{ $class }, false>;

        $(#[$features])*
        unsafe fn contains(shape: &Shape, lines: &[Block], schedule: Schedule, words: Words<'_>, out: &mut [u8]) {
            let mut lookup = Lookup(blocks::<BlockOf<Hashes>>(lines, shape.blocks));
            // SAFETY: the caller has detected the CPU features that the kernel needs. The engines are built for the number
            // of these blocks, at least one.
            unsafe {
                let detected = Detected::assume();
                match words {
                    Words::Integers(keys) => run::<_, _, true>(&Integers::new(detected, *shape), &mut lookup, schedule, keys, out),
                    Words::Hashes(keys) => run::<_, _, true>(&Hashes::new(detected, *shape), &mut lookup, schedule, keys, out),
                }
            }
        }

        $(#[$features])*
        unsafe fn insert(shape: &Shape, lines: &mut [Block], schedule: Schedule, words: Words<'_>) {
            let mut insert = Insert(blocks_mut::<BlockOf<Hashes>>(lines, shape.blocks));
            // SAFETY: as in `contains`.
            unsafe {
                let detected = Detected::assume();
                match words {
                    Words::Integers(keys) => {
                        run::<_, _, false>(&Integers::new(detected, *shape), &mut insert, schedule, keys, &mut [])
                    }
                    Words::Hashes(keys) => {
                        run::<_, _, false>(&Hashes::new(detected, *shape), &mut insert, schedule, keys, &mut [])
                    }
                }
            }
        }

        $(#[$features])*
        unsafe fn insert_and_report(shape: &Shape, lines: &mut [Block], schedule: Schedule, words: Words<'_>, out: &mut [u8]) {
            let mut insert = Insert(blocks_mut::<BlockOf<Hashes>>(lines, shape.blocks));
            // SAFETY: as in `contains`.
            unsafe {
                let detected = Detected::assume();
                match words {
                    Words::Integers(keys) => run::<_, _, true>(&Integers::new(detected, *shape), &mut insert, schedule, keys, out),
                    Words::Hashes(keys) => run::<_, _, true>(&Hashes::new(detected, *shape), &mut insert, schedule, keys, out),
                }
            }
        }

        $(#[$features])*
        unsafe fn contains_one(shape: &Shape, lines: &[Block], hash: u64) -> bool {
            // SAFETY: the caller has detected the CPU features that the kernel needs.
            let engine = Hashes::new(unsafe { Detected::assume() }, *shape);
            let (block, key) = engine.place(hash);
            debug_assert!(block < blocks::<BlockOf<Hashes>>(lines, shape.blocks).len());
            // SAFETY: the block is one of the shape's, as `Engine` promises, and the caller has all of them. The check would
            // cost a tenth of the call.
            let block = unsafe { &*lines.as_ptr().cast::<BlockOf<Hashes>>().add(block) };
            engine.is_present(engine.missing(block, key))
        }

        $(#[$features])*
        unsafe fn insert_one(shape: &Shape, lines: &mut [Block], hash: u64) -> bool {
            // SAFETY: the caller has detected the CPU features that the kernel needs.
            let engine = Hashes::new(unsafe { Detected::assume() }, *shape);
            let (block, key) = engine.place(hash);
            debug_assert!(block < blocks::<BlockOf<Hashes>>(lines, shape.blocks).len());
            // SAFETY: as in `contains_one`.
            let block = unsafe { &mut *lines.as_mut_ptr().cast::<BlockOf<Hashes>>().add(block) };
            engine.is_present(engine.insert(block, key))
        }

        Functions { contains, insert, insert_and_report, contains_one, insert_one }
    }};
}
use functions;

/// [`functions!`] for every class of k, in the order of [`Class`].
macro_rules! by_class {
    ($engine:ident $(, #[$features:meta])*) => {
        [
            functions!($engine, $crate::kernel::EIGHT $(, #[$features])*),
            functions!($engine, $crate::kernel::FEWER $(, #[$features])*),
            functions!($engine, $crate::kernel::MORE $(, #[$features])*),
        ]
    };
}
use by_class;
