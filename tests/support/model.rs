//! The bit contract of `docs/FORMAT.md`, written a second time from its words: bit by bit, with no thought of speed and no
//! code of the library.

use std::collections::BTreeSet;
// The unit tests of the library include this file, and have no prelude of `std` without the feature.
use std::vec::Vec;

/// A filter as the set of its set bits, numbered from the first bit of the first block.
pub struct Model {
    pub bits: BTreeSet<u64>,
    scheme: Scheme,
    seed: u64,
}

#[derive(Clone, Copy, Debug)]
pub enum Scheme {
    Block512 { blocks: u64, k: u32 },
    SplitBlock { blocks: u64 },
}

impl Model {
    pub fn new(scheme: Scheme, seed: u64) -> Self {
        Self { bits: BTreeSet::new(), scheme, seed }
    }

    pub fn contains_hash(&self, hash: u64) -> bool {
        self.scheme.bits_of(hash).is_subset(&self.bits)
    }

    /// Returns whether the key was possibly present before.
    pub fn insert_hash(&mut self, hash: u64) -> bool {
        let before = self.contains_hash(hash);
        self.bits.extend(self.scheme.bits_of(hash));
        before
    }

    pub fn hash(&self, key: u64) -> u64 {
        hash_integer(key, self.seed)
    }
}

/// FORMAT.md, hash of an integer.
pub fn hash_integer(key: u64, seed: u64) -> u64 {
    let modulus = 1_u128 << 64;
    let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % modulus) as u64;
    let plus = |a: u64, b: u64| ((u128::from(a) + u128::from(b)) % modulus) as u64;
    let rounds = |key: u64, before: u64, between: u64| {
        let mut h = key ^ before;
        h ^= h >> 30;
        h = plus(times(h, 0xbf58_476d_1ce4_e5b9), between);
        h ^= h >> 27;
        h = times(h, 0x94d0_49bb_1331_11eb);
        h ^ h >> 31
    };
    let step = 0x9e37_79b9_7f4a_7c15;
    let before = rounds(plus(seed, step), 0, 0);
    let between = rounds(plus(plus(seed, step), step), 0, 0);
    rounds(key, before, between)
}

impl Scheme {
    pub fn bits_of(self, hash: u64) -> BTreeSet<u64> {
        match self {
            Self::Block512 { blocks, k } => bits_of_block512(hash, blocks, k),
            Self::SplitBlock { blocks } => bits_of_split_block(hash, blocks),
        }
    }
}

/// FORMAT.md, block and bits of a hash in the split-block scheme: numbered 256 × block + 32 × word + bit.
fn bits_of_split_block(hash: u64, blocks: u64) -> BTreeSet<u64> {
    let salts =
        [0x47b6137b_u64, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31];
    let (high, low) = (hash / (1 << 32), hash % (1 << 32));
    let block = high * blocks / (1 << 32);
    let bit = |salt: u64| (low * salt % (1 << 32)) / (1 << 27);
    (0..8).zip(salts).map(|(word, salt)| block * 256 + word * 32 + bit(salt)).collect()
}

/// FORMAT.md, block and bits of a hash: numbered 512 × block + 64 × word + bit.
fn bits_of_block512(hash: u64, blocks: u64, k: u32) -> BTreeSet<u64> {
    let block = (u128::from(hash) * u128::from(blocks)) >> 64;
    let product = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let first = product.to_le_bytes();
    let second = (product ^ product >> 29).wrapping_mul(0xd134_2543_de82_ef95).to_le_bytes();
    // Bits 62, 63 and 54 of the first product: the top two bits of byte 7, and bit 6 of byte 6.
    let start = u32::from(first[7] / 64) + 4 * u32::from(first[6] / 64 % 2);
    let run: Vec<u32> = (0..if k > 8 { k - 8 } else { k }).map(|i| (start + i) % 8).collect();
    let mut bits = BTreeSet::new();
    for word in 0..8_u32 {
        let at = |place: u8| block as u64 * 512 + u64::from(word) * 64 + u64::from(place % 64);
        if k > 8 || run.contains(&word) {
            bits.insert(at(first[word as usize]));
        }
        if k > 8 && run.contains(&word) {
            bits.insert(at(second[word as usize]));
        }
    }
    bits
}
