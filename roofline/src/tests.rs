//! Every hashing in every order against a plain computation that is written here again.

use crate::order::{Set, Sum, run};
use crate::{Hashing, Line, Lines, Order, Pages};

/// Lengths around groups, phases and rings.
const LENGTHS: [usize; 14] = [0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 200, 1000, 4096];
const LINES: [usize; 5] = [1, 2, 3, 1000, 65_537];

/// Stafford's variant 13, with the seed 1 before and between.
fn mixed(key: u64) -> u64 {
    let mut h = u128::from(key ^ 1);
    h = ((h ^ h >> 30) * 0xbf58476d1ce4e5b9 + 1) % (1 << 64);
    h = ((h ^ h >> 27) * 0x94d049bb133111eb) % (1 << 64);
    (h ^ h >> 31) as u64
}

fn line(hash: u64, lines: usize) -> usize {
    (u128::from(hash) * lines as u128 / (1 << 64)) as usize
}

/// Words that are all different, so that a wrong line shows.
fn numbered(lines: usize) -> Vec<Line> {
    (0..lines as u64).map(|i| std::array::from_fn(|word| (i + 1) * 1_000_003 + word as u64 * 17)).collect()
}

fn keys(count: usize) -> Vec<u64> {
    (0..count as u64).map(|i| (i * i + 5).wrapping_mul(0xd6e8_feb8_6659_fd93)).collect()
}

fn for_all(mut check: impl FnMut(Hashing, Order, usize, &[u64])) {
    let mut cases = 0;
    for hashing in Hashing::available() {
        for order in Order::ALL {
            for lines in LINES {
                for length in LENGTHS {
                    check(hashing, order, lines, &keys(length));
                    cases += 1;
                }
            }
        }
    }
    println!("{cases} cases under {:?}", Hashing::available().collect::<Vec<_>>());
}

#[test]
fn lookups_sum_the_words_of_the_right_lines() {
    for_all(|hashing, order, lines, keys| {
        let lines = numbered(lines);
        let first = |hash| lines[line(hash, lines.len())][0];
        let sum = Sum { lines: &lines, total: 0 };
        let wanted: u64 = keys.iter().map(|key| first(mixed(*key))).sum();
        assert_eq!(
            run::<true, _>(hashing, sum, keys, order).total,
            wanted,
            "{hashing:?} {order:?} {}",
            keys.len()
        );

        let sum = Sum { lines: &lines, total: 0 };
        let wanted: u64 = keys.iter().map(|key| first(*key)).sum();
        assert_eq!(
            run::<false, _>(hashing, sum, keys, order).total,
            wanted,
            "{hashing:?} {order:?} {}",
            keys.len()
        );
    });
}

#[test]
fn inserts_set_the_words_of_the_right_lines_and_no_others() {
    for_all(|hashing, order, lines, keys| {
        let mut wanted = vec![[0; 8]; lines];
        for key in keys {
            let hash = mixed(*key);
            wanted[line(hash, lines)][0] |= hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        let mut got = vec![[0; 8]; lines];
        run::<true, _>(hashing, Set { lines: &mut got }, keys, order);
        assert!(got == wanted, "{hashing:?} {order:?} {} keys, {lines} lines", keys.len());
    });
}

#[test]
fn hashes_at_the_ends_stay_inside() {
    for hashing in Hashing::available() {
        for order in Order::ALL {
            let lines = numbered(1000);
            let hashes: Vec<u64> = (0..64).flat_map(|i| [i, u64::MAX - i]).collect();
            let sum = run::<false, _>(hashing, Sum { lines: &lines, total: 0 }, &hashes, order).total;
            assert_eq!(sum, 64 * (lines[0][0] + lines[999][0]));
        }
    }
}

#[test]
fn memory_is_whole_lines_of_both_kinds_of_pages() {
    for pages in [Pages::Ordinary, Pages::Huge] {
        for (bytes, lines) in [(64, 1), (127, 1), (128, 2), (5 << 20, 5 << 14)] {
            let mut memory = Lines::new(bytes, pages).unwrap();
            assert_eq!(memory.as_slice().len(), lines);
            assert_eq!(memory.as_slice().as_ptr() as usize % (2 << 20), 0);
            assert!(memory.as_slice().iter().all(|line| *line == [0x0101_0101_0101_0101; 8]));
            memory.as_mut_slice()[lines - 1] = [2; 8];
            assert_eq!(memory.as_slice()[lines - 1], [2; 8]);
        }
        for bytes in [0, 63, usize::MAX] {
            assert_eq!(Lines::new(bytes, pages).err().unwrap().kind(), std::io::ErrorKind::InvalidInput);
        }
    }
}

#[test]
#[should_panic(expected = "from 1 to 2^32 - 1 lines")]
fn no_lines_are_refused() {
    crate::lookup(&[], &[1], Order::Near);
}
