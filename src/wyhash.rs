//! wyhash, final version 3, of Wang Yi (public domain): the hash of byte strings.
//!
//! Written here, and not called in the crate of that name, so that it is inlined: keys of a constant length become a few
//! straight lines, and the CPU hashes several keys at a time. Its values are part of the bit contract.

use core::hint::select_unpredictable;

/// The default secret.
pub(crate) const SECRET: [u64; 4] =
    [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3];

/// The hash of `key` under `seed`.
#[inline(always)]
pub(crate) fn wyhash(key: &[u8], seed: u64) -> u64 {
    let length = key.len();
    let seed = seed ^ SECRET[0];
    let (seed, words) = match length {
        0..=16 => (seed, short(key)),
        17..=48 => (absorb_two(key, seed), last_words(key)),
        _ => (absorb_many(key, seed), last_words(key)),
    };
    mix(SECRET[1] ^ length as u64, absorb(words, SECRET[1], seed))
}

/// The words of a key of up to 16 bytes.
#[inline(always)]
fn short(key: &[u8]) -> [u64; 2] {
    const LOW: u64 = u32::MAX as u64;
    let length = key.len();
    if let (Some(first), Some(last)) = (key.first_chunk(), key.last_chunk()) {
        let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        // The first four bytes and four from the middle; the last four, and four from the middle again.
        let (after_first, before_last) = if length == 16 { (last, first >> 32) } else { (first >> 32, last) };
        [first << 32 | after_first & LOW, last & !LOW | before_last & LOW]
    } else if let (Some(first), Some(last)) = (key.first_chunk(), key.last_chunk()) {
        let twice = |four| u64::from(u32::from_le_bytes(four)) * (1 << 32 | 1);
        [twice(*first), twice(*last)]
    } else if let (Some(&first), Some(&last)) = (key.first(), key.last()) {
        [u64::from(first) << 16 | u64::from(key[length / 2]) << 8 | u64::from(last), 0]
    } else {
        [0, 0]
    }
}

/// The words of a key of more than 16 bytes: the last 16.
#[inline(always)]
fn last_words(key: &[u8]) -> [u64; 2] {
    words(key, key.len() - 16)
}

/// Takes in all of a key of 17 to 48 bytes but the last 1 to 16, which is one or two pieces of 16.
///
/// Keys of such lengths come in any order, and a branch that cannot be foreseen costs more than a second piece in vain.
#[inline(always)]
fn absorb_two(key: &[u8], seed: u64) -> u64 {
    let length = key.len();
    let once = absorb(words(key, 0), SECRET[1], seed);
    let twice = absorb(words(key, (length - 16).min(16)), SECRET[1], once);
    select_unpredictable(length > 32, twice, once)
}

/// Takes in all of a key of more than 48 bytes but the last 1 to 16.
#[inline]
fn absorb_many(key: &[u8], seed: u64) -> u64 {
    let mut rest = key;
    let mut lanes = [seed; 3];
    while rest.len() > 48 {
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane = absorb(words(rest, 16 * i), SECRET[i + 1], *lane);
        }
        rest = &rest[48..];
    }
    let mut seed = lanes[0] ^ lanes[1] ^ lanes[2];
    while rest.len() > 16 {
        seed = absorb(words(rest, 0), SECRET[1], seed);
        rest = &rest[16..];
    }
    seed
}

#[inline(always)]
const fn absorb([a, b]: [u64; 2], secret: u64, seed: u64) -> u64 {
    mix(a ^ secret, b ^ seed)
}

/// Both halves of the product, joined.
#[inline(always)]
const fn mix(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

/// The 16 bytes from `at` on.
#[inline(always)]
fn words(bytes: &[u8], at: usize) -> [u64; 2] {
    let word = |at| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    [word(at), word(at + 8)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_that_were_published() {
        for (key, seed, hash) in [
            ("", 0, 0x42bc_986d_c5ee_c4d3),
            ("a", 1, 0x8450_8dc9_03c3_1551),
            ("abc", 2, 0x0bc5_4887_cfc9_ecb1),
            ("message digest", 3, 0x6e2f_f329_8208_a67c),
        ] {
            assert_eq!(wyhash(key.as_bytes(), seed), hash, "{key}");
        }
    }

    #[test]
    fn values_are_those_of_the_crate_wyhash() {
        // Every place in a word where a key can begin, so that no read relies on alignment.
        let mut bytes = [0; 308];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = (i * i * 131 + i * 37 + 1) as u8;
        }
        for seed in [0, 1, 42, 1 << 63, u64::MAX, SECRET[0]] {
            for (start, length) in (0..8).flat_map(|start| (0..=300).map(move |length| (start, length))) {
                let key = &bytes[start..start + length];
                assert_eq!(
                    wyhash(key, seed),
                    ::wyhash::final3::wyhash(key, seed, SECRET),
                    "length {length}, start {start}, seed {seed}"
                );
            }
        }
    }
}
