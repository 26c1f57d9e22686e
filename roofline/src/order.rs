//! The orders of the work, and what is done to the line of a key.
//!
//! Everything between the functions with CPU features and the loops is `#[inline(always)]`, since a function takes the
//! features of the one that it is inlined into. Loops count, since the adapters of iterators are functions without them.
#![allow(unsafe_code, clippy::needless_range_loop)]

use std::hint::black_box;

#[cfg(target_arch = "x86_64")]
use crate::hashing::{Avx2, Avx512};
use crate::hashing::{GROUP, Group, Hash, Hashing, Plain, place};
use crate::{Line, MAX_LINES};

/// Groups of a phase: what was stored by vectors is read some groups later.
const PHASE: usize = 8;
/// Groups between calling the keys of a group and hashing them.
const AHEAD: usize = 64;

/// The order of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Hash eight groups of eight keys, then go to their lines: nothing to spare, best where lines are near.
    Phases,
    /// Hash groups into a ring, call their lines, and go to those that were called four groups ago: best in the last cache.
    Near,
    /// The same for lines that were called twelve groups ago: best in much memory.
    Middle,
    /// The same for lines that were called sixteen groups ago: best in memory.
    Far,
}

impl Order {
    /// All orders.
    pub const ALL: [Self; 4] = [Self::Phases, Self::Near, Self::Middle, Self::Far];
}

/// Hashes integers, and sums the first word of the line of each.
///
/// # Panics
///
/// Unless there are from 1 to [`MAX_LINES`] − 1 lines.
///
/// ```
/// use bloomline_roofline::{Order, lookup};
///
/// // Wherever the keys lie, they find ones.
/// assert_eq!(lookup(&[[1; 8]; 1000], &[5, 6, 7], Order::Near), 3);
/// ```
pub fn lookup(lines: &[Line], keys: &[u64], order: Order) -> u64 {
    run::<true, _>(Hashing::best(), Sum { lines, total: 0 }, keys, order).total
}

/// Sums the first word of the line of each hash.
///
/// # Panics
///
/// Unless there are from 1 to [`MAX_LINES`] − 1 lines.
///
/// ```
/// use bloomline_roofline::{Order, lookup_prehashed};
///
/// // The line is the high half of hash × lines.
/// let lines = [[5; 8], [7; 8]];
/// assert_eq!(lookup_prehashed(&lines, &[0, u64::MAX, u64::MAX], Order::Phases), 5 + 7 + 7);
/// ```
pub fn lookup_prehashed(lines: &[Line], hashes: &[u64], order: Order) -> u64 {
    run::<false, _>(Hashing::best(), Sum { lines, total: 0 }, hashes, order).total
}

/// Hashes integers, and sets the bits of a word that depends on the key in the first word of the line of each.
///
/// # Panics
///
/// Unless there are from 1 to [`MAX_LINES`] − 1 lines.
///
/// ```
/// use bloomline_roofline::{Order, insert};
///
/// let mut lines = [[0; 8]; 1000];
/// insert(&mut lines, &[5], Order::Near);
/// assert_eq!(lines.iter().filter(|line| line[0] != 0).count(), 1);
/// ```
pub fn insert(lines: &mut [Line], keys: &[u64], order: Order) {
    run::<true, _>(Hashing::best(), Set { lines }, keys, order);
}

/// What is done to the line of a key.
pub(crate) trait Touch {
    fn lines(&self) -> &[Line];

    /// # Safety
    ///
    /// `offset` is that of one of the lines, in bytes from the first.
    unsafe fn touch(&mut self, offset: u64, product: u64);
}

pub(crate) struct Sum<'a> {
    pub(crate) lines: &'a [Line],
    pub(crate) total: u64,
}

impl Touch for Sum<'_> {
    #[inline(always)]
    fn lines(&self) -> &[Line] {
        self.lines
    }

    #[inline(always)]
    unsafe fn touch(&mut self, offset: u64, _: u64) {
        // SAFETY: the caller's promise; a line begins with a word.
        self.total =
            self.total.wrapping_add(unsafe { *self.lines.as_ptr().byte_add(offset as usize).cast::<u64>() });
    }
}

pub(crate) struct Set<'a> {
    pub(crate) lines: &'a mut [Line],
}

impl Touch for Set<'_> {
    #[inline(always)]
    fn lines(&self) -> &[Line] {
        self.lines
    }

    #[inline(always)]
    unsafe fn touch(&mut self, offset: u64, product: u64) {
        // SAFETY: the caller's promise; a line begins with a word, and `self` has the only reference to it.
        unsafe { *self.lines.as_mut_ptr().byte_add(offset as usize).cast::<u64>() |= product }
    }
}

