//! The placement of a key's bits, written again from the words of `docs/FORMAT.md`.

/// How many bits a key sets in word w of its block: one in each of k consecutive words from `start`
/// for k < 8; for larger k one in every word and a second one in k − 8 consecutive words.
pub(crate) fn bits_in_word(k: usize, start: usize, w: usize) -> usize {
    let consecutive = |length: usize| (0..length).any(|i| (start + i) % 8 == w);
    if k < 8 { usize::from(consecutive(k)) } else { 1 + usize::from(consecutive(k - 8)) }
}

/// The probabilities of 0, 1, …, n keys in a block, for n keys and b blocks.
pub(crate) fn loads(items: usize, blocks: usize) -> Vec<f64> {
    let here = 1.0 / blocks as f64;
    let mut distribution = vec![0.0; items + 1];
    distribution[0] = 1.0;
    for _ in 0..items {
        for i in (1..=items).rev() {
            distribution[i] = distribution[i] * (1.0 - here) + distribution[i - 1] * here;
        }
        distribution[0] *= 1.0 - here;
    }
    distribution
}
