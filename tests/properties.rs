//! Properties of filters of any shape, for any keys, by every kernel.

use bloomline::{BloomFilter, Kernel, Key, Prehashed, Scheme};
use proptest::prelude::*;

#[path = "support/model.rs"]
#[allow(unreachable_pub)]
mod model;
use model::Model;

/// What decides where keys go, and the kernel.
#[derive(Clone, Copy, Debug)]
struct Shape {
    scheme: Scheme,
    blocks: u64,
    k: u32,
    seed: u64,
    kernel: Kernel,
}

impl Shape {
    fn build(self) -> BloomFilter {
        let builder = BloomFilter::with_bytes(self.scheme.block_bytes() * self.blocks).scheme(self.scheme);
        builder.k(self.k).seed(self.seed).kernel(self.kernel).build().unwrap()
    }

    fn build_from<K: Key>(self, keys: &[K]) -> BloomFilter {
        let mut filter = self.build();
        filter.insert_batch(keys);
        filter
    }
}

/// Few blocks, where keys meet, or more than fit into the first cache; of either scheme.
fn shape() -> impl Strategy<Value = Shape> {
    let scheme_and_k = prop_oneof![
        2 => (Just(Scheme::Block512), 1..=16_u32),
        1 => (Just(Scheme::SplitBlock), Just(8_u32)),
    ];
    let blocks = prop_oneof![3 => 1..=40_u64, 1 => 4_097..=5_000_u64];
    let kernels: Vec<Kernel> = Kernel::available().collect();
    (scheme_and_k, blocks, any::<u64>(), prop::sample::select(kernels))
        .prop_map(|((scheme, k), blocks, seed, kernel)| Shape { scheme, blocks, k, seed, kernel })
}

/// Batches around the borders of the groups and chunks that they are cut into, with repeated keys.
fn batch<K: Clone + std::fmt::Debug>(key: impl Strategy<Value = K>) -> impl Strategy<Value = Vec<K>> {
    let length = prop_oneof![0..20_usize, 60..70_usize, 500..600_usize];
    (prop::collection::vec(key, 1..200), length)
        .prop_map(|(keys, length)| keys.into_iter().cycle().take(length).collect())
}

fn integer() -> impl Strategy<Value = u64> {
    prop_oneof![any::<u64>(), 0..50_u64]
}

/// Byte strings over the borders of the hash's cases.
fn string() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..20),
        prop::collection::vec(any::<u8>(), 45..52),
        prop::collection::vec(any::<u8>(), 90..150),
    ]
}

/// A word that no answer writes by chance.
const UNTOUCHED: u64 = 0xaaaa_5555_dead_beef;

fn as_mask(answers: &[bool]) -> Vec<u64> {
    let word = |answers: &[bool]| answers.iter().enumerate().map(|(bit, &set)| u64::from(set) << bit).sum();
    answers.chunks(64).map(word).collect()
}

/// Every form of the answers to a batch, against these; outputs are longer than needed, and their rest stays as it is.
fn check_answers<K: Key>(filter: &BloomFilter, keys: &[K], answers: &[bool]) {
    let found = answers.iter().filter(|&&answer| answer).count();
    let words = keys.len().div_ceil(64);

    let mut mask = vec![UNTOUCHED; words + 2];
    assert_eq!(filter.contains_batch(keys, &mut mask).unwrap(), found);
    assert_eq!(mask[..words], as_mask(answers));
    assert_eq!(mask[words..], [UNTOUCHED; 2]);

    for poison in [false, true] {
        let mut bools = vec![poison; keys.len() + 2];
        assert_eq!(filter.contains_batch_bools(keys, &mut bools).unwrap(), found);
        assert_eq!(bools[..keys.len()], *answers);
        assert_eq!(bools[keys.len()..], [poison; 2]);
    }

    let mut positions = vec![u32::MAX; keys.len() + 2];
    assert_eq!(filter.select_batch(keys, &mut positions).unwrap(), found);
    let expected: Vec<u32> = (0..keys.len() as u32).filter(|&i| answers[i as usize]).collect();
    assert_eq!(positions[..found], expected);
    assert_eq!(positions[found..], vec![u32::MAX; keys.len() + 2 - found]);

    assert_eq!(filter.count_batch(keys), found);
}

