//! The false-positive rate of a blocked filter as one exact sum.
//!
//! A query is a false positive when all its positions are set. By inclusion and exclusion over the
//! sets of positions that are *not* set, its probability is a signed sum over events "these
//! positions are untouched by every key of the filter". Given `d[w]` distinct positions in word w, a
//! key that falls into the block leaves them all untouched with probability
//!
//! a = ⅛ Σ_start Π_w ((s − d\[w\]) / s)^(bits of the key in word w), with s bits in a word,
//!
//! a key of the whole filter with probability 1 − (1 − a)/b, and n independent keys with the n-th
//! power of that. So the rate needs no sum over block loads: a list of pairs (1 − a, coefficient),
//! which depends on the shape of the block alone, gives it for every n and b.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::array;

use super::dd::Dd;
use super::shape::{Shape, WORDS};

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
    pub(super) fn query(shape: &Shape) -> Self {
        Self::all_set(shape, shape.bits)
    }

    /// Two independent queries into the same block: all positions of both are set.
    ///
    /// Only the distance between the two starts matters, and distance 8 − s is the mirror of s.
    pub(super) fn two_queries(shape: &Shape) -> Self {
        let distances = [(0, 1.0), (1, 2.0), (2, 2.0), (3, 2.0), (4, 1.0)];
        let terms = distances.into_iter().flat_map(|(start, weight)| {
            let draws = array::from_fn(|w| shape.bits_in_word(0, w) + shape.bits_in_word(start, w));
            let scale = Dd::from(weight / 8.0);
            let both = Self::all_set(shape, draws).0.into_iter();
            both.map(move |(touch, coefficient)| (touch, coefficient * scale))
        });
        Self(terms.collect())
    }

    /// `draws[w]` positions in word w, independent and uniform, are all set.
    ///
    /// Goes word by word. A state holds, for every start of a key, the product over the words so far
    /// as an exact integer over s^bits. Starts that no longer differ in the words to come are added
    /// up, which makes most states equal, so there are few of them.
    fn all_set(shape: &Shape, draws: [u32; WORDS]) -> Self {
        let mut states = BTreeMap::from([(add_up(shape, 0, [1; WORDS]), Dd::ONE)]);
        for (w, &draws) in draws.iter().enumerate() {
            let signed = signed_distinct(draws, shape.word_bits);
            let mut next = BTreeMap::new();
            for (distinct, &sign) in (0..).zip(&signed[..=draws as usize]) {
                let untouched = u128::from(shape.word_bits - distinct);
                let factor: [u128; WORDS] =
                    array::from_fn(|start| untouched.pow(shape.bits_in_word(start, w)));
                for (products, &coefficient) in &states {
                    let products = array::from_fn(|start| products[start] * factor[start]);
                    let sum = next.entry(add_up(shape, w + 1, products)).or_insert(Dd::ZERO);
                    *sum = *sum + coefficient * sign.into();
                }
            }
            states = next;
        }
        // A power of two, so that the division is exact.
        let whole = WORDS as u128 * u128::from(shape.word_bits).pow(shape.bits.iter().sum());
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

    /// The same where each key of the block, with this probability, has all the positions of the query, and
    /// otherwise independent ones.
    pub(super) fn with_twins(self, probability: f64) -> Self {
        let touch = |independent: Dd| {
            // Of no position nothing is touched, not by a twin either.
            if independent == Dd::ZERO {
                Dd::ZERO
            } else {
                independent + (Dd::ONE - independent) * probability.into()
            }
        };
        Self(self.0.into_iter().map(|(independent, coefficient)| (touch(independent), coefficient)).collect())
    }

    /// The probability in a filter.
    pub(super) fn rate(&self, items: u64, blocks: u64) -> f64 {
        self.probability(Load::Binomial { items, blocks }).value().clamp(0.0, 1.0)
    }

    /// The probability in the limit of many keys, for the mean number of keys in a block.
    pub(super) fn rate_limit(&self, mean: f64) -> f64 {
        // A million keys fill every bit of a block: a larger mean gives the same rate, 1.
        self.probability(Load::Poisson { mean: mean.min(1e6) }).value().clamp(0.0, 1.0)
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
fn add_up(shape: &Shape, word: usize, products: [u128; WORDS]) -> [u128; WORDS] {
    let same = |a, b| (word..WORDS).all(|w| shape.bits_in_word(a, w) == shape.bits_in_word(b, w));
    let mut sums = [0; WORDS];
    for (start, product) in products.into_iter().enumerate() {
        let first = (0..start).find(|&first| same(first, start)).unwrap_or(start);
        sums[first] += product;
    }
    sums
}

/// Coefficients c with P(all of these draws in a word are set) = Σ_d c\[d\] · P(d given positions of
/// the word are untouched).
///
/// By adding one draw at a time: either it is set, or it is not and then hits one of the d untouched
/// positions again or a new one. Exact in `f64` for up to four draws, since words have at most 64 bits.
fn signed_distinct(draws: u32, word_bits: u32) -> [f64; 5] {
    let all = f64::from(word_bits);
    let mut c = [1.0, 0.0, 0.0, 0.0, 0.0];
    for _ in 0..draws {
        for d in (1..5).rev() {
            let positions = d as f64;
            c[d] = (c[d] * (all - positions) - c[d - 1] * (all + 1.0 - positions)) / all;
        }
    }
    c
}
