//! wyhash, final version 3, of Wang Yi (public domain): the hash of byte strings.
//!
//! Written here, and not called in the crate of that name, so that it is inlined: keys of a constant length become a few
//! straight lines, and several keys are hashed at a time by the CPU. Its values are part of the bit contract.

/// The default secret.
pub(crate) const SECRET: [u64; 4] =
    [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3];

/// The hash of `key` under `seed`.
#[inline(always)]
pub(crate) fn wyhash(key: &[u8], seed: u64) -> u64 {
    let length = key.len();
    let seed = seed ^ SECRET[0];
    let (seed, [a, b]) = match length {
        0..=16 => (seed, short(key)),
        17..=48 => (absorb_two(key, seed), last_words(key)),
        _ => (absorb(key, seed), last_words(key)),
    };
    mix(SECRET[1] ^ length as u64, mix(a ^ SECRET[1], b ^ seed))
}

/// The two words of a key of up to 16 bytes.
#[inline(always)]
fn short(key: &[u8]) -> [u64; 2] {
    let length = key.len();
    if let (Some(first), Some(last)) = (key.first_chunk(), key.last_chunk()) {
        let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        // Words of 32 bits: the first, the second or third; the last, the last but one or but two.
        let (second, last_but) = if length == 16 { (last, first >> 32) } else { (first >> 32, last) };
        [first << 32 | second & LOW, last >> 32 << 32 | last_but & LOW]
    } else if let (Some(first), Some(last)) = (key.first_chunk(), key.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        [u64::from(first) * TWICE, u64::from(last) * TWICE]
    } else if let (Some(&first), Some(&last)) = (key.first(), key.last()) {
        [u64::from(first) << 16 | u64::from(key[length / 2]) << 8 | u64::from(last), 0]
    } else {
        [0, 0]
    }
}
const LOW: u64 = u32::MAX as u64;
const TWICE: u64 = 1 << 32 | 1;

#[inline(always)]
fn last_words(key: &[u8]) -> [u64; 2] {
    key.last_chunk::<16>().map_or([0, 0], words)
}

#[inline(always)]
fn absorb_two(key: &[u8], seed: u64) -> u64 {
    let length = key.len();
    let once = mix(word(key, 0) ^ SECRET[1], word(key, 8) ^ seed);
    let at = core::cmp::min(16, length - 16);
    let twice = mix(word(key, at) ^ SECRET[1], word(key, at + 8) ^ once);
    core::hint::select_unpredictable(length > 32, twice, once)
}

/// Takes in all of a key of more than 48 bytes but the last 1 to 16.
#[inline]
fn absorb(key: &[u8], seed: u64) -> u64 {
    let mut rest = key;
    let mut lanes = [seed; 3];
    while let Some((block, after)) = rest.split_first_chunk::<48>()
        && !after.is_empty()
    {
        let (pieces, _) = block.as_chunks::<16>();
        for i in 0..3 {
            let [a, b] = words(&pieces[i]);
            lanes[i] = mix(a ^ SECRET[i + 1], b ^ lanes[i]);
        }
        rest = after;
    }
    let mut seed = lanes[0] ^ lanes[1] ^ lanes[2];
    while let Some((piece, after)) = rest.split_first_chunk::<16>()
        && !after.is_empty()
    {
        let [a, b] = words(piece);
        seed = mix(a ^ SECRET[1], b ^ seed);
        rest = after;
    }
    seed
}

#[inline(always)]
fn words(bytes: &[u8; 16]) -> [u64; 2] {
    [word(bytes, 0), word(bytes, 8)]
}

/// Both halves of the product, joined.
#[inline]
const fn mix(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