/// Batches against the same keys one by one, and no false negative. Returns the answers to `queries`, and what the
/// inserts reported.
fn check_batches<K: Key>(shape: Shape, keys: &[K], queries: &[K]) -> (Vec<bool>, Vec<bool>) {
    let mut single = shape.build();
    let reported: Vec<bool> = keys.iter().map(|key| single.insert(key)).collect();
    assert!(keys.iter().all(|key| single.contains(key)), "false negative of {shape:?}");
    check_answers(&single, keys, &vec![true; keys.len()]);

    assert!(shape.build_from(keys) == single, "insert_batch of {shape:?}");
    let mut reporting = shape.build();
    let words = keys.len().div_ceil(64);
    let mut before = vec![UNTOUCHED; words + 2];
    let count = reporting.insert_batch_reporting(keys, &mut before).unwrap();
    assert!(reporting == single, "insert_batch_reporting of {shape:?}");
    assert_eq!(before[..words], as_mask(&reported), "reports of {shape:?}");
    assert_eq!(before[words..], [UNTOUCHED; 2]);
    assert_eq!(count, reported.iter().filter(|&&before| before).count());

    let answers: Vec<bool> = queries.iter().map(|key| single.contains(key)).collect();
    check_answers(&single, queries, &answers);
    (answers, reported)
}

