//! The false-positive rate of the block scheme as one exact sum.
//!
//! A query is a false positive when all its positions are set. By inclusion and exclusion over the
//! sets of positions that are *not* set, its probability is a signed sum over events "these
//! positions are untouched by every key of the filter". Given `d[w]` distinct positions in word w, a
//! key that falls into the block leaves them all untouched with probability
//!
//! a = ⅛ Σ_start Π_w ((64 − d\[w\]) / 64)^(bits of the key in word w),
//!
//! a key of the whole filter with probability 1 − (1 − a)/b, and n independent keys with the n-th
//! power of that. So the rate needs no sum over block loads: a list of pairs (1 − a, coefficient),
//! which depends on k alone, gives it for every n and b.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::array;

use super::dd::Dd;
use crate::scheme::block512::{WORDS, bits_in_word};

const STARTS: usize = WORDS as usize;

/// How many keys a block holds.
#[derive(Clone, Copy)]
pub(super) enum Load {
    /// `items` keys, each in one of `blocks` blocks at random. Below 2⁵³ blocks.
    Binomial { items: u64, blocks: u64 },
    /// The limit for many blocks: a Poisson number of keys with this mean.
    Poisson { mean: f64 },
}

impl Load {
    /// Probability that no key touches a set of positions in the block, when a key in the block
    /// does with probability `touch`.
    fn untouched(self, touch: Dd) -> Dd {
        let logarithm = match self {
            Self::Binomial { items, blocks } => {
                let one_key = (touch / blocks as f64).ln_one_minus();
                one_key * u128::from(items).into()
            }
            Self::Poisson { mean } => -(touch * mean.into()),
        };
        logarithm.exp()
    }
}

/// Σ coefficient · P(untouched), with `1 − a` of every term.
pub(super) struct Terms(Vec<(Dd, Dd)>);

impl Terms {
    /// One query: all its positions are set.
    pub(super) fn query(k: u32) -> Self {
        Self::all_set(k, array::from_fn(|w| bits_in_word(k, 0, w as u32)))
    }

    /// Two independent queries into the same block: all positions of both are set.
    ///
    /// Only the distance between the two starts matters, and distance 8 − s is the mirror of s.
    pub(super) fn two_queries(k: u32) -> Self {
        let distances = [(0, 1.0), (1, 2.0), (2, 2.0), (3, 2.0), (4, 1.0)];
        let terms = distances.into_iter().flat_map(|(start, weight)| {
            let draws = array::from_fn(|w| bits_in_word(k, 0, w as u32) + bits_in_word(k, start, w as u32));
            let scale = Dd::from(weight / 8.0);
            let both = Self::all_set(k, draws).0.into_iter();
            both.map(move |(touch, coefficient)| (touch, coefficient * scale))
        });
        Self(terms.collect())
    }

    /// `draws[w]` positions in word w, independent and uniform, are all set.
    ///
    /// Goes word by word. A state holds, for every start of a key's run, the product over the words
    /// so far as an exact integer over 64^bits. Starts that no longer differ in the words to come
    /// are added up, which makes most states equal, so there are few of them.
    fn all_set(k: u32, draws: [u32; STARTS]) -> Self {
        let mut states = BTreeMap::from([(add_up(k, 0, [1; STARTS]), Dd::ONE)]);
        for (w, &draws) in (0..).zip(&draws) {
            let mut next = BTreeMap::new();
            for (distinct, &sign) in (0u32..).zip(&signed_distinct(draws)[..=draws as usize]) {
                let factor: [u128; STARTS] =
                    array::from_fn(|start| (64 - distinct as u128).pow(bits_in_word(k, start as u32, w)));
                for (products, &coefficient) in &states {
                    let products = array::from_fn(|start| products[start] * factor[start]);
                    let sum = next.entry(add_up(k, w + 1, products)).or_insert(Dd::ZERO);
                    *sum = *sum + coefficient * sign.into();
                }
            }
            states = next;
        }
        // A power of two, so that the division is exact.
        let whole = u128::from(WORDS) << (6 * k);
        Self(
            states
                .into_iter()
                .map(|(products, coefficient)| {
                    let touch = Dd::from(whole - products[0]) / whole as f64;
                    (touch, coefficient)
                })
                .collect(),
        )
    }

    /// The probability.
    pub(super) fn probability(&self, load: Load) -> Dd {
        self.sum(|_| Dd::ONE, load)
    }

    /// The probability when the block holds one key more than the load says.
    pub(super) fn probability_with_one_more(&self, load: Load) -> Dd {
        self.sum(|touch| Dd::ONE - touch, load)
    }

    fn sum(&self, weight: impl Fn(Dd) -> Dd, load: Load) -> Dd {
        self.0.iter().fold(Dd::ZERO, |sum, &(touch, coefficient)| {
            sum + coefficient * weight(touch) * load.untouched(touch)
        })
    }
}

/// Moves the products of all starts whose keys set equally many bits in every word from `word` on
/// into the first of them.
fn add_up(k: u32, word: u32, products: [u128; STARTS]) -> [u128; STARTS] {
    let same = |a: u32, b: u32| (word..WORDS).all(|w| bits_in_word(k, a, w) == bits_in_word(k, b, w));
    let mut sums = [0; STARTS];
    for (start, product) in (0..).zip(products) {
        let first = (0..start).find(|&first| same(first, start)).unwrap_or(start);
        sums[first as usize] += product;
    }
    sums
}

/// Coefficients c with P(all of these draws in a word are set) = Σ_d c\[d\] · P(d given positions of
/// the word are untouched).
///
/// By adding one draw at a time: either it is set, or it is not and then hits one of the d untouched
/// positions again or a new one. Exact in `f64` for up to four draws.
fn signed_distinct(draws: u32) -> [f64; 5] {
    let mut c = [1.0, 0.0, 0.0, 0.0, 0.0];
    for _ in 0..draws {
        for d in (1..5).rev() {
            let positions = d as f64;
            c[d] = (c[d] * (64.0 - positions) - c[d - 1] * (65.0 - positions)) / 64.0;
        }
    }
    c
}
