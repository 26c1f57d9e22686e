//! wyhash, final version 3, of Wang Yi (public domain): the hash of byte strings.
//!
//! Written here, and not called in the crate of that name, so that it is inlined: keys of a constant length become a few
//! straight lines, and several keys are hashed at a time by the CPU. Its values are part of the bit contract.

/// The default secret.
pub(crate) const SECRET: [u64; 4] =
    [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3];

/// The hash of `key` under `seed`.
#[inline]
pub(crate) fn wyhash(key: &[u8], seed: u64) -> u64 {
    let mut seed = seed ^ SECRET[0];
    let length = key.len();
    let (a, b) = match *key {
        [] => (0, 0),
        [first, ..] if length < 4 => {
            (u64::from(first) << 16 | u64::from(key[length / 2]) << 8 | u64::from(key[length - 1]), 0)
        }
        _ if length <= 16 => {
            // The two halves of the key, or of its ends, where they overlap.
            let step = length / 8 * 4;
            (pair(word32(key, 0), word32(key, step)), pair(word32(key, length - 4), word32(key, length - 4 - step)))
        }
        _ => {
            seed = absorb(key, seed);
            (word(key, length - 16), word(key, length - 8))
        }
    };
    mix(SECRET[1] ^ length as u64, mix(a ^ SECRET[1], b ^ seed))
}

/// Takes in all of a key of more than 16 bytes but the last 1 to 16.
#[inline]
fn absorb(key: &[u8], mut seed: u64) -> u64 {
    let mut rest = key;
    if rest.len() > 48 {
        let mut lanes = [seed; 3];
        while rest.len() > 48 {
            for (i, lane) in lanes.iter_mut().enumerate() {
                *lane = mix(word(rest, 16 * i) ^ SECRET[i + 1], word(rest, 16 * i + 8) ^ *lane);
            }
            rest = &rest[48..];
        }
        seed = lanes[0] ^ lanes[1] ^ lanes[2];
    }
    while rest.len() > 16 {
        seed = mix(word(rest, 0) ^ SECRET[1], word(rest, 8) ^ seed);
        rest = &rest[16..];
    }
    seed
}

/// Both halves of the product, joined.
#[inline]
const fn mix(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

#[inline]
const fn pair(high: u32, low: u32) -> u64 {
    (high as u64) << 32 | low as u64
}

#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

#[inline]
fn word32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
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