/// Touches the lines of all keys.
pub(crate) fn run<const MIX: bool, T: Touch>(hashing: Hashing, touch: T, keys: &[u64], order: Order) -> T {
    assert!((1..MAX_LINES).contains(&(touch.lines().len() as u64)), "from 1 to 2^32 - 1 lines");
    assert!(hashing.is_available(), "{hashing:?} on a CPU without it");
    match hashing {
        // SAFETY: the CPU has the features, and there are lines, as was just seen.
        #[cfg(target_arch = "x86_64")]
        Hashing::Avx512 => unsafe { with_avx512::<MIX, T>(touch, keys, order) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Hashing::Avx2 => unsafe { with_avx2::<MIX, T>(touch, keys, order) },
        // SAFETY: there are lines, and plain words need no features.
        _ => unsafe { with::<Plain, MIX, T>(touch, keys, order) },
    }
}

/// # Safety
///
/// As for [`with`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn with_avx512<const MIX: bool, T: Touch>(touch: T, keys: &[u64], order: Order) -> T {
    // SAFETY: this function has the features, and the rest is the caller's promise.
    unsafe { with::<Avx512, MIX, T>(touch, keys, order) }
}

/// # Safety
///
/// As for [`with`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn with_avx2<const MIX: bool, T: Touch>(touch: T, keys: &[u64], order: Order) -> T {
    // SAFETY: this function has the features, and the rest is the caller's promise.
    unsafe { with::<Avx2, MIX, T>(touch, keys, order) }
}

/// # Safety
///
/// There are from 1 to `MAX_LINES` − 1 lines; the CPU has what the hashing needs, and so has the calling function.
#[inline(always)]
unsafe fn with<H: Hash, const MIX: bool, T: Touch>(mut touch: T, keys: &[u64], order: Order) -> T {
    let (groups, rest) = keys.as_chunks::<GROUP>();
    // SAFETY: the caller's promise.
    unsafe {
        match order {
            Order::Phases => phases::<H, MIX, T>(&mut touch, groups),
            Order::Near => ring::<H, MIX, T, 16, 12>(&mut touch, groups),
            Order::Middle => ring::<H, MIX, T, 16, 4>(&mut touch, groups),
            Order::Far => ring::<H, MIX, T, 32, 16>(&mut touch, groups),
        }
    }
    for &key in rest {
        let (offset, product) = place::<MIX>(key, touch.lines().len() as u64);
        // SAFETY: the high half of a product with the number of lines is below it.
        unsafe { touch.touch(offset, product) };
    }
    touch
}

/// # Safety
///
/// As for [`with`].
#[inline(always)]
unsafe fn phases<H: Hash, const MIX: bool, T: Touch>(touch: &mut T, groups: &[[u64; GROUP]]) {
    let count = touch.lines().len() as u64;
    let mut phase = [Group::BLANK; PHASE];
    let (phases, rest) = groups.as_chunks::<PHASE>();
    for groups in phases {
        for i in 0..PHASE {
            prefetch(groups[i].as_ptr().wrapping_add(AHEAD * GROUP).cast());
            // SAFETY: the caller's promise.
            unsafe { H::group::<MIX>(&groups[i], count, &mut phase[i]) };
        }
        // Keeps the compiler from passing words on in registers, which takes longer than memory does.
        black_box(&mut phase);
        for i in 0..PHASE {
            // SAFETY: the group was hashed for this number of lines.
            unsafe { touch_all(touch, &phase[i]) };
        }
    }
    for keys in rest {
        // SAFETY: as above.
        unsafe {
            H::group::<MIX>(keys, count, &mut phase[0]);
            touch_all(touch, &phase[0]);
        }
    }
}

/// A ring of `RING` groups, of which each is called `LAG` steps after it was hashed: what was stored by vectors is read some
/// groups later.
///
/// # Safety
///
/// As for [`with`].
#[inline(always)]
unsafe fn ring<H: Hash, const MIX: bool, T: Touch, const RING: usize, const LAG: usize>(
    touch: &mut T,
    groups: &[[u64; GROUP]],
) {
    let count = touch.lines().len() as u64;
    let mut ring = [Group::BLANK; RING];
    for g in 0..groups.len() {
        if g >= RING {
            // SAFETY: the group was hashed for this number of lines.
            unsafe { touch_all(touch, &ring[g % RING]) };
        }
        prefetch(groups[g].as_ptr().wrapping_add(AHEAD * GROUP).cast());
        // SAFETY: the caller's promise.
        unsafe { H::group::<MIX>(&groups[g], count, &mut ring[g % RING]) };
        if g >= LAG {
            // By index: a copy of all offsets would take the registers that the whole loop needs.
            let called = &ring[(g - LAG) % RING];
            for lane in 0..GROUP {
                prefetch(touch.lines().as_ptr().wrapping_byte_add(called.offsets[lane] as usize));
            }
        }
    }
    for g in groups.len().saturating_sub(RING)..groups.len() {
        // SAFETY: as above.
        unsafe { touch_all(touch, &ring[g % RING]) };
    }
}

/// # Safety
///
/// The group was hashed for the number of lines of `touch`.
#[inline(always)]
unsafe fn touch_all<T: Touch>(touch: &mut T, group: &Group) {
    for lane in 0..GROUP {
        // SAFETY: the caller's promise.
        unsafe { touch.touch(group.offsets[lane], group.products[lane]) };
    }
}

/// Calls a line near. Never faults, whatever the address.
#[inline(always)]
fn prefetch(line: *const Line) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint that reads nothing the program can see; SSE, which it needs, is part of every x86-64.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above; the instruction touches neither memory nor flags nor the stack.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{0}]", in(reg) line, options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = line;
}
