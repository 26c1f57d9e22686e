//! Batches of keys of any type: cut into chunks of words for the kernel, and the kernel's bitmask turned into the
//! form that the caller asked for.

use crate::block::prefetch;
use crate::error::Error;
use crate::hash::Seed;
use crate::kernel::BitArray;
use crate::kernel::engine::{GROUP, Words};
use crate::key::Key;
use crate::key::sealed::Hashed;

/// Keys whose words are computed ahead into a buffer on the stack, when they do not lie in memory as words.
const WORDS: usize = 512;

/// The same for short batches, which would spend their time on clearing a longer buffer.
const FEW_WORDS: usize = 64;

/// Batches of so few keys are handed to the kernel one by one: what a batch costs once would be most of its time.
const FEW: usize = 7;
// Their answers are one word of the bitmask.
const _: () = assert!(FEW <= 64);

/// Bytes between calling keys and reading them. The CPU's own prefetchers lose the stream of keys among the scattered
/// accesses to the filter.
const AHEAD: usize = 8192;

/// Groups between calling what keys refer to and reading it.
const REFERRED_AHEAD: usize = 4;

/// Bytes in a cache line.
const LINE: usize = 64;

/// Words in the bitmask of a chunk, when the answers of the kernel are not what the caller asked for.
const MASK: usize = 64;

impl BitArray {
    /// Bit i % 64 of word i / 64 of `out` tells whether key i is possibly present; later bits of the last word are 0.
    pub(crate) fn mask<K: Key>(&self, keys: &[K], out: &mut [u64]) {
        let seed = &self.shape().seed;
        if keys.len() <= FEW {
            return one_by_one(keys, out, |key| self.contains_one(key.hash(seed)));
        }
        for_each_chunk(keys, seed, |start, words| {
            self.contains(tagged::<K>(words), bytes_of(out, start, words.len()));
        });
        in_native_order(out, keys.len());
    }

    /// Hands out the bitmask chunk by chunk: the position of its first key, and its words.
    pub(crate) fn for_each_mask<K: Key>(&self, keys: &[K], mut take: impl FnMut(usize, &[u64])) {
        let mut mask = [0; MASK];
        for (chunk, keys) in keys.chunks(MASK * 64).enumerate() {
            let mask = &mut mask[..keys.len().div_ceil(64)];
            self.mask(keys, mask);
            take(chunk * MASK * 64, mask);
        }
    }

    pub(crate) fn insert_batch<K: Key>(&mut self, keys: &[K]) {
        let seed = self.shape().seed;
        for_each_chunk(keys, &seed, |_, words| self.insert(tagged::<K>(words)));
    }

    /// Inserts, and tells as `mask` does which keys were possibly present before, as if they came one by one.
    pub(crate) fn insert_batch_and_report<K: Key>(&mut self, keys: &[K], out: &mut [u64]) {
        let seed = self.shape().seed;
        if keys.len() <= FEW {
            return one_by_one(keys, out, |key| self.insert_one(key.hash(&seed)));
        }
        for_each_chunk(keys, &seed, |start, words| {
            self.insert_and_report(tagged::<K>(words), bytes_of(out, start, words.len()));
        });
        in_native_order(out, keys.len());
    }
}

/// Answers of a short batch as a bitmask of one word.
fn one_by_one<K>(keys: &[K], out: &mut [u64], mut ask: impl FnMut(&K) -> bool) {
    if let Some(first) = out.first_mut() {
        *first = keys.iter().enumerate().fold(0, |mask, (i, key)| mask | u64::from(ask(key)) << i);
    }
}

/// Cuts a batch into chunks of words, each with the position of its first key, a multiple of 64.
#[inline]
fn for_each_chunk<K: Key>(keys: &[K], seed: &Seed, mut take: impl FnMut(usize, &[u64])) {
    if let Some(words) = K::words(keys) {
        return take(0, words);
    }
    if keys.len() <= FEW_WORDS {
        buffered::<K, FEW_WORDS>(keys, seed, take);
    } else {
        buffered::<K, WORDS>(keys, seed, take);
    }
}

#[inline]
fn buffered<K: Key, const N: usize>(keys: &[K], seed: &Seed, mut take: impl FnMut(usize, &[u64])) {
    let mut buffer = [0; N];
    for (chunk, keys) in keys.chunks(N).enumerate() {
        let words = &mut buffer[..keys.len()];
        fill(keys, seed, words);
        take(chunk * N, words);
    }
}

/// The words of keys, group by group. The CPU works on several keys at a time by itself, since none waits for another; what
/// it needs is their bytes in time.
#[inline]
fn fill<K: Key>(keys: &[K], seed: &Seed, words: &mut [u64]) {
    let (groups, rest) = keys.as_chunks::<GROUP>();
    let (word_groups, word_rest) = words.as_chunks_mut::<GROUP>();
    for (i, (group, words)) in groups.iter().zip(word_groups).enumerate() {
        // May lie past the batch; a prefetch never faults.
        let ahead = group.as_ptr().wrapping_byte_add(AHEAD).cast::<u8>();
        for line in (0..size_of_val(group)).step_by(LINE) {
            prefetch(ahead.wrapping_add(line));
        }
        // Not by `flatten`, whose loop would stay where there is nothing to call.
        if let Some(group) = groups.get(i + REFERRED_AHEAD) {
            group.iter().for_each(Hashed::prefetch);
        }
        for (word, key) in words.iter_mut().zip(group) {
            *word = key.word(seed);
        }
    }
    for (word, key) in word_rest.iter_mut().zip(rest) {
        *word = key.word(seed);
    }
}

/// The words of keys of this type, with what they are.
fn tagged<K: Key>(words: &[u64]) -> Words<'_> {
    if K::INTEGER { Words::Integers(words) } else { Words::Hashes(words) }
}

/// The bytes of the bitmask `out` for `keys` keys from position `start`. The last word is cleared first, since the
/// kernel may not reach all of its bytes.
fn bytes_of(out: &mut [u64], start: usize, keys: usize) -> &mut [u8] {
    let words = &mut out[start / 64..(start + keys).div_ceil(64)];
    if let Some(last) = words.last_mut() {
        *last = 0;
    }
    &mut bytemuck::cast_slice_mut(words)[..keys.div_ceil(GROUP)]
}

/// The kernels write the bitmask as bytes, the lowest first.
fn in_native_order(out: &mut [u64], keys: usize) {
    if cfg!(target_endian = "big") {
        for word in &mut out[..keys.div_ceil(64)] {
            *word = u64::from_le(*word);
        }
    }
}

/// Refuses an output of fewer elements than a batch needs.
pub(crate) fn check_output(needed: usize, got: usize) -> Result<(), Error> {
    if got < needed { Err(Error::OutputTooShort { needed, got }) } else { Ok(()) }
}

/// Number of set bits.
pub(crate) fn count(mask: &[u64]) -> usize {
    mask.iter().map(|word| word.count_ones() as usize).sum()
}
