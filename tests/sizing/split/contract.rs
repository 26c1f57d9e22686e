//! The blocks and bits of Parquet's split block filter, written from the words of its specification.

use rand::RngExt;
use rand::rngs::SmallRng;

pub(crate) const SALTS: [u32; 8] =
    [0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31];

/// The bit of the word with this salt for the lower half of a hash.
pub(crate) fn place(low: u32, salt: u32) -> u32 {
    low.wrapping_mul(salt) / (1 << 27)
}

pub(crate) struct Filter(Vec<[u32; 8]>);

impl Filter {
    /// A filter of as many random hashes.
    pub(crate) fn random(items: usize, blocks: usize, rng: &mut SmallRng) -> Self {
        let mut filter = Self(vec![[0; 8]; blocks]);
        for _ in 0..items {
            let hash = rng.random();
            let block = filter.block(hash);
            filter.0[block].iter_mut().zip(bits(hash)).for_each(|(word, bit)| *word |= bit);
        }
        filter
    }

    fn block(&self, hash: u64) -> usize {
        let high = u128::from(hash / (1 << 32));
        (high * self.0.len() as u128 / (1 << 32)) as usize
    }

    pub(crate) fn contains(&self, hash: u64) -> bool {
        self.0[self.block(hash)].iter().zip(bits(hash)).all(|(word, bit)| word & bit != 0)
    }

    /// The probability that eight independent places in a random block are all set.
    pub(crate) fn rate(&self) -> f64 {
        let fill = |word: &u32| f64::from(word.count_ones()) / 32.0;
        self.0.iter().map(|block| block.iter().map(fill).product::<f64>()).sum::<f64>() / self.0.len() as f64
    }

    pub(crate) fn zero_bits(&self) -> u64 {
        self.0.iter().flatten().map(|word| u64::from(word.count_zeros())).sum()
    }
}

fn bits(hash: u64) -> [u32; 8] {
    SALTS.map(|salt| 1 << place(hash as u32, salt))
}
