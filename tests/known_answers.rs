//! Filters against `support/known_answers.txt`: answers of a program that was written from `docs/FORMAT.md` alone.

use bloomline::{BloomFilter, Kernel, Prehashed};

const ANSWERS: &str = include_str!("support/known_answers.txt");

/// The fields of the lines that begin with `kind`.
fn lines(kind: &str) -> impl Iterator<Item = Vec<&'static str>> {
    ANSWERS
        .lines()
        .filter_map(move |line| Some(line.strip_prefix(kind)?.strip_prefix(' ')?.split(' ').collect()))
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap()
}

fn bytes(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn filter(blocks: u64, k: u32, seed: u64, kernel: Kernel) -> BloomFilter {
    BloomFilter::with_bytes(64 * blocks).k(k).seed(seed).kernel(kernel).build().unwrap()
}

/// A key of the file: an integer of up to 128 bits, or a byte string.
enum Key {
    Integer(u128),
    Bytes(Vec<u8>),
}

impl Key {
    fn parse(text: &str) -> Self {
        match text.split_at(1) {
            ("i", digits) => Self::Integer(u128::from_str_radix(digits, 16).unwrap()),
            ("b", digits) => Self::Bytes(bytes(digits)),
            _ => panic!("{text} is no key"),
        }
    }

    /// Inserts the key in every type that can hold it.
    fn insert_into(&self, filter: &mut BloomFilter) {
        match self {
            Self::Integer(key) => {
                filter.insert(key);
                filter.insert_batch(&[*key]);
                if let Ok(key) = u64::try_from(*key) {
                    filter.insert(&key);
                    filter.insert(&key.cast_signed());
                    filter.insert_batch(&[key]);
                    filter.insert_batch(&[key.cast_signed()]);
                }
                if let Ok(key) = u32::try_from(*key) {
                    filter.insert(&key);
                    filter.insert_batch(&[key]);
                }
                // Negative ones too, by their two's complement in 64 bits.
                if let Ok(key) = u64::try_from(*key)
                    && let Ok(key) = i32::try_from(key.cast_signed())
                {
                    filter.insert(&key);
                    filter.insert_batch(&[key]);
                }
            }
            Self::Bytes(key) => {
                filter.insert(key);
                filter.insert(key.as_slice());
                filter.insert_batch(&[key]);
                if let Ok(text) = str::from_utf8(key) {
                    filter.insert(text);
                    filter.insert_batch(&[text]);
                }
            }
        }
    }
}

/// The hash is not public, but a key sets the bits of its hash and no others. With 16 bits of a key in 2^16 blocks, two
/// hashes agree with a probability below 2^-60.
#[test]
fn hashes_of_keys() {
    let mut checked = 0;
    for fields in lines("key") {
        let [seed, key, hash] = fields[..] else { panic!("{fields:?}") };
        let mut expected = filter(1 << 16, 16, hex(seed), Kernel::best());
        expected.insert(&Prehashed(hex(hash)));
        let mut found = filter(1 << 16, 16, hex(seed), Kernel::best());
        Key::parse(key).insert_into(&mut found);
        assert!(found == expected, "key {key} under seed {seed} has another hash than {hash}");
        checked += 1;
    }
    assert_eq!(checked, 6 * 15 + 25 * 3);
}

/// The set bits of a filter as (block, word, bit), read from its file.
fn set_bits(filter: &BloomFilter) -> Vec<(usize, usize, usize)> {
    let file = filter.to_bytes();
    let set = |&i: &usize| file[128 + i / 8] >> (i % 8) & 1 == 1;
    (0..8 * (file.len() - 128)).filter(set).map(|i| (i / 512, i / 64 % 8, i % 64)).collect()
}

#[test]
fn block_and_bits_of_hashes_by_every_kernel() {
    let mut checked = 0;
    for fields in lines("place") {
        let [hash, blocks, k, block, ref bits @ ..] = fields[..] else { panic!("{fields:?}") };
        let (blocks, block) = (blocks.parse::<u64>().unwrap(), block.parse::<usize>().unwrap());
        if blocks > 1000 {
            continue; // The largest filter is 256 GiB: its lines are for the readers of the rule.
        }
        let bit = |text: &&str| {
            let (word, bit) = text.split_once(':').unwrap();
            (block, word.parse().unwrap(), bit.parse().unwrap())
        };
        let expected: Vec<(usize, usize, usize)> = bits.iter().map(bit).collect();
        let key = [Prehashed(hex(hash))];
        for kernel in Kernel::available() {
            let mut single = filter(blocks, k.parse().unwrap(), 0, kernel);
            assert!(!single.insert(&key[0]));
            assert_eq!(set_bits(&single), expected, "{kernel:?} {fields:?}");
            let mut batch = filter(blocks, k.parse().unwrap(), 0, kernel);
            batch.insert_batch(&key);
            assert!(batch == single, "{kernel:?} in a batch: {fields:?}");
        }
        checked += 1;
    }
    assert_eq!(checked, 3 * 9 * 13);
}

#[test]
fn files() {
    let mut checked = 0;
    for fields in lines("file") {
        let [name, blocks, k, seed, items, rate, keys, contents] = fields[..] else { panic!("{fields:?}") };
        let contents = bytes(contents);
        let keys: Vec<Key> = keys.split(',').filter(|&key| key != "-").map(Key::parse).collect();
        let (items, rate) = (items.parse::<u64>().ok(), rate.parse::<f64>().ok());
        let blocks: u64 = blocks.parse().unwrap();
        let builder = match (items, rate) {
            (Some(items), Some(rate)) => BloomFilter::with_rate(items, rate),
            (Some(items), None) => BloomFilter::with_bytes(64 * blocks).expected_items(items),
            _ => BloomFilter::with_bytes(64 * blocks),
        };
        let mut filter = builder.k(k.parse().unwrap()).seed(hex(seed)).build().unwrap();
        keys.iter().for_each(|key| key.insert_into(&mut filter));
        assert_eq!(filter.to_bytes(), contents, "{name}");

        let read = BloomFilter::from_bytes(&contents).unwrap();
        assert!(read == filter, "{name}");
        assert_eq!((read.blocks(), read.k().to_string().as_str(), read.seed()), (blocks, k, hex(seed)));
        assert_eq!((read.expected_items(), read.target_rate()), (items, rate), "{name}");
        assert_eq!(read.to_bytes(), contents, "{name}");
        checked += 1;
    }
    assert_eq!(checked, 6);
}
