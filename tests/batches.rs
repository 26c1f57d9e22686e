//! Every type of key in batches of every length that matters, against one key at a time.

use std::thread;

use bloomline::{BloomFilter, Kernel, Key, Prehashed, Scheme};

/// Around the borders of groups, words of the bitmask, rings and buffers.
fn lengths() -> impl Iterator<Item = usize> {
    (0..40).chain(60..70).chain(125..140).chain(255..275).chain(505..530).chain([600])
}

fn filters() -> impl Iterator<Item = BloomFilter> {
    let shapes =
        [(Scheme::Block512, 8), (Scheme::Block512, 5), (Scheme::Block512, 13), (Scheme::SplitBlock, 8)];
    shapes.into_iter().flat_map(|(scheme, k)| {
        // One block, where all keys meet, and an odd number of them.
        [1, 77].into_iter().flat_map(move |blocks| {
            Kernel::available().map(move |kernel| {
                let builder = BloomFilter::with_bytes(blocks * scheme.block_bytes()).scheme(scheme);
                builder.k(k).seed(3).kernel(kernel).build().unwrap()
            })
        })
    })
}

/// Checks every call for many keys on a filter that holds every third key.
fn check<K: Key>(keys: &[K]) {
    for empty in filters() {
        let mut filter = empty.clone();
        for key in keys.iter().step_by(3) {
            filter.insert(key);
        }
        for length in lengths().take_while(|&length| length <= keys.len()) {
            let keys = &keys[..length];
            let expected: Vec<bool> = keys.iter().map(|key| filter.contains(key)).collect();
            let found = expected.iter().filter(|&&found| found).count();
            let tell =
                || format!("{length} keys, {:?}, {:?}, k = {}", filter.kernel(), filter.scheme(), filter.k());

            // Bits of a bitmask that is exactly long enough, with rubbish in it.
            let mut mask = vec![u64::MAX; length.div_ceil(64)];
            assert_eq!(filter.contains_batch(keys, &mut mask).unwrap(), found, "{}", tell());
            let bit = |i: usize| mask[i / 64] >> (i % 64) & 1 == 1;
            assert!((0..length).all(|i| bit(i) == expected[i]), "{}", tell());
            assert!((length..64 * mask.len()).all(|i| !bit(i)), "{}", tell());

            let mut answers = vec![true; length];
            assert_eq!(filter.contains_batch_bools(keys, &mut answers).unwrap(), found, "{}", tell());
            assert_eq!(answers, expected, "{}", tell());
            let mut positions = vec![u32::MAX; length];
            assert_eq!(filter.select_batch(keys, &mut positions).unwrap(), found, "{}", tell());
            assert!(positions[..found].iter().all(|&i| expected[i as usize]), "{}", tell());
            assert!(positions[..found].is_sorted_by(|a, b| a < b), "{}", tell());
            assert_eq!(filter.count_batch(keys), found, "{}", tell());

            let (mut singly, mut batched, mut reported) = (empty.clone(), empty.clone(), empty.clone());
            let before: Vec<bool> = keys.iter().map(|key| singly.insert(key)).collect();
            batched.insert_batch(keys);
            assert_eq!(batched, singly, "{}", tell());
            let known = before.iter().filter(|&&known| known).count();
            assert_eq!(reported.insert_batch_reporting(keys, &mut mask).unwrap(), known, "{}", tell());
            assert!((0..length).all(|i| (mask[i / 64] >> (i % 64) & 1 == 1) == before[i]), "{}", tell());
            assert_eq!(reported, singly, "{}", tell());
        }
    }
}

fn number(i: usize) -> u64 {
    (i as u64).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 8
}

/// 600 keys, each fifth one a repetition.
fn keys<K>(key: impl Fn(u64) -> K) -> Vec<K> {
    (0..600).map(|i| key(number(i - i % 5 / 4))).collect()
}

fn bytes<const N: usize>(i: u64) -> [u8; N] {
    std::array::from_fn(|at| i.rotate_left(8 * at as u32) as u8 ^ at as u8)
}

#[test]
fn integers() {
    check(&keys(|i| i));
    check(&keys(|i| i as i32));
    check(&keys(|i| u128::from(i) << 40));
    check(&keys(Prehashed));
}

/// A key of no bytes takes no memory, and all of them are one key.
#[test]
fn arrays_of_bytes() {
    check(&keys(|_| [0_u8; 0]));
    check(&keys(bytes::<1>));
    check(&keys(bytes::<16>));
    check(&keys(bytes::<17>));
    check(&keys(bytes::<64>));
}

/// Lengths that change from key to key, empty ones among them, owned and borrowed.
#[test]
fn strings_of_any_length() {
    let strings = keys(|i| "x".repeat(i as usize % 3) + &i.to_string()[..(i % 7) as usize]);
    check(&strings);
    let borrowed: Vec<&str> = strings.iter().map(String::as_str).collect();
    check(&borrowed);
    check(&borrowed.iter().collect::<Vec<_>>());
    check(&keys(|i| vec![i as u8; i as usize % 100]));
}

#[test]
fn arrays_at_odd_addresses() {
    let bytes: Vec<u8> = (0..600 * 3 + 3).map(|i| number(i) as u8).collect();
    for start in 0..3 {
        let (keys, _) = bytes[start..].as_chunks::<3>();
        check(keys);
    }
}

/// Readers on many threads give the answers of one.
#[test]
fn readers_on_many_threads() {
    let present: Vec<u64> = (0..50_000).map(number).collect();
    let mut filter = BloomFilter::with_rate(50_000, 0.01).build().unwrap();
    filter.insert_batch(&present);
    let asked: Vec<u64> = (25_000..150_000).map(number).collect();
    let expected = asked.iter().filter(|key| filter.contains(*key)).count();
    thread::scope(|scope| {
        let counts: Vec<_> = (0..8).map(|_| scope.spawn(|| filter.count_batch(&asked))).collect();
        for count in counts {
            assert_eq!(count.join().unwrap(), expected);
        }
    });
}
