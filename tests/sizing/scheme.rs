//! The placement of a key's bits, written again from the words of `docs/FORMAT.md`.

/// How many bits a key sets in word w of its block: one in each of k consecutive words from `start`
/// for k < 8; for larger k one in every word and a second one in k − 8 consecutive words.
pub(crate) fn bits_in_word(k: usize, start: usize, w: usize) -> usize {
    let consecutive = |length: usize| (0..length).any(|i| (start + i) % 8 == w);
    if k < 8 { usize::from(consecutive(k)) } else { 1 + usize::from(consecutive(k - 8)) }
}

/// The probabilities of 0, 1, …, n keys in a block, for n keys and b blocks.
pub(crate) fn loads(items: usize, blocks: usize) -> Vec<f64> {
    let mut distribution = vec![1.0];
    let here = 1.0 / blocks as f64;
    for _ in 0..items {
        distribution.push(0.0);
        for i in (0..distribution.len()).rev() {
            let from_below = if i == 0 { 0.0 } else { distribution[i - 1] * here };
            distribution[i] = distribution[i] * (1.0 - here) + from_below;
        }
    }
    distribution
}
