//! The exact rate by a Markov chain in which every term is positive: nothing of inclusion and
//! exclusion, and nothing that could cancel.
//!
//! The state is the number of different positions of a query, 0…2 in each word, that no key has set
//! yet. Keys of the filter arrive one by one.

use crate::scheme::{bits_in_word, loads};
use bloomline::sizing::blocked;

const STATES: usize = 3_usize.pow(8);

/// Sends the share `1/64` for each unset position in word w from u to u − 1.
fn one_bit(states: &mut [f64], w: u32) {
    let stride = 3_usize.pow(w);
    for state in 0..states.len() {
        let unset = state / stride % 3;
        if unset > 0 {
            let moved = states[state] * unset as f64 / 64.0;
            states[state] -= moved;
            states[state - stride] += moved;
        }
    }
}

/// The query's positions before any key: it starts at word 0, and two positions in a word coincide
/// with probability 1/64.
fn query(k: usize) -> Vec<f64> {
    let mut states = vec![0.0; STATES];
    states[0] = 1.0;
    for w in 0..8 {
        let stride = 3_usize.pow(w as u32);
        let mut next = vec![0.0; STATES];
        for (state, weight) in states.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            match bits_in_word(k, 0, w) {
                0 => next[state] += weight,
                1 => next[state + stride] += weight,
                _ => {
                    next[state + stride] += weight / 64.0;
                    next[state + 2 * stride] += weight * 63.0 / 64.0;
                }
            }
        }
        states = next;
    }
    states
}

fn rate(items: usize, blocks: usize, k: usize) -> f64 {
    let mut states = query(k);
    for _ in 0..items {
        let mut next: Vec<f64> = states.iter().map(|weight| weight * (1.0 - 1.0 / blocks as f64)).collect();
        for start in 0..8 {
            let mut hit = states.clone();
            for w in 0..8 {
                (0..bits_in_word(k, start, w)).for_each(|_| one_bit(&mut hit, w as u32));
            }
            for (sum, weight) in next.iter_mut().zip(hit) {
                *sum += weight / 8.0 / blocks as f64;
            }
        }
        states = next;
    }
    states[0]
}

#[test]
fn every_k_agrees_with_the_chain() {
    for k in 1..=16 {
        for (items, blocks) in [(40, 1), (30, 3)] {
            let (got, expected) =
                (blocked::rate(items, blocks, k).unwrap(), rate(items as usize, blocks as usize, k as usize));
            let error = (got / expected - 1.0).abs();
            assert!(error < 1e-12, "n {items}, b {blocks}, k {k}: {got:e}, not {expected:e}");
        }
    }
}

/// P(`draws` positions in a word are all set | i keys with `bits` bits each in that word), by the same
/// chain for a single word of `word_bits` bits.
pub(crate) fn word_set(draws: usize, bits: usize, keys: usize, word_bits: usize) -> f64 {
    let all = word_bits as f64;
    let mut unset = vec![0.0; draws + 1];
    unset[0] = 1.0;
    for _ in 0..draws {
        for u in (0..=draws).rev() {
            let repeated = unset[u] * u as f64 / all;
            let unset_before = (word_bits + 1 - u) as f64 / all;
            unset[u] = repeated + if u == 0 { 0.0 } else { unset[u - 1] * unset_before };
        }
    }
    for _ in 0..keys * bits {
        for u in 1..=draws {
            let moved = unset[u] * u as f64 / all;
            unset[u] -= moved;
            unset[u - 1] += moved;
        }
    }
    unset[0]
}

/// k = 8 and k = 16 treat all words alike and independently, so the rate is a sum over loads of eighth
/// powers, for thousands of keys.
#[test]
fn one_and_two_bits_in_every_word_agree_with_the_sum_over_loads() {
    for (items, blocks) in [(1_000, 20), (3_000, 100), (500, 40), (2_000, 1)] {
        let loads = loads(items, blocks);
        for bits in [1, 2] {
            let expected: f64 = (0..=items).map(|i| loads[i] * word_set(bits, bits, i, 64).powi(8)).sum();
            let got = blocked::rate(items as u64, blocks as u64, 8 * bits as u32).unwrap();
            assert!((got / expected - 1.0).abs() < 1e-11, "n {items}, b {blocks}: {got:e}, {expected:e}");
        }
    }
}

/// The definition of the spread, with sums over loads in place of closed forms.
#[test]
fn spread_agrees_with_the_sum_over_loads() {
    for (items, blocks) in [(1_000, 20), (3_000, 100), (500, 40)] {
        let loads = loads(items, blocks);
        for bits in [1, 2] {
            let mean_over = |f: &dyn Fn(usize) -> f64| -> f64 { (0..=items).map(|i| loads[i] * f(i)).sum() };
            let rate = |i| word_set(bits, bits, i, 64).powi(8);
            let mean = mean_over(&rate);
            let mean_load = items as f64 / blocks as f64;
            let variance = mean_over(&|i| word_set(2 * bits, bits, i, 64).powi(8)) - mean * mean;
            let covariance = mean_over(&|i| rate(i) * (i as f64 - mean_load));
            let load_variance = mean_over(&|i| (i as f64 - mean_load).powi(2));
            let expected =
                ((variance - covariance * covariance / load_variance) / blocks as f64).sqrt() / mean;
            let got = blocked::spread(items as u64, blocks as u64, 8 * bits as u32).unwrap();
            assert!((got / expected - 1.0).abs() < 1e-8, "n {items}, b {blocks}: {got:e}, {expected:e}");
        }
    }
}