/// The same with hashes that are known, so that the answers are known from the model.
fn check_against_model<K: Key>(shape: Shape, keys: &[K], queries: &[K], hash: impl Fn(&Model, &K) -> u64) {
    let (answers, reported) = check_batches(shape, keys, queries);
    let layout = match shape.scheme {
        Scheme::Block512 => model::Scheme::Block512 { blocks: shape.blocks, k: shape.k },
        Scheme::SplitBlock => model::Scheme::SplitBlock { blocks: shape.blocks },
        other => panic!("no model of {other:?}"),
    };
    let mut model = Model::new(layout, shape.seed);
    for (key, reported) in keys.iter().zip(reported) {
        let hash = hash(&model, key);
        assert_eq!(reported, model.insert_hash(hash));
    }
    for (key, answer) in queries.iter().zip(answers) {
        assert_eq!(answer, model.contains_hash(hash(&model, key)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn integers(shape in shape(), keys in batch(integer()), queries in batch(integer())) {
        check_against_model(shape, &keys, &queries, |model, &key| model.hash(key));
    }

    #[test]
    fn hashes(shape in shape(), keys in batch(integer()), queries in batch(integer())) {
        let (keys, queries) = (Prehashed::slice(&keys), Prehashed::slice(&queries));
        check_against_model(shape, keys, queries, |_, key| key.0);
    }

    /// Strings own their bytes, borrow them, or are text; alone or in a batch.
    #[test]
    fn strings(shape in shape(), keys in batch(string()), queries in batch(string())) {
        check_batches(shape, &keys, &queries);
        let filter = shape.build_from(&keys);
        let borrowed: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        assert!(shape.build_from(&borrowed) == filter);
        assert!(shape.build_from(&borrowed.iter().collect::<Vec<_>>()) == filter);
        let owned: Vec<String> = keys.iter().map(|key| String::from_utf8_lossy(key).into_owned()).collect();
        let borrowed: Vec<&str> = owned.iter().map(String::as_str).collect();
        let bytes: Vec<&[u8]> = owned.iter().map(String::as_bytes).collect();
        let filter = shape.build_from(&owned);
        assert!(shape.build_from(&borrowed) == filter && shape.build_from(&bytes) == filter);
        let fixed: Vec<[u8; 7]> = keys.iter().map(|key| std::array::from_fn(|i| key.get(i).map_or(0, |&b| b))).collect();
        let same: Vec<&[u8]> = fixed.iter().map(|key| &key[..]).collect();
        assert!(shape.build_from(&fixed) == shape.build_from(&same));
    }

    /// Integers of every type are the 64-bit integers that stand for them.
    #[test]
    fn integer_types(shape in shape(), keys in batch(integer()), queries in batch(integer())) {
        let wide = |keys: &[u64]| keys.iter().map(|&key| u128::from(key)).collect::<Vec<_>>();
        let signed = |keys: &[u64]| keys.iter().map(|&key| key.cast_signed()).collect::<Vec<_>>();
        let narrow = |keys: &[u64]| keys.iter().map(|&key| key as u32).collect::<Vec<_>>();
        let narrow_signed = |keys: &[u64]| keys.iter().map(|&key| key as i32).collect::<Vec<_>>();
        let hash = |model: &Model, key: u64| model.hash(key);
        check_against_model(shape, &wide(&keys), &wide(&queries), |model, &key| hash(model, key as u64));
        check_against_model(shape, &signed(&keys), &signed(&queries), |model, &key| hash(model, key as u64));
        check_against_model(shape, &narrow(&keys), &narrow(&queries), |model, &key| hash(model, key.into()));
        check_against_model(shape, &narrow_signed(&keys), &narrow_signed(&queries), |model, &key| {
            hash(model, i64::from(key) as u64)
        });
        let borrowed: Vec<&u64> = keys.iter().collect();
        assert!(shape.build_from(&borrowed) == shape.build_from(&keys));
    }

    #[test]
    fn wide_integers(shape in shape(), keys in batch(any::<u128>()), queries in batch(any::<u128>())) {
        check_batches(shape, &keys, &queries);
    }

    #[test]
    fn unions_and_intersections(
        shape in shape(), left in batch(integer()), right in batch(integer()), common in batch(integer()),
    ) {
        let (left, right) = ([left, common.clone()].concat(), [right, common.clone()].concat());
        let mut union = shape.build_from(&left);
        union.union_with(&shape.build_from(&right)).unwrap();
        assert!(union == shape.build_from(&[left.clone(), right.clone()].concat()));

        let mut both = shape.build_from(&left);
        both.intersect_with(&shape.build_from(&right)).unwrap();
        assert_eq!(both.count_batch(&common), common.len());
        // It keeps exactly the bits of both.
        let bytes = |filter: &BloomFilter| filter.to_bytes().split_off(128);
        let (left, right) = (bytes(&shape.build_from(&left)), bytes(&shape.build_from(&right)));
        let expected: Vec<u8> = left.iter().zip(&right).map(|(left, right)| left & right).collect();
        assert_eq!(bytes(&both), expected);
    }

    /// The order of the inserts, their division into batches, and the kernel leave no trace.
    #[test]
    fn equal_keys_make_equal_filters(shape in shape(), keys in batch(integer()), cut in any::<prop::sample::Index>()) {
        let filter = shape.build_from(&keys);
        let (head, tail) = keys.split_at(cut.index(keys.len() + 1));
        for kernel in Kernel::available() {
            let mut other = Shape { kernel, ..shape }.build_from(tail);
            other.insert_batch(head);
            assert!(other == filter);
            assert_eq!(other.to_bytes(), filter.to_bytes());
            // A kernel can also be changed under way.
            let mut other = shape.build_from(head);
            other.set_kernel(kernel);
            other.insert_batch(tail);
            assert!(other == filter && other.kernel() == kernel);
            check_answers(&other, &keys, &vec![true; keys.len()]);
        }
    }

    #[test]
    fn filters_come_back_from_their_files(shape in shape(), keys in batch(string())) {
        let filter = shape.build_from(&keys);
        let read = BloomFilter::from_bytes(&filter.to_bytes()).unwrap();
        assert!(read == filter);
        assert_eq!((read.scheme(), read.blocks()), (shape.scheme, shape.blocks));
        assert_eq!((read.k(), read.seed()), (shape.k, shape.seed));
        check_answers(&read, &keys, &vec![true; keys.len()]);
    }
}

/// Batches of more keys than any buffer inside holds, by every kernel, in a small and in a prefetched filter.
#[test]
fn long_batches() {
    let keys: Vec<u64> = (0..9_999).map(|i: u64| i.wrapping_mul(0x1234_5678_9abc_def1) >> (i % 50)).collect();
    let (inserted, queries) = (&keys[..5_003], &keys[..]);
    for kernel in Kernel::available() {
        for (scheme, blocks, k) in [
            (Scheme::Block512, 50, 8),
            (Scheme::Block512, 900, 3),
            (Scheme::Block512, 5_000, 8),
            (Scheme::Block512, 5_000, 11),
            (Scheme::SplitBlock, 51, 8),
            (Scheme::SplitBlock, 9_001, 8),
        ] {
            let shape = Shape { scheme, blocks, k, seed: 5, kernel };
            check_against_model(shape, inserted, queries, |model, &key| model.hash(key));
            let text = |keys: &[u64]| keys.iter().map(u64::to_string).collect::<Vec<_>>();
            check_batches(shape, &text(inserted), &text(queries));
        }
    }
}
